// Phone numbers, webhooks and calls, as rows: the state's mutex is held by whoever calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"

namespace svc::emulator::phone {

/// Where `realtime.call.incoming` goes.
struct Webhook {
  std::string id{};
  std::string team_id{};
  std::string name{};
  std::string url{};
  std::string auth_url{};    ///< empty: auth_token itself is the bearer
  std::string auth_token{};  ///< empty: deliveries carry no credential
  std::string secret{};      ///< "whsec_…"
};

struct Number {
  std::int64_t seq = 0;
  std::string id{};
  std::string team_id{};
  std::string number{};  ///< E.164
  std::string name{};
  std::string origin{};
  std::string agent_id{};    ///< empty: none
  std::string webhook_id{};  ///< empty: none
  std::string auth_username{};
  std::string auth_password{};
  std::string allowed_addresses = "[]";  ///< a JSON array as text
  bool sms = false;                      ///< outbound_sms_enabled
  std::int64_t created_s = 0;
  std::int64_t updated_s = 0;
};

enum class CallState : std::uint8_t { Ringing, Active, Transferred, Ended };

/// "ringing", "active", …
[[nodiscard]] std::string_view call_state_word(CallState state);

struct PhoneCall {
  std::string id{};
  std::string team_id{};
  std::string number_id{};
  std::string caller{};
  std::string callee{};
  CallState state = CallState::Ringing;
  std::int64_t created_ms = 0;
  std::string target_uri{};  ///< where it was transferred to
  std::string keys{};        ///< what the caller will press: digits, * and #
  std::string audio{};       ///< what the caller will say: a WAV file, or nothing
  std::string event_id{};    ///< of its webhook event; empty: its number has no webhook
  std::string deliveries = "[]";
  bool settled = true;  ///< no attempt at the webhook is to come
  [[nodiscard]] bool is_over() const {
    return state == CallState::Transferred || state == CallState::Ended;
  }
};

[[nodiscard]] Result<void> insert_webhook(Database& database, const Webhook& webhook);
[[nodiscard]] Result<std::optional<Webhook>> find_webhook(Database& database,
                                                          std::string_view team_id,
                                                          std::string_view id);

/// False when the number is registered already, by any team.
[[nodiscard]] Result<bool> insert_number(Database& database, const Number& number);
[[nodiscard]] Result<void> update_number(Database& database, const Number& number);
/// The number goes, and its webhook with it.
[[nodiscard]] Result<void> delete_number(Database& database, const Number& number);
[[nodiscard]] Result<std::optional<Number>> find_number(Database& database,
                                                        std::string_view team_id,
                                                        std::string_view id);
/// By what one dials; of any team.
[[nodiscard]] Result<std::optional<Number>> find_dialled(Database& database,
                                                         std::string_view number);
/// In the order of creation.
[[nodiscard]] Result<std::vector<Number>> all_numbers(Database& database, std::string_view team_id);

[[nodiscard]] Result<void> insert_call(Database& database, const PhoneCall& call);
[[nodiscard]] Result<std::optional<PhoneCall>> find_call(Database& database, std::string_view id);
/// Writes the state and the target.
[[nodiscard]] Result<void> set_call_state(Database& database, const PhoneCall& call);
/// Writes deliveries and settled.
[[nodiscard]] Result<void> set_call_deliveries(Database& database, const PhoneCall& call);

}  // namespace svc::emulator::phone
