// Whether a text, or what an error says, has a part.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::test {

inline bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// In its message or its hint.
inline bool mentions(const Error& error, std::string_view part) {
  return mentions(error.message, part) || mentions(error.hint, part);
}

}  // namespace svc::test
