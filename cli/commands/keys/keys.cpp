// `svc keys create | rotate`: a response with a secret that is shown only once; `svc keys
// endpoints`.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "catalogue/keys_fields.h"
#include "client/config_write.h"
#include "client/credentials.h"
#include "commands/command.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/plan.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "operation/waiter.h"
#include "print/json.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

using KeyFlags = Flags<catalogue::keys::k_create_fields>;

/// A request that returns a secret, which is only printed or stored as the user chose.
class Issue {
 public:
  explicit Issue(Session& session)
      : m_session(session), m_profile(KeyFlags(session.inputs()).get<"save-profile">()) {}

  Result<void> run() {
    SVC_CHECK(check_profile());
    SVC_TRY(request, prepare_own(m_session));
    SVC_CHECK(ask_about_no_access(request));
    SVC_TRY(approved, approve(m_session, request));
    if (!approved) return {};
    SVC_TRY(client, open_client(m_session, request));
    const Result<std::string> body = fetch_secret_answer(m_session, *client, request);
    if (!body) return explain(body.error());
    SVC_CHECK(read(*body));
    return m_profile ? store() : print();
  }

 private:
  [[nodiscard]] const Operation& operation() const { return *m_session.invocation().operation; }

  /// Checks that the secret can be stored, before anything is sent.
  Result<void> check_profile() {
    if (!m_profile) return {};
    if (const auto named = check_profile_name(*m_profile); !named) {
      return usage_error("--save-profile: " + named.error().message, named.error().hint);
    }
    if (*m_profile == "emulator") {
      return usage_error("the profile emulator has its own keys",
                         "Choose another name, such as --save-profile work.");
    }
    const auto path = stored_key_path(KeyKind::Inference, *m_profile, m_session.config());
    if (path.empty()) {
      return Error{Fault::Local, "cannot store a key: neither XDG_CONFIG_HOME nor HOME is set",
                   "Without --save-profile the secret is printed."};
    }
    std::error_code ignored;
    const bool taken = std::filesystem::exists(path, ignored);
    if (taken && operation().name == "create" && !m_session.globals().force) {
      return usage_error(fmt::format("profile {} already has a stored key", *m_profile),
                         "Choose another name, or replace that key with --force.");
    }
    if (m_session.globals().shows_only()) return {};
    return make_private_directory(path.parent_path());
  }

  /// Asks before a key is created that can do nothing; without a terminal it warns.
  Result<void> ask_about_no_access(const request::Request& request) {
    const auto* body = std::get_if<std::string>(&request.body);
    if (operation().name != "create" || body == nullptr) return {};
    const OrderedJson document = OrderedJson::parse(*body, nullptr, false);
    const auto acls = document.is_object() ? document.find("acls") : document.end();
    if (acls != document.end() && acls->is_array() && !acls->empty()) return {};
    constexpr sv k_says =
        "the key has no permissions, so every request with it fails; use --acls or --allow-all, or "
        "later `svc keys update`";
    if (!m_session.can_ask() || m_session.globals().yes || m_session.globals().shows_only()) {
      m_session.notices().warning(std::string(k_says));
      return {};
    }
    SVC_TRY(agreed, m_session.confirm(fmt::format("T{}. Create it?", k_says.substr(1))));
    if (!agreed) return usage_error("not confirmed; no key was created");
    return {};
  }

  Result<void> read(const std::string& body) {
    m_document = OrderedJson::parse(body, nullptr, false);
    if (m_document.is_object()) m_secret = text_member(m_document, "apiKey");
    if (m_document.is_object()) m_id = text_member(m_document, "apiKeyId");
    if (!m_secret.empty()) {
      m_session.keep_secret(m_secret);
      return {};
    }
    return explain(Error{Fault::Network, "no secret in the response"});
  }

  /// The request may have succeeded even if its response was lost.
  [[nodiscard]] Error explain(Error error) const {
    if (error.http_status == 400 && error.hint.empty() &&
        KeyFlags(m_session.inputs()).has<"acls">()) {
      error.hint = "`svc keys endpoints` lists the endpoint permissions, `svc models` the models.";
    }
    if (!may_have_run(error)) return error;
    error.hint = operation().name == "create"
                     ? "`svc keys list` shows whether the key was created; then `svc keys rotate "
                       "ID` issues a new secret and `svc keys delete ID` removes the key."
                     : "If the key was rotated, its old secret will expire: run `svc keys rotate` "
                       "again to get a readable secret.";
    return error;
  }

