// `svc phone create`: a response with a webhook's signing secret, which is shown only once.
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/text.h"
#include "catalogue/phone_fields.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/plan.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

using NumberFlags = Flags<catalogue::phone::k_create_fields>;

/// Possible names of the field: nested or flat, snake or camel case.
constexpr std::array k_secret_names = {"dispatch_signing_secret", "dispatchSigningSecret"};

/// The first non-empty string with one of these names, inside `outer` or at the top level.
std::string found_text(const OrderedJson& document, std::initializer_list<const char*> outer,
                       std::initializer_list<const char*> names) {
  for (const char* name : names) {
    for (const char* object : outer) {
      const auto inside = document.find(object);
      if (inside == document.end()) continue;
      if (std::string text = text_member(*inside, name); !text.empty()) return text;
    }
    if (std::string text = text_member(document, name); !text.empty()) return text;
  }
  return {};
}

class NumberCreation {
 public:
  explicit NumberCreation(Session& session) : m_session(session) {}

  Result<void> run() {
    SVC_TRY(request, prepare_own(m_session));
    const auto secret_file = NumberFlags(m_session.inputs()).get<"secret-file">();
    if (secret_file) SVC_CHECK(check_output(m_session, *secret_file));
    SVC_TRY(approved, approve(m_session, request));
    if (!approved) return {};
    if (secret_file) SVC_CHECK(open_secret_file(*secret_file));
    SVC_TRY(client, open_client(m_session, request));
    const Result<std::string> body = fetch_secret_answer(m_session, *client, request);
    if (!body) return explain(body.error());
    m_document = parse_reply_in_order(*body);
    if (!m_document.is_object()) {
      return explain(Error{Fault::Network, "unexpected JSON in the response"});
    }
    take_secret();
    if (m_secret.empty()) return print_number(*body);
    return m_file ? store() : print_secret(*body);
  }

 private:
  [[nodiscard]] const Operation& operation() const { return *m_session.invocation().operation; }

  /// Before anything is sent, so that the secret can be saved.
  Result<void> open_secret_file(const std::string& path) {
    SVC_TRY(file, AtomicFile::create(path, m_session.globals().replace(), 0600));
    m_file.emplace(std::move(file));
    return {};
  }

  void take_secret() {
    m_secret =
        found_text(m_document, {"webhook"}, {"dispatch_signing_secret", "dispatchSigningSecret"});
    m_id = found_text(m_document, {"phone_number", "phoneNumber"},
                      {"phone_number_id", "phoneNumberId"});
    if (!m_secret.empty()) m_session.keep_secret(m_secret);
  }

  /// The request may have succeeded even if its response was lost.
  [[nodiscard]] static Error explain(Error error) {
    if (!may_have_run(error)) return error;
    error.hint =
        "If the number was created, `svc phone list` shows it, but its webhook's secret is lost: "
        "run `svc phone delete ID` and create it again.";
    return error;
  }

  [[nodiscard]] Error secret_lost(Error error) const {
    error.hint = fmt::format(
        "Number {0} exists, but its webhook's secret was lost: `svc phone delete {0}` and create "
        "it again.",
        visible(m_id, Lines::Escape));
    return error;
  }

  Result<void> print_number(const std::string& body) {
    if (NumberFlags(m_session.inputs()).get<"webhook-url">()) {
      m_session.notices().warning(
          "no signing secret in the response; the webhook's deliveries cannot be verified");
    }
    return print_answer(m_session, operation(), body);
  }

  Result<void> print_secret(const std::string& body) {
    if (const auto done = deliver_secret(m_session, m_secret, body); !done) {
      return secret_lost(done.error());
    }
    const std::string host =
        found_text(m_document, {"phone_number", "phoneNumber"}, {"sip_host", "sipHost"});
    std::string words = visible(m_id, Lines::Escape);
    if (!host.empty()) words += fmt::format(" (SIP host {})", visible(host, Lines::Escape));
    m_session.notices().note(fmt::format(
        "{}: {}", words, describe_delivery(m_session, "the signing secret of its webhook")));
    print_beside_secret(m_session, m_document);
    return {};
  }

  Result<void> store() {
    Result<void> stored = m_file->write(m_secret + "\n");
    if (stored) stored = m_file->commit();
    if (!stored) {
      m_session.notices().warning(fmt::format(
          "the secret could not be stored, so it is printed: {}", stored.error().message));
      return print_secret(compact_json(m_document));
    }
    m_session.notices().note(fmt::format("the webhook's signing secret is saved in {}",
                                         visible(m_file->path(), Lines::Escape)));
    for (const char* name : k_secret_names) {
      m_document.erase(name);
      if (m_document.contains("webhook") && m_document["webhook"].is_object()) {
        m_document["webhook"].erase(name);
      }
    }
    return print_answer(m_session, operation(), compact_json(m_document));
  }

  Session& m_session;
  std::optional<AtomicFile> m_file{};
  OrderedJson m_document{};
  std::string m_secret{};
  std::string m_id{};
};

}  // namespace

template <>
Result<void> run<Handler::PhoneCreate>(Session& session) {
  return NumberCreation(session).run();
}

}  // namespace svc::cli
