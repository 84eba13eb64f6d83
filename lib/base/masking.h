// Hides secrets in text from outside, however they are written there.
#pragma once

#include <string>
#include <string_view>

namespace svc {

/// Replaces every occurrence of `secret` (ASCII, not empty) in `text` by `mask`: plain, with any of
/// its characters percent-encoded, escaped as in JSON or C, or as a reference of HTML (all of them
/// also several times), in either case, with blanks or line breaks inside, in hexadecimal, or
/// inside a longer text in base64.
[[nodiscard]] std::string mask_secret(std::string text, std::string_view secret,
                                      std::string_view mask);

}  // namespace svc
