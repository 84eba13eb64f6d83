// Models and their prices, and the accounts of teams.
#pragma once

#include "emulator/state/state.h"

namespace svc::emulator {

/// Prices are in ticks per token (10,000,000,000 ticks are one US dollar). The documents list the
/// models without prices and sizes: those are the emulator's own.
struct Model {
  sv name;
  sv version;
  sv alias;                  ///< empty: none
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t prompt_price = 0, cached_price = 0, completion_price = 0, context_length = 0;
  bool reasoning = false;         ///< returns reasoning tokens; refuses stop and both penalties
  bool reasoning_effort = false;  ///< accepts reasoning_effort; true for svc-4.3 only
  bool logprobs = false;  ///< false: svc-4.20 and newer, which silently ignore the parameter
  bool batches = true;    ///< false: refused in batches
  bool images = true;     ///< accepts images as input
};

/// The usage of one call.
struct TokenUse {
  std::int64_t prompt = 0;      ///< all prompt tokens, including cached ones
  std::int64_t cached = 0;      ///< prompt tokens that were cached
  std::int64_t completion = 0;  ///< visible tokens
  std::int64_t reasoning = 0;   ///< priced like visible ones
  std::int64_t sources = 0;     ///< search sources used
};

/// Ticks per search source.
inline constexpr std::int64_t k_source_price = 250'000'000;

/// A prompt with more tokens than long_context_of() makes all tokens cost this multiple.
inline constexpr std::int64_t k_long_context_factor = 2;
[[nodiscard]] constexpr std::int64_t long_context_of(const Model& model) {
  constexpr std::int64_t k_long = 200'000;
  return model.context_length < k_long ? model.context_length : k_long;
}

/// The system_fingerprint of every answer.
inline constexpr sv k_system_fingerprint = "fp_emulator";

[[nodiscard]] std::span<const Model> models();

/// Finds a model by name or alias; null if unknown. Responses contain `Model::name`.
[[nodiscard]] const Model* find_model(sv name);

/// Returns the cost in ticks.
[[nodiscard]] std::int64_t price(const Model& model, const TokenUse& use);

/// The same as lines of a bill, without those that have no units.
[[nodiscard]] std::vector<Charge> charges_of(const Model& model, const TokenUse& use);

/// A line of a bill for voice, and its price in ticks: the emulator's own, the service's is
/// unknown.
struct VoicePrice {
  sv what;  ///< follows the model's name, if there is one
  sv unit;
  std::int64_t ticks = 0;
};
/// 15 dollars per million.
inline constexpr VoicePrice k_spoken_character{"speech synthesis", "character", 150'000};
/// A dollar for ten hours.
inline constexpr VoicePrice k_transcribed_second{"speech transcription", "second", 277'778};
/// Of a realtime session: 3 cents a minute to listen, 6 cents to speak.
inline constexpr VoicePrice k_session_input_second{"input audio", "second", 5'000'000};
inline constexpr VoicePrice k_session_output_second{"output audio", "second", 10'000'000};
inline constexpr VoicePrice k_session_input_token{"input tokens", "token", 40'000};
inline constexpr VoicePrice k_session_output_token{"output tokens", "token", 200'000};

[[nodiscard]] Charge charge_for(const VoicePrice& price, std::int64_t units, sv model = {});

namespace media {
enum class Product : std::uint8_t { Image, Video };

struct MediaModel {
  sv name;
  Product product = Product::Image;
  sv version;
  sv alias;                  ///< empty: none
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t price = 0;    ///< ticks per image of 1k, or per second of 480p, see below
  bool full_hd = false;      ///< supports 1080p
};

[[nodiscard]] std::span<const MediaModel> media_models();

/// Finds a model for `product` by name or alias; null if unknown.
[[nodiscard]] const MediaModel* find_media_model(Product product, sv name);

/// Returns the price of an image in ticks, which grows with its pixels.
[[nodiscard]] std::int64_t image_price(const MediaModel& model, sv resolution, sv quality);

/// Returns the price of a video whose shorter side has `side` pixels.
[[nodiscard]] std::int64_t video_price(const MediaModel& model, int side, int seconds);

}  // namespace media

namespace billing {

// A team's account: the charges of every call, prepaid credit, limits. In ticks or whole US cents.

/// The operator's limit on postpaid usage; the soft limit cannot exceed it.
inline constexpr std::int64_t k_hard_limit_cents = 500'000;

/// A billing cycle: a calendar month in UTC.
struct BillingCycle {
  std::int64_t year = 1970;
  int month = 1;
  [[nodiscard]] auto operator<=>(const BillingCycle&) const = default;
  [[nodiscard]] std::int64_t begin_s() const;  ///< Unix seconds
  [[nodiscard]] BillingCycle moved(int months) const {
    const std::int64_t index = year * 12 + month - 1 + months;
    return {index / 12, static_cast<int>(index % 12) + 1};
  }
};
[[nodiscard]] BillingCycle cycle_at(std::int64_t now_ms);

/// Rounds to whole cents.
[[nodiscard]] std::int64_t cents_of(std::int64_t ticks);

struct Account {
  std::string team_id{};
  std::int64_t opened_ms = 0;
  std::optional<std::int64_t> soft_limit_cents{};
  std::string info{};            ///< the billing info, a JSON object as text
  std::string payment_method{};  ///< the ID of the default one
  // Sums, so that no call has to add up the past.
  std::int64_t prepaid_spent_ticks = 0, cycle_begin_s = 0;
  std::int64_t postpaid_ticks = 0;  ///< in that cycle
};

/// Returns the team's account, creating it if needed.
[[nodiscard]] Result<Account> account_of(Database& database, sv team_id, std::int64_t now_ms);
[[nodiscard]] Result<void> update_account(Database& database, const Account& account);

/// The team's balance at `now_ms`.
struct Balance {
  std::int64_t credit_ticks = 0;    ///< remaining prepaid credit
  std::int64_t postpaid_ticks = 0;  ///< postpaid usage in this cycle
  std::int64_t soft_limit_cents = 0;
  /// Whether prepaid credit is used up and postpaid usage has reached the soft limit.
  [[nodiscard]] bool stopped() const;
};
[[nodiscard]] Result<Balance> balance_of(Database& database, sv team_id, std::int64_t now_ms);

/// Records charges: prepaid credit is used first, the rest is postpaid.
[[nodiscard]] Result<void> record_charges(Database& database, sv team_id,
                                          std::span<const Charge> charges, std::int64_t now_ms);

/// Usage in a period, summed by line.
struct UsageLine {
  Charge charge{};
  std::int64_t prepaid_ticks = 0;
  std::int64_t hour_s = 0;  ///< start of the hour, if grouped by hour
};
struct UsageSpan {
  std::int64_t begin_s = 0, end_s = 0;
  bool by_hour = false;
};
[[nodiscard]] Result<std::vector<UsageLine>> usage_of(Database& database, sv team_id,
                                                      const UsageSpan& span);

/// Prepaid credit spent, by cycle.
struct Spending {
  BillingCycle cycle{};
  std::int64_t ticks = 0;
};
[[nodiscard]] Result<std::vector<Spending>> spending_of(Database& database, sv team_id);

/// A change of the prepaid credit other than spending.
struct CreditChange {
  std::int64_t id = 0;
  std::string team_id{};   ///< set when it is added
  std::string origin{};    ///< "PURCHASE" or "MANUAL"
  std::int64_t cents = 0;  ///< negative: more credit
  std::int64_t created_ms = 0;
  bool declined = false;  ///< the payment method declined it
  std::string payment_method{};
};
enum class TopUp : std::uint8_t { Invoicing, Charging, Succeeded, Failed };
[[nodiscard]] TopUp stage_of(const CreditChange& change, std::int64_t now_ms);

[[nodiscard]] Result<std::vector<CreditChange>> credit_changes(Database& database, sv team_id);
/// Sets the demo team's prepaid credit.
[[nodiscard]] Result<void> set_credit(State& state, std::int64_t cents);
/// Adds it and sets its ID.
[[nodiscard]] Result<void> add_credit_change(Database& database, sv team_id, CreditChange& change);

inline constexpr sv k_default_payment_method = "pm-emulator-visa";
/// Declines every charge, like the test cards of card processors.
inline constexpr sv k_declining_payment_method = "pm-emulator-declined";

/// A new team's billing info, as JSON text.
inline constexpr sv k_default_billing_info =
    R"({"name":"Emulator Demo Team","address":{"line1":"1 Loopback Road","line2":"",)"
    R"("city":"Localhost","country":"US","postalCode":"12701","state":"NY"},)"
    R"("email":"billing@emulator.example"})";

/// Returns all payment methods as JSON, the default one first.
[[nodiscard]] text::Json payment_methods(sv default_id, std::int64_t added_s);

[[nodiscard]] bool is_payment_method(sv id);

}  // namespace billing

/// Returns 429 if the team has neither credit nor room below its limit: retrying is useless.
[[nodiscard]] std::optional<Response> check_balance(State& state, sv team_id);

/// Records the cost of a call.
[[nodiscard]] Result<void> charge_team(State& state, sv team_id, std::span<const Charge> charges);

}  // namespace svc::emulator
