// The group billing.
#include "catalogue/billing_columns.h"
#include "catalogue/billing_usage_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

using namespace billing;

constexpr Field k_cents_field{.flag = "cents",
                              .kind = Kind::Boolean,
                              .in = In::Local,
                              .help = "The amount is in US cents, not dollars.",
                              .common = true};

/// A member of the billing information, and its short name.
constexpr Field info(sv flag, sv path, sv help, sv example) {
  return Field{.flag = flag, .path = path, .help = help, .example = example};
}
constexpr Field short_name(sv flag, sv path, sv help) {
  return Field{.flag = flag, .path = path, .help = help, .common = true, .alias = true};
}

constexpr std::array k_info_set_fields = {
    info("billing-info-name", "billingInfo.name", "Name of the payer.", "Example Ltd"),
    info("billing-info-email", "billingInfo.email", "E-mail address for invoices.",
         "bills@example.com"),
    info("billing-info-address-line1", "billingInfo.address.line1", "Street and number.",
         "1 Main Street"),
    info("billing-info-address-line2", "billingInfo.address.line2", "Second address line.",
         "Floor 2"),
    info("billing-info-address-city", "billingInfo.address.city", "City.", "Bergen"),
    Field{.flag = "billing-info-address-country",
          .path = "billingInfo.address.country",
          .help = "Country code (ISO 3166-1, two letters).",
          .form = TextForm::Country,
          .example = "NO"},
    info("billing-info-address-postal-code", "billingInfo.address.postalCode", "Postal code.",
         "5003"),
    info("billing-info-address-state", "billingInfo.address.state", "State or region.", "Vestland"),
    info("billing-info-tax-id-type", "billingInfo.taxIdType",
         "Tax ID type, as the payment processor calls it.", "eu_vat"),
    info("billing-info-tax-number", "billingInfo.taxNumber", "Tax ID.", "NO000000000"),
    short_name("name", "billingInfo.name", "Name of the payer."),
    short_name("email", "billingInfo.email", "E-mail address for invoices."),
    short_name("line1", "billingInfo.address.line1", "Street and number."),
    short_name("line2", "billingInfo.address.line2", "Second address line."),
    short_name("city", "billingInfo.address.city", "City."),
    Field{.flag = "country",
          .path = "billingInfo.address.country",
          .help = "Country code (ISO 3166-1, two letters).",
          .common = true,
          .form = TextForm::Country,
          .alias = true},
    short_name("postal-code", "billingInfo.address.postalCode", "Postal code."),
    short_name("state", "billingInfo.address.state", "State or region."),
    short_name("tax-id-type", "billingInfo.taxIdType",
               "Tax ID type, as the payment processor calls it, such as eu_vat."),
    short_name("tax-number", "billingInfo.taxNumber", "Tax ID."),
};

constexpr std::array k_invoices_fields = {
    Field{.flag = "invoice-ids",
          .path = "invoiceIds.invoiceIds",
          .in = In::Query,
          .help = "Show only these invoices.",
          .repeated = true,
          .positional = true,
          .example = "invoice_0001"},
    Field{.flag = "billing-cycle-year",
          .path = "billingCycle.year",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "Year of the month to show.",
          .common = true,
          .range = Range{2000, 9999},
          .example = "2026"},
    Field{.flag = "billing-cycle-month",
          .path = "billingCycle.month",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "Month to show.",
          .common = true,
          .range = Range{1, 12},
          .example = "4"},
    Field{.flag = "since-year",
          .path = "since.year",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "Year of the first month to show.",
          .common = true,
          .range = Range{2000, 9999},
          .example = "2026"},
    Field{.flag = "since-month",
          .path = "since.month",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "First month to show.",
          .common = true,
          .range = Range{1, 12},
          .example = "1"},
    Field{.flag = "lines",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Show the invoice lines.",
          .common = true},
    Field{.flag = "chart",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Chart monthly totals.",
          .common = true},
};

constexpr sv k_one_filter = "The service filters by ids, by one month, or from a month on.";
constexpr sv k_whole_month = "A month is a year and a month.";
constexpr std::array k_invoices_rules = {
    Rule{RuleKind::Excludes, "invoice-ids", "billing-cycle-year", k_one_filter},
    Rule{RuleKind::Excludes, "invoice-ids", "billing-cycle-month", k_one_filter},
    Rule{RuleKind::Excludes, "invoice-ids", "since-year", k_one_filter},
    Rule{RuleKind::Excludes, "invoice-ids", "since-month", k_one_filter},
    Rule{RuleKind::Excludes, "billing-cycle-year", "since-year", k_one_filter},
    Rule{RuleKind::Excludes, "billing-cycle-month", "since-month", k_one_filter},
    Rule{RuleKind::Requires, "billing-cycle-year", "billing-cycle-month", k_whole_month},
    Rule{RuleKind::Requires, "billing-cycle-month", "billing-cycle-year", k_whole_month},
    Rule{RuleKind::Requires, "since-year", "since-month", k_whole_month},
    Rule{RuleKind::Requires, "since-month", "since-year", k_whole_month},
    Rule{RuleKind::Excludes, "chart", "lines", "Chart the months, or list the lines."},
};

constexpr std::array k_set_default_fields = {
    Field{.flag = "payment-method-id",
          .path = "paymentMethodId",
          .help = "Payment method ID, from `svc billing payment-methods list`.",
          .required = true,
          .positional = true,
          .example = "pm_0001",
          .completes = "payment-methods"},
};

constexpr std::array k_preview_fields = {
    Field{.flag = "chart",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Chart the amounts by line.",
          .common = true},
};

