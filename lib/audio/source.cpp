#include "audio/source.h"

#include <poll.h>

#include "base/wait.h"

namespace svc::audio {

Result<std::optional<Block>> read_block(Source& source, const CancelToken& cancel,
                                        std::optional<Clock::time_point> until) {
  while (!source.ended()) {
    SVC_TRY(block, source.take());
    if (block) return std::move(block);
    if (source.ended() || (until && Clock::now() >= *until)) break;
    SVC_CHECK(wait_readable(source.wait_fd(), until, cancel));
  }
  return std::optional<Block>{};
}

}  // namespace svc::audio
