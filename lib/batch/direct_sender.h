// Sends the requests of a bulk run individually instead of in batches: several at a time, at full
// price, with immediate results. Uses the same input, journal and results as batches.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "batch/input.h"
#include "batch/journal.h"
#include "client/api_client.h"
#include "client/rate_limiter.h"
#include "client/usage.h"

namespace svc::batch {

/// How requests are sent.
struct DirectContext {
  ApiClient* client = nullptr;
  request::Request frame{};  ///< the request; its body is replaced by each item's
  Pace pace{};               ///< limits of its model that are known beforehand
  /// Returns an error if the answer's text is not acceptable; may be empty.
  std::function<std::optional<Error>(const std::string& text)> check{};
  /// Called with what an earlier run with the same journal has spent, the cost of its dearest
  /// request, and what those may have cost whose answers were lost, in ticks. May be empty.
  std::function<void(std::int64_t spent, std::int64_t dearest, std::int64_t lost)> resumes{};
  /// Called with the JSON of all responses that may have incurred a cost, or nothing for an
  /// incomplete response. May be empty.
  std::function<void(std::span<const std::optional<std::string>> answers)> paid{};
};

struct DirectOptions {
  std::size_t jobs = 4;  ///< requests in flight
  Budget budget{};
  bool retry = false;  ///< resend requests that were in flight when an earlier run was killed
  const CancelToken* drain = nullptr;  ///< once canceled, nothing more is sent; null: never
};

class DirectSender {
 public:
  /// Called after results have been stored in the journal.
  using OnProgress = std::function<Result<void>(const Totals& totals)>;

  /// References and the API client must outlive it.
  DirectSender(Journal& journal, const Input& input, DirectContext context, DirectOptions options,
               OnProgress on_progress);

  /// Sends everything not sent yet. A request that may have run without a complete response (it was
  /// interrupted, or svc was killed) ends as Outcome::Unknown and is resent only with
  /// DirectOptions::retry or once it is reopened. A response that rejects one request becomes the
  /// result of that request. An error that would affect all others too (no key, no credits, no
  /// network, Ctrl-C, the spending limit) ends the run once the requests in flight have finished,
  /// with everything known stored in the journal. So does DirectOptions::drain, with its fault.
  [[nodiscard]] Result<void> run();

  /// The number of requests that were in flight when an earlier run was killed.
  [[nodiscard]] std::int64_t abandoned() const noexcept { return m_abandoned; }
  /// Why they have no response: "svc ended"; a full disk may leave no room to say more.
  [[nodiscard]] const std::string& ended() const noexcept { return m_ended; }

 private:
  /// A response, or the error received instead.
  struct Answered {
    ResultItem item{};
    std::string json{};
  };

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<std::optional<CallJob>> next();
  [[nodiscard]] std::int64_t spent() const;
  void sending(std::int64_t ordinal, const Reserved& reserved);
  void answered(const ItemLocation& location, Result<CallReply> reply);
  void store(const ItemLocation& location, const Result<CallReply>& reply);
  void release(std::int64_t ordinal, const Result<CallReply>& reply, bool reported);
  void record_paid();
  [[nodiscard]] Result<void> recover_after_power_loss();
  [[nodiscard]] Result<void> count_unreserved();
  [[nodiscard]] Result<std::string> body_of(const ItemLocation& location) const;
  [[nodiscard]] Result<void> settle(bool last);
  [[nodiscard]] Result<void> write_round(bool durable, bool last);
  [[nodiscard]] bool is_recently_synced() const;

  Journal& m_journal;
  const Input& m_input;
  DirectContext m_context;
  DirectOptions m_options;
  OnProgress m_on_progress;
  std::optional<Error> m_error{};  // the first error that ends the run
  Totals m_totals{};
  std::int64_t m_batch = 0;  // the single batch that contains all items in the journal
  std::int64_t m_cursor = 0;
  std::int64_t m_abandoned = 0;
  std::string m_ended{};

  // Written to the journal with the next commit: everything finished since the last one, and
  // everything sent next.
  std::vector<Answered> m_answered{};
  std::vector<std::int64_t> m_started{};   // ordinals
  std::vector<std::int64_t> m_not_sent{};  // ordinals of requests that were not sent after all
  std::vector<std::pair<std::int64_t, std::int64_t>> m_reservations{};  // ordinals, ticks to add
  std::vector<std::optional<std::string>> m_paid{};
  std::map<std::int64_t, Reserved> m_in_flight{};  // by ordinal

  // A commit waits for the disk, which takes longer than a fast service needs to respond. If
  // responses arrive faster than that, most commits do not wait. A durable mark then records up to
  // which item requests may have been sent, in case a power cut loses the latest commits, and
  // results are reported only once they are durable as well.
  std::string m_boot{};  // ID of the current boot of this machine; "" if unknown
  std::int64_t m_mark = 0;
  std::int64_t m_sent_up_to = 0;  // the greatest ordinal of this run
  bool m_unreported = false;      // results were written but not reported yet
  std::chrono::steady_clock::time_point m_synced_at{};
};

/// The body of the request of an item, which the input has made.
[[nodiscard]] Result<std::string> direct_body(std::string_view item);

/// Formats a response as an item of a batch's results, so that one reader handles both.
[[nodiscard]] std::string as_result_item(const std::string& id, const std::string& answer);
/// Formats an error as such an item.
[[nodiscard]] std::string as_result_item(const std::string& id, const Error& error);

}  // namespace svc::batch
