#include "http/system_trust.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <stdlib.h>

namespace svc::http {
namespace {

struct Distribution {
  const char* name;
  std::vector<std::string> files;
  std::string directory;
  std::string bundle;
};

class Root {
 public:
  explicit Root(const std::vector<std::string>& files) {
    std::string name = std::filesystem::temp_directory_path() / "svc-trust-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    m_path = name;
    for (const std::string& file : files) {
      std::filesystem::create_directories(std::filesystem::path(m_path + file).parent_path());
      std::ofstream(m_path + file) << "certificate\n";
    }
  }
  ~Root() { std::filesystem::remove_all(m_path); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  [[nodiscard]] const std::string& path() const { return m_path; }

 private:
  std::string m_path{};
};

}  // namespace

TEST_CASE("row 37: trusted certificates are found where distributions keep them") {
  const std::string fedora = "/etc/pki/ca-trust/extracted/pem/";
  const std::vector<Distribution> distributions{
      {"Debian, Ubuntu, Arch, Alpine",
       {"/etc/ssl/certs/02265526.0", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"},
       "/etc/ssl/certs",
       "/etc/ssl/certs/ca-certificates.crt"},
      {"Alpine without hashed names",
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"},
       "",
       "/etc/ssl/certs/ca-certificates.crt"},
      {"Fedora",
       {fedora + "directory-hash/02265526.0", fedora + "tls-ca-bundle.pem"},
       fedora + "directory-hash",
       fedora + "tls-ca-bundle.pem"},
      {"RHEL",
       {"/etc/pki/tls/certs/ca-bundle.crt", fedora + "tls-ca-bundle.pem",
        "/etc/ssl/certs/ca-bundle.crt"},
       "",
       "/etc/pki/tls/certs/ca-bundle.crt"},
      {"openSUSE",
       {"/etc/ssl/certs/02265526.0", "/var/lib/ca-certificates/ca-bundle.pem"},
       "/etc/ssl/certs",
       "/var/lib/ca-certificates/ca-bundle.pem"},
      {"each bundle by itself",
       {"/etc/ssl/ca-bundle.pem", "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/cert.pem"},
       "",
       "/etc/ssl/ca-bundle.pem"},
      {"BSD", {"/etc/ssl/cert.pem"}, "", "/etc/ssl/cert.pem"},
      {"two directories of hashed names",
       {"/etc/ssl/certs/02265526.0", fedora + "directory-hash/02265526.0"},
       "/etc/ssl/certs",
       ""},
      {"names that are no hashes",
       {"/etc/ssl/certs/0226552g.0", "/etc/ssl/certs/02265526.1", "/etc/ssl/certs/x2265526.0",
        "/etc/ssl/certs/022655261.0", "/etc/ssl/certs/0226552.0"},
       "",
       ""},
      {"nothing", {}, "", ""}};
  for (const Distribution& each : distributions) {
    CAPTURE(each.name);
    const Root root(each.files);
    const SystemTrust found = find_system_trust(root.path());
    CHECK(found.directory == (each.directory.empty() ? "" : root.path() + each.directory));
    CHECK(found.bundle == (each.bundle.empty() ? "" : root.path() + each.bundle));
  }
}

TEST_CASE("a libcurl gets what it was built without: Fedora's, which has a bundle, the directory") {
  const std::string directory = "/etc/pki/ca-trust/extracted/pem/directory-hash";
  const std::string bundle = "/etc/pki/tls/certs/ca-bundle.crt";
  const Root root({directory + "/02265526.0", bundle});
  const SystemTrust both = trust_beside(nullptr, nullptr, root.path());
  CHECK(both.directory == root.path() + directory);
  CHECK(both.bundle == root.path() + bundle);
  const SystemTrust beside = trust_beside(nullptr, bundle.c_str(), root.path());
  CHECK(beside.directory == root.path() + directory);
  CHECK(beside.bundle.empty());
  for (const char* own : {static_cast<const char*>(nullptr), bundle.c_str()}) {
    const SystemTrust nothing = trust_beside("/etc/ssl/certs", own, root.path());
    CHECK(nothing.directory.empty());
    CHECK(nothing.bundle.empty());
  }
}

}  // namespace svc::http
