// Parses server-sent events as defined by the WHATWG HTML standard §9.2.6, independently of how the
// bytes are split.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::http {

/// One event. The views are valid only during the callback.
struct SseEvent {
  std::string_view event;  ///< its type; "message" when none was given
  std::string_view data;
  std::string_view id;  ///< the last ID in the stream, possibly from an earlier event
};

/// Whether the event only keeps the connection alive: no data, or a ping that is not a JSON object.
[[nodiscard]] bool is_keep_alive(const SseEvent& event) noexcept;

/// A number of complete events and their size in bytes.
struct SseRun {
  std::size_t bytes = 0;
  std::size_t events = 0;
};

/// The default limit for a line and for the data of an event.
inline constexpr std::size_t k_max_event_bytes = 16U << 20U;

class SseParser {
 public:
  /// Called for each event. An error returned here ends the parsing with that error.
  using OnEvent = std::function<Result<void>(const SseEvent&)>;

  /// Called with the bytes from the start of an event. It may consume complete events itself: data
  /// lines and the blank lines after them, nothing else. The rest is parsed as usual.
  using OnRun = std::function<SseRun(std::string_view bytes)>;

  explicit SseParser(std::size_t max_event_bytes = k_max_event_bytes) noexcept
      : m_max(max_event_bytes) {}

  /// Parses the next bytes of the stream and calls `on_event` for each event they complete. Network
  /// if a line or an event exceeds the limit. After that, or after an error of `on_event`, every
  /// later call fails as well. `on_run` may be empty.
  [[nodiscard]] Result<void> feed(std::string_view bytes, const OnEvent& on_event,
                                  const OnRun& on_run = {});

  /// Whether an event is incomplete; at the end of the stream it is lost.
  [[nodiscard]] bool inside_event() const noexcept { return m_inside_event || !m_line.empty(); }

  [[nodiscard]] std::uint64_t events() const noexcept { return m_events; }
  /// The value of the last id field, even if its event is incomplete.
  [[nodiscard]] const std::string& last_event_id() const noexcept { return m_id; }
  /// The value of the last valid `retry` field.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return m_retry; }

 private:
  [[nodiscard]] bool skip_byte_order_mark(std::string_view& bytes);
  [[nodiscard]] Result<void> line(std::string_view text, const OnEvent& on_event);
  [[nodiscard]] Result<void> field(std::string_view name, std::string_view value);
  [[nodiscard]] Result<void> add_data(std::string_view value);
  [[nodiscard]] Result<void> dispatch(const OnEvent& on_event);
  [[nodiscard]] Error too_large();

  std::size_t m_max;
  std::string m_line{};  ///< an incomplete line

  // The data of the current event: a view of the input while it is a single line (the usual case,
  // without a copy), else m_data.
  std::string m_data{};
  std::string_view m_data_view{};
  bool m_data_is_view = false;
  bool m_has_data = false;

  std::string m_event{};
  std::string m_id{};
  std::optional<std::chrono::milliseconds> m_retry{};
  std::uint64_t m_events = 0;
  std::size_t m_mark = 0;  ///< bytes of the byte order mark seen; npos once it is complete or ruled
                           ///< out
  bool m_inside_event = false;
  bool m_skip_line_feed = false;
  bool m_broken = false;
};

}  // namespace svc::http
