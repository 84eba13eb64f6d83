#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

// An operation that costs the number of cents in its body.
Answer spend(const Call& call) {
  Answer answer;
  answer.body = "{}";
  const auto cents = nlohmann::json::parse(call.body)["cents"].get<std::int64_t>();
  answer.charges = {{"test cents", "cent", cents, 100'000'000}};
  return answer;
}

class BillingOffice : public Office {
 public:
  BillingOffice() : Office({{"POST", "/v1/spend", spend, "chat"}}) {}
  int use(std::int64_t cents) {
    return post("/v1/spend", nlohmann::json{{"cents", cents}}.dump()).status;
  }
  nlohmann::json read(const std::string& path) {
    const Answer answer = get(k_billing_path + path);
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    return nlohmann::json::parse(answer.body);
  }
  Answer send(const std::string& path, const std::string& body) {
    return post(k_billing_path + path, body);
  }
  void set_credit(std::int64_t cents) {
    CHECK(ask("POST", "/_emulator/credit", nlohmann::json{{"cents", cents}}.dump()).status == 200);
  }
};

}  // namespace

TEST_CASE("the cost of calls is in the balance and in the preview") {
  BillingOffice desk;
  REQUIRE(desk.use(250) == 200);
  REQUIRE(desk.use(50) == 200);
  const nlohmann::json balance = desk.read("/prepaid/balance");
  CHECK(balance["total"]["val"] == "-999700");  // negative: credit
  REQUIRE(balance["changes"].size() == 2);
  const nlohmann::json& spent = balance["changes"][1];
  CHECK(spent["changeOrigin"] == "SPEND");
  CHECK(spent["amount"]["val"] == "300");
  CHECK(spent["spendBpKeyYear"] == 2027);
  CHECK(spent["spendBpKeyMonth"] == 1);

  const nlohmann::json preview = desk.read("/postpaid/invoice/preview");
  const nlohmann::json& core = preview["coreInvoice"];
  CHECK(core["lines"][0]["description"] == "test cents");
  CHECK(core["lines"][0]["numUnits"] == "300");
  CHECK(core["lines"][0]["unitPrice"] == "1000000");  // 1/1,000,000 cent
  CHECK(core["lines"][0]["amount"] == "300");
  CHECK(core["amountBeforeVatLimited"]["val"] == "300");
  CHECK(core["amountBeforeVatUnlimited"] == nlohmann::json::object());
  CHECK(core["prepaidCredits"]["val"] == "-1000000");
  CHECK(core["prepaidCreditsUsed"]["val"] == "300");
  CHECK(core["amountAfterVat"] == "0");
  CHECK(preview["billingCycle"] == nlohmann::json{{"year", 2027}, {"month", 1}});
}

TEST_CASE("a chat call is recorded line by line") {
  BillingOffice desk;
  const Answer answer = desk.post(
      "/v1/chat/completions",
      R"({"model":"svc-4.5","messages":[{"role":"user","content":"Say exactly: one two"}]})");
  REQUIRE(answer.status == 200);
  const nlohmann::json usage = nlohmann::json::parse(answer.body)["usage"];
  const nlohmann::json lines = desk.read("/postpaid/invoice/preview")["coreInvoice"]["lines"];
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["description"] == "svc-4.5 completion tokens");
  CHECK(lines[0]["numUnits"] == std::to_string(usage["completion_tokens"].get<int>()));
  CHECK(lines[1]["numUnits"] == std::to_string(usage["prompt_tokens"].get<int>()));
}

TEST_CASE("a team without credit is rejected everywhere, and a top-up unblocks it") {
  BillingOffice desk;
  desk.set_credit(10);
  CHECK(desk.use(10) == 200);
  for (const char* path : {"/v1/models", "/v1/api-key"}) {
    const Answer stopped = desk.get(path);
    CHECK(stopped.status == 429);
    CHECK(says(stopped, "used all available credits or reached its"));
    CHECK(header_of(stopped, "Retry-After").empty());
  }
  CHECK(desk.read("/prepaid/balance")["total"] == nlohmann::json::object());
  const Answer top_up = desk.send("/prepaid/top-up", R"({"amount":{"val":"500"}})");
  REQUIRE(top_up.status == 200);
  CHECK(desk.get("/v1/models").status == 429);
  desk.pass(1500);
  CHECK(desk.get("/v1/models").status == 200);
  CHECK(desk.read("/prepaid/balance")["total"]["val"] == "-500");
}

