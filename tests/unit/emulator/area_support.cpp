#include "unit/emulator/area_support.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "emulator/handler/handler.h"
#include "unit/emulator/text_support.h"

namespace svc::test {

Area::Area(std::vector<emulator::Route> routes, const std::string& path)
    : m_router(std::move(routes)) {
  auto state = emulator::State::open(path, [this] { return now_ms; });
  REQUIRE(state.has_value());
  m_state = std::move(*state);
  key.id = "key-1";
  key.redacted = "svc-...-key";
  key.team_id = emulator::k_demo_team_id;
  key.acls = {"api-key:endpoint:*", "api-key:model:*"};
}

emulator::Response Area::call(std::string_view method, const std::string& target,
                              const std::string& body, std::vector<Header> headers) {
  const auto found = m_router.find(method, sv(target).substr(0, target.find('?')));
  REQUIRE_MESSAGE(found.route != nullptr, target);
  emulator::Request call;
  call.method = method;
  call.target = target;
  call.path = percent_decode(call.raw_path());
  call.params = found.params;
  call.query = emulator::parse_query(target);
  call.headers = std::move(headers);
  call.headers.push_back({"Host", "127.0.0.1:8080"});
  call.body = body;
  call.key = key;
  call.state = m_state.get();
  call.request_id = random_uuid();
  return held_to_rows(found.route->handler(call), method, call.path);
}

nlohmann::json Area::json(std::string_view method, const std::string& target,
                          const std::string& body, std::vector<Header> headers) {
  return ok(call(method, target, body, std::move(headers)));
}

std::string form_body(const std::vector<FormField>& fields) {
  std::string body;
  for (const FormField& field : fields) {
    body += fmt::format("--XX\r\nContent-Disposition: form-data; name=\"{}\"", field.name);
    if (!field.filename.empty()) body += fmt::format("; filename=\"{}\"", field.filename);
    body += "\r\n";
    if (!field.content_type.empty()) body += "Content-Type: " + field.content_type + "\r\n";
    body += "\r\n" + field.data + "\r\n";
  }
  return body + "--XX--\r\n";
}

std::vector<Header> form_headers() {
  return {{"Content-Type", "multipart/form-data; boundary=XX"}};
}

}  // namespace svc::test
