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
  /// The message of a refusal with 400.
  std::string refusal(const std::string& path, const std::string& body) {
    return message_of(send(path, body));
  }
  static std::string message_of(const Response& response) {
    CAPTURE(response.body);
    CHECK(response.status == 400);
    return nlohmann::json::parse(response.body)["message"];
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

TEST_CASE("a month that used more than the credit is an invoice that was charged") {
  BillingOffice api;
  api.set_credit(200);
  REQUIRE(api.send("/postpaid/spending-limits", R"({"desiredSoftSpendingLimit":{"val":1000}})")
              .status == 200);
  REQUIRE(api.use(700) == 200);
  api.advance(31LL * 86'400'000);
  nlohmann::json expected = nlohmann::json::parse(R"({
      "invoiceId":"48601c81-d989-4e9e-8001-000000005f05","invoiceNumber":"EMU-2027-01",
      "createTime":"2027-02-01T00:00:00Z","invoiceStatus":"PAID",
      "firstDesiredNextCycleTs":"2027-02-04T00:00:00Z",
      "chargerAttempts":[{"ticket":1,"successful":true,"paymentMethodId":"pm-emulator-visa"}],
      "lines":[{"clusterName":"us-east-1","description":"test cents","unitType":"cent",
                "unitPrice":"1000000","numUnits":"700","amount":"700"}],
      "subtotal":"700","tax":"0","total":"500",
      "invoicePdfAssetKeySuffix":"emulator/EMU-2027-01.pdf",
      "monthly":{"billingCycle":{"year":2027,"month":1},"defaultCreditsIssued":{},
                 "autoCreditsIssued":{},"prepaidTokensToSpend":{"val":"200"},
                 "billingItemsCsvAssetKeySuffix":"emulator/EMU-2027-01.csv",
                 "correctionsCsvAssetKeySuffix":""}})");
  expected["teamId"] = std::string(k_demo_team_id);
  CHECK(api.read("/invoices")["invoices"][0] == expected);
}

TEST_CASE("the invented months are the same for each emulator") {
  BillingOffice api;
  const nlohmann::json invoices = api.read("/invoices")["invoices"];
  REQUIRE(invoices.size() == 3);
  const auto line = [](const char* what, const char* price, const char* units,
                       const char* amount) -> nlohmann::json {
    return {{"clusterName", "us-east-1"}, {"description", std::string("Emulated history: ") + what},
            {"unitType", "token"},        {"unitPrice", price},
            {"numUnits", units},          {"amount", amount}};
  };
  CHECK(invoices[0]["lines"] ==
        nlohmann::json{line("svc-4.5 prompt tokens", "200", "32000000", "6400"),
                       line("svc-4.5 completion tokens", "1000", "5000000", "5000"),
                       line("svc-4.3 prompt tokens", "125", "28000000", "3500")});
  CHECK(invoices[0]["invoiceId"] == "3f779aa0-8af6-4b4a-8001-000000005f04");
  CHECK(invoices[1]["invoiceId"] == "9d11b824-65fd-458e-8001-000000005f03");
  CHECK(invoices[2]["invoiceId"] == "c6e7f4ef-4b35-4e6b-8001-000000005f02");
  const std::vector<std::string> totals = {"14900", "13800", "12000"};
  for (std::size_t i = 0; i < totals.size(); ++i) {
    CHECK(invoices[i]["subtotal"] == totals[i]);
    CHECK(invoices[i]["total"] == totals[i]);
    CHECK(invoices[i]["invoiceStatus"] == "PAID");
    CHECK(invoices[i]["monthly"]["prepaidTokensToSpend"] == nlohmann::json::object());
  }
}

