#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

// An operation that costs the number of cents in its body.
Response spend(const Request& request) {
  Response response;
  response.body = "{}";
  const auto cents = nlohmann::json::parse(request.body)["cents"].get<std::int64_t>();
  response.charges = {{"test cents", "cent", cents, 100'000'000}};
  return response;
}

class BillingOffice : public ManagementApi {
 public:
  BillingOffice() : ManagementApi({{"POST", "/v1/spend", spend, "chat"}}) {}
  int use(std::int64_t cents) {
    return post("/v1/spend", nlohmann::json{{"cents", cents}}.dump()).status;
  }
  nlohmann::json read(const std::string& path) {
    const Response response = get(k_billing_path + path);
    CAPTURE(response.body);
    REQUIRE(response.status == 200);
    return nlohmann::json::parse(response.body);
  }
  Response send(const std::string& path, const std::string& body) {
    return post(k_billing_path + path, body);
  }
  void set_credit(std::int64_t cents) {
    CHECK(ask("POST", "/_emulator/credit", nlohmann::json{{"cents", cents}}.dump()).status == 200);
  }
};

}  // namespace

TEST_CASE("the cost of calls is in the balance and in the preview") {
  BillingOffice api;
  REQUIRE(api.use(250) == 200);
  REQUIRE(api.use(50) == 200);
  const nlohmann::json balance = api.read("/prepaid/balance");
  CHECK(balance["total"]["val"] == "-999700");  // negative: credit
  REQUIRE(balance["changes"].size() == 2);
  const nlohmann::json& spent = balance["changes"][1];
  CHECK(spent["changeOrigin"] == "SPEND");
  CHECK(spent["amount"]["val"] == "300");
  CHECK(spent["spendBpKeyYear"] == 2027);
  CHECK(spent["spendBpKeyMonth"] == 1);

  const nlohmann::json preview = api.read("/postpaid/invoice/preview");
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
  BillingOffice api;
  const Response response = api.post(
      "/v1/chat/completions",
      R"({"model":"svc-4.5","messages":[{"role":"user","content":"Say exactly: one two"}]})");
  REQUIRE(response.status == 200);
  const nlohmann::json usage = nlohmann::json::parse(response.body)["usage"];
  const nlohmann::json lines = api.read("/postpaid/invoice/preview")["coreInvoice"]["lines"];
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["description"] == "svc-4.5 completion tokens");
  CHECK(lines[0]["numUnits"] == std::to_string(usage["completion_tokens"].get<int>()));
  CHECK(lines[1]["numUnits"] == std::to_string(usage["prompt_tokens"].get<int>()));
}

TEST_CASE("a team without credit is rejected everywhere, and a top-up unblocks it") {
  BillingOffice api;
  api.set_credit(10);
  CHECK(api.use(10) == 200);
  for (const char* path : {"/v1/models", "/v1/api-key"}) {
    const Response stopped = api.get(path);
    CHECK(stopped.status == 429);
    CHECK(body_contains(stopped, "used all available credits or reached its"));
    CHECK(header_of(stopped, "Retry-After").empty());
  }
  CHECK(api.read("/prepaid/balance")["total"] == nlohmann::json::object());
  const Response top_up = api.send("/prepaid/top-up", R"({"amount":{"val":"500"}})");
  REQUIRE(top_up.status == 200);
  CHECK(api.get("/v1/models").status == 429);
  api.advance(1500);
  CHECK(api.get("/v1/models").status == 200);
  CHECK(api.read("/prepaid/balance")["total"]["val"] == "-500");
}