TEST_CASE("postpaid use goes up to the soft limit") {
  BillingOffice desk;
  desk.set_credit(0);
  CHECK(desk.use(1) == 429);
  const Answer set =
      desk.send("/postpaid/spending-limits", R"({"desiredSoftSpendingLimit":{"val":"20"}})");
  CHECK(set.body == R"({"thisBpSoftSpendingLimit":{"val":"20"}})");
  CHECK(desk.use(19) == 200);
  CHECK(desk.use(5) == 200);
  CHECK(desk.use(1) == 429);
  const nlohmann::json core = desk.read("/postpaid/invoice/preview")["coreInvoice"];
  CHECK(core["amountAfterVat"] == "24");
  CHECK(core["prepaidCreditsUsed"] == nlohmann::json::object());
}

TEST_CASE("spending limits: never above the hard one") {
  BillingOffice desk;
  const nlohmann::json fresh = desk.read("/postpaid/spending-limits")["spendingLimits"];
  CHECK_FALSE(fresh.contains("softSl"));
  CHECK(fresh["effectiveSl"] == nlohmann::json::object());
  CHECK(fresh["effectiveHardSl"]["val"] == "500000");
  const auto set = [&](const char* amount) {
    return desk.send("/postpaid/spending-limits",
                     std::string("{\"desiredSoftSpendingLimit\":") + amount + "}");
  };
  CHECK(set(R"({"val":"500000"})").status == 200);
  CHECK(says(set(R"({"val":"500001"})"), "500000"));
  CHECK(set(R"({"val":"-1"})").status == 400);
  CHECK(set(R"({"val":"1.5"})").status == 400);
  CHECK(desk.send("/postpaid/spending-limits", "{}").status == 400);
  CHECK(set("{}").status == 200);  // a missing amount is zero
  CHECK(desk.read("/postpaid/spending-limits")["spendingLimits"]["softSl"] ==
        nlohmann::json::object());
}

TEST_CASE("a top-up: the sign is ignored, a pending one is returned, its status progresses") {
  BillingOffice desk;
  const nlohmann::json first = nlohmann::json::parse(
      desk.send("/prepaid/top-up", R"({"amount":{"val":"-500"}})").body)["change"];
  CHECK(first["changeOrigin"] == "PURCHASE");
  CHECK(first["topupStatus"] == "TO_GENERATE_INVOICE");
  CHECK(first["amount"]["val"] == "-500");
  desk.pass(600);
  const nlohmann::json again = nlohmann::json::parse(
      desk.send("/prepaid/top-up", R"({"amount":{"val":900}})").body)["change"];
  CHECK(again["invoiceId"] == first["invoiceId"]);
  CHECK(again["topupStatus"] == "TO_CHARGE");
  desk.pass(900);
  CHECK(desk.read("/prepaid/balance")["changes"][0]["topupStatus"] == "SUCCEEDED");
  const nlohmann::json other = nlohmann::json::parse(
      desk.send("/prepaid/top-up", R"({"amount":{"val":"900"}})").body)["change"];
  CHECK(other["invoiceId"] != first["invoiceId"]);
  CHECK(desk.send("/prepaid/top-up", R"({"amount":{}})").status == 400);
  CHECK(desk.send("/prepaid/top-up", "{}").status == 400);

  const nlohmann::json paid = desk.read("/invoices?invoiceIds.invoiceIds=" +
                                        first["invoiceId"].get<std::string>())["invoices"];
  REQUIRE(paid.size() == 1);
  CHECK(paid[0]["invoiceStatus"] == "PAID");
  CHECK(paid[0]["prepaid"] == nlohmann::json::object());
  CHECK_FALSE(paid[0].contains("monthly"));
}

TEST_CASE("payment methods: the default one is first, a declined one fails a top-up") {
  BillingOffice desk;
  const nlohmann::json methods = desk.read("/payment-method")["paymentMethods"];
  REQUIRE(methods.size() == 4);
  CHECK(methods[0]["cardDetails"]["last4"] == "4242");
  CHECK(desk.send("/payment-method/default", R"({"paymentMethodId":"pm-none"})").status == 404);
  CHECK(desk.send("/payment-method/default", "{}").status == 400);
  CHECK(
      desk.send("/payment-method/default", R"({"paymentMethodId":"pm-emulator-declined"})").body ==
      "{}");
  CHECK(desk.read("/payment-method")["paymentMethods"][0]["cardDetails"]["last4"] == "0341");
  CHECK(desk.send("/prepaid/top-up", R"({"amount":{"val":"5"}})").status == 200);
  desk.pass(1500);
  const nlohmann::json balance = desk.read("/prepaid/balance");
  CHECK(balance["changes"][0]["topupStatus"] == "FAILED_TO_CHARGE");
  CHECK(balance["total"]["val"] == "-1000000");
  CHECK(desk.read("/invoices")["invoices"][0]["invoiceStatus"] == "FAILED");
}

