// The emulator's media host: what the result URLs of images and videos lead to.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// GET and HEAD /_media/{name}: whole or a range (RFC 9110, section 14). Like the service's media
/// hosts these take no key: a request with an Authorization header is refused with 403, so that a
/// client that gives its key away is noticed.
[[nodiscard]] std::vector<Route> media_routes();

}  // namespace svc::emulator
