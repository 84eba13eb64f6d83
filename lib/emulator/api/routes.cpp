// The routing table.

#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"
#include "emulator/handler/socket.h"
#include "emulator/model/answer.h"

namespace svc::emulator {
namespace {

// The operations of a language model apply the rules themselves.
bool applies_rules_itself(sv operation) {
  constexpr std::array<sv, 6> k_names = {"chat",     "responses", "completions",
                                         "messages", "complete",  "realtime"};
  return has_element(k_names, operation);
}

// The plain fields of a form; of a WebSocket its query.
text::Json form_fields(const Request& call) {
  text::Json fields = text::Json::object();
  for (const Header& field : call.query) fields[field.name] = field.value;
  if (asks_for_socket(call)) return fields;
  const auto boundary = form_boundary(call.header("Content-Type").value_or(""));
  if (!boundary) return nullptr;
  std::string body = call.body;
  if (call.body_file) {
    // The fields are before the file, of which the beginning suffices.
    const auto begin = call.body_file->read(0, 1U << 20U);
    if (begin) body = *begin + fmt::format("\r\n--{}--\r\n", *boundary);
  }
  const auto parts = parse_form(body, *boundary);
  if (!parts || parts->empty()) return nullptr;
  for (const FormPart& part : *parts) {
    if (!part.filename) fields[part.name] = part.data;
  }
  return fields;
}

}  // namespace

std::vector<Route> all_routes(const VideoOptions& videos) {
  std::vector<Route> routes;
  for (auto&& group :
       {api_key_routes(), model_routes(), tokenize_routes(), text_routes(), file_routes(),
        batch_routes(), legacy_routes(), docs_routes(), image_routes(), video_routes(videos),
        media_routes(), key_routes(), billing_routes(), collection_routes(), tts_routes(),
        stt_routes(), phone_routes(), realtime_routes()}) {
    routes.insert(routes.end(), group.begin(), group.end());
  }
  for (Route& route : routes) {
    const std::string operation(operation_name(route.method + " " + route.path));
    if (route.path.starts_with("/_") || applies_rules_itself(operation)) continue;
    route.handler = text::answered_by_rules(operation, route.handler, form_fields);
  }
  return routes;
}

}  // namespace svc::emulator
