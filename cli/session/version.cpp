#include "session/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/opensslv.h>
#include <utf8proc.h>

#include "audio/echo.h"
#include "audio/sound_library.h"
#include "base/platform.h"
#include "base/shared_library.h"
#include "base/version.h"
#include "database/database.h"
#include "http/transport.h"
#include "json/document.h"
#include "session/emulator_process.h"

namespace svc::cli {
namespace {

bool loads_sound(const std::string& library) {
  return audio::built_with_sound() && SharedLibrary::load(library).has_value();
}

OrderedJson libraries() {
  return {{"libcurl", http::curl_version_text()},
          {"openssl", OPENSSL_VERSION_STR},  // its hashes; libcurl's own is named there
          {"sqlite", sqlite_version()},
          {"utf8proc", utf8proc_version()},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)}};
}

OrderedJson features() {
  constexpr int k_rate = 16'000;
  return {{"sound_devices", loads_sound(library_name("portaudio", 2))},
          {"sound_files", loads_sound(library_name("sndfile", 1))},
          {"resampling", loads_sound(library_name("speexdsp", 1))},
          {"echo_cancellation",
           audio::built_with_sound() && audio::make_echo_canceller(k_rate).has_value()},
          {"emulator", find_emulator().has_value()}};
}

}  // namespace

std::string version_document() {
  const OrderedJson document = {{"version", k_full_version},
                                {"source", k_source},
                                {"compiler", __VERSION__},
                                {"libraries", libraries()},
                                {"features", features()}};
  return compact_json(document);
}

}  // namespace svc::cli