TEST_CASE("postpaid use goes up to the soft limit") {
  BillingOffice api;
  api.set_credit(0);
  CHECK(api.use(1) == 429);
  const Response set =
      api.send("/postpaid/spending-limits", R"({"desiredSoftSpendingLimit":{"val":"20"}})");
  CHECK(set.body == R"({"thisBpSoftSpendingLimit":{"val":"20"}})");
  CHECK(api.use(19) == 200);
  CHECK(api.use(5) == 200);
  CHECK(api.use(1) == 429);
  const nlohmann::json core = api.read("/postpaid/invoice/preview")["coreInvoice"];
  CHECK(core["amountAfterVat"] == "24");
  CHECK(core["prepaidCreditsUsed"] == nlohmann::json::object());
}

TEST_CASE("spending limits: never above the hard one") {
  BillingOffice api;
  const nlohmann::json fresh = api.read("/postpaid/spending-limits")["spendingLimits"];
  CHECK_FALSE(fresh.contains("softSl"));
  CHECK(fresh["effectiveSl"] == nlohmann::json::object());
  CHECK(fresh["effectiveHardSl"]["val"] == "500000");
  const auto set = [&](const char* amount) {
    return api.send("/postpaid/spending-limits",
                    std::string("{\"desiredSoftSpendingLimit\":") + amount + "}");
  };
  CHECK(set(R"({"val":"500000"})").status == 200);
  CHECK(body_contains(set(R"({"val":"500001"})"), "500000"));
  CHECK(set(R"({"val":"-1"})").status == 400);
  CHECK(set(R"({"val":"1.5"})").status == 400);
  CHECK(api.send("/postpaid/spending-limits", "{}").status == 400);
  CHECK(set("{}").status == 200);  // a missing amount is zero
  CHECK(api.read("/postpaid/spending-limits")["spendingLimits"]["softSl"] ==
        nlohmann::json::object());
}

TEST_CASE("a top-up: the sign is ignored, a pending one is returned, its status progresses") {
  BillingOffice api;
  const nlohmann::json first = nlohmann::json::parse(
      api.send("/prepaid/top-up", R"({"amount":{"val":"-500"}})").body)["change"];
  CHECK(first["changeOrigin"] == "PURCHASE");
  CHECK(first["topupStatus"] == "TO_GENERATE_INVOICE");
  CHECK(first["amount"]["val"] == "-500");
  api.advance(600);
  const nlohmann::json again = nlohmann::json::parse(
      api.send("/prepaid/top-up", R"({"amount":{"val":900}})").body)["change"];
  CHECK(again["invoiceId"] == first["invoiceId"]);
  CHECK(again["topupStatus"] == "TO_CHARGE");
  api.advance(900);
  CHECK(api.read("/prepaid/balance")["changes"][0]["topupStatus"] == "SUCCEEDED");
  const nlohmann::json other = nlohmann::json::parse(
      api.send("/prepaid/top-up", R"({"amount":{"val":"900"}})").body)["change"];
  CHECK(other["invoiceId"] != first["invoiceId"]);
  CHECK(api.send("/prepaid/top-up", R"({"amount":{}})").status == 400);
  CHECK(api.send("/prepaid/top-up", "{}").status == 400);

  const nlohmann::json paid = api.read("/invoices?invoiceIds.invoiceIds=" +
                                       first["invoiceId"].get<std::string>())["invoices"];
  REQUIRE(paid.size() == 1);
  CHECK(paid[0]["invoiceStatus"] == "PAID");
  CHECK(paid[0]["prepaid"] == nlohmann::json::object());
  CHECK_FALSE(paid[0].contains("monthly"));
}

