#include "unit/emulator/media_support.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/handler/routes.h"
#include "emulator/picture/picture.h"
#include "emulator/state/seal.h"

namespace svc::test {
namespace {

constexpr std::string_view k_host = "http://127.0.0.1:9";

}  // namespace

Studio::Studio(const std::string& path) {
  auto state = emulator::State::open(path, [this] { return now_ms; });
  REQUIRE(state.has_value());
  m_state = std::move(*state);
  m_dispatcher = std::make_unique<emulator::Dispatcher>(*m_state, emulator::all_routes());
}

emulator::Answer Studio::run(const std::string& method, const std::string& target,
                             std::vector<Header> headers, const std::string& body) {
  emulator::HttpCall call;
  call.method = method;
  call.target = target;
  call.headers = std::move(headers);
  call.headers.push_back({"Host", "127.0.0.1:9"});
  call.body = body;
  const auto ticket = m_dispatcher->admit(call);
  return m_dispatcher->answer(std::move(call), ticket);
}

emulator::Answer Studio::get(const std::string& target, std::vector<Header> headers) {
  headers.push_back({"Authorization", "Bearer " + secret});
  return run("GET", target, std::move(headers), {});
}

emulator::Answer Studio::post(const std::string& target, const std::string& body) {
  return run("POST", target,
             {{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}}, body);
}

emulator::Answer Studio::fetch(const std::string& url, std::vector<Header> headers,
                               const std::string& method) {
  REQUIRE(url.starts_with(k_host));
  return run(method, url.substr(k_host.size()), std::move(headers), {});
}

std::string header_value(const emulator::Answer& answer, std::string_view name) {
  for (const Header& header : answer.headers) {
    if (equals_ignore_case(header.name, name)) return header.value;
  }
  return {};
}

Json json_of(const emulator::Answer& answer, int status) {
  CHECK_MESSAGE(answer.status == status, answer.body);
  Json body = Json::parse(answer.body, nullptr, false);
  REQUIRE(!body.is_discarded());
  return body;
}

std::string data_url(const emulator::media::Picture& picture) {
  const auto bytes = emulator::media::encode_jpeg(picture, "", 95);
  REQUIRE(bytes.has_value());
  return "data:image/jpeg;base64," + base64_encode(*bytes);
}

}  // namespace svc::test
