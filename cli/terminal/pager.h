// A long text on a terminal, in the user's pager.
#pragma once

#include <string>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/environment.h"
#include "print/streams.h"

namespace svc::cli {

/// Writes `text` (from outside: made harmless for a terminal) to `out`. What is longer than the
/// screen goes through $SVC_PAGER, $PAGER or less; an empty one, and a dumb terminal, have none.
[[nodiscard]] Result<void> show_paged(print::Out& out, const std::string& text,
                                      const Environment& environment, const CancelToken& cancel);

}  // namespace svc::cli
