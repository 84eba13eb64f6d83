// Phone numbers, webhooks and calls, as database rows. The caller must hold the state's mutex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::phone {

/// The target of `realtime.call.incoming`.
struct Webhook {
  std::string id{};
  std::string team_id{};
  std::string name{};
  std::string url{};
  std::string auth_url{};    ///< empty: auth_token itself is the bearer token
  std::string auth_token{};  ///< empty: deliveries have no credentials
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
[[nodiscard]] std::string_view call_state_name(CallState state);

struct PhoneCall {
  std::string id{};
  std::string team_id{};
  std::string number_id{};
  std::string caller{};
  std::string callee{};
  CallState state = CallState::Ringing;
  std::int64_t created_ms = 0;
  std::string target_uri{};  ///< transfer target
  std::string keys{};        ///< keys the caller will press: digits, * and #
  std::string audio{};       ///< the caller's speech: a WAV file, or nothing
  std::string event_id{};    ///< of its webhook event; empty: its number has no webhook
  std::string deliveries = "[]";
  bool settled = true;  ///< no more webhook attempts will follow
  [[nodiscard]] bool is_over() const {
    return state == CallState::Transferred || state == CallState::Ended;
  }
};

[[nodiscard]] Result<void> insert_webhook(Database& database, const Webhook& webhook);
[[nodiscard]] Result<std::optional<Webhook>> find_webhook(Database& database,
                                                          std::string_view team_id,
                                                          std::string_view id);

/// Returns false if any team has already registered the number.
[[nodiscard]] Result<bool> insert_number(Database& database, const Number& number);
[[nodiscard]] Result<void> update_number(Database& database, const Number& number);
/// Deletes the number and its webhook.
[[nodiscard]] Result<void> delete_number(Database& database, const Number& number);
[[nodiscard]] Result<std::optional<Number>> find_number(Database& database,
                                                        std::string_view team_id,
                                                        std::string_view id);
/// Finds a number of any team by the dialled digits.
[[nodiscard]] Result<std::optional<Number>> find_dialled(Database& database,
                                                         std::string_view number);
/// Lists keys in the order of creation.
[[nodiscard]] Result<std::vector<Number>> all_numbers(Database& database, std::string_view team_id);

[[nodiscard]] Result<void> insert_call(Database& database, const PhoneCall& call);
[[nodiscard]] Result<std::optional<PhoneCall>> find_call(Database& database, std::string_view id);
/// Returns what find_call() found if it is a call of that team that is not over, else the refusal.
[[nodiscard]] Checked<PhoneCall> live_call(Result<std::optional<PhoneCall>> found,
                                           std::string_view team_id);
/// Writes the state and the transfer target.
[[nodiscard]] Result<void> set_call_state(Database& database, const PhoneCall& call);
/// Writes deliveries and settled.
[[nodiscard]] Result<void> set_call_deliveries(Database& database, const PhoneCall& call);

}  // namespace svc::emulator::phone
