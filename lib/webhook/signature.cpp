#include "webhook/signature.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"

namespace svc::webhook {
namespace {

constexpr std::string_view k_prefix = "whsec_";
constexpr std::string_view k_version = "v1,";

/// "<id>.<timestamp>.<body>".
std::string signed_text(const Delivery& delivery) {
  std::string text;
  text.reserve(delivery.id.size() + delivery.timestamp.size() + delivery.body.size() + 2);
  text += delivery.id;
  text += '.';
  text += delivery.timestamp;
  text += '.';
  text += delivery.body;
  return text;
}

/// Secrets are often displayed without padding.
std::optional<std::string> lenient_base64(std::string_view text) {
  std::string padded(text);
  while (padded.size() % 4 != 0) padded += '=';
  auto bytes = base64_decode(padded);
  if (!bytes || bytes->empty()) return std::nullopt;
  return bytes;
}

std::string distance(std::int64_t seconds) {
  return format_duration(std::chrono::seconds(std::min<std::int64_t>(seconds, 3'000'000'000)));
}

}  // namespace

std::string describe(Verification verification, const Delivery& delivery, std::int64_t now) {
  const std::int64_t time = parse_integer(delivery.timestamp).value_or(now);
  switch (verification) {
    case Verification::Valid:
      return "it is valid";
    case Verification::NoId:
      return fmt::format("it has no {}", k_id_header);
    case Verification::NoTimestamp:
      return fmt::format("it has no {}", k_timestamp_header);
    case Verification::BadTimestamp:
      return fmt::format("its {} is not a number of seconds", k_timestamp_header);
    case Verification::TooOld:
      return fmt::format("its {} is {} old (maximum: {})", k_timestamp_header, distance(now - time),
                         distance(k_tolerance_seconds));
    case Verification::TooNew:
      return fmt::format("its {} is {} ahead (maximum: {})", k_timestamp_header,
                         distance(time - now), distance(k_tolerance_seconds));
    case Verification::NoSignature:
      return fmt::format("it has no {}", k_signature_header);
    case Verification::NoKnownVersion:
      return fmt::format("its {} has no entry of version v1", k_signature_header);
    case Verification::WrongSignature:
      break;
  }
  return "its signature does not match its ID, timestamp and body";
}

Result<Verifier> Verifier::make(std::span<const std::string> secrets) {
  Verifier verifier;
  for (const std::string& secret : secrets) {
    const std::string_view text = trim(secret);
    if (text.empty()) return usage_error("the webhook signing secret is empty");
    const bool prefixed = text.starts_with(k_prefix);
    auto decoded = lenient_base64(prefixed ? text.substr(k_prefix.size()) : text);
    if (prefixed && !decoded) {
      return usage_error("the webhook signing secret is not valid base64 after whsec_",
                         "Copy the complete secret again.");
    }
    if (decoded) verifier.m_keys.push_back(*std::move(decoded));
    if (!prefixed) verifier.m_keys.emplace_back(text);
  }
  if (verifier.m_keys.empty()) return usage_error("no webhook signing secret to verify with");
  return verifier;
}

Verification Verifier::verify(const Delivery& delivery, std::int64_t now) const {
  if (delivery.id.empty()) return Verification::NoId;
  if (delivery.timestamp.empty()) return Verification::NoTimestamp;
  if (trim(delivery.signature).empty()) return Verification::NoSignature;
  const auto time = parse_integer(delivery.timestamp);
  if (!time || *time < 0) return Verification::BadTimestamp;
  if (*time < now - k_tolerance_seconds) return Verification::TooOld;
  if (*time > now + k_tolerance_seconds) return Verification::TooNew;
  bool known = false;
  std::vector<std::string_view> signatures;
  for (const std::string_view entry : split(delivery.signature, ' ')) {
    if (!entry.starts_with(k_version)) continue;
    known = true;
    signatures.push_back(entry.substr(k_version.size()));
  }
  if (!known) return Verification::NoKnownVersion;
  bool found = false;
  const std::string text = signed_text(delivery);
  for (const std::string& key : m_keys) {
    const std::string expected = base64_encode(hmac_sha256(key, text));
    // No early exit: the time taken must not reveal which signature matches.
    for (const std::string_view signature : signatures) found |= same_secret(signature, expected);
  }
  return found ? Verification::Valid : Verification::WrongSignature;
}

bool is_bearer(std::string_view authorization, std::string_view token) {
  constexpr std::string_view k_scheme = "bearer ";
  if (to_lower(authorization.substr(0, k_scheme.size())) != k_scheme) return false;
  return same_secret(trim(authorization.substr(k_scheme.size())), token);
}

std::string sign(std::string_view key, const Delivery& delivery) {
  return fmt::format("{}{}", k_version, base64_encode(hmac_sha256(key, signed_text(delivery))));
}

bool ReplayStore::claim(std::string_view id, Clock::time_point now) {
  while (!m_entries.empty() && now - m_entries.front().taken > m_retention) evict_oldest();
  if (m_by_id.contains(id)) return false;
  if (m_entries.size() >= m_max_entries) evict_oldest();
  m_entries.push_back({std::string(id), now});
  m_by_id.emplace(m_entries.back().id, std::prev(m_entries.end()));
  return true;
}

void ReplayStore::drop(std::string_view id) {
  const auto found = m_by_id.find(id);
  if (found == m_by_id.end()) return;
  const auto entry = found->second;
  m_by_id.erase(found);
  m_entries.erase(entry);
}

void ReplayStore::evict_oldest() {
  if (m_entries.empty()) return;
  m_by_id.erase(m_entries.front().id);
  m_entries.pop_front();
}

}  // namespace svc::webhook
