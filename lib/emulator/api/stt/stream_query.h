// The query of the streaming transcription socket.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "emulator/api/stt/words.h"
#include "emulator/handler/handler.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::stt {

struct StreamQuery {
  SoundFormat format{audio::Encoding::Pcm, 16'000, 1};
  speech::Listening listening{};
  Wishes wishes{};
  bool multichannel = false;
  bool formatted = false;  ///< language was given
  /// For tests: a keyterm `Fail with: X` lets the recognizer fail at the first sound.
  std::optional<std::string> failure{};
  /// How long the client may send nothing; the header x-emulator-stream-timeout-ms sets it.
  std::chrono::milliseconds timeout{60'000};
};

/// The query of `call` in `query`; else the answer that refuses it, before the upgrade.
[[nodiscard]] std::optional<Answer> read_stream_query(const Call& call, StreamQuery& query);

}  // namespace svc::emulator::stt
