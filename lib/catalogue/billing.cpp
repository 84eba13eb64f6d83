// The group billing.
#include "catalogue/billing_columns.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace billing {

constexpr Field k_cents_field =
    boolean("cents", "The amount is in US cents, not dollars.", local, common);

/// A short alias of a billing information field.
constexpr Field short_name(sv flag, sv path, sv help) {
  return text(flag, help, alias(path), common);
}

constexpr std::array k_info_set_fields = {
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

constexpr std::array k_invoices_fields = {
    text("invoice-ids", "Show only these invoices.", at("invoiceIds.invoiceIds"), query, positional,
         repeated, example("invoice_0001")),
    integer("billingCycle.year", "Year of the month to show.", query, common, range(2000, 9999),
            example("2026")),
    integer("billingCycle.month", "Month to show.", query, common, range(1, 12), example("4")),
    integer("since.year", "Year of the first month to show.", query, common, range(2000, 9999),
            example("2026")),
    integer("since.month", "First month to show.", query, common, range(1, 12), example("1")),
    boolean("lines", "Show the invoice lines.", local, common),
    boolean("chart", "Chart monthly totals.", local, common),
};

constexpr sv k_one_filter = "Invoices can be filtered by ID, by month, or from a month on.";
constexpr sv k_whole_month = "Year and month belong together.";
constexpr std::array k_invoices_rules = {
    excludes("invoice-ids", "billing-cycle-year", k_one_filter),
    excludes("invoice-ids", "billing-cycle-month", k_one_filter),
    excludes("invoice-ids", "since-year", k_one_filter),
    excludes("invoice-ids", "since-month", k_one_filter),
    excludes("billing-cycle-year", "since-year", k_one_filter),
    excludes("billing-cycle-month", "since-month", k_one_filter),
    needs("billing-cycle-year", "billing-cycle-month", k_whole_month),
    needs("billing-cycle-month", "billing-cycle-year", k_whole_month),
    needs("since-year", "since-month", k_whole_month),
    needs("since-month", "since-year", k_whole_month),
    excludes("chart", "lines", "Chart the months, or list the lines."),
};

constexpr std::array k_set_default_fields = {
    text("paymentMethodId", "Payment method ID, from `svc billing payment-methods list`.", required,
         positional, example("pm_0001"), completes("payment-methods")),
};

constexpr std::array k_preview_fields = {
    boolean("chart", "Chart the amounts by line.", local, common),
};

constexpr std::array k_limits_set_fields = {
    money("desiredSoftSpendingLimit", "New soft limit; 0 allows prepaid credit only.", required,
          positional, example("250.00")),
    k_cents_field,
};

constexpr std::array k_top_up_fields = {
    money("amount", "Amount of credit to buy.", required, positional, example("25.00")),
    k_cents_field,
};

// Costs recorded on this machine.
constexpr std::array<sv, 4> k_usage_by = {"day", "model", "command", "profile"};
constexpr std::array k_usage_fields = {
    text("by", "Group the costs by this.", local, common, choices(k_usage_by), fallback("day"),
         example("model")),
    text("since", "Start date: YYYY-MM-DD in local time, or a time ago, such as 30d.", local,
         common, example("2026-11-01")),
    text("until", "End date (inclusive), or a time ago.", local, common, example("2026-11-30")),
    boolean("chart", "Chart the costs.", local, common),
    boolean("emulated", "Show what emulator answers would have cost (never in other totals).",
            local),
};
constexpr std::array k_usage_columns = {
    Column{"NAME", "day|model|command|profile"},
    Column{"ANSWERS", "answers", Cell::Count},
    Column{"TOKENS IN", "input_tokens", Cell::Count},
    Column{"CACHED", "cached_tokens", Cell::Count},
    Column{"TOKENS OUT", "output_tokens", Cell::Count},
    Column{"COST", "cost_in_usd_ticks", Cell::Ticks},
};

constexpr std::array k_examples = {
    Example{"svc billing info get", "Shows the billing details."},
    Example{"svc billing info set --name 'Example Ltd' --email bills@example.com --line1 '1 Main "
            "Street' --city Bergen --postal-code 5003 --country NO",
            "Sets the name, e-mail and address."},
    Example{"svc billing invoices --since-year 2026 --since-month 1 --chart",
            "Charts the monthly cost since January 2026."},
    Example{"svc billing invoices invoice_0001 --lines", "Shows the lines of one invoice."},
    Example{"svc billing payment-methods list", "Lists cards and accounts by their last digits."},
    Example{"svc billing payment-methods set-default pm_0001",
            "Makes this the default payment "
            "method."},
    Example{"svc billing preview", "Shows this month's cost so far and what remains."},
    Example{"svc billing preview --chart", "Charts the cost of each line."},
    Example{"svc billing limits get", "Shows the limits on postpaid use."},
    Example{"svc billing limits set 250", "Stops postpaid use at $250.00 a month."},
    Example{"svc billing limits set 0", "Allows prepaid credit only."},
    Example{"svc billing balance", "Shows the prepaid credit and its changes."},
    Example{"svc billing top-up 25", "Buys credit for $25.00, after asking."},
    Example{"svc billing top-up 2500 --cents --yes", "The same for a script."},
    Example{"svc billing usage --since 30d --chart", "Charts the daily cost of the last 30 days."},
    Example{"svc billing usage --by model --since 2026-11-01",
            "Shows the cost by model since a "
            "date."},
};

constexpr std::array k_rows = {
    get("billing info get", "/v1/billing/teams/{team_id}/billing-info", "Show the billing details.",
        management, sections(card<k_info_columns>)),
    post("billing info set", "/v1/billing/teams/{team_id}/billing-info",
         "Replace the billing details (every field).", management, repeatable, answers_nothing,
         replaces_all, fields<k_info_set_fields>),
    get("billing invoices", "/v1/billing/teams/{team_id}/invoices", "List or chart invoices.",
        management, fields<k_invoices_fields>, rules(k_invoices_rules), items("invoices"),
        columns(k_invoice_columns)),
    get("billing payment-methods list", "/v1/billing/teams/{team_id}/payment-method",
        "List payment methods; they are added and removed in the web console.", management,
        items("paymentMethods"), sections(k_method_sections)),
    post("billing payment-methods set-default",
         "/v1/billing/teams/{team_id}/payment-method/default", "Set the default payment method.",
         management, repeatable, answers_nothing, fields<k_set_default_fields>),
    get("billing preview", "/v1/billing/teams/{team_id}/postpaid/invoice/preview",
        "Preview this month's invoice and the remaining credit and limit.", management,
        fields<k_preview_fields>, sections(k_preview_sections)),
    get("billing limits get", "/v1/billing/teams/{team_id}/postpaid/spending-limits",
        "Show the limits on postpaid use.", management, sections(card<k_limits_columns>)),
    post("billing limits set", "/v1/billing/teams/{team_id}/postpaid/spending-limits",
         "Set the soft limit on postpaid use, up to the hard limit.", management, repeatable,
         fields<k_limits_set_fields>, sections(card<k_new_limit_columns>)),
    get("billing balance", "/v1/billing/teams/{team_id}/prepaid/balance",
        "Show the prepaid credit and its changes.", management, sections(k_balance_sections)),
    post("billing top-up", "/v1/billing/teams/{team_id}/prepaid/top-up",
         "Buy prepaid credit with the default payment method.", management, destructive,
         fields<k_top_up_fields>, sections(card<k_top_up_columns>)),
    command("billing usage", "Show what requests from this machine cost, from local records.",
            fields<k_usage_fields>, columns(k_usage_columns)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace billing

constinit const std::span<const Operation> k_billing_operations = billing::k_operations;

}  // namespace svc::catalogue
