// Runs `stt live`: sends audio from a source to the service, and passes its events to the view.
#pragma once

#include <chrono>
#include <memory>

#include "audio/source.h"
#include "base/result.h"
#include "commands/stt/live_view.h"
#include "live/live_channel.h"
#include "session/session.h"
#include "terminal/key_input.h"
#include "voice/live_transcript.h"

namespace svc::cli {

struct SttLivePlan {
  LivePlan live{};
  std::chrono::milliseconds idle{300'000};  ///< --idle-timeout
  audio::Encoding encoding = audio::Encoding::Pcm;
  int channels = 1;      ///< transcribed separately
  bool interim = false;  ///< show interim results
  bool raw = false;      ///< the audio must be headerless
  bool waits = false;    ///< the source can be paused: a file or a pipe, not a device
};

/// Runs until the source has ended, or the user stops it, and the transcript is complete. The
/// transcript is printed in any case.
[[nodiscard]] Result<void> transcribe_live(Session& session, SttLivePlan plan,
                                           std::unique_ptr<audio::Source> source, SttLiveView& view,
                                           KeyInput& keys, SttControl& control);

}  // namespace svc::cli
