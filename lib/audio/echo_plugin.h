// The interface of the echo canceller plug-in. webrtc-audio-processing is a C++ library and must be
// linked, so it is linked to the plug-in instead of svc. The interface is plain C, so that the two
// need no common C++ ABI.
#pragma once

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): names of C
struct svc_echo_options {
  int rate;    ///< of frames of 10 ms
  int cancel;  ///< not 0: cancels echo
  int strong;  ///< not 0: removes more of the echo, but also of a simultaneous voice
  int noise;   ///< suppresses noise: 0 not at all, 1 a little, 2 much
  int gain;    ///< not 0: adapts the volume to that of a voice
};

struct svc_echo_functions {
  int version;    ///< k_svc_echo_version
  int finds_lag;  ///< not 0: it looks for the echo by itself, over half a second
  /// Creates a processor; null on failure.
  void* (*create)(const svc_echo_options* options);
  void (*destroy)(void* canceller);
  /// `render` is what the speaker plays and `capture` what the microphone captured, both `frames`
  /// samples from -1 to 1. Cancels the echo in `capture`, which unless finds_lag comes about 20 ms
  /// after `render`. Returns 0 or an error number.
  int (*process)(void* canceller, float* render, float* capture, int frames);
};
// NOLINTEND(readability-identifier-naming)

/// The only symbol the plug-in exports.
const svc_echo_functions* svc_echo_plugin();

}  // extern "C"

inline constexpr int k_svc_echo_version = 4;
