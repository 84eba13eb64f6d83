// What libcurl's codes mean for whoever wants to know why an exchange failed.
#pragma once

#include "http/curl_library.h"
#include "http/failure.h"

namespace svc::http {

/// `in_head`: the answer's head was under way.
[[nodiscard]] Trouble trouble_of(CURLcode code, bool in_head);

}  // namespace svc::http