TEST_CASE("the invoice of a top-up, from the request to the payment") {
  BillingOffice api;
  const nlohmann::json change = nlohmann::json::parse(
      api.send("/prepaid/top-up", R"({"amount":{"val":"500"}})").body)["change"];
  const std::string number = change["invoiceNumber"];
  CHECK(number.starts_with("EMU-P-00000"));
  nlohmann::json bought = nlohmann::json::parse(R"({"changeOrigin":"PURCHASE",
      "amount":{"val":"-500"},"createTime":"2027-01-15T08:00:00Z",
      "createTs":"2027-01-15T08:00:00Z","topupStatus":"TO_GENERATE_INVOICE",
      "paymentProcessor":{"kind":"EXTERNAL","externalParty":"svc emulator"}})");
  bought["teamId"] = std::string(k_demo_team_id);
  bought["invoiceId"] = change["invoiceId"];
  bought["invoiceNumber"] = number;
  bought["paymentProcessor"]["externalInvoiceId"] = "ext-" + number;
  CHECK(change == bought);

  nlohmann::json expected = nlohmann::json::parse(R"({
      "createTime":"2027-01-15T08:00:00Z","invoiceStatus":"PENDING",
      "firstDesiredNextCycleTs":"2027-01-18T08:00:00Z","chargerAttempts":[],
      "lines":[{"clusterName":"us-east-1","description":"Prepaid credit","unitType":"cent",
                "unitPrice":"1000000","numUnits":"500","amount":"500"}],
      "subtotal":"500","tax":"0","total":"500","prepaid":{}})");
  expected["teamId"] = std::string(k_demo_team_id);
  expected["invoiceId"] = change["invoiceId"];
  expected["invoiceNumber"] = number;
  expected["invoicePdfAssetKeySuffix"] = "emulator/" + number + ".pdf";
  CHECK(api.read("/invoices")["invoices"][0] == expected);
  api.advance(600);
  CHECK(api.read("/invoices")["invoices"][0] == expected);  // being charged
  api.advance(900);
  expected["invoiceStatus"] = "PAID";
  expected["chargerAttempts"] = nlohmann::json::parse(
      R"([{"ticket":1,"successful":true,"paymentMethodId":"pm-emulator-visa"}])");
  CHECK(api.read("/invoices")["invoices"][0] == expected);
}

TEST_CASE("a declined top-up leaves an attempt that was not successful") {
  BillingOffice api;
  (void)api.send("/payment-method/default", R"({"paymentMethodId":"pm-emulator-declined"})");
  (void)api.send("/prepaid/top-up", R"({"amount":{"val":"5"}})");
  api.advance(1500);
  CHECK(api.read("/invoices")["invoices"][0]["chargerAttempts"] ==
        nlohmann::json::parse(
            R"([{"ticket":1,"successful":false,"paymentMethodId":"pm-emulator-declined"}])"));
}

TEST_CASE("the balance's changes state where the money came from and went") {
  BillingOffice api;
  REQUIRE(api.use(300) == 200);
  nlohmann::json expected = nlohmann::json::parse(R"([
      {"changeOrigin":"MANUAL","amount":{"val":"-1000000"},"createTime":"2027-01-15T08:00:00Z",
       "createTs":"2027-01-15T08:00:00Z",
       "paymentProcessor":{"kind":"MANUAL","externalParty":"svc emulator"}},
      {"changeOrigin":"SPEND","amount":{"val":"300"},"createTime":"2027-01-01T00:00:00Z",
       "createTs":"2027-01-01T00:00:00Z","spendBpKeyYear":2027,"spendBpKeyMonth":1}])");
  for (nlohmann::json& change : expected) change["teamId"] = std::string(k_demo_team_id);
  CHECK(api.read("/prepaid/balance")["changes"] == expected);
  // Of one second the latest is first; one that is not paid does not count.
  (void)api.send("/prepaid/top-up", R"({"amount":{"val":"5"}})");
  const nlohmann::json balance = api.read("/prepaid/balance");
  CHECK(balance["changes"][0]["changeOrigin"] == "PURCHASE");
  CHECK(balance["changes"][1]["changeOrigin"] == "MANUAL");
  CHECK(balance["total"]["val"] == "-999700");
}

TEST_CASE("the preview states what is prepaid and what is to be paid") {
  BillingOffice api;
  api.set_credit(200);
  (void)api.send("/postpaid/spending-limits", R"({"desiredSoftSpendingLimit":{"val":"1000"}})");
  REQUIRE(api.use(700) == 200);
  CHECK(api.read("/postpaid/invoice/preview") == nlohmann::json::parse(R"({
      "coreInvoice":{
        "lines":[{"clusterName":"us-east-1","description":"test cents","unitType":"cent",
                  "unitPrice":"1000000","numUnits":"700","amount":"700"}],
        "amountBeforeVatLimited":{"val":"700"},"amountBeforeVatUnlimited":{},
        "amountBeforeVatLimitedAndUnlimited":{"val":"700"},"totalWithCorr":{"val":"700"},
        "prepaidCredits":{"val":"-200"},"prepaidCreditsUsed":{"val":"200"},
        "amountBeforeVat":"500","vatCost":"0","amountAfterVat":"500",
        "autoCreditsIssued":"0","defaultCreditsIssued":"0"},
      "effectiveSpendingLimit":"1000","defaultCredits":"0",
      "billingCycle":{"year":2027,"month":1}})"));
  CHECK(api.read("/postpaid/spending-limits") == nlohmann::json::parse(R"({"spendingLimits":{
      "hardSlAuto":{"val":"500000"},"effectiveHardSl":{"val":"500000"},
      "effectiveSl":{"val":"1000"},"softSl":{"val":"1000"}}})"));
}

