// A file sent in pieces: initialize, one call per piece, then a look at what arrived.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/api_client.h"
#include "request/inputs.h"

namespace svc {

/// At most this much in one piece, and in all.
inline constexpr std::uint64_t k_upload_piece = 5'000'000;
inline constexpr std::uint64_t k_most_in_pieces = 512'000'000;

struct ChunkedFile {
  std::string path{};
  std::string name{};
  std::string content_type{};
  std::string service{};  ///< the address that it goes to: another one is another upload
  bool remember = true;   ///< false for a file that no later run will find
};

struct ChunkedTools {
  ApiClient& client;
  /// Makes the request of an operation, as the command would.
  std::function<Result<request::Request>(const Operation&, const request::Inputs&)> make;
  std::function<void(std::uint64_t sent, std::uint64_t total)> on_progress;
  std::function<void(const std::string&)> note;
};

/// Sends the file and gives the service's description of it. A piece whose answer was lost is sent
/// again only when the file's size on the service shows that it did not arrive. An upload that was
/// cut goes on in a later call for the same file (path, size, time of change, name, type and
/// service); when it cannot be told how much arrived, it begins again. The service documents no
/// call that ends an upload: the description is read in the end, and its size must be right.
[[nodiscard]] Result<std::string> upload_in_pieces(const ChunkedTools& tools,
                                                   const ChunkedFile& file);

}  // namespace svc
