// The answers of the group billing.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::billing {

// Billing details and payment methods -------------------------------------------------------------

inline constexpr std::array k_info_members = {
    text("name"),
    text("email"),
    text("address.line1", label("Address")),
    text("address.line2", label("Address 2")),
    text("address.postalCode"),
    text("address.city"),
    text("address.state"),
    text("address.country", "Two letters of ISO 3166-1."),
    text("taxIdType", "Kind of the tax number, such as eu_vat.", label("Tax ID type")),
    text("taxNumber"),
};
inline constexpr Shape k_info{"BillingInfo", k_info_members};
inline constexpr std::array k_info_answer = {object("billingInfo", k_info)};

inline constexpr sv k_in_kind = "Text shows it as the kind.";
inline constexpr sv k_in_last = "Text shows it as the last four digits.";
inline constexpr sv k_in_expires = "Text shows it as the expiry.";
inline constexpr std::array k_method_members = {
    text("paymentMethodId", label("ID")),
    view("Kind", "cardDetails.brand|usBankAccountDetails.bankName|paymentType"),
    view("Last 4", "cardDetails.last4|usBankAccountDetails.last4"),
    view("Expires", "cardDetails", Unit::Month),
    view("Account", "linkDetails.email|billingInfo.email"),
    text("usBankAccountDetails.blocked.blockReason", "Why the account is blocked.",
         label("Blocked")),
    time("addedTs", "Time at which the method was added.", label("Added")),
    text("paymentType", label("Type"), details),
    text("cardDetails.brand", "Network of the card, or unknown.", hidden(k_in_kind)),
    text("cardDetails.last4", "Last digits of the card.", hidden(k_in_last)),
    text("cardDetails.expMonth", "Two digits.", hidden(k_in_expires)),
    text("cardDetails.expYear", "Four digits.", hidden(k_in_expires)),
    text("usBankAccountDetails.bankName", hidden(k_in_kind)),
    text("usBankAccountDetails.last4", "Last digits of the account.", hidden(k_in_last)),
    text("usBankAccountDetails.routingNumber", details),
    text("usBankAccountDetails.blocked.networkCode", label("Block code"), details),
    text("linkDetails.email", hidden("Text shows it as the account.")),
    object("billingInfo", k_info, details),
};
inline constexpr Shape k_method{"PaymentMethod", k_method_members};
inline constexpr std::array k_methods = {
    table("paymentMethods[]", k_method),
    url("pendingPaymentMethod.achMicrodepositHostedVerificationUrl",
        "Page that completes an unfinished bank account.", label("Unfinished bank account")),
};

// Invoices ----------------------------------------------------------------------------------------

inline constexpr std::array k_line_members = {
    text("description"),
    text("clusterName", label("Cluster")),
    text("unitType", label("Unit")),
    text_count("numUnits", "Number of units.", label("Units")),
    text_micro_cents("unitPrice", "Millionths of a cent."),
    text_cents("amount", "Cents."),
};
inline constexpr Shape k_line{"InvoiceLine", k_line_members};

inline constexpr std::array k_attempt_members = {
    text("paymentMethodId", label("Charged to")),
    boolean("successful"),
    integer("ticket", label("Tickets")),
};
inline constexpr Shape k_attempt{"ChargeAttempt", k_attempt_members};

inline constexpr std::array k_cycle_members = {
    integer("year"),
    integer("month"),
};
inline constexpr Shape k_cycle{"BillingCycle", k_cycle_members};

inline constexpr sv k_in_month = "Text shows it as the month.";
inline constexpr std::array<sv, 5> k_invoice_states = {"INVALID", "PENDING", "PAID",
                                                       "WILL_NEVER_BE_CHARGED", "FAILED"};
inline constexpr std::array k_invoice_members = {
    view("Number", "invoiceNumber|invoiceId"),
    text("invoiceNumber", "Number; an unfinished invoice has none.",
         hidden("Text shows it as the number.")),
    view("Month", "monthly.billingCycle", Unit::Month),
    object("monthly.billingCycle", k_cycle, hidden(k_in_month)),
    text("invoiceStatus", label("Status"), choices(k_invoice_states)),
    text_cents("subtotal", "Cents, without tax."),
    text_cents("tax", "Cents."),
    text_cents("total", "Cents, tax included."),
    time("createTime", "Time of creation.", label("Created")),
    time("firstDesiredNextCycleTs", "Time at which it should be charged.", label("Charged")),
    text("invoiceId", label("ID")),
    cents("monthly.defaultCreditsIssued", label("Default credits"), details),
    cents("monthly.autoCreditsIssued", label("Automatic credits"), details),
    cents("monthly.prepaidTokensToSpend", label("Prepaid to spend"), details),
    view("Attempts", "chargerAttempts", Unit::Count, details),
    list("chargerAttempts[]", k_attempt, details),
    table("lines[]", k_line),
    text("invoicePdfAssetKeySuffix", label("PDF"), details),
    text("monthly.billingItemsCsvAssetKeySuffix", label("Items CSV"), details),
    text("monthly.correctionsCsvAssetKeySuffix", label("Corrections CSV"), details),
    json("prepaid", "Present in an invoice of prepaid credit.", details),
    json("subscriptions", "Present in an invoice of subscriptions.", details),
    text("teamId", label("Team"), details),
};
inline constexpr Shape k_invoice{"Invoice", k_invoice_members};
inline constexpr std::array k_invoices = {list("invoices[]", k_invoice)};

// Postpaid use ------------------------------------------------------------------------------------

