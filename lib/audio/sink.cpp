#include "audio/sink.h"

#include "base/wait.h"

namespace svc::audio {
namespace {

constexpr Milliseconds k_look{20};  // how often a sink is asked for room, or whether it is through

}  // namespace

Result<void> write_all(Sink& sink, std::span<const Sample> samples, const CancelToken& cancel) {
  while (true) {
    if (const auto fault = cancel.requested()) return cancelled(*fault);
    SVC_TRY(taken, sink.write(samples));
    samples = samples.subspan(taken);
    if (samples.empty()) return {};
    SVC_CHECK(wait_readable(-1, Clock::now() + k_look, cancel));
  }
}

Result<void> drain(Sink& sink, const CancelToken& cancel) {
  sink.finish();
  while (true) {
    SVC_CHECK(sink.check());
    if (sink.idle()) return {};
    SVC_CHECK(wait_readable(-1, Clock::now() + k_look, cancel));
  }
}

}  // namespace svc::audio
