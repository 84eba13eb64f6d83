#include "emulator/account/ledger.h"

#include <nlohmann/json.hpp>

#include "base/money.h"

namespace svc::emulator {
namespace {

// Prices of a prompt, cached prompt and completion token; the context; whether it reasons, accepts
// reasoning_effort, returns log probabilities, and supports batches and images.
constexpr std::array k_models = {
    Model{"svc-4.7", "1.0.0", "svc-4-latest", 1'772'323'200, 30'000, 7'500, 150'000, 1'000'000,
          true},
    Model{"svc-4.6", "1.0.0", "svc-4", 1'767'225'600, 30'000, 7'500, 150'000, 500'000, true},
    Model{"svc-4.5", "1.0.0", "svc-4.5-latest", 1'764'547'200, 20'000, 5'000, 100'000, 500'000,
          false, false, false, false},
    Model{"svc-4.3", "1.0.0", "svc-4.3-latest", 1'759'276'800, 12'500, 2'000, 25'000, 1'000'000,
          true, true},
    Model{"svc-4.20", "1.0.0", "", 1'756'684'800, 12'500, 2'000, 25'000, 256'000},
    Model{"svc-3", "1.0.0", "svc-3-latest", 1'743'724'800, 30'000, 7'500, 150'000, 131'072, false,
          false, true, true, false}};

}  // namespace

std::span<const Model> models() {
  return k_models;
}

const Model* find_model(sv name) {
  for (const auto& model : k_models) {
    if (model.name == name || (!name.empty() && model.alias == name)) return &model;
  }
  return nullptr;
}

std::int64_t price(const Model& model, const TokenUse& use) {
  return total_ticks(charges_of(model, use));
}

std::vector<Charge> charges_of(const Model& model, const TokenUse& use) {
  const auto cached = std::clamp<std::int64_t>(use.cached, 0, use.prompt);
  std::vector<Charge> charges;
  const auto add = [&](sv what, sv unit, std::int64_t units, std::int64_t ticks) {
    if (units == 0) return;
    charges.push_back({fmt::format("{} {}", model.name, what), std::string(unit), units, ticks});
  };
  // A long prompt raises the price of all tokens of its request.
  const std::int64_t factor = use.prompt > long_context_of(model) ? k_long_context_factor : 1;
  add("prompt tokens", "token", use.prompt - cached, model.prompt_price * factor);
  add("cached prompt tokens", "token", cached, model.cached_price * factor);
  add("completion tokens", "token", use.completion + use.reasoning,
      model.completion_price * factor);
  add("search sources", "source", use.sources, k_source_price);
  return charges;
}

Charge charge_for(const VoicePrice& price, std::int64_t units, sv model) {
  return {model.empty() ? std::string(price.what) : fmt::format("{} {}", model, price.what),
          std::string(price.unit), units, price.ticks};
}

namespace media {
namespace {

// One of the prices was observed (svc-imagine-image); the others are the emulator's.
constexpr std::array k_models = {
    MediaModel{"svc-imagine-image", Product::Image, "1.0.0", "svc-imagine-image-latest",
               1'767'225'600, 200'000'000},
    MediaModel{"svc-imagine-image-quality", Product::Image, "1.0.0", "", 1'769'904'000,
               500'000'000},
    MediaModel{"svc-imagine-image-2.0", Product::Image, "2.0.0", "", 1'775'001'600, 400'000'000},
    MediaModel{"svc-imagine-image-pro", Product::Image, "1.0.0", "", 1'764'547'200, 700'000'000},
    MediaModel{"svc-imagine-video", Product::Video, "1.0.0", "svc-imagine-video-latest",
               1'769'904'000, 500'000'000},
    MediaModel{"svc-imagine-video-1.5", Product::Video, "1.5.0", "", 1'775'001'600, 800'000'000,
               true}};

}  // namespace

std::span<const MediaModel> media_models() {
  return k_models;
}

const MediaModel* find_media_model(Product product, sv name) {
  for (const auto& model : k_models) {
    if (model.product != product) continue;
    if (model.name == name || (!name.empty() && model.alias == name)) return &model;
  }
  return nullptr;
}

std::int64_t image_price(const MediaModel& model, sv resolution, sv quality) {
  const std::int64_t percent = resolution == "2k" ? 200 : resolution == "1.5k" ? 150 : 100;
  return model.price * percent / 100 / (quality == "low" ? 2 : 1);
}

std::int64_t video_price(const MediaModel& model, int side, int seconds) {
  const std::int64_t percent = side > 720 ? 200 : side > 480 ? 140 : 100;
  return model.price * seconds * percent / 100;
}

}  // namespace media

namespace billing {
namespace {

using text::Json;

constexpr std::int64_t k_hour_s = 3600;
// Delay between invoicing a top-up and charging it.
constexpr std::int64_t k_invoiced_ms = 500;
constexpr std::int64_t k_charged_ms = 1500;

constexpr Table k_accounts("accounts",
                           "team_id, opened_ms, soft_limit_cents, info, payment_method,"
                           " prepaid_spent_ticks, cycle_begin, postpaid_ticks",
                           &Account::team_id, &Account::opened_ms, &Account::soft_limit_cents,
                           &Account::info, &Account::payment_method, &Account::prepaid_spent_ticks,
                           &Account::cycle_begin_s, &Account::postpaid_ticks);

Result<std::optional<Account>> find_account(Database& database, sv team_id) {
  return k_accounts.first(database, "WHERE team_id = ?", team_id);
}

// Returns the credit granted or paid, in cents.
Result<std::int64_t> paid_cents(Database& database, sv team_id, std::int64_t now_ms) {
  return first_value<std::int64_t>(database,
                                   "SELECT coalesce(-sum(cents), 0) FROM credit_changes"
                                   " WHERE team_id = ? AND (origin = 'MANUAL' OR"
                                   " (declined = 0 AND created_ms <= ?))",
                                   team_id, now_ms - k_charged_ms);
}

Result<void> add_line(Database& database, sv team_id, const Charge& charge,
                      std::int64_t prepaid_ticks, std::int64_t now_ms) {
  const std::int64_t hour_s = now_ms / 1000 / k_hour_s * k_hour_s;
  return run_sql(database,
                 "INSERT INTO usage_lines (team_id, hour_s, description, unit, unit_ticks,"
                 " units, prepaid_ticks) VALUES (?,?,?,?,?,?,?)"
                 " ON CONFLICT DO UPDATE SET units = units + excluded.units,"
                 " prepaid_ticks = prepaid_ticks + excluded.prepaid_ticks",
                 team_id, hour_s, charge.description, charge.unit, charge.unit_ticks, charge.units,
                 prepaid_ticks);
}

constexpr Table k_credit_changes("credit_changes",
                                 "id, team_id, origin, cents, created_ms, declined, payment_method",
                                 &CreditChange::id, &CreditChange::team_id, &CreditChange::origin,
                                 &CreditChange::cents, &CreditChange::created_ms,
                                 &CreditChange::declined, &CreditChange::payment_method);

struct Method {
  sv id;
  sv type;
  sv member;   ///< the field with its details
  sv details;  ///< JSON
};

constexpr std::array k_methods = {
    Method{k_default_payment_method, "CARD", "cardDetails",
           R"({"brand":"visa","expMonth":"12","expYear":"2034","last4":"4242"})"},
    Method{k_declining_payment_method, "CARD", "cardDetails",
           R"({"brand":"mastercard","expMonth":"06","expYear":"2033","last4":"0341"})"},
    Method{"pm-emulator-bank", "US_BANK_ACCOUNT", "usBankAccountDetails",
           R"({"bankName":"Emulated Bank","last4":"6789","routingNumber":"110000000"})"},
    Method{"pm-emulator-link", "LINK", "linkDetails", R"({"email":"billing@emulator.example"})"}};

}  // namespace

std::int64_t BillingCycle::begin_s() const {
  const std::chrono::sys_seconds begin =
      std::chrono::sys_days(std::chrono::year(static_cast<int>(year)) / month / 1);
  return begin.time_since_epoch().count();
}

BillingCycle cycle_at(std::int64_t now_ms) {
  using namespace std::chrono;
  const year_month_day date(floor<days>(sys_time<milliseconds>(milliseconds(now_ms))));
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month()))};
}

std::int64_t cents_of(std::int64_t ticks) {
  const std::int64_t half = k_ticks_per_cent / 2;
  return ticks >= 0 ? (ticks + half) / k_ticks_per_cent : -((half - ticks) / k_ticks_per_cent);
}

bool Balance::stopped() const {
  return credit_ticks <= 0 && postpaid_ticks >= soft_limit_cents * k_ticks_per_cent;
}

Result<Account> account_of(Database& database, sv team_id, std::int64_t now_ms) {
  SVC_TRY(found, find_account(database, team_id));
  if (found) return *std::move(found);
  const Account account{.team_id = std::string(team_id),
                        .opened_ms = now_ms,
                        .info = std::string(k_default_billing_info),
                        .payment_method = std::string(k_default_payment_method),
                        .cycle_begin_s = cycle_at(now_ms).begin_s()};
  SVC_CHECK(k_accounts.insert(database, account));
  SVC_TRY(credit, limit_of(database, "credit_cents"));
  CreditChange initial_credit{.origin = "MANUAL", .cents = -credit, .created_ms = now_ms};
  SVC_CHECK(add_credit_change(database, team_id, initial_credit));
  return account;
}

Result<void> update_account(Database& database, const Account& account) {
  return k_accounts.replace(database, account);
}

Result<Balance> balance_of(Database& database, sv team_id, std::int64_t now_ms) {
  SVC_TRY(account, find_account(database, team_id));
  if (!account) {
    SVC_TRY(credit, limit_of(database, "credit_cents"));
    return Balance{.credit_ticks = credit * k_ticks_per_cent};
  }
  SVC_TRY(paid, paid_cents(database, team_id, now_ms));
  const bool same_cycle = account->cycle_begin_s == cycle_at(now_ms).begin_s();
  return Balance{.credit_ticks = paid * k_ticks_per_cent - account->prepaid_spent_ticks,
                 .postpaid_ticks = same_cycle ? account->postpaid_ticks : 0,
                 .soft_limit_cents = account->soft_limit_cents.value_or(0)};
}

Result<void> record_charges(Database& database, sv team_id, std::span<const Charge> charges,
                            std::int64_t now_ms) {
  SVC_TRY(account, account_of(database, team_id, now_ms));
  SVC_TRY(balance, balance_of(database, team_id, now_ms));
  std::int64_t credit = std::max<std::int64_t>(0, balance.credit_ticks);
  account.cycle_begin_s = cycle_at(now_ms).begin_s();
  account.postpaid_ticks = balance.postpaid_ticks;
  for (const Charge& charge : charges) {
    const std::int64_t cost = charge.units * charge.unit_ticks;
    const std::int64_t covered = std::min(credit, cost);
    credit -= covered;
    account.prepaid_spent_ticks += covered;
    account.postpaid_ticks += cost - covered;
    SVC_CHECK(add_line(database, team_id, charge, covered, now_ms));
  }
  return update_account(database, account);
}

Result<std::vector<UsageLine>> usage_of(Database& database, sv team_id, const UsageSpan& span) {
  return all_rows(
      database,
      [](const Statement& rows) {
        return UsageLine{{rows.text(0), rows.text(1), rows.integer(3), rows.integer(2)},
                         rows.integer(4),
                         rows.integer(5)};
      },
      "SELECT description, unit, unit_ticks, sum(units), sum(prepaid_ticks),"
      " hour_s FROM usage_lines WHERE team_id = ? AND hour_s >= ? AND hour_s < ?"
      " GROUP BY description, unit, unit_ticks, CASE WHEN ? THEN hour_s END"
      " ORDER BY hour_s, description",
      team_id, span.begin_s, span.end_s, std::int64_t{span.by_hour});
}

Result<std::vector<Spending>> spending_of(Database& database, sv team_id) {
  return all_rows(
      database,
      [](const Statement& row) {
        return Spending{cycle_at(row.integer(0) * 1000), row.integer(1)};
      },
      "SELECT min(hour_s), sum(prepaid_ticks) FROM usage_lines WHERE team_id = ?"
      " GROUP BY strftime('%Y-%m', hour_s, 'unixepoch') ORDER BY 1",
      team_id);
}

TopUp stage_of(const CreditChange& change, std::int64_t now_ms) {
  const std::int64_t age = now_ms - change.created_ms;
  if (change.origin == "MANUAL") return TopUp::Succeeded;
  if (age < k_invoiced_ms) return TopUp::Invoicing;
  if (age < k_charged_ms) return TopUp::Charging;
  return change.declined ? TopUp::Failed : TopUp::Succeeded;
}

Result<std::vector<CreditChange>> credit_changes(Database& database, sv team_id) {
  return k_credit_changes.all(database, "WHERE team_id = ? ORDER BY id", team_id);
}

Result<void> set_credit(State& state, std::int64_t cents) {
  return state.change([&, now = state.now_ms()](Database& database) -> Result<void> {
    SVC_CHECK(account_of(database, k_demo_team_id, now));
    SVC_TRY(balance, balance_of(database, k_demo_team_id, now));
    // Rounded up, so that a credit of zero leaves nothing.
    const std::int64_t has = (balance.credit_ticks + k_ticks_per_cent - 1) / k_ticks_per_cent;
    if (has == cents) return {};
    CreditChange change{.origin = "MANUAL", .cents = has - cents, .created_ms = now};
    return add_credit_change(database, k_demo_team_id, change);
  });
}

Result<void> add_credit_change(Database& database, sv team_id, CreditChange& change) {
  change.team_id = team_id;
  SVC_CHECK(k_credit_changes.insert(database, change));
  change.id = database.last_row_id();
  return {};
}

Json payment_methods(sv default_id, std::int64_t added_s) {
  std::array<Method, k_methods.size()> methods = k_methods;
  std::stable_partition(methods.begin(), methods.end(),
                        [&](const Method& method) { return method.id == default_id; });
  Json list = Json::array();
  for (const Method& method : methods) {
    list.push_back({{"paymentMethodId", method.id},
                    {"billingInfo", text::parse_json(k_default_billing_info)},
                    {std::string(method.member), text::parse_json(method.details)},
                    {"paymentType", method.type},
                    {"addedTs", format_rfc3339(added_s)}});
  }
  return list;
}

bool is_payment_method(sv id) {
  return has_element(k_methods, id, &Method::id);
}

}  // namespace billing

std::optional<Response> check_balance(State& state, sv team_id) {
  SVC_TRY(balance, checked(state.with([&](Database& database) {
            return billing::balance_of(database, team_id, state.now_ms());
          })));
  if (!balance.stopped()) return std::nullopt;
  return resource_exhausted_error(
      fmt::format("Your team {} has either used all available credits or reached its "
                  "monthly spending limit. To continue making API requests, please "
                  "purchase more credits or raise your spending limit.",
                  team_id));
}

Result<void> charge_team(State& state, sv team_id, std::span<const Charge> charges) {
  if (charges.empty()) return {};
  return state.change([&](Database& database) {
    return billing::record_charges(database, team_id, charges, state.now_ms());
  });
}

}  // namespace svc::emulator