inline constexpr sv k_in_credit = "Text shows it as prepaid credit.";
inline constexpr std::array k_preview = {
    table("coreInvoice.lines[]", k_line),
    view("Month", "billingCycle", Unit::Month),
    object("billingCycle", k_cycle, hidden(k_in_month)),
    text_cents("coreInvoice.amountBeforeVat", label("Amount before tax")),
    cents("coreInvoice.amountBeforeVatLimited", label("Before tax, VAT-limited"), details),
    cents("coreInvoice.amountBeforeVatUnlimited", label("Before tax, not VAT-limited"), details),
    cents("coreInvoice.amountBeforeVatLimitedAndUnlimited", label("Before tax, both"), details),
    text_cents("coreInvoice.vatCost", label("Tax")),
    text_cents("coreInvoice.amountAfterVat", label("Amount")),
    cents("coreInvoice.totalWithCorr", label("Total with corrections")),
    text_cents("effectiveSpendingLimit", label("Spending limit")),
    view("Limit left", "limitLeft", Unit::Cents),
    view("Prepaid credit", "credit", Unit::Cents, details),
    view("Prepaid credit used", "creditUsed", Unit::Cents),
    view("Prepaid credit left", "creditLeft", Unit::Cents),
    cents("coreInvoice.prepaidCredits", "Cents, possibly negative.", hidden(k_in_credit)),
    cents("coreInvoice.prepaidCreditsUsed", "Cents, possibly negative.", hidden(k_in_credit)),
    text_cents("defaultCredits"),
    text_cents("coreInvoice.defaultCreditsIssued", details),
    text_cents("coreInvoice.autoCreditsIssued", label("Automatic credits issued"), details),
};

inline constexpr std::array k_limits = {
    cents("spendingLimits.softSl", "Limit set by the team.", label("Soft limit")),
    cents("spendingLimits.effectiveHardSl", "Upper bound of the soft limit.", label("Hard limit")),
    cents("spendingLimits.effectiveSl", "Limit in force.", label("Effective limit")),
    cents("spendingLimits.hardSlAuto", label("Hard limit, automatic")),
    cents("spendingLimits.hardSlOverride", label("Hard limit, agreed")),
};
inline constexpr std::array k_new_limit = {
    cents("thisBpSoftSpendingLimit", "Soft limit of this billing period.", label("Soft limit")),
};

// Prepaid credit ----------------------------------------------------------------------------------

inline constexpr std::array<sv, 6> k_origins = {"INVALID_ORIGIN", "PURCHASE", "SPEND",
                                                "REFUND",         "MANUAL",   "AUTO_PURCHASE"};
inline constexpr std::array<sv, 7> k_topup_states = {"INVALID_STATUS",
                                                     "TO_GENERATE_INVOICE",
                                                     "FAILED_TO_GEMNERATE_INVOICE",
                                                     "FAILED_TO_GENERATE_INVOICE",
                                                     "TO_CHARGE",
                                                     "FAILED_TO_CHARGE",
                                                     "SUCCEEDED"};
inline constexpr std::array<sv, 5> k_processors = {"UNKNOWN", "PROCESSOR_A", "CHECKOUT", "EXTERNAL",
                                                   "MANUAL"};
inline constexpr std::array k_change_members = {
    view("When", "createTime|createTs", Unit::UnixTime),
    text("changeOrigin", label("What"), choices(k_origins)),
    credit("amount", "Cents; negative amounts add credit.", label("Credit")),
    text("topupStatus", label("Status"), choices(k_topup_states)),
    view("Invoice", "invoiceNumber|invoiceId"),
    text("invoiceNumber", hidden("Text shows it as the invoice.")),
    time("createTime", hidden("Text shows it as the time.")),
    tally("spendBpKeyYear", "Year in which the credit was spent.", label("Spent in year"), details),
    tally("spendBpKeyMonth", "Month in which the credit was spent.", label("Spent in month"),
          details),
    text("paymentProcessor.kind", label("Processor"), choices(k_processors), details),
    text("paymentProcessor.externalParty", label("Paid by"), details),
    text("paymentProcessor.externalInvoiceId", label("External invoice"), details),
    text("invoiceId", details),
    time("createTs", label("Recorded"), details),
    text("teamId", label("Team"), details),
};
inline constexpr Shape k_change{"BalanceChange", k_change_members};
inline constexpr std::array k_balance = {
    credit("total", "Cents; a negative number is credit left.", label("Credit")),
    table("changes[]", k_change),
};
inline constexpr std::array k_top_up = {object("change", k_change)};

// Local records -----------------------------------------------------------------------------------

inline constexpr sv k_by = "Present according to --by.";
inline constexpr std::array k_usage = {
    view("Name", "day|model|command|profile"),
    text("day", k_by, hidden("Text shows it as the first column.")),
    text("model", k_by, hidden("Text shows it as the first column.")),
    text("command", k_by, hidden("Text shows it as the first column.")),
    text("profile", k_by, hidden("Text shows it as the first column.")),
    count("answers", "Number of answers.", required),
    count("input_tokens", label("Tokens in"), required),
    count("cached_tokens", label("Cached"), required),
    count("output_tokens", label("Tokens out"), required),
    count("reasoning_tokens", label("Reasoning"), required, details),
    ticks("cost_in_usd_ticks", "Exact cost.", label("Cost"), required),
    count("answers_without_cost", "Number of answers whose cost is unknown.",
          label("Without price"), required, details),
    ticks("forecast_in_usd_ticks", "With --by day, today: cost until midnight at today's rate.",
          label("Forecast"), nullable, details),
};

}  // namespace svc::catalogue::answer::billing
