// The configuration file: any bytes must give a table or an error with a position; a table must
// give settings, or an error for each invalid one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/text.h"
#include "client/config_file.h"
#include "client/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("svc-config-fuzz-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto config = svc::ConfigFile::load(path);
  if (!config &&
      (config.error().message.empty() || svc::first_invalid_utf8(config.error().message))) {
    std::abort();
  }
  if (config) {
    std::vector<svc::Error> errors;
    (void)svc::resolve_settings({}, {}, *config, svc::NewProfile::Allow, &errors);
    for (const auto& [name, profile] : config->profiles()) {
      (void)svc::resolve_settings({{"profile", name}}, {}, *config, svc::NewProfile::Allow,
                                  &errors);
    }
    for (const svc::Error& fault : errors) {
      if (fault.message.empty() || svc::first_invalid_utf8(fault.message)) std::abort();
    }
    for (const auto& warning : config->warnings()) {
      if (svc::first_invalid_utf8(warning)) std::abort();
    }
  }
  return 0;
}
