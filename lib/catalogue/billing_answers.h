// The answers of the group billing.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::billing {

// Billing details and payment methods -------------------------------------------------------------

inline constexpr std::array k_info_members = {
    text("name", "Name of the payer."),
    text("email", "E-mail address for invoices."),
    text("address.line1", "Street and number.", label("Address")),
    text("address.line2", "Second line of the address.", label("Address 2")),
    text("address.postalCode", "Postal code."),
    text("address.city", "City or town."),
    text("address.state", "State or province."),
    text("address.country", "Two letters of ISO 3166-1."),
    text("taxIdType", "Kind of the tax number, such as eu_vat.", label("Tax ID type")),
    text("taxNumber", "Tax number of the payer."),
};
inline constexpr Shape k_info{"BillingInfo", k_info_members};
inline constexpr std::array k_info_answer = {
    object("billingInfo", k_info, "Who pays, and where invoices go.")};

inline constexpr sv k_in_kind = "Text shows it as the kind.";
inline constexpr sv k_in_last = "Text shows it as the last four digits.";
inline constexpr sv k_in_expires = "Text shows it as the expiry.";
inline constexpr std::array k_method_members = {
    text("paymentMethodId", "ID of the payment method.", label("ID")),
    view("Kind", "cardDetails.brand|usBankAccountDetails.bankName|paymentType"),
    view("Last 4", "cardDetails.last4|usBankAccountDetails.last4"),
    view("Expires", "cardDetails", Unit::Month),
    view("Account", "linkDetails.email|billingInfo.email"),
    text("usBankAccountDetails.blocked.blockReason", "Why the account is blocked.",
         label("Blocked")),
    time("addedTs", "Time at which the method was added.", label("Added")),
    text("paymentType", "Kind of the payment method.", label("Type"), details),
    text("cardDetails.brand", "Network of the card, or unknown.", hidden(k_in_kind)),
    text("cardDetails.last4", "Last digits of the card.", hidden(k_in_last)),
    text("cardDetails.expMonth", "Two digits.", hidden(k_in_expires)),
    text("cardDetails.expYear", "Four digits.", hidden(k_in_expires)),
    text("usBankAccountDetails.bankName", "Name of the bank.", hidden(k_in_kind)),
    text("usBankAccountDetails.last4", "Last digits of the account.", hidden(k_in_last)),
    text("usBankAccountDetails.routingNumber", "Routing number of the bank, in the USA.", details),
    text("usBankAccountDetails.blocked.networkCode",
         "Code of the bank for why the account is blocked.", label("Block code"), details),
    text("linkDetails.email", "E-mail address of the Link account.",
         hidden("Text shows it as the account.")),
    object("billingInfo", k_info, "Who pays with it.", details),
};
inline constexpr Shape k_method{"PaymentMethod", k_method_members};
inline constexpr std::array k_methods = {
    table("paymentMethods[]", k_method, "Payment methods of the team."),
    url("pendingPaymentMethod.achMicrodepositHostedVerificationUrl",
        "Page that completes an unfinished bank account.", label("Unfinished bank account")),
};

// Invoices ----------------------------------------------------------------------------------------

inline constexpr std::array k_line_members = {
    text("description", "What the line charges for."),
    text("clusterName", "Cluster on which it was used.", label("Cluster")),
    text("unitType", "What the quantity counts.", label("Unit")),
    text_count("numUnits", "Number of units.", label("Units")),
    text_micro_cents("unitPrice", "Millionths of a cent."),
    text_cents("amount", "Cents."),
};
inline constexpr Shape k_line{"InvoiceLine", k_line_members};

inline constexpr std::array k_attempt_members = {
    text("paymentMethodId", "Payment method that was to be charged.", label("Charged to")),
    boolean("successful", "Whether the charge succeeded."),
    integer("ticket", "Number of the charge's ticket.", label("Tickets")),
};
inline constexpr Shape k_attempt{"ChargeAttempt", k_attempt_members};

