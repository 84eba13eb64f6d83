// The usage of an answer, as one of the interface.
#pragma once

#include "client/answer.h"
#include "svc/text.h"

namespace svc::v0 {

[[nodiscard]] Usage usage_of(const svc::Usage& usage);

}  // namespace svc::v0
