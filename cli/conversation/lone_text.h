// A prompt that is a single word or name, which may be meant as something else.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Settles what the only argument means if it is a text to send. If it is the path of a file, or a
/// command, topic, saved conversation or profile of svc, asks on a terminal: a file may be read
/// instead. Elsewhere prints a note, as the text of a script is never refused. With --continue, the
/// name of a saved conversation selects that one. `invocation` is the session's own. Usage if the
/// user declines.
[[nodiscard]] Result<void> settle_lone_text(Session& session, Invocation& invocation);

}  // namespace svc::cli
