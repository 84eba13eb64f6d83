#include "emulator/api/phone/webhook.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/base64.h"
#include "emulator/json/json.h"

namespace svc::emulator::phone {
namespace {

constexpr std::string_view k_secret_prefix = "whsec_";

}  // namespace

std::string make_signing_secret() {
  std::array<unsigned char, 32> bytes{};
  (void)RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  return std::string(k_secret_prefix) +
         base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string incoming_event(const PhoneCall& call) {
  const text::Json event = {
      {"object", "event"},
      {"id", call.event_id},
      {"type", "realtime.call.incoming"},
      {"created_at", call.created_ms / 1000},
      {"data",
       {{"call_id", call.id},
        {"sip_headers",
         {{{"name", "From"}, {"value", call.caller}}, {{"name", "To"}, {"value", call.callee}}}},
        {"metadata", text::Json::object()}}}};
  return text::dump(event);
}

std::string sign_delivery(std::string_view secret, std::string_view id, std::int64_t timestamp,
                          std::string_view body) {
  std::string key(secret);
  if (secret.starts_with(k_secret_prefix)) {
    if (auto decoded = base64_decode(secret.substr(k_secret_prefix.size()))) key = *decoded;
  }
  const std::string content = fmt::format("{}.{}.{}", id, timestamp, body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.data(),
       &size);
  return "v1," + base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace svc::emulator::phone
