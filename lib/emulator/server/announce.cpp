#include "emulator/server/announce.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/json/json.h"
#include "emulator/sound/parts.h"
#include "emulator/state/state.h"

namespace svc::emulator {

std::string endpoint_url(const Endpoint& endpoint, std::string_view scheme) {
  std::string host = endpoint.host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("{}{}://{}:{}", scheme, endpoint.tls ? "s" : "", host, endpoint.port);
}

std::string announce_json(const Endpoint& endpoint) {
  const std::string base = endpoint_url(endpoint, "http");
  nlohmann::ordered_json line = {{"base_url", base},
                                 {"management_url", base},
                                 {"realtime_url", endpoint_url(endpoint, "ws")},
                                 {"docs_url", base},
                                 {"api_key", k_demo_key},
                                 {"management_key", k_demo_management_key},
                                 {"team_id", k_demo_team_id}};
  if (!endpoint.ca_file.empty()) line["ca_file"] = endpoint.ca_file;
  return text::dump(line) + "\n";
}

std::string announce_text(const Endpoint& endpoint, std::string_view version,
                          std::string_view state) {
  const std::string base = endpoint_url(endpoint, "http");
  std::string text = fmt::format(
      "# svc-emulator {}: this is an EMULATOR, not the service. What a model would say is made "
      "up.\n"
      "# It serves {} and keeps its state in {}. Ctrl-C ends it.\n",
      version, base, visible(state, Lines::Escape));
  text += "# " + speech::speech_parts() + "\n";
  text += "# To use it, set this in another shell:\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("export {}={}\n", name, shell_quote(value));
  };
  add("SVC_BASE_URL", base);
  add("SVC_MANAGEMENT_URL", base);
  add("SVC_REALTIME_URL", endpoint_url(endpoint, "ws"));
  add("SVC_DOCS_URL", base);
  add("SVC_API_KEY", k_demo_key);
  add("SVC_MANAGEMENT_API_KEY", k_demo_management_key);
  add("SVC_TEAM_ID", k_demo_team_id);
  if (!endpoint.ca_file.empty()) {
    text +=
        "# Its certificate is signed by an authority of its own, which clients have to trust:\n";
    add("SSL_CERT_FILE", endpoint.ca_file);
    add("CURL_CA_BUNDLE", endpoint.ca_file);  // it wins where it is set already
  }
  return text;
}

}  // namespace svc::emulator
