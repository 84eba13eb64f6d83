#include "unit/emulator/media_support.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/handler/handler.h"
#include "emulator/picture/picture.h"
#include "emulator/state/state.h"

namespace svc::test {
namespace {

constexpr std::string_view k_host = "http://127.0.0.1:9";

}  // namespace

MediaApi::MediaApi(const std::string& path) {
  auto state = emulator::State::open(path, [this] { return now_ms; });
  REQUIRE(state.has_value());
  m_state = std::move(*state);
  m_dispatcher = std::make_unique<emulator::Dispatcher>(*m_state, emulator::all_routes());
}

emulator::Response MediaApi::run(const std::string& method, const std::string& target,
                                 std::vector<Header> headers, const std::string& body) {
  emulator::HttpRequest request;
  request.method = method;
  request.target = target;
  request.headers = std::move(headers);
  request.headers.push_back({"Host", "127.0.0.1:9"});
  request.body = body;
  const auto ticket = m_dispatcher->admit(request);
  return m_dispatcher->response(std::move(request), ticket);
}

emulator::Response MediaApi::get(const std::string& target, std::vector<Header> headers) {
  headers.push_back({"Authorization", "Bearer " + secret});
  return run("GET", target, std::move(headers), {});
}

emulator::Response MediaApi::post(const std::string& target, const std::string& body) {
  return run("POST", target,
             {{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}}, body);
}

emulator::Response MediaApi::fetch(const std::string& url, std::vector<Header> headers,
                                   const std::string& method) {
  REQUIRE(url.starts_with(k_host));
  return run(method, url.substr(k_host.size()), std::move(headers), {});
}

std::string header_value(const emulator::Response& response, std::string_view name) {
  for (const Header& header : response.headers) {
    if (equals_ignore_case(header.name, name)) return header.value;
  }
  return {};
}

Json json_of(const emulator::Response& response, int status) {
  CHECK_MESSAGE(response.status == status, response.body);
  Json body = Json::parse(response.body, nullptr, false);
  REQUIRE(!body.is_discarded());
  return body;
}

std::string data_url(const emulator::media::Image& image) {
  const auto bytes = emulator::media::encode_jpeg(image, "", 95);
  REQUIRE(bytes.has_value());
  return "data:image/jpeg;base64," + base64_encode(*bytes);
}

}  // namespace svc::test
