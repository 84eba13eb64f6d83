// The columns of billing documents in text output.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue::billing {

inline constexpr std::array k_info_columns = {
    Column{"Name", "billingInfo.name"},
    Column{"Email", "billingInfo.email"},
    Column{"Address", "billingInfo.address.line1"},
    Column{"Address 2", "billingInfo.address.line2"},
    Column{"Postal code", "billingInfo.address.postalCode"},
    Column{"City", "billingInfo.address.city"},
    Column{"State", "billingInfo.address.state"},
    Column{"Country", "billingInfo.address.country"},
    Column{"Tax ID type", "billingInfo.taxIdType"},
    Column{"Tax number", "billingInfo.taxNumber"},
};

inline constexpr std::array k_invoice_columns = {
    Column{"NUMBER", "invoiceNumber|invoiceId"},
    Column{"MONTH", "monthly.billingCycle", Cell::Month},
    Column{"STATUS", "invoiceStatus"},
    Column{"SUBTOTAL", "subtotal", Cell::Cents},
    Column{"TAX", "tax", Cell::Cents},
    Column{"TOTAL", "total", Cell::Cents},
    Column{"CREATED", "createTime", Cell::UnixTime},
    Column{"CHARGED", "firstDesiredNextCycleTs", Cell::UnixTime},
    Column{"ID", "invoiceId"},
    Column{"DEFAULT CREDITS", "monthly.defaultCreditsIssued", Cell::Cents, true},
    Column{"AUTOMATIC CREDITS", "monthly.autoCreditsIssued", Cell::Cents, true},
    Column{"PREPAID TO SPEND", "monthly.prepaidTokensToSpend", Cell::Cents, true},
    Column{"ATTEMPTS", "chargerAttempts", Cell::Count, true},
    Column{"CHARGED TO", "chargerAttempts.paymentMethodId", Cell::List, true},
    Column{"SUCCESSFUL", "chargerAttempts.successful", Cell::List, true},
    Column{"TICKETS", "chargerAttempts.ticket", Cell::List, true},
    Column{"PDF", "invoicePdfAssetKeySuffix", Cell::Text, true},
    Column{"ITEMS CSV", "monthly.billingItemsCsvAssetKeySuffix", Cell::Text, true},
    Column{"CORRECTIONS CSV", "monthly.correctionsCsvAssetKeySuffix", Cell::Text, true},
    Column{"TEAM", "teamId", Cell::Text, true},
};

/// An invoice line with its invoice; an unfinished invoice has no number.
inline constexpr std::array k_invoice_line_columns = {
    Column{"INVOICE", "invoice"},
    Column{"DESCRIPTION", "description"},
    Column{"CLUSTER", "clusterName"},
    Column{"UNIT", "unitType"},
    Column{"UNITS", "numUnits", Cell::Count},
    Column{"UNIT PRICE", "unitPrice", Cell::MicroCents},
    Column{"AMOUNT", "amount", Cell::Cents},
};
inline constexpr std::span<const Column> k_line_columns =
    std::span<const Column>(k_invoice_line_columns).subspan(1);

inline constexpr std::array k_method_columns = {
    Column{"ID", "paymentMethodId"},
    Column{"KIND", "cardDetails.brand|usBankAccountDetails.bankName|paymentType"},
    Column{"LAST 4", "cardDetails.last4|usBankAccountDetails.last4"},
    Column{"EXPIRES", "cardDetails", Cell::Month},
    Column{"ACCOUNT", "linkDetails.email|billingInfo.email"},
    Column{"BLOCKED", "usBankAccountDetails.blocked.blockReason"},
    Column{"ADDED", "addedTs", Cell::UnixTime},
    Column{"TYPE", "paymentType", Cell::Text, true},
    Column{"ROUTING NUMBER", "usBankAccountDetails.routingNumber", Cell::Text, true},
    Column{"BLOCK CODE", "usBankAccountDetails.blocked.networkCode", Cell::Text, true},
    Column{"NAME", "billingInfo.name", Cell::Text, true},
    Column{"EMAIL", "billingInfo.email", Cell::Text, true},
    Column{"ADDRESS", "billingInfo.address.line1", Cell::Text, true},
    Column{"ADDRESS 2", "billingInfo.address.line2", Cell::Text, true},
    Column{"POSTAL CODE", "billingInfo.address.postalCode", Cell::Text, true},
    Column{"CITY", "billingInfo.address.city", Cell::Text, true},
    Column{"STATE", "billingInfo.address.state", Cell::Text, true},
    Column{"COUNTRY", "billingInfo.address.country", Cell::Text, true},
    Column{"TAX ID TYPE", "billingInfo.taxIdType", Cell::Text, true},
    Column{"TAX NUMBER", "billingInfo.taxNumber", Cell::Text, true},
};
inline constexpr std::array k_pending_columns = {
    Column{"Unfinished bank account", "pendingPaymentMethod.achMicrodepositHostedVerificationUrl"},
};
inline constexpr std::array k_method_sections = {
    Section{"paymentMethods", k_method_columns},
    Section{"", k_pending_columns},
};

