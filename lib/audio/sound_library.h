// Libraries for sound, loaded when sound is used. Calls into them may never return: a sound server
// that is frozen answers nobody.
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

/// How long the opening or listing of devices may take.
inline constexpr Milliseconds k_open_limit{5'000};

/// Runs `work` on a thread of its own: whether it ended within `limit`; the fault of `cancel` once
/// that asks. Work that did not end is abandoned with everything it owns, and must not touch
/// anything else. The program then ends without the destructors of the libraries it is stuck in.
[[nodiscard]] Result<bool> ends_in_time(std::function<void()> work, Milliseconds limit,
                                        const CancelToken& cancel);

/// The program will end without destructors: those of a library would wait for a thread that is
/// still inside it, or free what that looks at.
void exit_without_destructors();

/// Local: the sound server did not respond.
[[nodiscard]] Error frozen_sound_server();

/// What `open` returns, unless it takes longer than k_open_limit. Null: cannot be cancelled.
template <typename T>
[[nodiscard]] Result<T> open_in_time(const CancelToken* cancel, std::function<Result<T>()> open) {
  const NeverCancelled never;
  const auto opened = std::make_shared<std::optional<Result<T>>>();
  SVC_TRY(in_time, ends_in_time([opened, open = std::move(open)] { opened->emplace(open()); },
                                k_open_limit, cancel == nullptr ? never : *cancel));
  if (!in_time) return frozen_sound_server();
  return *std::move(*opened);
}

/// Local when it is missing: `purpose` ("reading sound files") and the Debian `package` are in the
/// message.
[[nodiscard]] Result<SharedLibrary> load_library(const std::string& name, const char* purpose,
                                                 const char* package);

}  // namespace svc::audio
