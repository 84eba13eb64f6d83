// Server-sent events: bytes to events, by the rules of the WHATWG HTML standard §9.2.6, whatever
// the pieces in which the bytes arrive.
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

/// One event. The views hold only during the call that hands it out.
struct SseEvent {
  std::string_view event;  ///< its type; "message" when none was given
  std::string_view data;
  std::string_view id;  ///< the last id that the stream gave, also by an earlier event
};

/// Whether it only keeps the connection alive: no data, or a ping that is no JSON object.
[[nodiscard]] bool is_keep_alive(const SseEvent& event) noexcept;

/// Whole events at the beginning of some bytes.
struct SseRun {
  std::size_t bytes = 0;
  std::size_t events = 0;
};

/// The default cap on one line, and on the data of one event.
inline constexpr std::size_t k_max_event_bytes = 16U << 20U;

class SseParser {
 public:
  /// An error returned here ends the parsing with that error.
  using OnEvent = std::function<Result<void>(const SseEvent&)>;

  /// Is shown the bytes from the beginning of an event on, and may take whole events of them
  /// itself: lines of data and the blank ones behind them, nothing else. What it does not take is
  /// parsed.
  using OnRun = std::function<SseRun(std::string_view bytes)>;

  explicit SseParser(std::size_t max_event_bytes = k_max_event_bytes) noexcept
      : m_max(max_event_bytes) {}

  /// Takes the next bytes of the stream and hands out each event that they complete. Network when a
  /// line or an event is larger than the cap; then, or after an error of `on_event`, every later
  /// call fails as well. `on_run` may be empty.
  [[nodiscard]] Result<void> feed(std::string_view bytes, const OnEvent& on_event,
                                  const OnRun& on_run = {});

  /// True when the stream has begun an event that it has not ended: at its end that event is lost.
  [[nodiscard]] bool inside_event() const noexcept { return m_inside_event || !m_line.empty(); }

  [[nodiscard]] std::uint64_t events() const noexcept { return m_events; }
  /// Comment lines, which servers send to keep the connection alive.
  [[nodiscard]] std::uint64_t comments() const noexcept { return m_comments; }
  /// Of the last id field, whether or not its event has ended.
  [[nodiscard]] const std::string& last_event_id() const noexcept { return m_id; }
  /// What the stream's last valid `retry` field asked for.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return m_retry; }

 private:
  [[nodiscard]] bool skip_byte_order_mark(std::string_view& bytes);
  [[nodiscard]] Result<void> line(std::string_view text, const OnEvent& on_event);
  [[nodiscard]] Result<void> field(std::string_view name, std::string_view value);
  [[nodiscard]] Result<void> add_data(std::string_view value);
  [[nodiscard]] Result<void> dispatch(const OnEvent& on_event);
  [[nodiscard]] Error too_large();

  std::size_t m_max;
  std::string m_line{};  ///< the beginning of a line whose end has not arrived

  // The data of the event under way: a view while it is one line of the bytes at hand (the usual
  // case, without a copy), else m_data.
  std::string m_data{};
  std::string_view m_data_view{};
  bool m_data_is_view = false;
  bool m_has_data = false;

  std::string m_event{};
  std::string m_id{};
  std::optional<std::chrono::milliseconds> m_retry{};
  std::uint64_t m_events = 0;
  std::uint64_t m_comments = 0;
  std::size_t m_mark = 0;  ///< bytes of the byte order mark seen; npos once that is settled
  bool m_inside_event = false;
  bool m_skip_line_feed = false;
  bool m_broken = false;
};

}  // namespace svc::http
