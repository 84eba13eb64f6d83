#include "management_support.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"

namespace svc::test {

using namespace svc::emulator;

ManagementApi::ManagementApi(std::vector<Route> more)
    : m_state(std::move(*State::open(":memory:", [this] { return m_now_ms; }))) {
  std::vector<Route> routes = all_routes();
  for (Route& route : more) routes.push_back(std::move(route));
  m_dispatcher = std::make_unique<Dispatcher>(*m_state, std::move(routes));
}

Response ManagementApi::ask(std::string_view method, std::string target, std::string body,
                            std::string_view key, std::vector<Header> headers) {
  const bool management = target.starts_with("/auth/") || target.starts_with("/v1/billing") ||
                          target.starts_with("/v1/collections");
  if (key.empty()) key = management ? k_demo_management_key : k_demo_key;
  HttpRequest request{std::string(method), std::move(target), {}, std::move(body)};
  request.headers = {{"Host", "localhost:1"}, {"Authorization", "Bearer " + std::string(key)}};
  if (!request.body.empty() && headers.empty()) {
    headers.push_back({"Content-Type", "application/json"});
  }
  std::ranges::move(headers, std::back_inserter(request.headers));
  const auto ticket = m_dispatcher->admit(request);
  Response response = m_dispatcher->response(request, ticket);
  m_dispatcher->finished(request, ticket, response.status);
  return response;
}

std::string header_of(const Response& response, std::string_view name) {
  const auto found = std::ranges::find_if(response.headers, [&](const Header& header) {
    return equals_ignore_case(header.name, name);
  });
  return found == response.headers.end() ? "" : found->value;
}

bool body_contains(const Response& response, std::string_view part) {
  return response.body.find(part) != std::string::npos;
}

}  // namespace svc::test
