// The program svc-emulator, after its options are parsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/server/options.h"

namespace svc::emulator {

/// Serves until SIGINT, SIGTERM, SIGHUP or the parent's exit. Call it from the main thread, before
/// any other thread is started. `version` is for the start line.
[[nodiscard]] Result<void> serve(const Options& options, std::string_view version);

/// What a user, or the program that started the emulator, must know to use it.
struct Endpoint {
  std::string host;  ///< as given to --host
  std::uint16_t port = 0;
  bool tls = false;
  std::string ca_file{};  ///< the certificate to trust; empty: none was generated
};

/// Returns "http://127.0.0.1:8080"; `scheme` is "http" or "ws", to which TLS adds an s. Wildcard
/// addresses become loopback addresses.
[[nodiscard]] std::string endpoint_url(const Endpoint& endpoint, std::string_view scheme);

/// Returns one line of JSON: base_url, management_url, realtime_url, docs_url, api_key,
/// management_key, team_id, and ca_file if there is one.
[[nodiscard]] std::string announce_json(const Endpoint& endpoint);

/// Returns readable lines that a shell can also evaluate: everything except the exports is a
/// comment.
[[nodiscard]] std::string announce_text(const Endpoint& endpoint, std::string_view version,
                                        std::string_view state);

/// Returns "Speech: flite speaks, pocketsphinx listens, libsndfile reads sound files." or what is
/// missing.
[[nodiscard]] std::string speech_parts();

}  // namespace svc::emulator
