#include "management_support.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"

namespace svc::test {

using namespace svc::emulator;

Office::Office(std::vector<Route> more)
    : m_state(std::move(*State::open(":memory:", [this] { return m_now_ms; }))) {
  std::vector<Route> routes = all_routes();
  for (Route& route : more) routes.push_back(std::move(route));
  m_dispatcher = std::make_unique<Dispatcher>(*m_state, std::move(routes));
}

Answer Office::ask(std::string_view method, std::string target, std::string body,
                   std::string_view key) {
  const bool management = target.starts_with("/auth/") || target.starts_with("/v1/billing") ||
                          target.starts_with("/v1/collections");
  if (key.empty()) key = management ? k_demo_management_key : k_demo_key;
  HttpCall call{std::string(method), std::move(target), {}, std::move(body)};
  call.headers = {{"Host", "localhost:1"}, {"Authorization", "Bearer " + std::string(key)}};
  if (!call.body.empty()) call.headers.push_back({"Content-Type", "application/json"});
  const auto ticket = m_dispatcher->admit(call);
  Answer answer = m_dispatcher->answer(call, ticket);
  m_dispatcher->finished(call, ticket, answer.status);
  return answer;
}

std::string header_of(const Answer& answer, std::string_view name) {
  const auto found = std::ranges::find_if(
      answer.headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
  return found == answer.headers.end() ? "" : found->value;
}

bool says(const Answer& answer, std::string_view part) {
  return answer.body.find(part) != std::string::npos;
}

}  // namespace svc::test
