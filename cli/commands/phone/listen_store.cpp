// Deliveries in files: written by `svc phone listen --store`, read by `svc phone verify`.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "commands/phone/listen.h"

namespace svc::cli {
namespace {

/// Refused deliveries may come from anyone, so a run stores at most this many of them.
constexpr std::size_t k_most_refused = 1'000;

/// An id that somebody else chose, as part of a file's name.
std::string name_of(sv id) {
  constexpr std::size_t k_longest = 60;
  std::string name(id.substr(0, k_longest));
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name.empty() ? "no-id" : name;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

Result<DeliveryStore> DeliveryStore::open(const std::string& folder) {
  SVC_CHECK(make_private_folder(folder));
  return DeliveryStore(folder);
}

Result<void> DeliveryStore::keep(const webhook::Delivery& delivery, std::int64_t received,
                                 const webhook::Answer& answer) {
  if (answer.status != 204 && ++m_refused > k_most_refused) return {};
  const std::string stem = fmt::format("{}/{}-{}", m_folder, received, name_of(delivery.id));
  SVC_TRY(file, AtomicFile::create(stem + std::string(k_delivery_ending), Replace::Yes, 0600,
                                   Links::Refuse));
  SVC_CHECK(file.write(
      fmt::format("webhook-id: {}\nwebhook-timestamp: {}\nwebhook-signature: {}\nreceived: {}\n"
                  "answered: {}{}{}\n\n",
                  one_line(delivery.id), one_line(delivery.timestamp), one_line(delivery.signature),
                  format_rfc3339(received), answer.status, answer.reason.empty() ? "" : " ",
                  one_line(answer.reason))));
  SVC_CHECK(file.write(delivery.body));
  SVC_TRY(name, file.commit_first_free([&](std::size_t number) {
    return number == 1 ? stem + std::string(k_delivery_ending)
                       : fmt::format("{}-{}{}", stem, number, k_delivery_ending);
  }));
  (void)name;
  return {};
}

Result<StoredDelivery> read_stored_delivery(const std::string& text) {
  StoredDelivery stored;
  bool received = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const sv line = sv(text).substr(at, end - at);
    at = end + 1;
    if (line.empty()) {
      stored.delivery.body = at < text.size() ? text.substr(at) : std::string();
      break;
    }
    const std::size_t colon = line.find(':');
    const sv name = line.substr(0, colon);
    const std::string value(colon == sv::npos ? sv() : trim(line.substr(colon + 1)));
    if (name == "webhook-id") stored.delivery.id = value;
    if (name == "webhook-timestamp") stored.delivery.timestamp = value;
    if (name == "webhook-signature") stored.delivery.signature = value;
    if (name == "received") {
      const auto time = parse_rfc3339(value);
      received = time.has_value();
      stored.received = time.value_or(0);
    }
  }
  if (!received) {
    return usage_error("not a delivery that `svc phone listen --store` wrote",
                       "Pass a raw body with --headers FILE instead.");
  }
  return stored;
}

}  // namespace svc::cli
