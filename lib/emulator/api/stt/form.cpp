#include "emulator/api/stt/form.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/api/files/multipart.h"

namespace svc::emulator::stt {
namespace {

constexpr std::size_t k_window = 1U << 18U;
constexpr std::size_t k_most_head = 16'384;
constexpr std::size_t k_most_value = 65'536;

Error broken(sv why) {
  return usage_error(fmt::format("The form is not well formed: {}.", why));
}

// Where `mark` stands next, from `offset` on; nothing when it does not.
std::optional<std::uint64_t> find_mark(const ByteSource& body, std::uint64_t offset, sv mark) {
  std::string window(k_window, '\0');
  while (offset < body.size()) {
    const std::size_t got = body.read(offset, window);
    if (got < mark.size()) return std::nullopt;
    const auto found = sv(window).substr(0, got).find(mark);
    if (found != sv::npos) return offset + found;
    offset += got - mark.size() + 1;
  }
  return std::nullopt;
}

// name="…" of a Content-Disposition header, by the files area's reader of whole forms: the head of
// one part is a form of its own when it is closed at once.
struct PartHead {
  std::string name{};
  bool is_file = false;
};

Result<PartHead> read_head(sv head) {
  const std::string whole = fmt::format("--x\r\n{}\r\n\r\n\r\n--x--\r\n", head);
  SVC_TRY(parts, parse_form(whole, "x"));
  if (parts.size() != 1) return broken("a part has no name");
  return PartHead{parts[0].name, parts[0].filename.has_value()};
}

}  // namespace

Result<SoundForm> read_form(const ByteSource& body, sv boundary) {
  const std::string first = fmt::format("--{}", boundary);
  const std::string between = "\r\n" + first;
  SoundForm form;
  auto at = find_mark(body, 0, first);
  if (!at) return broken("it has no boundary");
  std::uint64_t position = *at + first.size();
  for (;;) {
    const std::string sign = body.text(position, 2);
    if (sign == "--") return form;
    if (sign != "\r\n") return broken("a boundary does not end its line");
    position += 2;
    const std::string head = body.text(position, k_most_head);
    const auto head_end = head.find("\r\n\r\n");
    if (head_end == std::string::npos) return broken("the head of a part does not end");
    SVC_TRY(part, read_head(sv(head).substr(0, head_end)));
    position += head_end + 4;
    const auto end = find_mark(body, position, between);
    if (!end) return broken("it ends before its closing boundary");
    if (part.name == "file") {
      form.file = body.part(position, *end - position);
      return form;
    }
    if (*end - position > k_most_value) return broken("a field is longer than 64 kB");
    form.values.push_back(
        {part.name, body.text(position, static_cast<std::size_t>(*end - position))});
    position = *end + between.size();
  }
}

}  // namespace svc::emulator::stt
