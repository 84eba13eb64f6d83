#include "http/system_trust.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace svc::http {
namespace {

constexpr std::array k_directories{
    "/etc/ssl/certs",                                 // Debian, Ubuntu, Arch, Alpine, openSUSE
    "/etc/pki/ca-trust/extracted/pem/directory-hash"  // Fedora, RHEL
};

constexpr std::array k_bundles{
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",                   // RHEL
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora
    "/etc/ssl/ca-bundle.pem",                             // openSUSE
    "/var/lib/ca-certificates/ca-bundle.pem",             // openSUSE
    "/etc/ssl/cert.pem"                                   // Alpine, BSD
};

}  // namespace

bool has_hashed_names(const std::string& directory) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(directory, error);
  return !error && std::any_of(begin(entries), end(entries), [](const auto& entry) {
    const std::string name = entry.path().filename();
    return name.size() == 10 && name.ends_with(".0") &&
           name.find_first_not_of("0123456789abcdef") == 8;
  });
}

SystemTrust find_system_trust(const std::string& root) {
  SystemTrust found;
  for (const char* directory : k_directories) {
    if (!has_hashed_names(root + directory)) continue;
    found.directory = root + directory;
    break;
  }
  for (const char* bundle : k_bundles) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(root + bundle, error)) continue;
    found.bundle = root + bundle;
    break;
  }
  return found;
}

SystemTrust trust_beside(const char* directory, const char* bundle, const std::string& root) {
  if (directory != nullptr) return {};
  SystemTrust found = find_system_trust(root);
  if (bundle != nullptr) found.bundle.clear();
  return found;
}

}  // namespace svc::http
