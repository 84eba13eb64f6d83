// The batch operations of the service that the runner needs, as an interface that tests can
// implement.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "batch/result_item.h"
#include "client/api_client.h"

namespace svc::batch {

/// A page of a list. `items` are slices of `body`.
struct Page {
  std::string body{};
  std::vector<std::string_view> items{};
  std::string next{};  ///< "" on the last page

  Page() = default;
  Page(Page&&) = default;
  Page& operator=(Page&&) = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
};

/// Requests to add to a batch: `body` is the complete JSON body. `throttled`: the service delayed
/// the call.
struct Addition {
  std::string batch{};
  std::string body{};
  std::function<void(Result<void> added, bool throttled)> done{};
};
using NextAddition = std::function<std::optional<Addition>()>;

/// Every call may fail. UnknownOutcome, Timeout, Network and 5xx of a call that changes something
/// leave open whether it ran.
class Service {
 public:
  Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  virtual ~Service() = default;

  /// Creates a batch and returns its ID; `input_file_id` may be empty.
  [[nodiscard]] virtual Result<std::string> create(const std::string& name,
                                                   const std::string& input_file_id) = 0;
  /// Adds the requests returned by `next`, which is called again after each response and from time
  /// to time. Ends when `next` returns nothing and nothing is in flight. When canceled, the calls
  /// in flight are done with the cancel token's error, which is then returned. Once `drain` is
  /// canceled, calls that are not in flight are done with its error; null: never.
  [[nodiscard]] virtual Result<void> add_many(const NextAddition& next,
                                              const CancelToken* drain) = 0;
  [[nodiscard]] virtual Result<BatchState> get(const std::string& id) = 0;
  [[nodiscard]] virtual Result<void> cancel(const std::string& id) = 0;
  [[nodiscard]] virtual Result<Page> list(const std::string& token) = 0;
  [[nodiscard]] virtual Result<Page> requests(const std::string& id, const std::string& token) = 0;
  [[nodiscard]] virtual Result<Page> results(const std::string& id, const std::string& token) = 0;
  /// Uploads a JSON Lines file and returns its ID.
  [[nodiscard]] virtual Result<std::string> upload(const std::string& path, std::uint64_t size) = 0;
};

/// The number of results that a page has at most.
inline constexpr std::uint32_t k_result_page = 1000;

/// The requests behind a Service.
class ServiceRequests {
 public:
  ServiceRequests(std::string base_url, std::vector<Header> headers)
      : m_base_url(std::move(base_url)), m_headers(std::move(headers)) {}

  [[nodiscard]] request::Request create(const std::string& name,
                                        const std::string& input_file_id) const;
  [[nodiscard]] request::Request add(const std::string& batch, std::string body) const;
  [[nodiscard]] request::Request get(const std::string& id) const;
  [[nodiscard]] request::Request cancel(const std::string& id) const;
  /// A page of `verb`: list, requests or results.
  [[nodiscard]] request::Request page(std::string_view verb, const std::string& id,
                                      const std::string& token, std::uint32_t size) const;
  /// `content` is a file of requests, or its text.
  [[nodiscard]] request::Request upload(std::variant<std::string, FileSource> content) const;

 private:
  [[nodiscard]] request::Request make(std::string_view verb, const std::string& id,
                                      Payload body = {}, const std::string& query = {}) const;

  std::string m_base_url;
  std::vector<Header> m_headers;
};

/// The service at `base_url`. `client` must outlive it.
[[nodiscard]] std::unique_ptr<Service> make_service(ApiClient& client, std::string base_url,
                                                    std::vector<Header> headers);

/// Whether the error leaves open if the call ran: the response was lost, or the service failed at
/// an unknown point.
[[nodiscard]] bool is_outcome_unknown(const Error& error);

}  // namespace svc::batch
