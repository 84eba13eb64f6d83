// Sound files that say themselves what they are, by libsndfile.
#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::stt {

class Container {
 public:
  /// Usage, with a sentence that names the format, when it is one that cannot be read here; Local
  /// when the library is not there.
  [[nodiscard]] static Result<std::unique_ptr<Container>> open(const ByteSource& bytes);
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  [[nodiscard]] int rate() const;
  [[nodiscard]] int channels() const;
  /// Interleaved samples; how many of them, whole frames. 0 at the end.
  [[nodiscard]] std::size_t read(std::span<std::int16_t> into);

 private:
  struct Impl;
  explicit Container(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::emulator::stt
