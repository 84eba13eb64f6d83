// The requests of a bulk run made one by one instead of in batches: several at a time, at the full
// price, with the answers at once. Same input, journal and results as in batches.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/input.h"
#include "batch/journal.h"
#include "client/api_client.h"
#include "client/usage.h"

namespace svc::batch {

/// What sends the requests.
struct DirectWay {
  ApiClient* client = nullptr;
  request::Request frame{};  ///< the request with any body; each item's takes its place
  /// Why the text of an answer is not what was asked for; may be empty.
  std::function<std::optional<Error>(const std::string& text)> check{};
  /// Told of all answers that may have cost something: their JSON, or nothing where one did not
  /// arrive whole. May be empty.
  std::function<void(std::span<const std::optional<std::string>> answers)> paid{};
};

struct DirectOptions {
  std::size_t jobs = 4;  ///< at a time
  Budget budget{};
  bool retry = false;  ///< what was awaited when an earlier run was killed is sent again
};

class DirectSender {
 public:
  /// After results that are in the journal.
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
  /// An answer, or what became of its request instead.
  struct Answered {
    ResultItem item{};
    std::string json{};
  };

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<std::optional<CallJob>> next();
  [[nodiscard]] Result<void> may_spend() const;
  void answered(const ItemPlace& place, Result<CallReply> reply);
  void keep(const std::string& id, const Result<CallReply>& reply);
  void record_paid();
  [[nodiscard]] Result<void> doubt_after_power_cut();
  [[nodiscard]] Result<void> settle(bool last);
  [[nodiscard]] Result<void> write_round(bool durable, bool last);
  [[nodiscard]] bool is_quick() const;
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

  // What the journal learns with the next commit: all that was answered since the last one, and all
  // that is sent next.
  std::vector<Answered> m_answered{};
  std::vector<std::int64_t> m_begun{};     // ordinals
  std::vector<std::int64_t> m_not_sent{};  // after all
  std::vector<std::optional<std::string>> m_paid{};

  // A commit waits for the disk, which is slower than a quick service's answers. While they come
  // faster than that, most commits do not wait: a mark that is on the disk says up to where
  // requests may have been sent, should a power cut take the newest commits, and results are told
  // once they are safe from that too.
  std::string m_boot{};  // of this machine, whose page cache keeps what was written; "" not known
  std::int64_t m_mark = 0;
  std::int64_t m_sent_up_to = 0;  // the greatest ordinal of this run
  bool m_untold = false;          // results are written that were not told
  std::chrono::steady_clock::time_point m_waited_at{};
};

/// An answer as an item of a batch's results, so that one reader does for both.
[[nodiscard]] std::string as_result_item(const std::string& id, const std::string& answer);
/// A failure as such an item.
[[nodiscard]] std::string as_result_item(const std::string& id, const Error& error);

}  // namespace svc::batch