  [[nodiscard]] std::string key_words() const {
    const std::string id = visible(m_id, Lines::Escape);
    const std::string name = visible(text_member(m_document, "name"), Lines::Escape);
    return name.empty() ? id : fmt::format("{} ({})", id, name);
  }

  Result<void> print() {
    const Result<void> done = deliver_secret(m_session, m_secret, compact_json(m_document));
    if (!done) {
      Error error = done.error();
      error.hint = fmt::format(
          "Key {0} exists, but its secret was lost: `svc keys rotate {0}` issues a new one.",
          visible(m_id, Lines::Escape));
      return error;
    }
    m_session.notices().note(
        fmt::format("{}: {}", key_words(), describe_delivery(m_session, "the secret")));
    print_beside_secret(m_session, m_document);
    return {};
  }

  Result<void> store() {
    const Result<void> stored =
        store_key(KeyKind::Inference, *m_profile, m_secret, m_session.config());
    if (!stored) {
      m_session.notices().warning(fmt::format(
          "the secret could not be stored, so it is printed: {}", stored.error().message));
      return print();
    }
    SVC_CHECK(make_profile());
    m_session.notices().note(
        fmt::format("{}: the secret is stored for profile {}; use it with `svc -p {}`", key_words(),
                    *m_profile, *m_profile));
    m_document.erase("apiKey");
    print_beside_secret(m_session, m_document);
    if (m_session.format() != Format::Text)
      return m_session.write_document(compact_json(m_document));
    return m_session.write_foreign(m_id + "\n");
  }

  /// Creates the profile, if it is not in the configuration file yet, with the key's URL; otherwise
  /// the key would never be found.
  Result<void> make_profile() {
    const ConfigFile& config = m_session.config();
    if (*m_profile == "default" || config.has_profile(*m_profile)) return {};
    SVC_CHECK(add_profile(config.path(), *m_profile, m_session.cancel_token()));
    const Setting& base = m_session.settings().base_url;
    if (!base.is_set() || base.origin == Origin::Emulator) return {};
    return write_config_value(config.path(), *m_profile, "base_url", base.value,
                              m_session.cancel_token());
  }

  Session& m_session;
  std::optional<std::string> m_profile;
  OrderedJson m_document{};
  std::string m_secret{};
  std::string m_id{};
};

Result<bool> is_known_everywhere(const std::string& body) {
  const auto document = parse_reply(body);
  const nlohmann::json& clusters = member(document, "icPropagation");
  if (!clusters.is_object()) {
    return Error{Fault::Network, "the response does not list clusters",
                 "Use --format raw to see it."};
  }
  return std::all_of(clusters.begin(), clusters.end(),
                     [](const nlohmann::json& known) { return known == true || known == "true"; });
}

}  // namespace

template <>
Result<void> run<Handler::KeysIssue>(Session& session) {
  return Issue(session).run();
}

template <>
Result<void> run<Handler::KeysEndpoints>(Session& session) {
  SVC_TRY(body, fetch_answer(session));
  if (!body) return {};
  const Operation& operation = *session.invocation().operation;
  // The format of this response is unconfirmed.
  const bool other = !json_member(*body, operation.items) && !json_members(*body).empty();
  if (session.format() == Format::Text && other) return print::print_json(session.out(), *body);
  return print_answer(session, operation, *body);
}

template <>
Result<void> run<Handler::KeysPropagation>(Session& session) {
  const Flags<catalogue::keys::k_propagation_fields> flags(session.inputs());
  if (!flags.is_true<"wait">()) return run_operation(session);
  const std::string id = flags.text<"api-key-id">();
  return call_until(
      session, fmt::format("Waiting for {} to propagate", id),
      {.timed_out = fmt::format("{} did not reach all clusters", visible(id, Lines::Escape)),
       .resume = fmt::format(
           "Propagation continues; wait again with: {}",
           with_profile(session, fmt::format("svc keys propagation {} --wait", shell_quote(id)))),
       .times = {.first = std::chrono::milliseconds(500), .most = std::chrono::seconds(5)}},
      is_known_everywhere);
}

}  // namespace svc::cli
