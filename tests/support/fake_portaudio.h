// A PortAudio without devices: a test says what its functions return, and calls the callbacks. Its
// library is support/preload/fake_portaudio.cpp.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include <portaudio.h>

namespace svc::test {

struct FakeStream {
  bool input = false;
  PaStreamParameters parameters{};
  double rate = 0;
  unsigned long frames = 0;  ///< of a callback
  PaStreamCallback* callback = nullptr;
  PaStreamFinishedCallback* finished = nullptr;
  void* user = nullptr;
  bool running = false;
  int starts = 0;
  int aborts = 0;

  /// What the device does from time to time.
  int call(const void* from, void* to, unsigned long count,
           const PaStreamCallbackTimeInfo& times) const {
    return callback(from, to, count, &times, 0, user);
  }
};

struct FakePortAudio {
  struct Entry {
    std::string name{};
    int inputs = 0;
    int outputs = 0;
    double rate = 0;
    int host = 0;  ///< 0: one that is called ALSA; otherwise none is known
    bool known = true;
  };
  std::vector<Entry> devices{};
  int default_input = 0;
  int default_output = 0;
  PaError initialized = paNoError;
  PaError started = paNoError;
  std::string host_error{};
  bool has_host_error = false;
  std::function<PaError(const FakeStream& stream)> opening{};
  int active = 1;  ///< of a stream that runs

  std::list<FakeStream> streams{};
  std::vector<std::pair<int, int>> tried{};  ///< rates and channels
  int ended = 0;
  int strangers = 0;  ///< streams that were closed, but are none
};

}  // namespace svc::test