TEST_CASE("refused settings of billing are explained") {
  BillingOffice api;
  const std::string limit =
      "desiredSoftSpendingLimit: The soft spending limit must be a whole number of cents from 0 to "
      "the hard spending limit, 500000. [WKE=form-invalid:range:desiredSoftSpendingLimit]\n";
  for (const char* amount : {"-1", "500001"}) {
    CHECK(api.refusal("/postpaid/spending-limits", std::string(R"({"desiredSoftSpendingLimit":)") +
                                                       R"({"val":")" + amount + "\"}}") == limit);
  }
  for (const char* body : {R"({"amount":{"val":"100000001"}})", R"({"amount":{"val":"0"}})",
                           R"({"amount":{"val":"1.5"}})", "{}"}) {
    CHECK(api.refusal("/prepaid/top-up", body) ==
          "amount: The amount must be 1 to 100000000 cents. [WKE=form-invalid:range:amount]\n");
  }
  CHECK(api.send("/prepaid/top-up", R"({"amount":{"val":"100000000"}})").status == 200);
  CHECK(api.refusal("/billing-info", R"({"billingInfo":{"email":"nobody"}})") ==
        "billingInfo.email: This is not an e-mail address. "
        "[WKE=form-invalid:email:billingInfo.email]\n");
  for (const char* country : {"DEU", "D", "dE", "De", "D1", "D@", "[A"}) {
    CAPTURE(country);
    CHECK(api.refusal("/billing-info", std::string(R"({"billingInfo":{"address":{"country":")") +
                                           country + "\"}}}") ==
          "billingInfo.address.country: This is not a country code of two capital letters. "
          "[WKE=form-invalid:country:billingInfo.address.country]\n");
  }
  for (const char* country : {"AZ", "ZA", ""}) {
    CAPTURE(country);
    CHECK(api.send("/billing-info",
                   std::string(R"({"billingInfo":{"address":{"country":")") + country + "\"}}}")
              .body == "{}");
  }
  CHECK(api.send("/payment-method/default", R"({"paymentMethodId":"pm-none"})").body ==
        R"({"code":5,"message":"Payment method pm-none not found. )"
        R"([WKE=not-found:payment-method]\n","details":[]})");
  for (const char* body : {R"({"cents":-1})", R"({"cents":100000001})", R"({"cents":1,"x":1})",
                           R"({"cents":1.5})", "{}"}) {
    const Response response = api.ask("POST", "/_emulator/credit", body);
    CHECK(response.status == 400);
    CHECK(body_contains(response, "with N from 0 to 100000000."));
  }
  api.set_credit(100'000'000);
  CHECK(api.read("/prepaid/balance")["total"]["val"] == "-100000000");
}

TEST_CASE("filters of invoices that are refused, and those at the limits") {
  BillingOffice api;
  const std::string path = k_billing_path + "/invoices?";
  const auto refusal = [&](const std::string& query) {
    return BillingOffice::message_of(api.get(path + query));
  };
  const auto empty = [](const std::string& name) {
    return name + ": Field is empty but must not be empty. [WKE=form-invalid:not-empty:" + name +
           "]\n";
  };
  CHECK(refusal("billingCycle.year=2026") == empty("billingCycle.month"));
  CHECK(refusal("billingCycle.month=1") == empty("billingCycle.year"));
  CHECK(refusal("since.year=2026") == empty("since.month"));
  CHECK(refusal("since.month=1") == empty("since.year"));
  for (const char* query :
       {"billingCycle.year=2026&billingCycle.month=1&since.year=2026&since.month=1",
        "billingCycle.year=2026&billingCycle.month=1&invoiceIds.invoiceIds=x",
        "since.year=2026&since.month=1&invoiceIds.invoiceIds=x"}) {
    CHECK(refusal(query) ==
          "Only one of billingCycle, since and invoiceIds may be given. "
          "[WKE=form-invalid:one-of:filter]\n");
  }
  CHECK(refusal("since.year=1969&since.month=1").find("from 1970 to 9999.") != std::string::npos);
  CHECK(refusal("since.year=10000&since.month=1").find("from 1970 to 9999.") != std::string::npos);
  CHECK(refusal("since.year=2026&since.month=0").find("from 1 to 12.") != std::string::npos);
  CHECK(refusal("since.year=2026&since.month=13").find("from 1 to 12.") != std::string::npos);
  const auto count = [&](const std::string& query) {
    return api.read("/invoices?" + query)["invoices"].size();
  };
  CHECK(count("since.year=1970&since.month=1") == 3);
  CHECK(count("since.year=9999&since.month=12") == 0);
  CHECK(count("since.year=2027&since.month=1") == 1);  // created in its first second
  CHECK(count("billingCycle.year=2026&billingCycle.month=12") == 1);
  CHECK(count("billingCycle.year=2025&billingCycle.month=12") == 0);
  CHECK(count("invoiceIds.invoiceIds=") == 3);
  CHECK(count("invoiceIds.invoiceIds=c6e7f4ef-4b35-4e6b-8001-000000005f02&"
              "invoiceIds.invoiceIds=3f779aa0-8af6-4b4a-8001-000000005f04") == 2);
}

