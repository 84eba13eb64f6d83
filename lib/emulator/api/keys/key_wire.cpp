#include "emulator/api/keys/key_wire.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/rand.h>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/account/endpoints.h"
#include "emulator/api/keys/team_models.h"
#include "emulator/json/check_tables.h"

namespace svc::emulator::keys {
namespace {

using text::Member;
using text::Shape;
using text::Type;

constexpr sv k_endpoint_prefix = "api-key:endpoint:";
constexpr sv k_model_prefix = "api-key:model:";
constexpr std::size_t k_longest_name = 200;
constexpr std::int64_t k_most_per_time = 2'147'483'647;  // 32-bit integers

// `acls` on creation, `aclStrings` in the key itself.
constexpr std::array k_create_members = {
    Member{"name", &text::k_text},       Member{"acls", &text::k_texts},
    Member{"qps", &management::k_int64}, Member{"qpm", &management::k_int64},
    Member{"tpm", &management::k_int64}, Member{"expireTime", &text::k_text}};
constexpr Type k_create{.shape = Shape::Object, .members = k_create_members};

constexpr std::array k_key_members = {
    Member{"name", &text::k_text},        Member{"disabled", &text::k_boolean},
    Member{"aclStrings", &text::k_texts}, Member{"acls", &text::k_texts},
    Member{"qps", &management::k_int64},  Member{"qpm", &management::k_int64},
    Member{"tpm", &management::k_int64},  Member{"expireTime", &text::k_text}};
constexpr Type k_key{.shape = Shape::Object, .members = k_key_members};
constexpr std::array k_update_members = {Member{"apiKey", &k_key, true},
                                         Member{"fieldMask", &text::k_text}};
constexpr Type k_update{.shape = Shape::Object, .members = k_update_members};

constexpr std::array k_rotate_members = {Member{"expireTime", &text::k_text},
                                         Member{"oldSecretExpireTime", &text::k_text}};
constexpr Type k_rotate{.shape = Shape::Object, .members = k_rotate_members};

std::optional<Answer> read_name(const Json& object, KeyRecord& key) {
  key.name = text::text_of(object, "name");
  if (trim(key.name).empty()) return management::refuse_empty("name");
  if (count_code_points(key.name) > k_longest_name) {
    return management::refuse_field(
        "name", fmt::format("The name is longer than {} characters.", k_longest_name), "too-long");
  }
  return std::nullopt;
}

bool is_known_acl(const std::string& acl) {
  const auto rest = [&](sv prefix) { return acl.substr(prefix.size()); };
  if (acl.starts_with(k_endpoint_prefix)) {
    const auto name = rest(k_endpoint_prefix);
    return name == "*" || std::ranges::find(k_endpoints, name) != k_endpoints.end();
  }
  if (!acl.starts_with(k_model_prefix)) return false;
  return rest(k_model_prefix) == "*" || is_team_model(rest(k_model_prefix));
}

std::optional<Answer> read_acls(const Json& object, sv member, KeyRecord& key) {
  key.acls.clear();
  const Json* list = text::member(object, member);
  if (list == nullptr) return std::nullopt;
  for (const Json& item : *list) {
    const auto acl = item.get<std::string>();
    if (!is_known_acl(acl)) {
      return management::refuse_field(
          member,
          fmt::format("{} is no permission. They are api-key:endpoint:NAME and api-key:model:NAME "
                      "with the names of the team's endpoints and models, or *.",
                      excerpt(acl, 80)),
          "unknown-acl");
    }
    if (std::ranges::find(key.acls, acl) == key.acls.end()) key.acls.push_back(acl);
  }
  return std::nullopt;
}

// Zero is the default, which means: no limit.
std::optional<Answer> read_limit(const Json& object, sv member, std::int64_t most,
                                 std::optional<std::int64_t>& limit) {
  limit = std::nullopt;
  if (text::member(object, member) == nullptr) return std::nullopt;
  const auto number = management::int64_of(object, member);
  if (!number || *number < 0 || *number > most) {
    return management::refuse_field(
        member, fmt::format("The value is no whole number from 0 to {}.", most), "range");
  }
  if (*number > 0) limit = number;
  return std::nullopt;
}

}  // namespace

Json key_object(const KeyRecord& key, sv secret) {
  Json object = {{"apiKeyId", key.id}};
  if (!secret.empty()) object["apiKey"] = secret;
  object["redactedApiKey"] = key.redacted;
  object["name"] = key.name;
  object["userId"] = key.user_id;
  object["teamId"] = key.team_id;
  object["createTime"] = format_rfc3339(key.create_time);
  object["modifyTime"] = format_rfc3339(key.modify_time);
  if (key.disabled) object["disabled"] = true;
  if (key.expire_time) object["expireTime"] = format_rfc3339(*key.expire_time);
  if (key.qps) object["qps"] = *key.qps;
  if (key.qpm) object["qpm"] = *key.qpm;
  if (key.tpm) object["tpm"] = std::to_string(*key.tpm);
  if (!key.acls.empty()) object["aclStrings"] = key.acls;
  return object;
}

std::string new_secret() {
  constexpr sv k_digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t k_length = 80;
  std::string secret = "svc-";
  while (secret.size() < k_length + 4) {
    unsigned char byte = 0;
    if (RAND_bytes(&byte, 1) != 1) break;
    if (byte < k_digits.size() * 4) secret += k_digits[byte % k_digits.size()];  // no bias
  }
  return secret;
}

std::string redact(sv secret) {
  return fmt::format("svc-...{}",
                     secret.substr(secret.size() - std::min<std::size_t>(4, secret.size())));
}

const text::Type& create_type() {
  return k_create;
}
const text::Type& update_type() {
  return k_update;
}
const text::Type& rotate_type() {
  return k_rotate;
}

std::optional<Answer> read_member(const Json& object, sv member, KeyRecord& key) {
  constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
  if (member == "name") return read_name(object, key);
  if (member == "acls" || member == "aclStrings") return read_acls(object, member, key);
  if (member == "qps") return read_limit(object, member, k_most_per_time, key.qps);
  if (member == "qpm") return read_limit(object, member, k_most_per_time, key.qpm);
  if (member == "tpm") return read_limit(object, member, k_most, key.tpm);
  std::optional<Answer> refusal;
  if (member == "disabled") key.disabled = text::flag_of(object, member, false);
  if (member == "expireTime") {
    key.expire_time = management::time_of(member, text::text_of(object, member), refusal);
  }
  return refusal;
}

std::vector<sv> changeable_members() {
  return {"name", "disabled", "expireTime", "qps", "qpm", "tpm", "aclStrings", "acls"};
}

}  // namespace svc::emulator::keys
