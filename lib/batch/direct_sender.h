// The requests of a bulk run made one by one instead of in batches: several at a time, at the full
// price, with the answers at once. Same input, journal and results as in batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "batch/input.h"
#include "batch/journal.h"
#include "client/api_client.h"
#include "client/budget.h"

namespace svc::batch {

/// What sends the requests.
struct DirectWay {
  ApiClient* client = nullptr;
  request::Request frame{};  ///< the request with any body; each item's takes its place
  /// Why the text of an answer is not what was asked for; may be empty.
  std::function<std::optional<Error>(const std::string& text)> check{};
  /// Told of every answer that may have cost something: its JSON, or null where it did not arrive
  /// whole. May be empty.
  std::function<void(const std::string* answer)> paid{};
};

struct DirectOptions {
  std::size_t jobs = 4;  ///< at a time
  Budget budget{};
  bool retry = false;  ///< what was awaited when an earlier run was killed is sent again
};

class DirectSender {
 public:
  /// After each result that is in the journal.
  using Tell = std::function<Result<void>(const Totals& totals)>;

  /// References and the caller must outlive it.
  DirectSender(Journal& journal, const Input& input, DirectWay way, DirectOptions options,
               Tell tell);

  /// Sends everything that was not sent yet. What may have run without a whole answer (it broke, or
  /// svc was killed meanwhile) ends as Outcome::Unknown and is sent again only by
  /// DirectOptions::retry, or once it is reopened. An
  /// answer that refuses one request is that request's result. What would meet every other one too
  /// (no key, no credits, no network, Ctrl-C, the spending limit) ends the run once what is under
  /// way is answered, with everything known in the journal.
  [[nodiscard]] Result<void> run();

  /// Requests whose answers were awaited when an earlier run was killed.
  [[nodiscard]] std::int64_t abandoned() const noexcept { return m_abandoned; }

 private:
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<std::optional<CallJob>> next();
  [[nodiscard]] Result<void> may_spend() const;
  [[nodiscard]] Result<void> sending(std::int64_t ordinal);
  [[nodiscard]] Result<void> answered(const ItemPlace& place, Result<CallReply> reply);
  void record(const std::string* answer) const;
  [[nodiscard]] Result<void> keep(const std::string& id, const Result<CallReply>& reply);
  [[nodiscard]] ResultItem read_reply(const std::string& json,
                                      const Result<CallReply>& reply) const;

  Journal& m_journal;
  const Input& m_input;
  DirectWay m_way;
  DirectOptions m_options;
  Tell m_tell;
  std::optional<Error> m_error{};  // the first that ends the run
  Totals m_totals{};
  std::int64_t m_batch = 0;  // the journal's, which stands for all of them
  std::int64_t m_cursor = 0;
  std::int64_t m_under_way = 0;
  std::int64_t m_abandoned = 0;
};

/// An answer as an item of a batch's results, so that one reader does for both.
[[nodiscard]] std::string as_result_item(const std::string& id, const std::string& answer);
/// A failure as such an item.
[[nodiscard]] std::string as_result_item(const std::string& id, const Error& error);

}  // namespace svc::batch
