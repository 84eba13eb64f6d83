#include "conversation/clipboard.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/program.h"
#include "base/text.h"
#include "base/wait.h"

namespace svc::cli {
namespace {

constexpr std::chrono::seconds k_limit{10};  // the clipboard's owner may hang
constexpr std::size_t k_max_image = 20'000'000;
constexpr std::array<sv, 2> k_types = {"image/png", "image/jpeg"};
constexpr sv k_reply = "\x1b]5522;";
constexpr sv k_reply_end = "\x1b\\";

Error too_large() {
  return usage_error(
      fmt::format("the clipboard's image is larger than {}", format_bytes(k_max_image)),
      "Save it in a smaller size and attach it with /image PATH.");
}

bool is_image(sv type, sv bytes) {
  return bytes.starts_with(type == "image/png" ? sv("\x89PNG\r\n\x1a\n") : sv("\xff\xd8\xff"));
}

/// The commands to try, each for one type.
std::vector<std::vector<std::string>> commands(const std::string& type) {
  std::vector<std::vector<std::string>> all = {
      {"wl-paste", "--no-newline", "--type", type},
      {"xclip", "-selection", "clipboard", "-target", type, "-out"}};
  if (type == "image/png") all.push_back({"pngpaste", "-"});
  return all;
}

}  // namespace

Result<ClipboardImage> clipboard_image(const CancelToken& cancel) {
  std::string said;
  bool installed = false;
  for (const sv type : k_types) {
    for (const std::vector<std::string>& command : commands(std::string(type))) {
      ClipboardImage image{std::string(type), {}};
      ProgramOptions run{.arguments = command, .limit = k_limit, .output = ProgramOutput::Captured};
      run.take = [&](sv bytes) {
        if (image.bytes.size() <= k_max_image) image.bytes += bytes;
      };
      run.take_error = [&](sv bytes) { said += bytes.substr(0, 1000); };
      const auto end = run_program(run, cancel);
      if (!end && cancel.requested()) return end.error();
      installed = installed || end;
      if (!end || !is_image(type, image.bytes)) continue;
      if (image.bytes.size() <= k_max_image) return image;
      return too_large();
    }
  }
  if (!installed) {
    return usage_error("no program to read images from the clipboard",
                       "This terminal does not give out images. Install wl-clipboard (wl-paste, "
                       "for Wayland) or xclip (for X11), or attach a file with /image PATH.");
  }
  const sv reason = trim(said);
  return usage_error("no image on the clipboard",
                     reason.empty()
                         ? std::string()
                         : fmt::format("The last program said: {}",
                                       shown_message(reason.substr(reason.rfind('\n') + 1))));
}

bool terminal_gives_images(const Environment& environment) {
  const auto is_set = [&](const char* name) { return environment(name).has_value(); };
  // A multiplexer does not pass the request on.
  if (is_set("TMUX") || is_set("STY")) return false;
  return environment("TERM").value_or("") == "xterm-kitty" || is_set("KITTY_WINDOW_ID");
}

std::string ClipboardReply::feed(std::string_view bytes) {
  m_held += bytes;
  std::string typed;
  for (std::size_t begin = m_held.find(k_reply); begin != std::string::npos;
       begin = m_held.find(k_reply)) {
    const std::size_t end = m_held.find(k_reply_end, begin + k_reply.size());
    typed += m_held.substr(0, begin);
    m_held.erase(0, begin);
    if (end == std::string::npos) return typed;
    const std::size_t size = end - begin;
    decode(sv(m_held).substr(k_reply.size(), size - k_reply.size()));
    m_held.erase(0, size + k_reply_end.size());
  }
  // What may be the start of a sequence waits for its rest.
  const std::size_t escape = m_end ? std::string::npos : m_held.rfind('\x1b');
  const bool begins = escape != std::string::npos && k_reply.starts_with(sv(m_held).substr(escape));
  const std::size_t size = begins ? escape : m_held.size();
  typed += m_held.substr(0, size);
  m_held.erase(0, size);
  return typed;
}

/// Takes `type=read:status=DATA:mime=BASE64;BASE64` and the like.
void ClipboardReply::decode(std::string_view sequence) {
  const std::size_t semicolon = std::min(sequence.find(';'), sequence.size());
  std::string status;
  std::string type;
  for (const sv part : split(sequence.substr(0, semicolon), ':')) {
    if (part.starts_with("status=")) status = part.substr(7);
    if (part.starts_with("mime=")) type = base64_decode(part.substr(5)).value_or("");
  }
  if (status == "OK" || status.empty()) return;
  if (status != "DATA") {
    m_end = status == "DONE" ? "" : status;
    return;
  }
  const bool wanted = std::find(k_types.begin(), k_types.end(), type) != k_types.end();
  // The first type that has data is the image.
  if (!wanted || semicolon == sequence.size()) return;
  if (m_image.type.empty()) m_image.type = type;
  if (m_image.type != type || m_image.bytes.size() > k_max_image) return;
  m_image.bytes += base64_decode(sequence.substr(semicolon + 1)).value_or("");
}

Result<ClipboardImage> terminal_image(RawTerminal& terminal, print::Out& out,
                                      const CancelToken& cancel,
                                      const std::function<void(std::string_view)>& ahead) {
  constexpr std::chrono::seconds k_patience{60};  // the terminal asks its user
  if (!terminal.enter()) return usage_error("not the terminal's foreground process");
  SVC_CHECK(out.write(fmt::format("{}type=read;{}{}", k_reply,
                                  base64_encode(fmt::format("{} {}", k_types[0], k_types[1])),
                                  k_reply_end)));
  SVC_CHECK(out.flush());
  ClipboardReply reply;
  const auto until = after(k_patience);
  while (!reply.end()) {
    SVC_TRY(ready, wait_readable(terminal.descriptor(), until, cancel));
    std::array<char, 8192> buffer;
    const ssize_t count =
        ready ? ::read(terminal.descriptor(), buffer.data(), buffer.size()) : ssize_t{0};
    if (count <= 0) {
      return usage_error("the terminal did not give out its clipboard",
                         "Attach a file with /image PATH.");
    }
    const std::string typed =
        reply.feed(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    if (!typed.empty()) ahead(typed);
  }
  if (reply.image().bytes.size() > k_max_image) return too_large();
  if (is_image(reply.image().type, reply.image().bytes)) return reply.image();
  if (reply.end()->empty()) return usage_error("no image on the clipboard");
  return usage_error(
      fmt::format("the terminal refused to give out its clipboard ({})", shown(*reply.end())));
}

}  // namespace svc::cli
