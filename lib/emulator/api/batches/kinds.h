// The kinds of requests that a batch may hold.
#pragma once

#include <span>
#include <string_view>

namespace svc::emulator::batches {

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

}  // namespace svc::emulator::batches
