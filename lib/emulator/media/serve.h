// The emulator's media host: what the result URLs of images and videos lead to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// GET and HEAD /_media/{name}: whole or a range (RFC 9110 §14). Like the service's media hosts
/// these take no key (api 4 §1.1): a request with an Authorization header is refused with 403, so
/// that a client that gives its key away is noticed.
[[nodiscard]] std::vector<Route> media_routes();

namespace media {

/// 200 with all of `data`, 206 with the part that the Range header asks for while If-Range allows
/// it, or 416. Several ranges at once are answered with the whole.
[[nodiscard]] Answer serve_bytes(const Call& call, std::string data, std::string content_type,
                                 std::string_view etag, std::int64_t modified_s);

}  // namespace media
}  // namespace svc::emulator
