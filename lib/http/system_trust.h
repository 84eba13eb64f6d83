// Where this system keeps the certificates it trusts, for a libcurl that was built without their
// paths.
#pragma once

#include <string>

namespace svc::http {

struct SystemTrust {
  std::string directory{};  ///< with names as openssl-rehash(1) makes them; empty if there is none
  std::string bundle{};     ///< a PEM file; empty if there is none
};

/// Searches the places of the known distributions below `root`.
[[nodiscard]] SystemTrust find_system_trust(const std::string& root = "");

/// What a libcurl lacks that was built with these paths (null: with none). Beside a bundle of its
/// own (Fedora's) that is only the directory, in which one certificate is found without reading
/// all.
[[nodiscard]] SystemTrust trust_beside(const char* directory, const char* bundle,
                                       const std::string& root = "");

/// Whether certificates can be found in `directory` by the hash of their subject.
[[nodiscard]] bool has_hashed_names(const std::string& directory);

}  // namespace svc::http
