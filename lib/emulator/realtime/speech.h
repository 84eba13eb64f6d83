// Speaking and hearing, as a realtime session needs them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/realtime/audio_format.h"

namespace svc::emulator::realtime {

/// Safe for several threads. Its functions take their time: they are called apart.
class Speech {
 public:
  Speech() = default;
  Speech(const Speech&) = delete;
  Speech& operator=(const Speech&) = delete;
  virtual ~Speech() = default;

  /// `text` spoken, at that rate. Speed 1 is usual.
  [[nodiscard]] virtual Result<Samples> speak(const std::string& text, const std::string& voice,
                                              double speed, int rate) const = 0;

  /// The words in `samples`, in lower case; "" when there are none.
  [[nodiscard]] virtual Result<std::string> hear(std::span<const std::int16_t> samples,
                                                 int rate) const = 0;
};

}  // namespace svc::emulator::realtime
