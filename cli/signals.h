// SIGINT and SIGTERM as a Stop. The second one ends the program at once.
#pragma once

#include "base/stop.h"

namespace svc::cli {

/// Installs the handlers for the life of the process, ignores SIGPIPE and SIGXFSZ (writing then
/// fails with a code instead), and gives the one Stop that they feed.
[[nodiscard]] const Stop& install_signals();

}  // namespace svc::cli
