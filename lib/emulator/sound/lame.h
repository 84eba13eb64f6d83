// MP3 by LAME, which comes with libsndfile. That library writes MP3 as well, but only to what it
// can seek in; an answer is streamed.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "emulator/sound/pcm.h"

namespace svc::emulator::speech {

class Lame {
 public:
  /// One channel at a constant `bit_rate` (bits per second), or the nearest that MP3 has for that
  /// sample rate. Local when the library is not installed.
  [[nodiscard]] static Result<Lame> make(int rate, int bit_rate);

  [[nodiscard]] std::string feed(SampleView samples);
  [[nodiscard]] std::string finish();

 private:
  struct Functions;
  [[nodiscard]] static Result<const Functions*> load();
  using Handle = std::unique_ptr<void, int (*)(void*)>;
  Lame(const Functions& functions, Handle handle)
      : m_functions(&functions), m_handle(std::move(handle)) {}

  const Functions* m_functions;
  Handle m_handle;
};

}  // namespace svc::emulator::speech