constexpr std::array k_limits_set_fields = {
    Field{.flag = "desired-soft-spending-limit",
          .path = "desiredSoftSpendingLimit",
          .kind = Kind::Money,
          .help = "New soft limit; 0 allows prepaid credit only.",
          .required = true,
          .positional = true,
          .example = "250.00"},
    k_cents_field,
};

constexpr std::array k_top_up_fields = {
    Field{.flag = "amount",
          .kind = Kind::Money,
          .help = "Amount of credit to buy.",
          .required = true,
          .positional = true,
          .example = "25.00"},
    k_cents_field,
};

constexpr std::array k_info_get_examples = {
    Example{"svc billing info get", "Shows the billing details."}};
constexpr std::array k_info_set_examples = {
    Example{"svc billing info set --name 'Example Ltd' --email bills@example.com --line1 '1 Main "
            "Street' --city Bergen --postal-code 5003 --country NO",
            "Sets name, email and address."}};
constexpr std::array k_invoices_examples = {
    Example{"svc billing invoices --since-year 2026 --since-month 1 --chart",
            "Charts the cost of each month of this year."},
    Example{"svc billing invoices invoice_0001 --lines", "Shows the lines of one invoice."}};
constexpr std::array k_methods_examples = {
    Example{"svc billing payment-methods list", "Lists cards and accounts by their last digits."}};
constexpr std::array k_set_default_examples = {
    Example{"svc billing payment-methods set-default pm_0001", "Charges this method from now on."}};
constexpr std::array k_preview_examples = {
    Example{"svc billing preview", "Shows this month's cost so far and what remains."},
    Example{"svc billing preview --chart", "Charts the cost of each line."}};
constexpr std::array k_limits_get_examples = {
    Example{"svc billing limits get", "Shows the limits on postpaid use."}};
constexpr std::array k_limits_set_examples = {
    Example{"svc billing limits set 250", "Stops postpaid use at $250.00 a month."},
    Example{"svc billing limits set 0", "Allows prepaid credit only."}};
constexpr std::array k_balance_examples = {
    Example{"svc billing balance", "Shows the prepaid credit and its changes."}};
constexpr std::array k_top_up_examples = {
    Example{"svc billing top-up 25", "Buys credit for $25.00, after asking."},
    Example{"svc billing top-up 2500 --cents --yes", "The same for a script."}};

constexpr Operation row(sv name, sv method, sv path, sv summary, std::span<const Field> fields,
                        std::span<const Example> examples, std::span<const Section> sections = {}) {
  return Operation{.group = "billing",
                   .name = name,
                   .method = method,
                   .path = path,
                   .summary = summary,
                   .host = Host::Management,
                   .fields = fields,
                   .reply = method == "POST" && sections.empty() ? Reply::Nothing : Reply::Json,
                   .repeat = Repeat::Always,
                   .sections = sections,
                   .examples = examples};
}

constexpr Operation changing(Operation o) {
  o.changes = true;
  return o;
}

constexpr Operation invoices() {
  Operation o = row("invoices", "GET", "/v1/billing/teams/{team_id}/invoices",
                    "List or chart invoices.", resolved<k_invoices_fields>, k_invoices_examples);
  o.rules = k_invoices_rules;
  o.items = "invoices";
  o.columns = k_invoice_columns;
  return o;
}

constexpr Operation payment_methods() {
  Operation o = row("payment-methods list", "GET", "/v1/billing/teams/{team_id}/payment-method",
                    "List payment methods; they are added and removed in the web console.", {},
                    k_methods_examples, k_method_sections);
  o.items = "paymentMethods";
  return o;
}

constexpr Operation top_up() {
  Operation o = row("top-up", "POST", "/v1/billing/teams/{team_id}/prepaid/top-up",
                    "Buy prepaid credit with the default payment method.",
                    resolved<k_top_up_fields>, k_top_up_examples, k_top_up_sections);
  o.repeat = Repeat::Never;
  o.destructive = true;
  return o;
}

constexpr Operation usage() {
  return Operation{.group = "billing",
                   .name = "usage",
                   .summary = "Show what requests from this machine cost, from local records.",
                   .host = Host::Local,
                   .fields = resolved<k_usage_fields>,
                   .columns = k_usage_columns,
                   .examples = k_usage_examples};
}

constexpr std::array k_operations = {
    row("info get", "GET", "/v1/billing/teams/{team_id}/billing-info", "Show the billing details.",
        {}, k_info_get_examples, k_info_sections),
    changing(row("info set", "POST", "/v1/billing/teams/{team_id}/billing-info",
                 "Replace the billing details (every field).", resolved<k_info_set_fields>,
                 k_info_set_examples)),
    invoices(),
    payment_methods(),
    row("payment-methods set-default", "POST", "/v1/billing/teams/{team_id}/payment-method/default",
        "Set the default method.", resolved<k_set_default_fields>, k_set_default_examples),
    row("preview", "GET", "/v1/billing/teams/{team_id}/postpaid/invoice/preview",
        "Preview this month's invoice and the remaining credit and limit.",
        resolved<k_preview_fields>, k_preview_examples, k_preview_sections),
    row("limits get", "GET", "/v1/billing/teams/{team_id}/postpaid/spending-limits",
        "Show the limits on postpaid use.", {}, k_limits_get_examples, k_limits_sections),
    row("limits set", "POST", "/v1/billing/teams/{team_id}/postpaid/spending-limits",
        "Set the soft limit on postpaid use, up to the hard limit.", resolved<k_limits_set_fields>,
        k_limits_set_examples, k_new_limit_sections),
    row("balance", "GET", "/v1/billing/teams/{team_id}/prepaid/balance",
        "Show the prepaid credit and its changes.", {}, k_balance_examples, k_balance_sections),
    top_up(),
    usage()};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> billing_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
