// What a transcription socket does off the connection's thread: sound and commands in, events out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/api/stt/stream_query.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::stt {

/// Something a client sent, in its order.
struct StreamInput {
  enum class Kind : std::uint8_t { Sound, Finalize, Done };
  Kind kind = Kind::Sound;
  std::string bytes{};                   ///< of Sound
  std::optional<std::size_t> channel{};  ///< of Finalize; unset: all
};

/// Not safe for several threads.
class StreamWork {
 public:
  explicit StreamWork(const StreamQuery& query);

  /// The messages that answer `input`, as JSON text. Done ends with transcript.done, one for each
  /// channel. Local when sound of that rate cannot be listened to here.
  [[nodiscard]] Result<std::vector<std::string>> take(const StreamInput& input);

  /// Seconds of sound so far.
  [[nodiscard]] double seconds() const;

 private:
  void hear(const std::vector<speech::Samples>& channels, std::vector<std::string>& out);
  void tell(std::size_t channel, const std::vector<speech::Heard>& heard,
            std::vector<std::string>& out) const;

  StreamQuery m_query;
  std::optional<ChannelSplitter> m_splitter{};  ///< once there is sound
  std::vector<std::unique_ptr<speech::Listener>> m_ears{};
  audio::Decoder m_decoder;
  speech::Samples m_part_frame{};  ///< samples of a frame that is not whole
  std::uint64_t m_frames = 0;
};

}  // namespace svc::emulator::stt
