// Parses batch requests as written by clients: items of an add call or lines of a file; and defines
// the kinds of requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/api/batches/store.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::batches {

/// Parses the items of `{"batch_requests": […]}`, or returns why they are refused: 422 for an
/// invalid body, 400 for a model that does not support batches, 403 for one that the key may not
/// use.
[[nodiscard]] std::optional<Response> read_items(const Request& request,
                                                 std::vector<NewRequest>& requests);

/// Parses the lines of a JSONL file, skipping blank ones. Returns Usage, with the line's number, if
/// a line is invalid or an ID occurs twice.
[[nodiscard]] Result<std::vector<NewRequest>> read_lines(std::string_view text);

struct Kind {
  std::string_view member;    ///< field in `batch_request`; stored as the kind
  std::string_view path;      ///< the operation that processes it, and the `url` in a file
  std::string_view endpoint;  ///< its name in the list of requests
  std::string_view result;    ///< the field of `response` that contains the result
  bool text = false;          ///< its model must support batches
  bool job = false;           ///< returns a request_id to be polled
  bool in_files_only = false;
};

[[nodiscard]] std::span<const Kind> kinds();

/// Returns null if there is none.
[[nodiscard]] const Kind* find_kind(std::string_view member);
[[nodiscard]] const Kind* find_kind_by_path(std::string_view path);

/// The service takes up to 24 hours; users of an emulator would not wait that long.
inline constexpr std::int64_t k_default_delay_ms = 200;

/// Spreads the requests' due times, so that a batch can be observed half done.
inline void stagger(std::vector<NewRequest>& requests, std::int64_t now_ms, std::int64_t delay_ms) {
  constexpr std::int64_t k_steps = 16;
  constexpr std::int64_t k_step_ms = 25;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i) % k_steps;
    requests[i].due_ms = now_ms + delay_ms + (delay_ms == 0 ? 0 : step * k_step_ms);
  }
}

}  // namespace svc::emulator::batches
