// `svc phone verify`: verifies stored webhook deliveries.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "catalogue/phone_fields.h"
#include "commands/command.h"
#include "commands/phone/listen_parts.h"
#include "json/document.h"
#include "live/jsonl_session.h"

namespace svc::cli {
namespace {

using VerifyFlags = Flags<catalogue::phone::k_verify_fields>;

using webhook::Delivery;

Result<std::string> read_delivery(Session& session) {
  const std::string path = VerifyFlags(session.inputs()).text<"delivery">();
  if (path != "-") return read_file(path);
  SVC_TRY(piped, session.read_stdin());
  if (!piped) return usage_error("no delivery on standard input");
  return *std::move(piped);
}

/// Parses `Name: value` lines; repeated signatures are joined by a space.
void read_header_lines(sv text, Delivery& delivery) {
  for (const sv line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == sv::npos) continue;
    const std::string name = to_lower(trim(line.substr(0, colon)));
    const std::string value(trim(line.substr(colon + 1)));
    for (const auto& header : webhook::k_delivery_headers) {
      if (name != header.name) continue;
      std::string& field = delivery.*header.value;
      const bool joined = name == webhook::k_signature_header && !field.empty();
      field = joined ? field + " " + value : value;
    }
  }
}

Result<StoredDelivery> read_stored_file(const std::string& path) {
  SVC_TRY(text, read_file(path));
  auto stored = read_stored_delivery(text);
  if (stored) return stored;
  return usage_error(fmt::format("{}: {}", visible(path, Lines::Escape), stored.error().message),
                     stored.error().hint);
}

Result<StoredDelivery> gather(Session& session) {
  const VerifyFlags flags(session.inputs());
  const std::string stored = flags.text<"delivery">();
  if (stored.ends_with(k_delivery_ending)) return read_stored_file(stored);
  Delivery delivery;
  if (const auto path = flags.get<"headers">()) {
    SVC_TRY(text, read_file(*path));
    read_header_lines(text, delivery);
  }
  if (const auto id = flags.get<"webhook-id">()) delivery.id = *id;
  if (const auto time = flags.get<"webhook-timestamp">()) delivery.timestamp = *time;
  if (const auto signature = flags.get<"webhook-signature">()) delivery.signature = *signature;
  SVC_TRY(body, read_delivery(session));
  delivery.body = std::move(body);
  return StoredDelivery{std::move(delivery), unix_now()};
}

/// The time of --at; nothing: now, or the time of the delivery.
Result<std::optional<std::int64_t>> verification_time(Session& session) {
  using Time = std::optional<std::int64_t>;
  const auto at = VerifyFlags(session.inputs()).get<"at">();
  if (!at) return Time();
  if (const auto seconds = parse_integer(*at)) return Time(*seconds);
  if (const auto time = parse_rfc3339(*at)) return Time(*time);
  return usage_error(fmt::format(
      "--at must be a time such as 2026-06-01T12:00:00Z or 1780315200, not '{}'", shown(*at)));
}

nlohmann::ordered_json describe_delivery(const Delivery& delivery, const std::string& wrong) {
  nlohmann::ordered_json report = {{"valid", wrong.empty()},
                                   {"id", delivery.id},
                                   {"timestamp", parse_integer(delivery.timestamp).value_or(0)}};
  if (!wrong.empty()) report["reason"] = wrong;
  return report;
}

/// The files written by --store, oldest first.
Result<std::vector<std::string>> stored_files(const std::string& path) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
    if (sv(entry.path().native()).ends_with(k_delivery_ending)) files.push_back(entry.path());
  }
  if (failed)
    return system_error(fmt::format("cannot read the directory {}", path), failed.value());
  if (files.empty()) {
    return usage_error(fmt::format("no deliveries in {}", shown(path)),
                       "`svc phone listen --store DIR` saves deliveries.");
  }
  std::ranges::sort(files);
  return files;
}

Result<void> verify_directory(Session& session, const webhook::Verifier& verifier,
                              std::optional<std::int64_t> now) {
  SVC_TRY(files, stored_files(VerifyFlags(session.inputs()).text<"delivery">()));
  JsonlWriter documents(session, false);
  std::size_t wrong = 0;
  for (const std::string& file : files) {
    const auto stored = read_stored_file(file);
    if (!stored) {
      ++wrong;
      session.notices().error(stored.error());
      continue;
    }
    const std::int64_t at = now.value_or(stored->received);
    const webhook::Verification verification = verifier.verify(stored->delivery, at);
    const bool valid = verification == webhook::Verification::Valid;
    const std::string reason = valid ? "" : webhook::describe(verification, stored->delivery, at);
    wrong += valid ? 0 : 1;
    if (session.format() == Format::Text) {
      SVC_CHECK(session.write_foreign(fmt::format("{}\t{}{}{}\n", valid ? "valid" : "invalid", file,
                                                  valid ? "" : "\t", reason)));
      continue;
    }
    auto report = describe_delivery(stored->delivery, reason);
    report["file"] = file;
    SVC_CHECK(documents.message(false, compact_json(report)));
  }
  SVC_CHECK(documents.finish());
  if (wrong == 0) return {};
  return Error{Fault::Service,
               fmt::format("{} of {} deliveries failed verification", wrong, files.size())};
}

}  // namespace

template <>
Result<void> run<Handler::PhoneVerify>(Session& session) {
  SVC_TRY(now, verification_time(session));
  SVC_TRY(verifier, webhook_verifier(session));
  const std::string path = VerifyFlags(session.inputs()).text<"delivery">();
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    return verify_directory(session, verifier, now);
  }
  SVC_TRY(given, gather(session));
  const std::int64_t at = now.value_or(given.received);
  const webhook::Verification verification = verifier.verify(given.delivery, at);
  if (verification != webhook::Verification::Valid) {
    return Error{Fault::Service, fmt::format("verification failed: {}",
                                             webhook::describe(verification, given.delivery, at))};
  }
  if (session.format() == Format::Text) return session.out().write("valid\n");
  return session.write_document(compact_json(describe_delivery(given.delivery, {})));
}

}  // namespace svc::cli
