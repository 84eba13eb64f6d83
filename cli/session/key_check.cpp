#include "session/key_check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "client/api_client.h"
#include "json/document.h"

namespace svc::cli {
namespace {

using nlohmann::json;

bool is_true(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

Host host_of(KeyKind kind) noexcept {
  return kind == KeyKind::Inference ? Host::Inference : Host::Management;
}

const SettingRow& url_setting_of(KeyKind kind) {
  return *find_setting(kind == KeyKind::Inference ? "base_url" : "management_url");
}

const Operation& key_check_operation(KeyKind kind) {
  return kind == KeyKind::Inference ? *find_operation("keys", "self") : k_calling_key;
}

Result<KeyFacts> read_key_facts(KeyKind kind, std::string_view body) {
  const json document = json::parse(body, nullptr, false);
  const bool inference = kind == KeyKind::Inference;
  // Every response about a key contains its ID, and no other response does.
  const char* id = inference ? "api_key_id" : "apiKeyId";
  if (!document.is_object() || !document.contains(id)) {
    return Error{Fault::Network, "unexpected response; is this the service's URL?",
                 "Check the URL with `svc doctor`."};
  }
  struct Block {
    const char* member;
    std::string_view words;
  };
  for (const Block& block : {Block{"api_key_blocked", "the key is blocked"},
                             Block{"api_key_disabled", "the key is disabled"},
                             Block{"team_blocked", "the key's team is blocked"}}) {
    if (is_true(document, block.member)) {
      return Error{Fault::Auth, std::string(block.words),
                   "Ask the team owner to unblock it, or to create a new key."};
    }
  }
  return KeyFacts{text_member(document, "name"),
                  text_member(document, inference ? "team_id" : "teamId")};
}

namespace {

/// Queries the key's own host for its metadata.
Result<CallReply> ask_about_key(Session& session, KeyKind kind, const std::string& key) {
  const Operation& operation = key_check_operation(kind);
  SVC_TRY(base, session.base_url(operation.host));
  const Settings& settings = session.settings();
  std::vector<std::string> secrets;
  if (!key.empty()) secrets.push_back(key);
  http::RetryQuota quota;
  ApiClient client(
      session.transport(), quota, session.cancel_token(),
      CallPolicy{.timeouts = timeouts_of(settings),
                 .retries = retries_of(settings),
                 .max_wait = max_wait_of(settings),
                 .key = key,
                 .secrets = secrets},
      [&](const std::string& line) { session.notices().detail(scrub(line, secrets)); });
  request::Request request;
  request.operation = &operation;
  request.method = operation.method;
  request.url = base + std::string(operation.path);
  return client.call(request);
}

}  // namespace

Result<KeyFacts> try_key(Session& session, KeyKind kind, const std::string& key) {
  SVC_TRY(reply, ask_about_key(session, kind, key));
  return read_key_facts(kind, reply.body);
}

Result<void> try_url(Session& session, KeyKind kind) {
  const auto reply = ask_about_key(session, kind, "");
  if (!reply && reply.error().fault == Fault::Auth) return {};
  if (!reply && reply.error().http_status == 0) return reply.error();
  // Overloaded or failing, but responding as an API does.
  if (!reply && (reply.error().fault == Fault::Limited || reply.error().http_status >= 500)) {
    return {};
  }
  return Error{Fault::Network, "the host responds, but it is not the service",
               fmt::format("Expected {} {} to be refused without a key.",
                           key_check_operation(kind).method, key_check_operation(kind).path)};
}

}  // namespace svc::cli