TEST_CASE("payment methods: the default one is first, a declined one fails a top-up") {
  BillingOffice api;
  const nlohmann::json methods = api.read("/payment-method")["paymentMethods"];
  REQUIRE(methods.size() == 4);
  CHECK(methods[0]["cardDetails"]["last4"] == "4242");
  CHECK(api.send("/payment-method/default", R"({"paymentMethodId":"pm-none"})").status == 404);
  CHECK(api.send("/payment-method/default", "{}").status == 400);
  CHECK(api.send("/payment-method/default", R"({"paymentMethodId":"pm-emulator-declined"})").body ==
        "{}");
  CHECK(api.read("/payment-method")["paymentMethods"][0]["cardDetails"]["last4"] == "0341");
  CHECK(api.send("/prepaid/top-up", R"({"amount":{"val":"5"}})").status == 200);
  api.advance(1500);
  const nlohmann::json balance = api.read("/prepaid/balance");
  CHECK(balance["changes"][0]["topupStatus"] == "FAILED_TO_CHARGE");
  CHECK(balance["total"]["val"] == "-1000000");
  CHECK(api.read("/invoices")["invoices"][0]["invoiceStatus"] == "FAILED");
}

TEST_CASE("invoices: three sample months marked as such, then the real ones") {
  BillingOffice api;
  (void)api.use(700);
  const nlohmann::json before = api.read("/invoices")["invoices"];
  REQUIRE(before.size() == 3);
  CHECK(before[0]["monthly"]["billingCycle"] == nlohmann::json{{"year", 2026}, {"month", 12}});
  CHECK(before[0]["lines"][0]["description"].get<std::string>().starts_with("Emulated history"));
  CHECK(api.read("/invoices")["invoices"] == before);  // the same again
  api.advance(31LL * 86'400'000);
  const nlohmann::json after = api.read("/invoices")["invoices"];
  REQUIRE(after.size() == 4);
  CHECK(after[0]["monthly"]["billingCycle"]["month"] == 1);
  CHECK(after[0]["subtotal"] == "700");
  CHECK(after[0]["monthly"]["prepaidTokensToSpend"]["val"] == "700");
  CHECK(after[0]["total"] == "0");
  CHECK(after[0]["invoiceStatus"] == "WILL_NEVER_BE_CHARGED");
}

TEST_CASE("filters of invoices cannot be combined") {
  BillingOffice api;
  const auto count = [&](const std::string& query) {
    return api.read("/invoices?" + query)["invoices"].size();
  };
  CHECK(count("billingCycle.year=2026&billingCycle.month=11") == 1);
  CHECK(count("since.year=2026&since.month=12") == 2);  // created on the first of the next month
  CHECK(count("invoiceIds.invoiceIds=none") == 0);
  for (const char* query : {"billingCycle.year=2026", "billingCycle.month=1",
                            "billingCycle.year=2026&billingCycle.month=13",
                            "since.year=2026&since.month=1&invoiceIds.invoiceIds=x"}) {
    CAPTURE(query);
    CHECK(api.get(k_billing_path + "/invoices?" + query).status == 400);
  }
}

TEST_CASE("billing info is stored as set, known fields only") {
  BillingOffice api;
  CHECK(api.read("/billing-info")["billingInfo"]["address"]["country"] == "US");
  const Response set = api.send(
      "/billing-info",
      R"({"billingInfo":{"name":"N","email":"a@b.example","address":{"country":"DE","x":1},"y":2}})");
  CHECK(set.body == "{}");
  CHECK(api.read("/billing-info")["billingInfo"] ==
        nlohmann::json{{"name", "N"}, {"email", "a@b.example"}, {"address", {{"country", "DE"}}}});
  CHECK(api.send("/billing-info", R"({"billingInfo":{"address":{"country":"Germany"}}})").status ==
        400);
  CHECK(api.send("/billing-info", R"({"billingInfo":{"email":"nobody"}})").status == 400);
  CHECK(api.send("/billing-info", "{}").status == 400);
}

TEST_CASE("the usage report totals by day and description") {
  BillingOffice api;
  (void)api.use(100);
  api.advance(86'400'000);
  (void)api.use(300);
  const auto report = [&](const std::string& more) {
    return api.send("/usage",
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
  BillingOffice api;
  CHECK(api.get("/v1/billing/teams/other/prepaid/balance").status == 403);
  CHECK(api.ask("GET", k_billing_path + "/prepaid/balance", "", k_demo_key).status == 401);
}