inline constexpr std::array k_cycle_members = {
    integer("year", "Year of the billing cycle."),
    integer("month", "Month of the billing cycle, from 1."),
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
    object("monthly.billingCycle", k_cycle, "Month that the invoice is for.", hidden(k_in_month)),
    text("invoiceStatus", "State of the invoice.", label("Status"), choices(k_invoice_states)),
    text_cents("subtotal", "Cents, without tax."),
    text_cents("tax", "Cents."),
    text_cents("total", "Cents, tax included."),
    time("createTime", "Time of creation.", label("Created")),
    time("firstDesiredNextCycleTs", "Time at which it should be charged.", label("Charged")),
    text("invoiceId", "ID of the invoice.", label("ID")),
    cents("monthly.defaultCreditsIssued", "Free credits of the month, in cents.",
          label("Default credits"), details),
    cents("monthly.autoCreditsIssued", "Credits issued automatically, in cents.",
          label("Automatic credits"), details),
    cents("monthly.prepaidTokensToSpend", "Prepaid credit to be spent on it, in cents.",
          label("Prepaid to spend"), details),
    view("Attempts", "chargerAttempts", Unit::Count, details),
    list("chargerAttempts[]", k_attempt, "Attempts to charge the payment method.", details),
    table("lines[]", k_line, "What is charged for."),
    text("invoicePdfAssetKeySuffix", "End of the key under which the PDF is stored.", label("PDF"),
         details),
    text("monthly.billingItemsCsvAssetKeySuffix", "End of the key of the CSV file of items.",
         label("Items CSV"), details),
    text("monthly.correctionsCsvAssetKeySuffix", "End of the key of the CSV file of corrections.",
         label("Corrections CSV"), details),
    json("prepaid", "Present in an invoice of prepaid credit.", details),
    json("subscriptions", "Present in an invoice of subscriptions.", details),
    text("teamId", "Team that is charged.", label("Team"), details),
};
inline constexpr Shape k_invoice{"Invoice", k_invoice_members};
inline constexpr std::array k_invoices = {list("invoices[]", k_invoice, "Invoices of the team.")};

// Postpaid use ------------------------------------------------------------------------------------

inline constexpr sv k_in_credit = "Text shows it as prepaid credit.";
inline constexpr std::array k_preview = {
    table("coreInvoice.lines[]", k_line, "What is charged for so far."),
    view("Month", "billingCycle", Unit::Month),
    object("billingCycle", k_cycle, "Month that the preview is for.", hidden(k_in_month)),
    text_cents("coreInvoice.amountBeforeVat", "Amount before tax, in cents.",
               label("Amount before tax")),
    cents("coreInvoice.amountBeforeVatLimited",
          "Part before tax to which VAT limits apply, in cents.", label("Before tax, VAT-limited"),
          details),
    cents("coreInvoice.amountBeforeVatUnlimited", "Part before tax without VAT limits, in cents.",
          label("Before tax, not VAT-limited"), details),
    cents("coreInvoice.amountBeforeVatLimitedAndUnlimited", "Both parts before tax, in cents.",
          label("Before tax, both"), details),
    text_cents("coreInvoice.vatCost", "Tax, in cents.", label("Tax")),
    text_cents("coreInvoice.amountAfterVat", "Amount with tax, in cents.", label("Amount")),
    cents("coreInvoice.totalWithCorr", "Amount with corrections, in cents.",
          label("Total with corrections")),
    text_cents("effectiveSpendingLimit", "Limit of the spending that holds now, in cents.",
               label("Spending limit")),
    view("Limit left", "limitLeft", Unit::Cents),
    view("Prepaid credit", "credit", Unit::Cents, details),
    view("Prepaid credit used", "creditUsed", Unit::Cents),
    view("Prepaid credit left", "creditLeft", Unit::Cents),
    cents("coreInvoice.prepaidCredits", "Cents, possibly negative.", hidden(k_in_credit)),
    cents("coreInvoice.prepaidCreditsUsed", "Cents, possibly negative.", hidden(k_in_credit)),
    text_cents("defaultCredits", "Free credits that are left, in cents."),
    text_cents("coreInvoice.defaultCreditsIssued", "Free credits of the month, in cents.", details),
    text_cents("coreInvoice.autoCreditsIssued", "Credits issued automatically, in cents.",
               label("Automatic credits issued"), details),
};

