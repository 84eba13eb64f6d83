// The microphone and the speaker of a conversation, and others in their place.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "audio/duplex.h"
#include "base/result.h"

namespace svc::cli {

/// Changes go on beside the conversation: a sound system may take its time, or never answer.
class TalkDevices {
 public:
  explicit TalkDevices(audio::DuplexOptions options) : m_options(std::move(options)) {}
  ~TalkDevices();

  [[nodiscard]] Result<audio::Duplex> open();

  /// Another microphone or speaker than this one, in the order of the system's list; the old ones
  /// are closed by now.
  void next(audio::Direction direction);
  /// The default one in the place of one that has gone, with the error that told so.
  void replace(audio::Direction direction, Error why);

  [[nodiscard]] bool busy() const noexcept { return m_work != nullptr; }
  /// Readable once a change is over, or -1.
  [[nodiscard]] int descriptor() const;
  struct Change {
    audio::Duplex duplex{};
    std::string note{};
  };
  /// What came of a change, once it is over or has taken too long: of one that was to replace a
  /// device, the error that told that it has gone.
  [[nodiscard]] std::optional<Result<Change>> take();

 private:
  struct Work;
  void begin(std::shared_ptr<Work> work);

  audio::DuplexOptions m_options;
  std::shared_ptr<Work> m_work{};
};

}  // namespace svc::cli
