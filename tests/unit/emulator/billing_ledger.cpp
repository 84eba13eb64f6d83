#include <doctest/doctest.h>

#include "base/money.h"
#include "emulator/account/ledger.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::emulator::billing;
using namespace svc::test;

namespace {

class Ledger {
 public:
  void book_ticks(std::int64_t ticks) {
    const std::vector<Charge> charges = {{"things", "thing", 1, ticks}};
    run([&](Database& database) { return record_charges(database, "t", charges, api.now_ms()); });
  }
  Balance balance() {
    return api.state().with(
        [&](Database& database) { return *balance_of(database, "t", api.now_ms()); });
  }
  void change_credit(std::int64_t cents, const char* origin = "MANUAL") {
    CreditChange change{.origin = origin, .cents = -cents, .created_ms = api.now_ms()};
    run([&](Database& database) { return add_credit_change(database, "t", change); });
  }
  void limit(std::int64_t cents) {
    run([&](Database& database) -> Result<void> {
      SVC_TRY(account, account_of(database, "t", api.now_ms()));
      account.soft_limit_cents = cents;
      return update_account(database, account);
    });
  }

  ManagementApi api{};

 private:
  template <typename Work>
  void run(Work&& work) {
    REQUIRE(api.state().change(work).has_value());
  }
};

}  // namespace

constexpr std::int64_t k_initial_credit_cents = 1'000'000;

TEST_CASE("a new team has plenty of credit, and even the smallest call counts") {
  Ledger ledger;
  CHECK(ledger.balance().credit_ticks == k_initial_credit_cents * k_ticks_per_cent);
  CHECK_FALSE(ledger.balance().stopped());
  ledger.book_ticks(1);
  CHECK(ledger.balance().credit_ticks == k_initial_credit_cents * k_ticks_per_cent - 1);
  CHECK(ledger.balance().postpaid_ticks == 0);
}

TEST_CASE("prepaid credit is used first, then the soft limit, then calls are rejected") {
  Ledger ledger;
  ledger.book_ticks(0);
  ledger.change_credit(10 - k_initial_credit_cents);
  ledger.limit(5);
  ledger.book_ticks(12 * k_ticks_per_cent);  // 10 from the credit, 2 postpaid
  CHECK(ledger.balance().credit_ticks == 0);
  CHECK(ledger.balance().postpaid_ticks == 2 * k_ticks_per_cent);
  CHECK_FALSE(ledger.balance().stopped());
  ledger.book_ticks(3 * k_ticks_per_cent);
  CHECK(ledger.balance().stopped());
  ledger.limit(6);
  CHECK_FALSE(ledger.balance().stopped());
  ledger.limit(0);
  CHECK(ledger.balance().stopped());
  ledger.change_credit(1);
  CHECK_FALSE(ledger.balance().stopped());
}

TEST_CASE("postpaid use restarts with each month") {
  Ledger ledger;
  ledger.book_ticks(0);
  ledger.change_credit(-k_initial_credit_cents);
  ledger.limit(1);
  ledger.book_ticks(k_ticks_per_cent);
  CHECK(ledger.balance().stopped());
  ledger.api.advance(31LL * 86'400'000);
  CHECK_FALSE(ledger.balance().stopped());
  ledger.book_ticks(1);
  CHECK(ledger.balance().postpaid_ticks == 1);
}

TEST_CASE("a purchase counts once charged, a declined one never") {
  Ledger ledger;
  ledger.book_ticks(0);
  ledger.change_credit(-k_initial_credit_cents);
  ledger.change_credit(50, "PURCHASE");
  CHECK(ledger.balance().stopped());
  ledger.api.advance(1500);
  CHECK(ledger.balance().credit_ticks == 50 * k_ticks_per_cent);
  const CreditChange declined{.origin = "PURCHASE", .cents = -5, .declined = true};
  CHECK(stage_of(declined, 499) == TopUp::Invoicing);
  CHECK(stage_of(declined, 500) == TopUp::Charging);
  CHECK(stage_of(declined, 1500) == TopUp::Failed);
}

TEST_CASE("cycles and cents") {
  CHECK(BillingCycle{2026, 12}.moved(1) == BillingCycle{2027, 1});
  CHECK(BillingCycle{2026, 1}.moved(-1) == BillingCycle{2025, 12});
  CHECK(BillingCycle{1970, 2}.begin_s() == 31 * 86'400);
  CHECK(cycle_at(k_fixture_start_ms) == BillingCycle{2027, 1});
  CHECK(cents_of(k_ticks_per_cent / 2) == 1);
  CHECK(cents_of(k_ticks_per_cent / 2 - 1) == 0);
  CHECK(cents_of(-k_ticks_per_cent) == -1);
}
