#include "http/sse.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::http {
namespace {

constexpr std::string_view k_mark = "\xef\xbb\xbf";
constexpr std::string_view k_data = "data: ";
constexpr std::size_t k_settled = std::string_view::npos;

/// Finds line ends. Scans each byte once for each of the two characters, even if only one of them
/// occurs.
class LineEnds {
 public:
  explicit LineEnds(std::string_view bytes) noexcept : m_bytes(bytes) {}

  /// The position of the first CR or LF at or after `from`, or the size.
  std::size_t next(std::size_t from) noexcept {
    if (m_line_feed == k_unknown || m_line_feed < from) {
      m_line_feed = find('\n', from, m_bytes.size());
    }
    return find('\r', from, m_line_feed);
  }

 private:
  /// Returns `end` if `wanted` does not occur before it.
  [[nodiscard]] std::size_t find(char wanted, std::size_t from, std::size_t end) const noexcept {
    const void* found =
        from < end ? std::memchr(m_bytes.data() + from, wanted, end - from) : nullptr;
    if (found == nullptr) return end;
    return static_cast<std::size_t>(static_cast<const char*>(found) - m_bytes.data());
  }

  static constexpr std::size_t k_unknown = std::string_view::npos;

  std::string_view m_bytes;
  std::size_t m_line_feed = k_unknown;
};

}  // namespace

bool is_keep_alive(const SseEvent& event) noexcept {
  const std::string_view data = trim(event.data);
  return data.empty() || (event.event == "ping" && data.front() != '{');
}

Error SseParser::too_large() {
  return Error{Fault::Network, fmt::format("event {} in the stream is larger than {}", m_events + 1,
                                           format_bytes(m_max))};
}

/// Skips a byte order mark at the start of the stream. Returns false if `bytes` ends before that is
/// decided.
bool SseParser::skip_byte_order_mark(std::string_view& bytes) {
  while (m_mark < k_mark.size()) {
    if (bytes.empty()) return false;
    if (bytes.front() != k_mark[m_mark]) {  // no byte order mark: the bytes held back belong to the
                                            // first line
      m_line.assign(k_mark.substr(0, m_mark));
      break;
    }
    bytes.remove_prefix(1);
    ++m_mark;
  }
  m_mark = k_settled;
  return true;
}

Result<void> SseParser::feed(std::string_view bytes, const OnEvent& on_event, const OnRun& on_run) {
  if (m_broken) return Error{Fault::Network, "the event stream is broken"};
  if (m_mark != k_settled && !skip_byte_order_mark(bytes)) return {};
  m_broken = true;  // until the end is reached
  LineEnds ends(bytes);
  std::size_t position = 0;
  if (m_skip_line_feed && !bytes.empty()) {
    position = bytes.front() == '\n' ? 1 : 0;
    m_skip_line_feed = false;
  }
  while (position < bytes.size()) {
    if (on_run && !inside_event()) {
      const SseRun run = on_run(bytes.substr(position));
      position += run.bytes;
      m_events += run.events;
      if (position == bytes.size()) break;
    }
    const std::size_t end = ends.next(position);
    std::string_view text = bytes.substr(position, end - position);
    if (m_line.size() + text.size() > m_max) return too_large();
    if (end == bytes.size()) {
      m_line.append(text);
      break;
    }
    // The usual event: one data line and a blank line.
    if (m_line.empty() && !m_has_data && text.starts_with(k_data) &&
        bytes.substr(end, 2) == "\n\n") {
      SVC_CHECK(add_data(text.substr(k_data.size())));
      SVC_CHECK(dispatch(on_event));
      position = end + 2;
      continue;
    }
    if (!m_line.empty()) {
      m_line.append(text);
      text = m_line;
    }
    SVC_CHECK(line(text, on_event));
    if (text.data() == m_line.data()) {
      // The line's bytes are about to become invalid, so copy them.
      if (m_data_is_view) {
        m_data.assign(m_data_view);
        m_data_is_view = false;
      }
      m_line.clear();
    }
    position = end + 1;
    if (bytes[end] == '\r') {
      if (position == bytes.size())
        m_skip_line_feed = true;
      else if (bytes[position] == '\n')
        ++position;
    }
  }
  if (m_data_is_view) {
    m_data.assign(m_data_view);
    m_data_is_view = false;
  }
  m_broken = false;
  return {};
}

Result<void> SseParser::line(std::string_view text, const OnEvent& on_event) {
  if (text.empty()) return dispatch(on_event);
  const std::size_t colon = text.find(':');
  if (colon == 0) return {};  // a comment, which keeps the connection alive
  if (colon == std::string_view::npos) return field(text, {});
  std::string_view value = text.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  return field(text.substr(0, colon), value);
}

Result<void> SseParser::field(std::string_view name, std::string_view value) {
  m_inside_event = true;
  if (name == "data") return add_data(value);
  if (name == "event") {
    m_event.assign(value);
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) m_id.assign(value);
  } else if (name == "retry") {
    // Digits only. Unlike JSON numbers, leading zeros are allowed.
    std::uint32_t time = 0;
    const char* end = value.data() + value.size();
    const auto [read, fault] = std::from_chars(value.data(), end, time);
    if (!value.empty() && read == end && fault == std::errc()) {
      m_retry = std::chrono::milliseconds(time);
    }
  }
  return {};
}

Result<void> SseParser::add_data(std::string_view value) {
  if (!m_has_data) {
    m_has_data = true;
    m_data_is_view = true;
    m_data_view = value;
    return {};
  }
  if (m_data_is_view) {
    m_data.assign(m_data_view);
    m_data_is_view = false;
  }
  if (m_data.size() + value.size() + 1 > m_max) return too_large();
  m_data += '\n';
  m_data += value;
  return {};
}

Result<void> SseParser::dispatch(const OnEvent& on_event) {
  m_inside_event = false;
  if (!m_has_data) {
    m_event.clear();
    return {};
  }
  ++m_events;
  const std::string_view data = m_data_is_view ? m_data_view : std::string_view(m_data);
  const std::string_view type = m_event.empty() ? std::string_view("message") : m_event;
  auto result = on_event(SseEvent{type, data, m_id});
  m_event.clear();
  m_data.clear();
  m_data_is_view = false;
  m_has_data = false;
  return result;
}

}  // namespace svc::http