/// `credit`, `creditUsed`, `creditLeft` and `limitLeft` are computed (cli/commands/billing.cpp).
inline constexpr std::array k_preview_columns = {
    Column{"Month", "billingCycle", Cell::Month},
    Column{"Amount before tax", "coreInvoice.amountBeforeVat", Cell::Cents},
    Column{"Before tax, VAT-limited", "coreInvoice.amountBeforeVatLimited", Cell::Cents, true},
    Column{"Before tax, not VAT-limited", "coreInvoice.amountBeforeVatUnlimited", Cell::Cents,
           true},
    Column{"Before tax, both", "coreInvoice.amountBeforeVatLimitedAndUnlimited", Cell::Cents, true},
    Column{"Tax", "coreInvoice.vatCost", Cell::Cents},
    Column{"Amount", "coreInvoice.amountAfterVat", Cell::Cents},
    Column{"Total with corrections", "coreInvoice.totalWithCorr", Cell::Cents},
    Column{"Spending limit", "effectiveSpendingLimit", Cell::Cents},
    Column{"Limit left", "limitLeft", Cell::Cents},
    Column{"Prepaid credit", "credit", Cell::Cents, true},
    Column{"Prepaid credit used", "creditUsed", Cell::Cents},
    Column{"Prepaid credit left", "creditLeft", Cell::Cents},
    Column{"Default credits", "defaultCredits", Cell::Cents},
    Column{"Default credits issued", "coreInvoice.defaultCreditsIssued", Cell::Cents, true},
    Column{"Automatic credits issued", "coreInvoice.autoCreditsIssued", Cell::Cents, true},
};
inline constexpr std::array k_preview_sections = {
    Section{"coreInvoice.lines", k_line_columns},
    Section{"", k_preview_columns},
};

inline constexpr std::array k_limits_columns = {
    Column{"Soft limit", "spendingLimits.softSl", Cell::Cents},
    Column{"Hard limit", "spendingLimits.effectiveHardSl", Cell::Cents},
    Column{"Effective limit", "spendingLimits.effectiveSl", Cell::Cents},
    Column{"Hard limit, automatic", "spendingLimits.hardSlAuto", Cell::Cents},
    Column{"Hard limit, agreed", "spendingLimits.hardSlOverride", Cell::Cents},
};
inline constexpr std::array k_new_limit_columns = {
    Column{"Soft limit", "thisBpSoftSpendingLimit", Cell::Cents},
};

/// The service sends credit as a negative number.
inline constexpr std::array k_total_columns = {Column{"Credit", "total", Cell::Credit}};
inline constexpr std::array k_change_columns = {
    Column{"WHEN", "createTime|createTs", Cell::UnixTime},
    Column{"WHAT", "changeOrigin"},
    Column{"CREDIT", "amount", Cell::Credit},
    Column{"STATUS", "topupStatus"},
    Column{"INVOICE", "invoiceNumber|invoiceId"},
    Column{"SPENT IN YEAR", "spendBpKeyYear", Cell::Tally, true},
    Column{"SPENT IN MONTH", "spendBpKeyMonth", Cell::Tally, true},
    Column{"PROCESSOR", "paymentProcessor.kind", Cell::Text, true},
    Column{"PAID BY", "paymentProcessor.externalParty", Cell::Text, true},
    Column{"EXTERNAL INVOICE", "paymentProcessor.externalInvoiceId", Cell::Text, true},
    Column{"INVOICE ID", "invoiceId", Cell::Text, true},
    Column{"RECORDED", "createTs", Cell::UnixTime, true},
    Column{"TEAM", "teamId", Cell::Text, true},
};
inline constexpr std::array k_balance_sections = {
    Section{"", k_total_columns},
    Section{"changes", k_change_columns},
};

inline constexpr std::array k_top_up_columns = {
    Column{"Credit", "change.amount", Cell::Credit},
    Column{"Status", "change.topupStatus"},
    Column{"When", "change.createTime|change.createTs", Cell::UnixTime},
    Column{"Invoice", "change.invoiceNumber|change.invoiceId"},
    Column{"Origin", "change.changeOrigin", Cell::Text, true},
    Column{"Processor", "change.paymentProcessor.kind", Cell::Text, true},
    Column{"Paid by", "change.paymentProcessor.externalParty", Cell::Text, true},
    Column{"External invoice", "change.paymentProcessor.externalInvoiceId", Cell::Text, true},
    Column{"Invoice ID", "change.invoiceId", Cell::Text, true},
    Column{"Spent in year", "change.spendBpKeyYear", Cell::Tally, true},
    Column{"Spent in month", "change.spendBpKeyMonth", Cell::Tally, true},
    Column{"Recorded", "change.createTs", Cell::UnixTime, true},
    Column{"Team", "change.teamId", Cell::Text, true},
};

}  // namespace svc::catalogue::billing
