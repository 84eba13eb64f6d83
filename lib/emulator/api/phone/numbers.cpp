// Creating, listing, reading and deleting phone numbers.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/phone/handlers.h"
#include "emulator/api/phone/number_json.h"
#include "emulator/api/phone/store.h"
#include "emulator/api/phone/webhook.h"
#include "emulator/handler/ids.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"

namespace svc::emulator::phone {
namespace {

// A way around the refusal below, for trying what a client makes of a provisioned number.
constexpr sv k_provision_header = "x-emulator-provision";

Answer refuse_number(sv id) {
  return text::refuse_missing(fmt::format("Phone number {} not found.", excerpt(id, 60)));
}

// Numbers that are for fiction: 555-0100 to 555-0199.
Result<std::string> free_number(Database& database, sv area_code) {
  for (int i = 100; i < 200; ++i) {
    std::string number = fmt::format("+1{}5550{}", area_code.empty() ? "415" : area_code, i);
    SVC_TRY(taken, find_dialled(database, number));
    if (!taken) return number;
  }
  return Error{Fault::Limited, "All numbers of that area are taken."};
}

Answer refuse_registered(const Number& number) {
  return refuse(409, "Conflict",
                fmt::format("The phone number {} is already registered.", number.number));
}

Result<Answer> store_number(Database& database, Number& number,
                            const std::optional<Webhook>& webhook, sv area_code) {
  if (number.number.empty()) {
    SVC_TRY(free, free_number(database, area_code));
    number.number = free;
  }
  if (webhook) number.webhook_id = webhook->id;
  SVC_TRY(is_new, insert_number(database, number));
  if (!is_new) return refuse_registered(number);
  if (webhook) SVC_CHECK(insert_webhook(database, *webhook));
  Json body = {{"phone_number", number_json(number)}};
  if (webhook) {
    // The only time that the secret is told.
    body["webhook"] = {{"webhook_id", webhook->id}, {"dispatch_signing_secret", webhook->secret}};
  }
  return json_answer(body);
}

// Runs `work(database, number)` on the number that the path names, in one transaction.
template <typename Work>
Answer with_number(const Call& call, Work&& work) {
  const std::string& id = call.params.at("phone_number_id");
  auto outcome = call.state->change([&](Database& database) -> Result<Answer> {
    SVC_TRY(number, find_number(database, call.key.team_id, id));
    if (!number) return refuse_number(id);
    return work(database, *number);
  });
  return outcome ? std::move(*outcome) : refuse_internal(outcome.error());
}

}  // namespace

Answer create_number(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = read_number_body(call, refusal);
  if (refusal) return *refusal;
  const bool provisioned = text::text_of(body, "origin") == k_provisioned;
  if (provisioned && !call.header(k_provision_header)) {
    return text::refuse_argument(
        "Provisioning a phone number is not available through the API. Buy the number in the "
        "console, or register one of your own with origin byo_trunk. (This emulator gives a number "
        "to a request with the header x-emulator-provision: 1.)");
  }
  Number number;
  std::optional<Webhook> webhook;
  if ((refusal = read_creation(body, number, webhook))) return *refusal;
  number.id = "pn_" + new_uuid();
  number.team_id = call.key.team_id;
  number.created_s = number.updated_s = call.state->now_ms() / 1000;
  if (webhook) {
    webhook->id = "wh_" + new_uuid();
    webhook->team_id = call.key.team_id;
    webhook->secret = make_signing_secret();
  }
  auto outcome = call.state->change([&](Database& database) {
    return store_number(database, number, webhook, text::text_of(body, "area_code"));
  });
  return outcome ? std::move(*outcome) : refuse_internal(outcome.error());
}

Answer list_numbers(const Call& call) {
  const auto numbers =
      call.state->with([&](Database& database) { return all_numbers(database, call.key.team_id); });
  if (!numbers) return refuse_internal(numbers.error());
  Json list = Json::array();
  for (const Number& number : *numbers) list.push_back(number_json(number));
  return json_answer({{"phone_numbers", std::move(list)}});
}

Answer get_number(const Call& call) {
  return with_number(call, [](Database&, Number& number) -> Result<Answer> {
    return json_answer({{"phone_number", number_json(number)}});
  });
}

Answer update_number_by_mask(const Call& call) {
  std::optional<Answer> refusal;
  const NumberUpdate update = read_number_update(call, refusal);
  if (refusal) return *refusal;
  return with_number(call, [&](Database& database, Number& number) -> Result<Answer> {
    apply_update(update, number);
    if (!number.webhook_id.empty()) {
      SVC_TRY(webhook, find_webhook(database, call.key.team_id, number.webhook_id));
      if (!webhook) {
        return text::refuse_argument(
            fmt::format("Webhook {} not found.", excerpt(number.webhook_id, 60)));
      }
    }
    if (!number.webhook_id.empty() && !number.agent_id.empty()) return refuse_both();
    number.updated_s = call.state->now_ms() / 1000;
    SVC_CHECK(update_number(database, number));
    return json_answer({{"phone_number", number_json(number)}});
  });
}

Answer remove_number(const Call& call) {
  return with_number(call, [](Database& database, Number& number) -> Result<Answer> {
    SVC_CHECK(delete_number(database, number));
    return json_answer(Json::object());
  });
}

}  // namespace svc::emulator::phone
