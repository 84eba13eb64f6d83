// Tests whether a text or an error contains a substring.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::test {

inline bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// In the error's message or hint.
inline bool mentions(const Error& error, std::string_view part) {
  return mentions(error.message, part) || mentions(error.hint, part);
}

}  // namespace svc::test
