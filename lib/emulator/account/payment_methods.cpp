#include "emulator/account/payment_methods.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace svc::emulator::billing {
namespace {

using sv = std::string_view;
using text::Json;

struct Method {
  sv id;
  sv type;
  sv member;   ///< which details it has
  sv details;  ///< JSON
};

constexpr std::array k_methods = {
    Method{k_first_payment_method, "CARD", "cardDetails",
           R"({"brand":"visa","expMonth":"12","expYear":"2034","last4":"4242"})"},
    Method{k_declining_payment_method, "CARD", "cardDetails",
           R"({"brand":"mastercard","expMonth":"06","expYear":"2033","last4":"0341"})"},
    Method{"pm-emulator-bank", "US_BANK_ACCOUNT", "usBankAccountDetails",
           R"({"bankName":"Emulated Bank","last4":"6789","routingNumber":"110000000"})"},
    Method{"pm-emulator-link", "LINK", "linkDetails", R"({"email":"billing@emulator.example"})"}};

}  // namespace

text::Json payment_methods(std::string_view default_id, std::int64_t added_s) {
  std::array<Method, k_methods.size()> methods = k_methods;
  std::stable_partition(methods.begin(), methods.end(),
                        [&](const Method& method) { return method.id == default_id; });
  Json list = Json::array();
  for (const Method& method : methods) {
    list.push_back({{"paymentMethodId", method.id},
                    {"billingInfo", text::parse_json(k_first_billing_info)},
                    {std::string(method.member), text::parse_json(method.details)},
                    {"paymentType", method.type},
                    {"addedTs", format_rfc3339(added_s)}});
  }
  return list;
}

bool is_payment_method(std::string_view id) {
  return std::ranges::find(k_methods, id, &Method::id) != k_methods.end();
}

}  // namespace svc::emulator::billing
