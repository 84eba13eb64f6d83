#include "emulator/sound/lame.h"

#include <cstdarg>
#include <mutex>

#include "emulator/sound/shared_library.h"

namespace svc::emulator::speech {
namespace {

constexpr int k_mono = 3;  // MPEG_mode of lame.h

void say_nothing(const char* /*format*/, va_list /*values*/) {}

}  // namespace

// As in lame.h of 3.100, whose package for developers is not needed for these few.
struct Lame::Functions {
  void* (*init)() = nullptr;
  int (*set_in_rate)(void*, int) = nullptr;
  int (*set_out_rate)(void*, int) = nullptr;
  int (*set_channels)(void*, int) = nullptr;
  int (*set_mode)(void*, int) = nullptr;
  int (*set_bit_rate)(void*, int) = nullptr;
  int (*set_quality)(void*, int) = nullptr;
  int (*set_tag)(void*, int) = nullptr;
  int (*set_errors)(void*, void (*)(const char*, va_list)) = nullptr;
  int (*set_parameters)(void*) = nullptr;
  int (*encode)(void*, const short*, const short*, int, unsigned char*, int) = nullptr;
  int (*flush)(void*, unsigned char*, int) = nullptr;
  int (*close)(void*) = nullptr;
};

Result<const Lame::Functions*> Lame::load() {
  static std::mutex mutex;     // loading happens once
  static Functions functions;  // read only from then on
  const std::lock_guard lock(mutex);
  if (functions.close != nullptr) return &functions;
  SVC_TRY(library, open_library("libmp3lame.so.0", "libmp3lame0"));
  Functions f;
  const bool all =
      library.find(f.init, "lame_init") && library.find(f.set_in_rate, "lame_set_in_samplerate") &&
      library.find(f.set_out_rate, "lame_set_out_samplerate") &&
      library.find(f.set_channels, "lame_set_num_channels") &&
      library.find(f.set_mode, "lame_set_mode") && library.find(f.set_bit_rate, "lame_set_brate") &&
      library.find(f.set_quality, "lame_set_quality") &&
      library.find(f.set_tag, "lame_set_bWriteVbrTag") &&
      library.find(f.set_errors, "lame_set_errorf") &&
      library.find(f.set_parameters, "lame_init_params") &&
      library.find(f.encode, "lame_encode_buffer") && library.find(f.flush, "lame_encode_flush") &&
      library.find(f.close, "lame_close");
  if (!all) return Error{Fault::Local, "libmp3lame.so.0 is of an unknown version."};
  functions = f;
  return &functions;
}

Result<Lame> Lame::make(int rate, int bit_rate) {
  SVC_TRY(functions, load());
  const Functions& f = *functions;
  Handle handle(f.init(), f.close);
  void* lame = handle.get();
  if (lame == nullptr) return Error{Fault::Unexpected, "LAME could not be set up."};
  f.set_errors(lame, say_nothing);
  f.set_channels(lame, 1);
  f.set_mode(lame, k_mono);
  f.set_in_rate(lame, rate);
  f.set_out_rate(lame, rate);
  f.set_bit_rate(lame, bit_rate / 1000);
  f.set_quality(lame, 7);
  f.set_tag(lame, 0);  // it would be written to the beginning at the end
  if (f.set_parameters(lame) < 0) return Error{Fault::Unexpected, "LAME refuses that rate."};
  return Lame(f, std::move(handle));
}

std::string Lame::feed(SampleView samples) {
  if (samples.empty()) return {};
  std::string out(samples.size() * 5 / 4 + 7200, '\0');  // the worst case, by lame.h
  const int size = m_functions->encode(
      m_handle.get(), samples.data(), samples.data(), static_cast<int>(samples.size()),
      reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
  out.resize(static_cast<std::size_t>(size < 0 ? 0 : size));
  return out;
}

std::string Lame::finish() {
  std::string out(7200, '\0');
  const int size = m_functions->flush(m_handle.get(), reinterpret_cast<unsigned char*>(out.data()),
                                      static_cast<int>(out.size()));
  out.resize(static_cast<std::size_t>(size < 0 ? 0 : size));
  return out;
}

}  // namespace svc::emulator::speech
