// What requests cost before they are sent: --estimate, --dry-run and the question before bulk work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "batch/runner.h"
#include "client/quote.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// The costs of one or more requests, in ticks.
class Estimate {
 public:
  void add(const Quote& quote);

  /// Whether the prices are known, so that there is something to say.
  [[nodiscard]] bool is_priced() const { return m_requests > 0 && m_about.has_value(); }

  /// Lines for people: the input, the output, everything.
  [[nodiscard]] std::string text() const;
  /// The same as a JSON object on one line.
  [[nodiscard]] std::string json() const;
  /// "about $0.12 for the input, at most $0.40".
  [[nodiscard]] std::string words() const;

 private:
  [[nodiscard]] std::string most_text() const;

  std::int64_t m_requests = 0;
  TokenCount m_input{};
  std::int64_t m_output = 0;
  std::optional<std::int64_t> m_about = 0;  ///< for the input; empty: no price
  std::optional<std::int64_t> m_most = 0;
  std::string m_unknown{};
  bool m_by_quantity = true;
};

/// What a request costs, with prices from the service, and with --estimate-exact the tokens as the
/// service counts them.
[[nodiscard]] Result<Quote> quote_with_prices(Session& session, const request::Request& request);

/// --estimate: prints what everything costs.
[[nodiscard]] Result<void> print_estimate(Session& session, const Estimate& estimate);

/// --dry-run: prints the same to standard error, if the prices are on this machine.
void note_estimate(Session& session, const Estimate& estimate);

/// What all requests of a bulk run's input cost. Unless it `asks` the service for prices, only
/// those on this machine are used.
[[nodiscard]] Result<Estimate> estimate_bulk(Session& session, const batch::RunOptions& options,
                                             bool asks);
/// --estimate of a bulk run.
[[nodiscard]] Result<void> print_bulk_estimate(Session& session, const batch::RunOptions& options);

}  // namespace svc::cli
