// The microphone and the speaker of a conversation, and how to change them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "audio/duplex.h"
#include "base/result.h"

namespace svc::cli {

/// Changes run in the background: a sound system may take long, or never respond.
class TalkDevices {
 public:
  explicit TalkDevices(audio::DuplexOptions options) : m_options(std::move(options)) {}
  ~TalkDevices();

  [[nodiscard]] Result<audio::Duplex> open();

  /// Follows the echo of the devices in use; how late it arrives is remembered at the end.
  void use(const audio::Duplex& duplex);
  /// Whether the microphone is closed while an answer plays, because its echo is not canceled.
  [[nodiscard]] bool echo_remains() const { return m_status && m_status->closed; }

  /// Switches to the next microphone or speaker in the system's list. The old devices must be
  /// closed.
  void next(audio::Direction direction) { begin(direction, std::nullopt); }
  /// Replaces a device that was removed with the default one; `why` is the error that reported it.
  void replace(audio::Direction direction, Error why) { begin(direction, std::move(why)); }

  [[nodiscard]] bool busy() const noexcept { return m_work != nullptr; }
  /// Becomes readable when a change has finished; -1 if none is in progress.
  [[nodiscard]] int descriptor() const;
  struct Change {
    audio::Duplex duplex{};
    std::string note{};
  };
  /// The result of a change, once it has finished or timed out. If no replacement was found for a
  /// removed device, the error that reported its removal.
  [[nodiscard]] std::optional<Result<Change>> take();

 private:
  struct Work;
  void begin(audio::Direction direction, std::optional<Error> gone);

  void remember() const;

  audio::DuplexOptions m_options;
  std::shared_ptr<Work> m_work{};
  audio::Device m_input{};
  audio::Device m_output{};
  std::shared_ptr<const audio::EchoStatus> m_status{};  ///< of these devices
};

}  // namespace svc::cli