TEST_CASE("invoices: three sample months marked as such, then the real ones") {
  BillingOffice desk;
  (void)desk.use(700);
  const nlohmann::json before = desk.read("/invoices")["invoices"];
  REQUIRE(before.size() == 3);
  CHECK(before[0]["monthly"]["billingCycle"] == nlohmann::json{{"year", 2026}, {"month", 12}});
  CHECK(before[0]["lines"][0]["description"].get<std::string>().starts_with("Emulated history"));
  CHECK(desk.read("/invoices")["invoices"] == before);  // the same again
  desk.pass(31LL * 86'400'000);
  const nlohmann::json after = desk.read("/invoices")["invoices"];
  REQUIRE(after.size() == 4);
  CHECK(after[0]["monthly"]["billingCycle"]["month"] == 1);
  CHECK(after[0]["subtotal"] == "700");
  CHECK(after[0]["monthly"]["prepaidTokensToSpend"]["val"] == "700");
  CHECK(after[0]["total"] == "0");
  CHECK(after[0]["invoiceStatus"] == "WILL_NEVER_BE_CHARGED");
}

TEST_CASE("filters of invoices cannot be combined") {
  BillingOffice desk;
  const auto count = [&](const std::string& query) {
    return desk.read("/invoices?" + query)["invoices"].size();
  };
  CHECK(count("billingCycle.year=2026&billingCycle.month=11") == 1);
  CHECK(count("since.year=2026&since.month=12") == 2);  // created on the first of the next month
  CHECK(count("invoiceIds.invoiceIds=none") == 0);
  for (const char* query : {"billingCycle.year=2026", "billingCycle.month=1",
                            "billingCycle.year=2026&billingCycle.month=13",
                            "since.year=2026&since.month=1&invoiceIds.invoiceIds=x"}) {
    CAPTURE(query);
    CHECK(desk.get(k_billing_path + "/invoices?" + query).status == 400);
  }
}

TEST_CASE("billing info is stored as set, known fields only") {
  BillingOffice desk;
  CHECK(desk.read("/billing-info")["billingInfo"]["address"]["country"] == "US");
  const Answer set = desk.send(
      "/billing-info",
      R"({"billingInfo":{"name":"N","email":"a@b.example","address":{"country":"DE","x":1},"y":2}})");
  CHECK(set.body == "{}");
  CHECK(desk.read("/billing-info")["billingInfo"] ==
        nlohmann::json{{"name", "N"}, {"email", "a@b.example"}, {"address", {{"country", "DE"}}}});
  CHECK(desk.send("/billing-info", R"({"billingInfo":{"address":{"country":"Germany"}}})").status ==
        400);
  CHECK(desk.send("/billing-info", R"({"billingInfo":{"email":"nobody"}})").status == 400);
  CHECK(desk.send("/billing-info", "{}").status == 400);
}

TEST_CASE("the usage report totals by day and description") {
  BillingOffice desk;
  (void)desk.use(100);
  desk.pass(86'400'000);
  (void)desk.use(300);
  const auto report = [&](const std::string& more) {
    return desk.send("/usage",
                     R"({"analyticsRequest":{"timeRange":{"startTime":"2027-01-01 00:00:00",)"
                     R"("endTime":"2027-02-01 00:00:00","timezone":"Etc/GMT"},)"
                     R"("values":[{"name":"usd","aggregation":"AGGREGATION_SUM"}])" +
                         more + "}}");
  };
  const nlohmann::json series = nlohmann::json::parse(
      report(R"(,"timeUnit":"TIME_UNIT_DAY","groupBy":["description"],"filters":[])").body);
  REQUIRE(series["timeSeries"].size() == 1);
  CHECK(series["timeSeries"][0]["group"][0] == "test cents");
  CHECK(series["timeSeries"][0]["dataPoints"] ==
        nlohmann::json::parse(R"([{"timestamp":"2027-01-15T00:00:00Z","values":[1.0]},
                        {"timestamp":"2027-01-16T00:00:00Z","values":[3.0]}])"));
  CHECK(nlohmann::json::parse(report("").body)["timeSeries"][0]["dataPoints"][0]["values"][0] ==
        4.0);
  CHECK(report(R"(,"timeUnit":"TIME_UNIT_AGE")").status == 400);
}

TEST_CASE("another team's billing is not shown") {
  BillingOffice desk;
  CHECK(desk.get("/v1/billing/teams/other/prepaid/balance").status == 403);
  CHECK(desk.ask("GET", k_billing_path + "/prepaid/balance", "", k_demo_key).status == 401);
}
