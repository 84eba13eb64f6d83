#include "terminal/editor/read_choice.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <unistd.h>

#include "base/text.h"
#include "base/wait.h"
#include "terminal/editor/key_reader.h"

namespace svc::cli {
namespace {

constexpr std::chrono::milliseconds k_escape_time{50};

/// `line` is all that came at once: a key, or a word such as "yes" and more.
KeyChoice chosen(const Key& key, std::string_view line, std::string_view choices) {
  KeyChoice choice;
  if (key.code == KeyCode::Enter || key.code == KeyCode::NewLine) choice.key = ' ';
  if (key.code == KeyCode::Text) {
    line = line.substr(0, line.find_first_of("\r\n"));
    const std::string word = to_lower(line.substr(0, std::max<std::size_t>(line.find(' '), 1)));
    const bool known = word == "yes" || word == "no" || word == "always";
    if (word.size() == 1 || known) choice.key = word.front();
    choice.rest = trim(line.substr(word.size()));
  }
  if (choices.find(choice.key) == std::string_view::npos) choice.key = '\0';
  return choice;
}

}  // namespace

Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                              const CancelToken& cancel) {
  if (!terminal.enter()) return KeyChoice{};
  terminal.signals(true);
  KeyReader keys;
  std::string line;
  while (true) {
    pollfd there{terminal.descriptor(), POLLIN, 0};
    SVC_TRY(ready,
            wait(std::span(&there, 1), keys.waits() ? after(k_escape_time) : WaitEnd(), cancel));
    if (!ready) {
      keys.settle();
    } else {
      std::array<char, 4096> buffer;
      const ssize_t count = ::read(terminal.descriptor(), buffer.data(), buffer.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return KeyChoice{};
      line.append(buffer.data(), static_cast<std::size_t>(count));
      keys.feed(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
    const auto key = keys.next();
    if (!key) continue;
    return chosen(*key, line, choices);
  }
}

}  // namespace svc::cli
