// The group billing.
#include "catalogue/billing_answers.h"
#include "catalogue/billing_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace billing {

constexpr sv k_one_filter = "Invoices can be filtered by ID, by month, or from a month on.";
constexpr sv k_whole_month = "Specify both or neither.";
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
        management, as_card, answers(answer::billing::k_info_answer)),
    post("billing info set", "/v1/billing/teams/{team_id}/billing-info",
         "Replace the billing details (every field).", management, repeatable, answers_nothing,
         replaces_all, fields<k_info_set_fields>),
    get("billing invoices", "/v1/billing/teams/{team_id}/invoices", "List or chart invoices.",
        noun("invoice", "invoices"), runs(Handler::BillingInvoices), management,
        fields<k_invoices_fields>, rules(k_invoices_rules), items("invoices"),
        answers(answer::billing::k_invoices)),
    get("billing payment-methods list", "/v1/billing/teams/{team_id}/payment-method",
        "List payment methods; they are added and removed in the web console.", management,
        items("paymentMethods"), noun("payment method", "payment methods"), as_card,
        answers(answer::billing::k_methods)),
    post("billing payment-methods set-default",
         "/v1/billing/teams/{team_id}/payment-method/default", "Set the default payment method.",
         management, repeatable, answers_nothing, ends("Later charges go to this payment method."),
         fields<k_set_default_fields>),
    get("billing preview", "/v1/billing/teams/{team_id}/postpaid/invoice/preview",
        "Preview this month's invoice and the remaining credit and limit.",
        runs(Handler::BillingPreview), management, fields<k_preview_fields>, as_card,
        answers(answer::billing::k_preview)),
    get("billing limits get", "/v1/billing/teams/{team_id}/postpaid/spending-limits",
        "Show the limits on postpaid use.", management, as_card,
        answers(answer::billing::k_limits)),
    post("billing limits set", "/v1/billing/teams/{team_id}/postpaid/spending-limits",
         "Set the soft limit on postpaid use, up to the hard limit.",
         runs(Handler::BillingLimitsSet), management, repeatable,
         ends("Requests stop once credit and this limit are used up."), fields<k_limits_set_fields>,
         as_card, answers(answer::billing::k_new_limit)),
    get("billing balance", "/v1/billing/teams/{team_id}/prepaid/balance",
        "Show the prepaid credit and its changes.", management, as_card,
        answers(answer::billing::k_balance)),
    post("billing top-up", "/v1/billing/teams/{team_id}/prepaid/top-up",
         "Buy prepaid credit with the default payment method.", runs(Handler::BillingTopUp),
         management, ends("The default payment method is charged at once."),
         fields<k_top_up_fields>, as_card, answers(answer::billing::k_top_up)),
    command("billing usage", "Show what requests from this machine cost, from local records.",
            runs(Handler::BillingUsage), config(ConfigUse::Optional), new_profile,
            fields<k_usage_fields>, answers(answer::billing::k_usage)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace billing

constinit const std::span<const Operation> k_billing_operations = billing::k_operations;

}  // namespace svc::catalogue
