// Where this system keeps the certificates it trusts, for a libcurl without paths of its own.
#pragma once

#include <string>

namespace svc::http {

struct SystemTrust {
  std::string directory{};  ///< with names as openssl-rehash(1) makes them; empty if there is none
  std::string bundle{};     ///< a PEM file; empty if there is none
};

/// Searches the places of the known distributions below `root`.
[[nodiscard]] SystemTrust find_system_trust(const std::string& root = "");

/// Whether certificates can be found in `directory` by the hash of their subject.
[[nodiscard]] bool has_hashed_names(const std::string& directory);

}  // namespace svc::http
