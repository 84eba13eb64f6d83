// What the echo canceller's plug-in offers: webrtc-audio-processing is C++ and must be linked,
// which svc itself is not. Plain C, so that the two need only agree on this.
#pragma once

extern "C" {

struct svc_echo_functions {
  int version;  ///< k_svc_echo_version
  /// For frames of a hundredth of a second at `rate`; null when it cannot be. `strong`: more of the
  /// echo goes, and of a voice beside it.
  void* (*create)(int rate, int strong);
  void (*destroy)(void* canceller);
  /// `render` is what the speaker plays, `capture` what the microphone heard, from -1 to 1, both of
  /// `frames` frames; what comes back in `capture` has the echo taken out. 0, or an error's number.
  int (*process)(void* canceller, float* render, float* capture, int frames);
};

/// The one symbol of the plug-in.
const svc_echo_functions* svc_echo_plugin();

}  // extern "C"

inline constexpr int k_svc_echo_version = 2;
