// One HTTP request over libcurl: its options, callbacks and outcome. Internal to lib/http; its
// interface uses none of libcurl's types.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/body_reader.h"
#include "http/failure.h"
#include "http/head.h"
#include "http/trace.h"
#include "http/transport.h"
#include "http/url.h"

namespace svc::http {

/// For a connection without a request.
struct NullReceiver final : Receiver {
  Result<void> on_head(const HttpHead& /*head*/) override { return {}; }
  Result<void> on_body(std::string_view /*bytes*/) override { return {}; }
};

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  /// The request is shared, not copied: its body may be large.
  Exchange(std::shared_ptr<const HttpRequest> request, Receiver& receiver, Transport::Done done,
           const TransportOptions& options);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  /// Lists the sockets opened, to find a connection that its peer has closed. Call before
  /// prepare(); `sockets` must outlive the connections.
  void track(std::vector<int>& sockets) noexcept { m_sockets = &sockets; }

  /// Only the connection is opened: no byte of the request is sent. Call before prepare().
  void connect_only() noexcept { m_connect_only = true; }

  /// Checks the request and creates the handle. After an error the exchange is over and nothing was
  /// sent.
  [[nodiscard]] Result<void> prepare();

  /// Whether this exchange was started for this very request object.
  [[nodiscard]] bool is_for(const HttpRequest& request) const noexcept {
    return &m_request == &request;
  }

  [[nodiscard]] bool answered_by_http2() const noexcept {
    return m_outcome.head.version.starts_with('2');
  }

  /// The CURL handle created by prepare().
  [[nodiscard]] void* handle() const noexcept;

  /// Calls Receiver::on_pause() if the receiver got data since the last call. Returns false if that
  /// ended the exchange.
  [[nodiscard]] bool pause();

  /// Processes libcurl's result for the handle. Returns true if a redirect is to be followed,
  /// another connection is needed, or the server's certificate is to be compared with the whole
  /// bundle: the handle is then closed, and prepare_next() creates another.
  [[nodiscard]] bool finish(int curl_code);
  [[nodiscard]] Result<void> prepare_next();

  /// Ends the exchange with `error`, unless a more specific error is already known.
  void fail(Error error);

  /// The error of the time limit that has expired by `now`, if any.
  [[nodiscard]] std::optional<Error> overdue(Clock::time_point now);
  /// When overdue() must be called next. It never moves earlier.
  [[nodiscard]] Clock::time_point deadline() const noexcept;

  /// Reports the outcome to the caller who started the exchange.
  void report();

 private:
  friend struct Callbacks;
  struct Handles;
  struct PartReader {
    Exchange* exchange;
    BodyReader reader;
  };

  [[nodiscard]] Result<void> make_handle();
  [[nodiscard]] Result<void> set_body();
  [[nodiscard]] Result<void> set_form(const std::vector<Part>& parts);
  [[nodiscard]] Result<void> set_streamed_body(std::vector<BodySection> sections);
  [[nodiscard]] Result<PartReader*> open_sections(std::vector<BodySection> sections);
  void set_callbacks();
  void set_headers();
  void set_network();

  // Called by the libcurl callbacks; false ends the transfer.
  [[nodiscard]] bool on_header_line(std::string_view line);
  [[nodiscard]] bool on_final_head();
  [[nodiscard]] bool on_redirect(std::string_view location);
  /// A response delimited by the end of its connection is complete only if TLS was closed properly
  /// (RFC 9112 §9.8), which libcurl does not check.
  [[nodiscard]] bool missing_close_notify() const;
  [[nodiscard]] bool on_body(std::string_view bytes);
  [[nodiscard]] bool before_request(int local_port);
  [[nodiscard]] bool is_stale(int local_port) const;
  void hold_request();
  void on_info_text(std::string_view text);
  void on_request_bytes(std::string_view bytes, bool head);
  void trace(std::string_view prefix, std::string_view text) const;
  void on_progress(std::uint64_t received, std::uint64_t sent, std::uint64_t to_send);
  [[nodiscard]] bool abort_transfer(Error error, bool permanent);

  [[nodiscard]] Error failure(int curl_code);
  [[nodiscard]] FailureContext context() const;
  void set_trust();
  [[nodiscard]] std::string clean(std::string_view text) const;

  std::shared_ptr<const HttpRequest> m_shared;
  const HttpRequest& m_request;
  Receiver& m_receiver;
  Transport::Done m_done;
  const TransportOptions& m_options;
  Url m_url{};
  Secrets m_secrets{};
  std::unique_ptr<Handles> m_handles;
  std::vector<std::unique_ptr<PartReader>> m_files{};

  HeadReader m_head{};
  Outcome m_outcome{};
  std::optional<Url> m_next{};  ///< the target of a redirect
  int m_redirects = 0;          ///< followed so far; after the first, no credentials are sent
  bool m_connect_only = false;
  std::vector<int>* m_sockets = nullptr;
  bool m_stale = false;         ///< the peer had closed the connection: nothing was sent
  bool m_by_directory = false;  ///< certificates are only looked up by hash
  bool m_read_bundle = false;   ///< a certificate was not found that way
  bool m_request_sent = false;  ///< at least one byte, on this hop
  bool m_delivered = false;     ///< body data was delivered since the last on_pause()
  bool m_connected = false;     ///< the connection is established: what is sent now is the
                                ///< request
  bool m_close_notify = false;  ///< the peer sent close_notify
  std::string m_proxy{};
  std::uint64_t m_body_bytes = 0;

  std::uint64_t m_received = 0;
  std::uint64_t m_sent = 0;
  Clock::time_point m_started;
  Clock::time_point m_last_activity;  ///< when data was last sent or received
};

}  // namespace svc::http
