// The fields of the group billing.
#pragma once

#include <array>

#include "catalogue/shared_fields.h"

namespace svc::catalogue::billing {

inline constexpr Field k_cents_field =
    boolean("cents", "The amount is in US cents, not dollars.", local, plain_switch, common);

/// A short alias of a billing information field.
constexpr Field short_name(sv flag, sv path, sv help) {
  return text(flag, help, alias(path), common);
}

inline constexpr std::array k_info_set_fields = {
    text("billingInfo.name", "Name of the payer.", example("Example Ltd")),
    text("billingInfo.email", "E-mail address for invoices.", example("bills@example.com")),
    text("billingInfo.address.line1", "Street and number.", example("1 Main Street")),
    text("billingInfo.address.line2", "Second address line.", example("Floor 2")),
    text("billingInfo.address.city", "City.", example("Bergen")),
    text("billingInfo.address.country", "Country code (ISO 3166-1, two letters).",
         form(TextFormat::Country), example("NO")),
    text("billingInfo.address.postalCode", "Postal code.", example("5003")),
    text("billingInfo.address.state", "State or region.", example("Vestland")),
    text("billingInfo.taxIdType", "Tax ID type, as the payment processor calls it.",
         example("eu_vat")),
    text("billingInfo.taxNumber", "Tax ID.", example("NO000000000")),
    short_name("name", "billingInfo.name", "Name of the payer."),
    short_name("email", "billingInfo.email", "E-mail address for invoices."),
    short_name("line1", "billingInfo.address.line1", "Street and number."),
    short_name("line2", "billingInfo.address.line2", "Second address line."),
    short_name("city", "billingInfo.address.city", "City."),
    with(short_name("country", "billingInfo.address.country",
                    "Country code (ISO 3166-1, two letters)."),
         form(TextFormat::Country)),
    short_name("postal-code", "billingInfo.address.postalCode", "Postal code."),
    short_name("state", "billingInfo.address.state", "State or region."),
    short_name("tax-id-type", "billingInfo.taxIdType",
               "Tax ID type, as the payment processor calls it, such as eu_vat."),
    short_name("tax-number", "billingInfo.taxNumber", "Tax ID."),
};

inline constexpr std::array k_invoices_fields = {
    text("invoice-ids", "Show only these invoices.", at("invoiceIds.invoiceIds"), query, positional,
         repeated, example("invoice_0001")),
    integer("billingCycle.year", "Year of the month to show.", query, common, range(2000, 9999),
            example("2026")),
    integer("billingCycle.month", "Month to show.", query, common, range(1, 12), example("4")),
    integer("since.year", "Year of the first month to show.", query, common, range(2000, 9999),
            example("2026")),
    integer("since.month", "First month to show.", query, common, range(1, 12), example("1")),
    boolean("lines", "Show the invoice lines.", local, plain_switch, common),
    boolean("chart", "Chart monthly totals.", local, plain_switch, common),
};

inline constexpr std::array k_set_default_fields = {
    text("paymentMethodId", "Payment method ID, from `svc billing payment-methods list`.", required,
         positional, example("pm_0001"), completes("payment-methods")),
};

inline constexpr std::array k_preview_fields = {
    boolean("chart", "Chart the amounts by line.", local, plain_switch, common),
};

inline constexpr std::array k_limits_set_fields = {
    money("desiredSoftSpendingLimit", "New soft limit; 0 allows prepaid credit only.", required,
          positional, example("250.00")),
    k_cents_field,
};

inline constexpr std::array k_top_up_fields = concat(
    std::array{
        money("amount", "Amount of credit to buy.", required, positional, example("25.00")),
        k_cents_field,
    },
    waiting_fields("Wait until the payment method is charged."));

// Costs recorded on this machine.
inline constexpr std::array<sv, 4> k_usage_by = {"day", "model", "command", "profile"};
inline constexpr std::array k_usage_fields = {
    text("by", "Group the costs by this.", local, common, choices(k_usage_by), fallback("day"),
         example("model")),
    text("since", "Start date: YYYY-MM-DD in local time, or a time ago, such as 30d.", local,
         common, example("2026-11-01")),
    text("until", "End date (inclusive), or a time ago.", local, common, example("2026-11-30")),
    boolean("chart", "Chart the costs.", local, plain_switch, common),
    boolean("emulated", "Show what emulator answers would have cost (never in other totals).",
            local, plain_switch),
};

}  // namespace svc::catalogue::billing