TEST_CASE("the usage report in each unit of time") {
  BillingOffice api;
  (void)api.use(100);
  api.advance(3'600'000);
  (void)api.use(150);
  const auto series = [&](const std::string& unit, const std::string& begin,
                          const std::string& more = "") {
    const Response response =
        api.send("/usage", R"({"analyticsRequest":{"timeRange":{"startTime":")" + begin +
                               R"(","endTime":"2027-02-01 00:00:00"},"timeUnit":")" + unit +
                               R"(","values":[{"name":"num_units"},{"name":"usd"}])" + more + "}}");
    CAPTURE(response.body);
    REQUIRE(response.status == 200);
    const nlohmann::json body = nlohmann::json::parse(response.body);
    CHECK(body["limitReached"] == false);
    return body["timeSeries"];
  };
  const auto point = [](const char* time, int units, double dollars) -> nlohmann::json {
    return {{"timestamp", time}, {"values", {units, dollars}}};
  };
  const auto points = [](const nlohmann::json& list) {
    REQUIRE(list.size() == 1);
    CHECK(list[0]["group"] == nlohmann::json::array());
    CHECK(list[0]["groupLabels"] == nlohmann::json::array());
    return list[0]["dataPoints"];
  };
  const std::string begin = "2027-01-10 00:30:00";
  CHECK(points(series("TIME_UNIT_HOUR", begin)) ==
        nlohmann::json::array(
            {point("2027-01-15T08:00:00Z", 100, 1.0), point("2027-01-15T09:00:00Z", 150, 1.5)}));
  CHECK(points(series("TIME_UNIT_DAY", begin)) ==
        nlohmann::json::array({point("2027-01-15T00:00:00Z", 250, 2.5)}));
  CHECK(points(series("TIME_UNIT_MONTH", begin)) ==
        nlohmann::json::array({point("2027-01-01T00:00:00Z", 250, 2.5)}));
  CHECK(points(series("TIME_UNIT_NONE", begin)) ==
        nlohmann::json::array({point("2027-01-10T00:00:00Z", 250, 2.5)}));
  CHECK(points(series("", "2027-01-15T08:59:59Z")) ==
        nlohmann::json::array({point("2027-01-15T08:00:00Z", 250, 2.5)}));
  CHECK(points(series("", "2027-01-15 09:00:00")) ==
        nlohmann::json::array({point("2027-01-15T09:00:00Z", 150, 1.5)}));
  const nlohmann::json grouped = series("", begin, R"(,"groupBy":["description"])");
  CHECK(grouped[0]["group"] == nlohmann::json{"test cents"});
  CHECK(grouped[0]["groupLabels"] == nlohmann::json{"test cents"});
}

TEST_CASE("a usage report that is refused says which member of the request is the reason") {
  BillingOffice api;
  const auto refusal = [&](const std::string& begin, const std::string& end,
                           const std::string& more) {
    return api.refusal("/usage", R"({"analyticsRequest":{"timeRange":{"startTime":")" + begin +
                                     R"(","endTime":")" + end + "\"}" + more + "}}");
  };
  const std::string day = "2027-01-01 00:00:00";
  const std::string usd = R"(,"values":[{"name":"usd"}])";
  const auto expected = [](const std::string& name, const std::string& reason,
                           const std::string& rule) {
    const std::string field = "analyticsRequest." + name;
    return field + ": " + reason + " [WKE=form-invalid:" + rule + ":" + field + "]\n";
  };
  const std::string time = "This is not a time such as 2026-01-01 00:00:00.";
  CHECK(refusal("today", day, usd) == expected("timeRange.startTime", time, "timestamp"));
  CHECK(refusal(day, "", usd) == expected("timeRange.endTime", time, "timestamp"));
  CHECK(refusal(day, day, usd + R"(,"timeUnit":"TIME_UNIT_AGE")") ==
        expected("timeUnit", "The emulator knows TIME_UNIT_NONE, _HOUR, _DAY and _MONTH.", "enum"));
  CHECK(refusal(day, day, R"(,"values":[{"name":"usd"},{"name":"eur"}])") ==
        expected("values", "The emulator knows the values usd and num_units.", "enum"));
  CHECK(refusal(day, day, R"(,"values":[])") ==
        expected("values", "Field is empty but must not be empty.", "not-empty"));
  CHECK(refusal(day, day, usd + R"(,"groupBy":["model"])") ==
        expected("groupBy", "The emulator groups by description only.", "enum"));
  CHECK(refusal(day, day, usd + R"(,"filters":["x"])") ==
        expected("filters", "The emulator has no filters of usage.", "unsupported"));
}
