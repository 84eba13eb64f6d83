
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/billing_fields.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "operation/waiter.h"
#include "print/chart.h"
#include "print/table.h"
#include "print/text_view.h"

namespace svc::cli {
namespace {

using InvoiceFlags = Flags<catalogue::billing::k_invoices_fields>;
using TopUpFlags = Flags<catalogue::billing::k_top_up_fields>;

using nlohmann::json;

const json* at(const json& document, sv path) {
  const json* value = &document;
  for (const sv name : split(path, '.')) {
    if (!value->is_object()) return nullptr;
    const auto found = value->find(std::string(name));
    if (found == value->end() || found->is_null()) return nullptr;
    value = &*found;
  }
  return value;
}

/// Cents from a string, a number or {"val"}, where zero may be omitted. Nothing if the field is
/// missing or not an integer.
std::optional<std::int64_t> cents_at(const json& document, sv path) {
  const json* value = at(document, path);
  if (value != nullptr && value->is_object()) {
    const auto amount = value->find("val");
    if (amount == value->end()) return 0;
    value = &*amount;
  }
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return parse_integer(value->get_ref<const std::string&>());
  return value->is_number_integer() ? parse_integer(compact_json(*value)) : std::nullopt;
}

/// The difference, unless it overflows.
std::optional<std::int64_t> minus(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::int64_t size_of(std::int64_t amount) {
  return amount == INT64_MIN ? INT64_MAX : std::abs(amount);
}

std::string text_at(const json& document, sv path) {
  const json* value = at(document, path);
  return value == nullptr ? std::string() : plain_text(*value);
}

Result<void> check_chart(const Session& session) {
  if (!InvoiceFlags(session.inputs()).is_true<"chart">() || session.format() == Format::Text)
    return {};
  return usage_error("--chart requires --format text", "Omit --chart to get the numbers.");
}

// invoices ----------------------------------------------------------------------------------------

std::string month_of(const json& invoice) {
  const print::Column cycle{{}, "monthly.billingCycle", Unit::Month};
  const std::string month = print::cell_text(invoice, cycle, print::Reader::Program);
  return month.empty() ? text_at(invoice, "createTime").substr(0, 7) : month;
}

Result<void> draw_months(Session& session, const json& invoices) {
  std::map<std::string, std::int64_t> months;
  for (const json& invoice : invoices) {
    const auto total = cents_at(invoice, "total");
    if (!total) continue;
    std::int64_t& sum = months[month_of(invoice)];
    if (__builtin_add_overflow(sum, *total, &sum)) {
      return Error{Fault::Network, "a month's total is too large"};
    }
  }
  std::vector<print::Bar> bars;
  for (const auto& [month, sum] : months) bars.push_back({month, sum, format_cents(sum)});
  return print::print_chart(session.out(), bars);
}

Result<void> list_lines(Session& session, const json& invoices) {
  std::vector<print::Column> columns =
      print::columns_of(open_members(session.invocation().operation->answer, "invoices[].lines[]"));
  columns.insert(columns.begin(), print::Column{"INVOICE", "invoice"});
  print::Table table(session.out(), columns, {.separator = session.globals().separator});
  for (const json& invoice : invoices) {
    const json* lines = at(invoice, "lines");
    if (lines == nullptr || !lines->is_array()) continue;
    const std::string number = text_at(invoice, "invoiceNumber");
    for (json line : *lines) {
      if (!line.is_object()) continue;
      line["invoice"] = number.empty() ? text_at(invoice, "invoiceId") : number;
      SVC_CHECK(table.add(line));
    }
  }
  return table.finish();
}

// preview -----------------------------------------------------------------------------------------

/// Remaining credit and limit, added to the service's own fields.
void add_totals(json& preview) {
  const auto credit = cents_at(preview, "coreInvoice.prepaidCredits");
  const auto used = cents_at(preview, "coreInvoice.prepaidCreditsUsed");
  // The service may report credit as a negative amount.
  if (used) preview["creditUsed"] = size_of(*used);
  if (credit) {
    preview["credit"] = size_of(*credit);
    const auto left = minus(size_of(*credit), size_of(used.value_or(0)));
    if (left) preview["creditLeft"] = std::max<std::int64_t>(*left, 0);
  }
  const auto limit = cents_at(preview, "effectiveSpendingLimit");
  auto spent = cents_at(preview, "coreInvoice.amountBeforeVatLimited");
  if (!spent) spent = cents_at(preview, "coreInvoice.amountBeforeVat");
  if (!limit || !spent) return;
  const auto left = minus(*limit, *spent);
  if (left) preview["limitLeft"] = std::max<std::int64_t>(*left, 0);
}

Result<void> draw_lines(Session& session, const json& preview) {
  const json* lines = at(preview, "coreInvoice.lines");
  std::vector<print::Bar> bars;
  if (lines != nullptr && lines->is_array()) {
    for (const json& line : *lines) {
      const auto amount = cents_at(line, "amount");
      if (!amount) continue;
      std::string label = text_at(line, "description");
      const std::string unit = text_at(line, "unitType");
      if (!unit.empty()) label += (label.empty() ? "" : ", ") + unit;
      bars.push_back({std::move(label), *amount, format_cents(*amount)});
    }
  }
  if (bars.empty()) session.notices().note("no usage this month yet");
  return print::print_chart(session.out(), bars);
}

// limits set, top-up ------------------------------------------------------------------------------

/// The amount in the request's money field, in cents.
std::int64_t asked_cents(const request::Request& request, sv member) {
  const auto* body = std::get_if<std::string>(&request.body);
  const json document = body != nullptr ? json::parse(*body, nullptr, false) : json();
  return document.is_object() ? cents_at(document, member).value_or(0) : 0;
}

/// Rejects a soft limit above the hard limit, with both amounts; the service's error has neither.
Result<void> check_hard_limit(Session& session, ApiClient& client, request::Request& request,
                              std::int64_t wanted) {
  SVC_CHECK(complete_address(session, request));
  SVC_TRY(reply, client.call(request));
  const auto hard = cents_at(parse_reply(reply.body), "spendingLimits.effectiveHardSl");
  if (!hard || wanted <= *hard) return {};
  return usage_error(fmt::format("a soft limit of {} is above the hard limit of {}; nothing was "
                                 "changed",
                                 format_cents(wanted), format_cents(*hard)),
                     fmt::format("Choose {} or less.", format_cents(*hard)));
}

/// Whether the service returned an existing top-up: another amount, or older than the response.
bool was_pending(const json& reply, const http::HttpHead& head, std::int64_t asked) {
  const auto amount = cents_at(reply, "change.amount");
  if (amount && size_of(*amount) != size_of(asked)) return true;
  constexpr std::int64_t k_leeway_seconds = 30;
  const auto made = parse_rfc3339(text_at(reply, "change.createTime"));
  const auto answered = parse_http_date(head.header("date").value_or(""));
  return made && answered && *made + k_leeway_seconds < *answered;
}

Error explain_top_up(Error error) {
  const bool sent = error.fault == Fault::UnknownOutcome || error.fault == Fault::Network ||
                    error.fault == Fault::Timeout || is_cancellation(error.fault);
  if (sent) {
    error.hint = "The charge may have succeeded: check `svc billing balance` before you try again.";
  }
  return error;
}

/// The error of a top-up that the service gave up.
Result<void> check_top_up(const json& change) {
  const std::string status = text_at(change, "topupStatus");
  if (!status.starts_with("FAILED")) return {};
  const bool declined = status == "FAILED_TO_CHARGE";
  return Error{Fault::RemoteJob,
               declined ? "the payment method was declined; no credit was bought"
                        : fmt::format("the service made no invoice, so no credit was bought ({})",
                                      shown(status)),
               declined ? "`svc billing payment-methods set-default ID` chooses another one." : ""};
}

/// Waits until the invoice of `change` is charged, and updates it from the team's balance.
Result<void> wait_for_charge(Session& session, ApiClient& client, json& change,
                             request::Request& request) {
  const std::string invoice = text_at(change, "invoiceId");
  const auto is_over = [&] { return !text_at(change, "topupStatus").starts_with("TO_"); };
  if (invoice.empty() || is_over()) return {};
  SVC_CHECK(complete_address(session, request));
  session.progress().start("Waiting for the charge");
  return wait_until(session,
                    {.timed_out = "the payment method was not charged",
                     .resume = "`svc billing balance` shows the top-up's status.",
                     .times = {.limit = std::chrono::minutes(1)}},
                    [&]() -> Result<bool> {
                      SVC_TRY(reply, client.call(request));
                      const json balance = parse_reply(reply.body);
                      const json* changes = at(balance, "changes");
                      if (changes == nullptr) return false;
                      for (const json& one : *changes) {
                        if (text_at(one, "invoiceId") == invoice) change = one;
                      }
                      return is_over();
                    });
}

}  // namespace

template <>
Result<void> run<Handler::BillingInvoices>(Session& session) {
  SVC_CHECK(check_chart(session));
  SVC_TRY(body, fetch_answer(session));
  if (!body) return {};
  const bool chart = InvoiceFlags(session.inputs()).is_true<"chart">();
  const bool lines = InvoiceFlags(session.inputs()).is_true<"lines">();
  if (session.format() != Format::Text || (!chart && !lines)) {
    return print_answer(session, *session.invocation().operation, *body);
  }
  const json document = parse_reply(*body);
  const json* invoices = at(document, "invoices");
  if (invoices == nullptr || !invoices->is_array()) return {};  // a team without invoices
  return chart ? draw_months(session, *invoices) : list_lines(session, *invoices);
}

template <>
Result<void> run<Handler::BillingPreview>(Session& session) {
  SVC_CHECK(check_chart(session));
  SVC_TRY(body, fetch_answer(session));
  if (!body) return {};
  const Operation& operation = *session.invocation().operation;
  if (session.format() != Format::Text) return print_answer(session, operation, *body);
  json document = parse_reply(*body);
  if (!document.is_object()) return print_answer(session, operation, *body);
  if (InvoiceFlags(session.inputs()).is_true<"chart">()) return draw_lines(session, document);
  add_totals(document);
  return print::print_sections(session.out(), document,
                               print::sections_of(open_members(operation.answer)),
                               session.globals().verbose);
}

template <>
Result<void> run<Handler::BillingLimitsSet>(Session& session) {
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(look, prepare_other(session, *find_operation("billing", "limits get"), {}));
  SVC_TRY(change, prepare(session, operation, session.invocation().inputs));
  request::Plan plan;
  plan.steps.push_back({.request = std::move(look)});
  plan.steps.push_back(
      {.request = std::move(change), .condition = "unless the new limit is above the hard limit"});
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  request::Request& request = plan.steps.back().request;
  SVC_TRY(client, open_client(session, request));
  SVC_CHECK(check_hard_limit(session, *client, plan.steps.front().request,
                             asked_cents(request, "desiredSoftSpendingLimit")));
  return send(session, *client, request);
}

template <>
Result<void> run<Handler::BillingTopUp>(Session& session) {
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(request, prepare(session, operation, session.invocation().inputs));
  const std::int64_t asked = asked_cents(request, "amount");
  if (asked == 0) {
    return usage_error("--amount must be above zero", "Specify dollars, such as 25.00.");
  }
  request::Plan plan;
  plan.steps.push_back({.request = std::move(request)});
  const bool waits = TopUpFlags(session.inputs()).get<"wait">() != false;
  if (waits) {
    SVC_TRY(look, prepare_other(session, *find_operation("billing", "balance"), {}));
    plan.steps.push_back({.request = std::move(look), .repeats = "until the invoice is charged"});
  }
  plan.question =
      fmt::format("Buy credit for {}? {}", format_cents(asked), plan.steps.front().request.ends);
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  request = std::move(plan.steps.front().request);
  SVC_TRY(client, open_client(session, request));
  session.progress().start("svc billing top-up");
  const Result<CallReply> reply = client->call(request);
  session.progress().finish();
  if (!reply) return explain_top_up(reply.error());
  json document = parse_reply(reply->body);
  if (was_pending(document, reply->head, asked)) {
    session.notices().warning("no new top-up was made: one is already pending and is shown");
  }
  const bool answered = document.is_object() && document.contains("change");
  if (!answered) return print_answer(session, operation, reply->body);
  json& change = document["change"];
  const json before = change;
  Result<void> ended;
  if (waits) ended = wait_for_charge(session, *client, change, plan.steps.back().request);
  SVC_CHECK(
      print_answer(session, operation, change == before ? reply->body : compact_json(document)));
  return ended ? check_top_up(change) : ended;
}

}  // namespace svc::cli
