// `svc phone verify`: is a delivery that was kept genuine?
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "commands/phone/listen.h"
#include "commands/registry.h"
#include "json/document.h"

namespace svc::cli {
namespace {

using webhook::Delivery;

constexpr std::uint64_t k_longest_body = 64U << 20U;
constexpr std::uint64_t k_longest_headers = 1U << 20U;

Result<std::string> read_delivery(Session& session) {
  const std::string path = session.invocation().value("delivery").value_or("");
  if (path != "-") return read_file(path, k_longest_body);
  SVC_TRY(piped, session.read_stdin());
  if (!piped) return usage_error("the delivery is -, but standard input gives nothing to read");
  return *std::move(piped);
}

/// `Name: value` lines, as a recorder keeps them; several of one name are joined by a space.
void read_header_lines(sv text, Delivery& delivery) {
  for (const sv line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == sv::npos) continue;
    const std::string name = to_lower(trim(line.substr(0, colon)));
    const std::string value(trim(line.substr(colon + 1)));
    if (name == "webhook-id") delivery.id = value;
    if (name == "webhook-timestamp") delivery.timestamp = value;
    if (name == "webhook-signature") {
      delivery.signature += delivery.signature.empty() ? value : " " + value;
    }
  }
}

Result<Delivery> gather(Session& session) {
  Delivery delivery;
  const Invocation& invocation = session.invocation();
  if (const auto path = invocation.value("headers")) {
    SVC_TRY(text, read_file(*path, k_longest_headers));
    read_header_lines(text, delivery);
  }
  if (const auto id = invocation.value("webhook-id")) delivery.id = *id;
  if (const auto time = invocation.value("webhook-timestamp")) delivery.timestamp = *time;
  if (const auto signature = invocation.value("webhook-signature")) delivery.signature = *signature;
  SVC_TRY(body, read_delivery(session));
  delivery.body = std::move(body);
  return delivery;
}

Result<std::int64_t> judged_at(Session& session) {
  const auto at = session.invocation().value("at");
  if (!at) return unix_now();
  if (const auto seconds = parse_integer(*at)) return *seconds;
  if (const auto time = parse_rfc3339(*at)) return *time;
  return usage_error(
      fmt::format("--at takes a time such as 2026-06-01T12:00:00Z or 1780315200, not '{}'",
                  visible(excerpt(*at, 60), Lines::Escape)));
}

}  // namespace

Result<void> run_phone_verify(Session& session) {
  SVC_TRY(now, judged_at(session));
  SVC_TRY(verifier, webhook_verifier(session));
  SVC_TRY(delivery, gather(session));
  const webhook::Finding finding = verifier.verify(delivery, now);
  if (finding != webhook::Finding::Genuine) {
    return Error{Fault::Service, fmt::format("the delivery is not genuine: {}",
                                             webhook::describe(finding, delivery, now))};
  }
  if (session.format() == Format::Text) return session.out().write("genuine\n");
  const nlohmann::ordered_json told = {
      {"genuine", true},
      {"id", delivery.id},
      {"timestamp", parse_integer(delivery.timestamp).value_or(0)}};
  return session.write_document(compact_json(told));
}

}  // namespace svc::cli
