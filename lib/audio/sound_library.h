// Sound libraries, loaded on first use. Calls into them may block forever, for example if the sound
// server is frozen.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "audio/format.h"
#include "base/cancel_token.h"
#include "base/result.h"
#include "base/shared_library.h"

namespace svc::audio {

/// Time limit for opening or listing devices.
inline constexpr Milliseconds k_open_limit{5'000};

/// Runs `work` on a separate thread and returns whether it finished within `limit`, or the error of
/// `cancel` once canceled. Unfinished work is abandoned with everything it owns and must not touch
/// anything else; the program then exits without running the destructors of the libraries it is
/// stuck in.
[[nodiscard]] Result<bool> run_with_timeout(std::function<void()> work, Milliseconds limit,
                                            const CancelToken& cancel);

/// Makes the program exit without destructors: a library's destructor could wait for a thread that
/// is stuck in it, or free memory that thread uses.
void exit_without_destructors();

/// Fault::Local, Cause::SoundServerFrozen: the sound server did not respond.
[[nodiscard]] Error sound_server_timeout_error();

/// Returns the result of `open`, or an error if it exceeds k_open_limit. A null `cancel` means it
/// cannot be canceled.
template <typename T>
[[nodiscard]] Result<T> open_with_timeout(const CancelToken* cancel,
                                          std::function<Result<T>()> open) {
  const NeverCanceled never;
  const auto opened = std::make_shared<std::optional<Result<T>>>();
  SVC_TRY(in_time, run_with_timeout([opened, open = std::move(open)] { opened->emplace(open()); },
                                    k_open_limit, cancel == nullptr ? never : *cancel));
  if (!in_time) return sound_server_timeout_error();
  return *std::move(*opened);
}

/// False if sound was left out of this build, by SVC_SOUND=OFF.
[[nodiscard]] bool built_with_sound() noexcept;

/// Fails with Fault::Local if the library is missing; the message mentions `purpose` ("reading
/// audio files") and the Debian `package`.
[[nodiscard]] Result<SharedLibrary> load_library(const std::string& name, const char* purpose,
                                                 const char* package);

}  // namespace svc::audio
