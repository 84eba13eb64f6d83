// Loaded by a test in place of PortAudio, whose name it has.
#include "support/fake_portaudio.h"

using svc::test::FakePortAudio;
using svc::test::FakeStream;

namespace {

FakePortAudio g_fake;

FakeStream& stream_of(PaStream* stream) {
  return *static_cast<FakeStream*>(stream);
}

}  // namespace

extern "C" {

FakePortAudio* svc_fake_portaudio() {
  return &g_fake;
}

PaError Pa_Initialize() {
  return g_fake.initialized;
}

PaError Pa_Terminate() {
  ++g_fake.ended;
  return paNoError;
}

const char* Pa_GetErrorText(PaError code) {
  static std::string text;
  text = "error " + std::to_string(code);
  return text.c_str();
}

const PaHostErrorInfo* Pa_GetLastHostErrorInfo() {
  static PaHostErrorInfo info{};
  info.errorText = g_fake.host_error.c_str();
  return g_fake.has_host_error ? &info : nullptr;
}

const PaHostApiInfo* Pa_GetHostApiInfo(PaHostApiIndex host) {
  static PaHostApiInfo info{};
  info.name = "ALSA";
  return host == 0 ? &info : nullptr;
}

PaDeviceIndex Pa_GetDeviceCount() {
  return static_cast<PaDeviceIndex>(g_fake.devices.size());
}

const PaDeviceInfo* Pa_GetDeviceInfo(PaDeviceIndex device) {
  static std::list<PaDeviceInfo> given;
  const FakePortAudio::Entry& entry = g_fake.devices.at(static_cast<std::size_t>(device));
  if (!entry.known) return nullptr;
  PaDeviceInfo& info = given.emplace_back();
  info.name = entry.name.c_str();
  info.hostApi = entry.host;
  info.maxInputChannels = entry.inputs;
  info.maxOutputChannels = entry.outputs;
  info.defaultSampleRate = entry.rate;
  return &info;
}

PaDeviceIndex Pa_GetDefaultInputDevice() {
  return g_fake.default_input;
}

PaDeviceIndex Pa_GetDefaultOutputDevice() {
  return g_fake.default_output;
}

PaError Pa_OpenStream(PaStream** stream, const PaStreamParameters* input,
                      const PaStreamParameters* output, double rate, unsigned long frames,
                      PaStreamFlags flags, PaStreamCallback* callback, void* user) {
  if ((input == nullptr) == (output == nullptr) || flags != paNoFlag) return paInternalError;
  FakeStream made{.input = input != nullptr,
                  .parameters = input != nullptr ? *input : *output,
                  .rate = rate,
                  .frames = frames,
                  .callback = callback,
                  .user = user};
  g_fake.tried.emplace_back(static_cast<int>(rate), made.parameters.channelCount);
  if (g_fake.opening) {
    if (const PaError code = g_fake.opening(made); code != paNoError) {
      *stream = &g_fake;  // nothing that may be used
      return code;
    }
  }
  *stream = &g_fake.streams.emplace_back(made);
  return paNoError;
}

PaError Pa_CloseStream(PaStream* stream) {
  const auto is_it = [stream](const FakeStream& one) { return &one == stream; };
  if (g_fake.streams.remove_if(is_it) == 0) ++g_fake.strangers;
  return paNoError;
}

PaError Pa_StartStream(PaStream* stream) {
  if (g_fake.started != paNoError) return g_fake.started;
  stream_of(stream).running = true;
  ++stream_of(stream).starts;
  return paNoError;
}

PaError Pa_AbortStream(PaStream* stream) {
  stream_of(stream).running = false;
  ++stream_of(stream).aborts;
  return paNoError;
}

PaError Pa_IsStreamActive(PaStream* stream) {
  return stream_of(stream).running ? g_fake.active : 0;
}

PaError Pa_IsStreamStopped(PaStream* stream) {
  return stream_of(stream).running ? 0 : 1;
}

PaError Pa_SetStreamFinishedCallback(PaStream* stream, PaStreamFinishedCallback* finished) {
  stream_of(stream).finished = finished;
  return paNoError;
}

}  // extern "C"
