#include "live/jsonl_reader.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"
#include "json/text.h"

namespace svc::cli {
namespace {

using websocket::Message;

constexpr std::size_t k_longest_line = 32U << 20U;
constexpr std::size_t k_piece = 32U << 10U;  ///< of bytes that are sent as they come
/// The only member of a line that stands for a binary message, as base64.
constexpr const char* k_binary = "binary";

/// The bytes of such a line; nothing for every other one.
std::optional<std::string> binary_of(std::string_view line) {
  if (!trim(line).starts_with("{\"binary\"")) return std::nullopt;
  const nlohmann::json parsed = parse_reply(line);
  if (!parsed.is_object() || parsed.size() != 1 || !parsed.contains(k_binary)) return std::nullopt;
  const auto& text = parsed.at(k_binary);
  return text.is_string() ? base64_decode(text.get_ref<const std::string&>()) : std::nullopt;
}

/// What is wrong with a line that should be a JSON object; "" when nothing is.
std::string object_fault(std::string_view line) {
  const auto fault = check_json(line);
  if (!fault) return line.starts_with('{') ? std::string() : "is JSON but not an object";
  return fmt::format("is not JSON: {}", describe(*fault));
}

}  // namespace

Result<void> JsonlReader::taken() {
  m_next.reset();
  return cut();
}

Result<void> JsonlReader::read() {
  std::string piece(k_piece, '\0');
  const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (count < 0 && errno != EBADF) return system_error("standard input cannot be read", errno);
  if (count <= 0) m_ended = true;
  if (count > 0) m_buffer.append(piece, 0, static_cast<std::size_t>(count));
  return cut();
}

Result<void> JsonlReader::cut() {
  if (m_options.bytes) {
    if (!m_buffer.empty()) m_next = Message{.binary = true, .data = std::move(m_buffer)};
    m_buffer.clear();
    return {};
  }
  while (!m_next) {
    std::size_t end = m_buffer.find('\n', m_begin);
    if (end == std::string::npos && m_ended && m_begin < m_buffer.size()) end = m_buffer.size();
    if (end == std::string::npos) break;
    SVC_CHECK(take_line(std::string_view(m_buffer).substr(m_begin, end - m_begin)));
    m_begin = end + 1;
  }
  if (m_next) return {};
  m_buffer.erase(0, std::min(m_begin, m_buffer.size()));
  m_begin = 0;
  if (m_buffer.size() <= k_longest_line) return {};
  return usage_error(fmt::format("line {} of standard input is longer than {}", m_number + 1,
                                 format_bytes(k_longest_line)));
}

Result<void> JsonlReader::take_line(std::string_view line) {
  ++m_number;
  if (m_number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  line = trim(line);
  if (line.empty()) return {};
  const bool text = !first_invalid_utf8(line);
  if (!text && !m_options.json_lines) {
    return usage_error(fmt::format("line {} of standard input is not UTF-8 text", m_number),
                       "--send binary sends bytes as they are.");
  }
  const std::string fault = !m_options.json_lines ? std::string()
                            : text                ? object_fault(line)
                                                  : std::string("is not UTF-8 text");
  if (!fault.empty()) {
    ++m_left_out;
    m_notices.warning(fmt::format("line {} of standard input {}; it is not sent", m_number, fault));
    return {};
  }
  auto bytes = binary_of(line);
  m_next = bytes ? Message{.binary = true, .data = *std::move(bytes)}
                 : Message{.data = std::string(line)};
  return {};
}

}  // namespace svc::cli
