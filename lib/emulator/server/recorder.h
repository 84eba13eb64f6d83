// Forwards requests to a real service and writes what it answers as answer rules.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <nlohmann/json_fwd.hpp>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// Where to forward requests.
struct Upstream {
  bool tls = false;
  std::string authority{};  ///< host and port, as in the URL
  std::string host{}, port{};
  std::string prefix{};  ///< precedes every path
};

/// Parses "https://api.example" or "http://host:port/prefix". Returns Usage if it is none.
[[nodiscard]] Result<Upstream> parse_upstream(sv url);

/// Thread-safe.
class Recorder {
 public:
  /// Rules are written to `file` after each answer; those that it has already stay.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open(Upstream upstream, std::string file);

  /// Returns and records the service's response. Blocks. `operation` is the name in rules.
  [[nodiscard]] Response forward(const HttpRequest& request, sv operation);

  /// Ends the calls of forward() that are in progress.
  void stop();

 private:
  class Link;
  Recorder(Upstream upstream, std::string file);
  /// Adds a rule and writes the file.
  void record(const std::string& secret, nlohmann::ordered_json match, const Response& response);

  Upstream m_upstream;
  std::string m_file;
  boost::asio::ssl::context m_tls;
  std::mutex m_mutex{};  ///< protects the rest
  std::shared_ptr<nlohmann::ordered_json> m_rules;
  std::vector<std::weak_ptr<Link>> m_links{};
};

}  // namespace svc::emulator
