// Requests for a batch as clients write them: items of an add call, lines of a file; and the kinds
// of requests that there are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/api/batches/store.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::batches {

/// The items of `{"batch_requests": […]}`; or why they are refused: 422 for a body that does not
/// fit, 400 for a model that does not support batches, 403 for one that the key may not use.
[[nodiscard]] std::optional<Answer> read_items(const Call& call, std::vector<NewRequest>& requests);

/// The lines of a JSONL file; blank ones do not count. Usage, naming the line, when
/// one of them is wrong or an id comes twice.
[[nodiscard]] Result<std::vector<NewRequest>> read_lines(std::string_view text);

struct Kind {
  std::string_view member;    ///< in `batch_request`; what the store keeps as the kind
  std::string_view path;      ///< the operation that answers it, and the `url` in a file
  std::string_view endpoint;  ///< what the list of requests calls it
  std::string_view result;    ///< the member of `response` that holds the answer
  bool text = false;          ///< its model must support batches
  bool job = false;           ///< answered with a request_id that is polled
  bool in_files_only = false;
};

[[nodiscard]] std::span<const Kind> kinds();

/// Null when there is none.
[[nodiscard]] const Kind* find_kind(std::string_view member);
[[nodiscard]] const Kind* find_kind_by_path(std::string_view path);

/// The service takes up to 24 hours; an emulator's user would not wait for that.
inline constexpr std::int64_t k_usual_delay_ms = 200;

/// Spreads the work over a moment, so that a batch can be seen half done.
inline void spread(std::vector<NewRequest>& requests, std::int64_t now_ms, std::int64_t delay_ms) {
  constexpr std::int64_t k_steps = 16;
  constexpr std::int64_t k_step_ms = 25;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i) % k_steps;
    requests[i].due_ms = now_ms + delay_ms + (delay_ms == 0 ? 0 : step * k_step_ms);
  }
}

}  // namespace svc::emulator::batches
