// The program svc-emulator: from options to a served port, and to its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/server/options.h"

namespace svc::emulator {

/// Serves until SIGINT, SIGTERM, SIGHUP or the parent's end. Call it from the main thread, before
/// any other thread is started. `version` is for the start line.
[[nodiscard]] Result<void> serve(const Options& options, std::string_view version);

/// What a user, or the program that started the emulator, must know to use it.
struct Endpoint {
  std::string host;  ///< as it was given to --host
  std::uint16_t port = 0;
  bool tls = false;
  std::string ca_file{};  ///< what to trust; empty: nothing was made
};

/// "http://127.0.0.1:8080"; `scheme` is "http" or "ws", and gets its s. The wildcard addresses
/// become loopback ones.
[[nodiscard]] std::string endpoint_url(const Endpoint& endpoint, std::string_view scheme);

/// One line of JSON: base_url, management_url, realtime_url, docs_url, api_key, management_key,
/// team_id, and ca_file when there is one.
[[nodiscard]] std::string announce_json(const Endpoint& endpoint);

/// Lines for people, which a shell can also evaluate: all but the exports are comments.
[[nodiscard]] std::string announce_text(const Endpoint& endpoint, std::string_view version,
                                        std::string_view state);

/// "Speech: flite speaks, pocketsphinx listens, libsndfile reads sound files." or what is missing.
[[nodiscard]] std::string speech_parts();

}  // namespace svc::emulator
