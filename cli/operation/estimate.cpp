#include "operation/estimate.h"

#include <fmt/format.h>

#include "base/money.h"
#include "base/text.h"
#include "batch/request_line.h"
#include "catalogue/catalogue.h"
#include "client/api_client.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::cli {
namespace {

/// More texts than this are counted together, which may merge tokens at their ends.
constexpr std::size_t k_max_counts = 16;

/// The tokens of the texts, as the service counts them.
Result<std::int64_t> count_exactly(Session& session, const Quote& quote) {
  const Operation& operation = *find_operation("tokenize", "");
  SVC_TRY(client, session.client(operation.host));
  SVC_TRY(base, session.base_url(operation.host));
  std::vector<std::string> texts = quote.texts;
  if (texts.size() > k_max_counts) texts = {join(texts, "\n")};
  std::int64_t tokens = 0;
  for (const std::string& text : texts) {
    request::Request request;
    request.operation = &operation;
    request.method = operation.method;
    request.url = base + std::string(operation.path);
    request.headers = {{"Content-Type", "application/json"}};
    request.body =
        fmt::format(R"({{"text":{},"model":{}}})", json_quote(text), json_quote(quote.model));
    SVC_TRY(reply, client->call(request));
    const auto list = json_member(reply.body, "token_ids");
    if (!list) return Error{Fault::Network, "the service did not count the tokens"};
    tokens += std::ssize(json_elements(*list));
  }
  return tokens;
}

std::string ticks_json(const std::optional<std::int64_t>& ticks) {
  return ticks ? std::to_string(*ticks) : "null";
}

}  // namespace

void Estimate::add(const Quote& quote) {
  ++m_requests;
  m_input.add(quote.input);
  m_output += quote.output;
  m_about = m_about && quote.about ? std::optional(*m_about + *quote.about) : std::nullopt;
  m_most = m_most && quote.most ? std::optional(*m_most + *quote.most) : std::nullopt;
  if (m_unknown.empty()) m_unknown = quote.unknown;
  m_by_quantity = m_by_quantity && quote.by_quantity;
}

/// What everything costs at most.
std::string Estimate::most_text() const {
  return format_cost(*m_most, m_by_quantity ? Rounding::Nearest : Rounding::Up);
}

std::string Estimate::text() const {
  const auto priced = [](const std::optional<std::int64_t>& ticks,
                         Rounding rounding = Rounding::Nearest) {
    return ticks ? fmt::format(", {}", format_cost(*ticks, rounding)) : std::string();
  };
  std::string lines;
  if (m_input.about > 0) {
    const bool exact = m_input.low == m_input.high;
    lines = fmt::format("Input: {}{} tokens{}{}\n", exact ? "" : "about ", m_input.about,
                        exact ? "" : fmt::format(" ({} to {})", m_input.low, m_input.high),
                        priced(m_about));
    const auto output = m_most && m_about ? std::optional(*m_most - *m_about) : std::nullopt;
    if (m_unknown.empty()) {
      lines += fmt::format("Output: at most {} tokens{}\n", m_output, priced(output, Rounding::Up));
    }
  }
  if (!m_unknown.empty()) {
    lines += fmt::format("Cost: at most unknown: {}\n", m_unknown);
  } else if (m_most) {
    lines += fmt::format("Cost: {}{}\n", m_by_quantity ? "" : "at most ", most_text());
  }
  return lines;
}

std::string Estimate::json() const {
  return fmt::format(
      R"({{"requests":{},"input_tokens":{},"input_tokens_low":{},"input_tokens_high":{},)"
      R"("output_tokens_most":{},"input_cost_in_usd_ticks":{},"most_cost_in_usd_ticks":{},)"
      R"("unknown":{}}})",
      m_requests, m_input.about, m_input.low, m_input.high, m_output, ticks_json(m_about),
      ticks_json(m_most), m_unknown.empty() ? "null" : json_quote(m_unknown));
}

std::string Estimate::words() const {
  if (!m_about) return fmt::format("the cost is unknown: {}", m_unknown);
  if (m_by_quantity) return most_text();
  const std::string input = fmt::format("about {} for the input", format_cost(*m_about));
  return m_most ? fmt::format("{}, at most {}", input, most_text())
                : fmt::format("{}; the cost of the output is unknown: {}", input, m_unknown);
}

Result<Quote> quote_with_prices(Session& session, const request::Request& request) {
  const Operation& operation = *request.operation;
  if (!price_list_of(operation).empty()) session.models().load(model_list_of(operation));
  Quote quote = session.quote(operation, request.body);
  if (!session.globals().exact || quote.texts.empty()) return quote;
  SVC_TRY(tokens, count_exactly(session, quote));
  return session.quote(operation, request.body, tokens);
}

Result<void> print_estimate(Session& session, const Estimate& estimate) {
  if (session.format() != Format::Text) return session.write_document(estimate.json());
  return session.write_foreign(estimate.text());
}

void note_estimate(Session& session, const Estimate& estimate) {
  if (!estimate.is_priced()) return;
  session.notices().aside(estimate.text(), fmt::format(R"({{"estimate":{}}})", estimate.json()));
}

Result<Estimate> estimate_bulk(Session& session, const batch::RunOptions& options, bool asks) {
  Estimate estimate;
  SVC_TRY(input, batch::Input::open(options.input, options.reading));
  batch::Item item;
  while (true) {
    SVC_TRY(more, input.next(item));
    if (!more) return estimate;
    if (const auto fault = session.cancel_token().requested()) return canceled(*fault);
    const auto sent = item.errors.empty() ? batch::sent_request(item.json) : std::nullopt;
    if (!sent) continue;
    if (asks) session.models().load(model_list_of(*sent->operation));
    estimate.add(session.quote(*sent->operation, std::string(sent->body)));
  }
}

Result<void> print_bulk_estimate(Session& session, const batch::RunOptions& options) {
  SVC_TRY(estimate, estimate_bulk(session, options, true));
  return print_estimate(session, estimate);
}

}  // namespace svc::cli