inline constexpr std::array k_limits = {
    cents("spendingLimits.softSl", "Limit set by the team.", label("Soft limit")),
    cents("spendingLimits.effectiveHardSl", "Upper bound of the soft limit.", label("Hard limit")),
    cents("spendingLimits.effectiveSl", "Limit in force.", label("Effective limit")),
    cents("spendingLimits.hardSlAuto", "Hard limit that the service set, in cents.",
          label("Hard limit, automatic")),
    cents("spendingLimits.hardSlOverride", "Hard limit that was agreed on, in cents.",
          label("Hard limit, agreed")),
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
    text("changeOrigin", "Why the balance changed.", label("What"), choices(k_origins)),
    credit("amount", "Cents; negative amounts add credit.", label("Credit")),
    text("topupStatus", "State of a purchase of credit.", label("Status"), choices(k_topup_states)),
    view("Invoice", "invoiceNumber|invoiceId"),
    text("invoiceNumber", "Number of the purchase's invoice.",
         hidden("Text shows it as the invoice.")),
    time("createTime", "Time of the change.", hidden("Text shows it as the time.")),
    tally("spendBpKeyYear", "Year in which the credit was spent.", label("Spent in year"), details),
    tally("spendBpKeyMonth", "Month in which the credit was spent.", label("Spent in month"),
          details),
    text("paymentProcessor.kind", "Company that processed the payment.", label("Processor"),
         choices(k_processors), details),
    text("paymentProcessor.externalParty", "Who paid, as the processor knows them.",
         label("Paid by"), details),
    text("paymentProcessor.externalInvoiceId", "ID of the processor's invoice.",
         label("External invoice"), details),
    text("invoiceId", "ID of the invoice.", details),
    time("createTs", "Time at which the change was recorded.", label("Recorded"), details),
    text("teamId", "Team whose balance changed.", label("Team"), details),
};
inline constexpr Shape k_change{"BalanceChange", k_change_members};
inline constexpr std::array k_balance = {
    credit("total", "Cents; a negative number is credit left.", label("Credit")),
    table("changes[]", k_change, "Changes of the balance."),
};
inline constexpr std::array k_top_up = {
    object("change", k_change, "The purchase, as a change of the balance.")};

// Local records -----------------------------------------------------------------------------------

inline constexpr std::array k_usage = {
    view("Name", "day|model|command|profile"),
    text("day", "Day in local time, when grouped by it.",
         hidden("Text shows it as the first column.")),
    text("model", "Model, when grouped by it.", hidden("Text shows it as the first column.")),
    text("command", "Command, when grouped by it.", hidden("Text shows it as the first column.")),
    text("profile", "Profile, when grouped by it.", hidden("Text shows it as the first column.")),
    count("answers", "Number of answers.", required),
    count("input_tokens", "Tokens of the input.", label("Tokens in"), required),
    count("cached_tokens", "Those read from the cache.", label("Cached"), required),
    count("output_tokens", "Tokens of the answers.", label("Tokens out"), required),
    count("reasoning_tokens", "Those spent on reasoning.", label("Reasoning"), required, details),
    ticks("cost_in_usd_ticks", "Exact cost.", label("Cost"), required),
    count("answers_without_cost", "Number of answers whose cost is unknown.",
          label("Without price"), required, details),
    ticks("forecast_in_usd_ticks", "With --by day, today: cost until midnight at today's rate.",
          label("Forecast"), nullable, details),
};

}  // namespace svc::catalogue::answer::billing
