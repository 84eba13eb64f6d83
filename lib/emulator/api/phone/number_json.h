// A phone number as the wire has it: what a request may say, what an answer tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/api/phone/store.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::phone {

using text::Json;
using text::sv;

inline constexpr sv k_provisioned = "svc_provisioned";
inline constexpr sv k_own_trunk = "byo_trunk";

/// The body of a creation, checked for its types, its members in snake_case: requests are taken in
/// both casings.
[[nodiscard]] Json read_number_body(const Call& call, std::optional<Answer>& refusal);

/// Fills `number` and `webhook`, or says which rule of POST /v2/phone-numbers the body breaks.
[[nodiscard]] std::optional<Answer> read_creation(const Json& body, Number& number,
                                                  std::optional<Webhook>& webhook);

/// What a mask changes. A path without a value clears its member.
struct NumberUpdate {
  std::vector<std::string> paths{};
  std::string name{}, agent_id{}, webhook_id{};
  bool sms = false;
};

/// Refuses a body without wrapper and mask, and paths that cannot be updated.
[[nodiscard]] NumberUpdate read_number_update(const Call& call, std::optional<Answer>& refusal);

void apply_update(const NumberUpdate& update, Number& number);

/// 400: an agent and a webhook exclude one another.
[[nodiscard]] Answer refuse_both();

/// Without the password, which is never told.
[[nodiscard]] Json number_json(const Number& number);

}  // namespace svc::emulator::phone
