#include "client/download.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/url.h"
#include "client/download_part.h"
#include "http/url.h"

namespace svc {
namespace {

/// After this many more bytes, earlier network errors no longer count.
constexpr std::uint64_t k_progress_threshold = 1ULL << 20U;

Error broken(std::string message, std::string hint = "Try again.") {
  return Error{Fault::Network, std::move(message), std::move(hint)};
}

/// Receives the responses of one download, over any number of attempts.
class DownloadTransfer final : public Transfer {
 public:
  DownloadTransfer(Destination& destination, const DownloadOptions& options)
      : m_destination(destination), m_options(options) {}

  void resume_from(const Resumed& resumed) {
    m_received = resumed.bytes;
    m_total = resumed.info.total;
    m_validator = resumed.info.validator;
  }

  void prepare(http::HttpRequest& wire) override {
    m_attempt_bytes = 0;
    m_skip = 0;
    m_range_requested = m_received > 0 && !m_validator.empty();
    if (!m_range_requested) return;
    wire.headers.push_back({"Range", fmt::format("bytes={}-", m_received)});
    wire.headers.push_back({"If-Range", m_validator.text()});
  }

  Result<void> on_head(const http::HttpHead& head) override {
    SVC_CHECK(check_content(head));
    if (head.status == 206) return on_partial_content(head);
    SVC_CHECK(m_destination.open(head));
    const Validator validator = validator_of(head);
    // The same file from its start: the server does not support ranges.
    const bool same = m_received > 0 && !validator.etag.empty() && validator == m_validator;
    if (same) m_skip = m_received;
    if (m_received > 0 && !same) SVC_CHECK(start_over());
    m_validator = validator;
    m_total = length_of(head);
    return check_size(m_total);
  }

  Result<void> on_body(sv bytes) override {
    const std::size_t known = std::min<std::uint64_t>(m_skip, bytes.size());
    m_skip -= known;
    bytes.remove_prefix(known);
    if (bytes.empty()) return {};
    SVC_CHECK(check_max_bytes(m_received + bytes.size()));
    SVC_CHECK(m_destination.write(bytes));
    m_received += bytes.size();
    m_attempt_bytes += bytes.size();
    if (m_options.on_progress) m_options.on_progress(m_received, m_total.value_or(0));
    return {};
  }

  RetryAction on_interrupted(const http::HttpHead* head) override {
    if (head != nullptr && head->status == 416 && m_range_requested) {
      m_validator = {};  // the range does not exist: restart
      return m_destination.can_rewind() ? RetryAction::Restart : RetryAction::No;
    }
    if (m_received > 0 && m_validator.empty() && !m_destination.can_rewind())
      return RetryAction::No;
    return m_attempt_bytes >= k_progress_threshold && !m_validator.empty()
               ? RetryAction::RetryAndReset
               : RetryAction::Retry;
  }

  /// Whether a complete response is the complete file; a server may send less than the requested
  /// range.
  [[nodiscard]] bool is_incomplete() const {
    return m_total && m_received < *m_total && m_attempt_bytes > 0;
  }

  Result<void> finish() const {
    if (m_total && m_received != *m_total) {
      return broken(fmt::format("received {} of {} bytes", m_received, *m_total));
    }
    return check_size(m_received);
  }

  [[nodiscard]] std::uint64_t received() const noexcept { return m_received; }
  /// Whether the server sent something else than the rest that was asked for.
  [[nodiscard]] bool got_wrong_part() const noexcept { return m_wrong_part; }
  [[nodiscard]] ResumeInfo resume_info(std::string source) const {
    return {std::move(source), m_validator, m_total};
  }

 private:
  static Result<void> check_content(const http::HttpHead& head) {
    if (head.status != 200 && head.status != 206) {
      return broken(fmt::format("expected a file, got HTTP status {}", head.status));
    }
    const sv type = trim(head.header("content-type").value_or(""));
    if (contains_ignore_case(type.substr(0, type.find(';')), "text/html")) {
      return broken("expected a file, got an HTML page",
                    "Something between here and the service may have responded; check the URL.");
    }
    return {};
  }

  Result<void> on_partial_content(const http::HttpHead& head) {
    const auto range = parse_content_range(head.header("content-range").value_or(""));
    const bool fits = m_range_requested && range && range->first == m_received &&
                      (!m_total || !range->total || *m_total == *range->total);
    const Validator validator = validator_of(head);
    const bool other =
        !validator.etag.empty() && !m_validator.etag.empty() && validator.etag != m_validator.etag;
    if (!fits || other) {
      m_wrong_part = true;
      return broken(fmt::format("the server did not send the file from byte {}", m_received));
    }
    if (range->total) m_total = range->total;
    return check_size(m_total);
  }

  Result<void> start_over() {
    if (!m_destination.can_rewind()) {
      return broken("the file changed during the download, after part of it was output");
    }
    m_received = 0;
    return m_destination.rewind();
  }

  [[nodiscard]] static std::optional<std::uint64_t> length_of(const http::HttpHead& head) {
    if (head.header("content-encoding")) return std::nullopt;  // the length after encoding
    const auto text = head.header("content-length");
    const auto length = text ? parse_integer(trim(*text)) : std::nullopt;
    return length && *length >= 0 ? std::optional(static_cast<std::uint64_t>(*length))
                                  : std::nullopt;
  }

  [[nodiscard]] Result<void> check_size(std::optional<std::uint64_t> size) const {
    if (size && m_options.expected_bytes && *size != *m_options.expected_bytes) {
      return broken(fmt::format("the file has {} bytes, but {} were expected", *size,
                                *m_options.expected_bytes));
    }
    return size ? check_max_bytes(*size) : Result<void>();
  }

  [[nodiscard]] Result<void> check_max_bytes(std::uint64_t size) const {
    if (m_options.max_bytes == 0 || size <= m_options.max_bytes) return {};
    return broken(
        fmt::format("the file is larger than the limit of {}", format_bytes(m_options.max_bytes)),
        "Download its URL with another tool.");
  }

  Destination& m_destination;
  const DownloadOptions& m_options;
  Validator m_validator{};
  std::optional<std::uint64_t> m_total{};
  std::uint64_t m_received = 0;
  std::uint64_t m_attempt_bytes = 0;  ///< in this attempt
  std::uint64_t m_skip = 0;           ///< bytes of this response that have already been received
  bool m_range_requested = false;     ///< for a range
  bool m_wrong_part = false;
};

/// Ranges refer to the file's own bytes, so the server must not encode them.
http::HttpRequest plain(http::HttpRequest request) {
  std::erase_if(request.headers, [](const Header& header) {
    return equals_ignore_case(header.name, "range") ||
           equals_ignore_case(header.name, "if-range") ||
           equals_ignore_case(header.name, "accept-encoding");
  });
  request.headers.push_back({"Accept-Encoding", "identity"});
  request.max_body_bytes = 0;  // limited by this class
  return request;
}

std::string type_of(const http::HttpHead& head) {
  return std::string(trim(head.header("content-type").value_or("")));
}

/// The requests of one download, over any number of responses.
class DownloadRequests : public Download {
 public:
  DownloadRequests(http::HttpRequest request, Destination& destination, DownloadOptions options)
      : m_request(plain(std::move(request))),
        m_options(std::move(options)),
        m_transfer(destination, m_options) {}

  std::optional<CallJob> next(std::function<void()> done) override {
    if (m_ended) return std::nullopt;
    CallJob job{.transfer = &m_transfer, .wire = m_request};
    job.done = [this, done = std::move(done)](Result<CallReply> reply) {
      if (!reply || !m_transfer.is_incomplete()) m_ended = std::move(reply);
      if (done) done();
    };
    return job;
  }

  Result<Downloaded> finish(const Error& otherwise) override {
    if (!m_ended) return otherwise;
    if (!*m_ended) return m_ended->error();
    SVC_CHECK(m_transfer.finish());
    return Downloaded{{}, m_transfer.received(), type_of((*m_ended)->head), false};
  }

 protected:
  [[nodiscard]] DownloadTransfer& transfer() noexcept { return m_transfer; }

 private:
  http::HttpRequest m_request;
  DownloadOptions m_options;
  DownloadTransfer m_transfer;
  std::optional<Result<CallReply>> m_ended{};
};

/// A base class, so that it is constructed before the one that refers to it.
struct FileTarget {
  explicit FileTarget(DownloadTarget given) : target(std::move(given)), destination(target) {}
  DownloadTarget target;
  FileDestination destination;
};

class FileDownload final : private FileTarget, public DownloadRequests {
 public:
  FileDownload(http::HttpRequest request, DownloadTarget given, DownloadOptions options)
      : FileTarget(std::move(given)),
        DownloadRequests(request, destination, std::move(options)),
        m_source(source_of(request.url)) {}

  Result<void> prepare() {
    SVC_CHECK(destination.prepare());
    const auto earlier = destination.file() != nullptr
                             ? adopt_partial(*destination.file(), m_source)
                             : std::optional<Resumed>();
    if (!earlier) return {};
    transfer().resume_from(*earlier);
    m_resumed = true;
    return {};
  }

  Result<Downloaded> finish(const Error& otherwise) override {
    auto done = DownloadRequests::finish(otherwise);
    if (!done) return save_for_resume(std::move(done).error());
    SVC_CHECK(destination.file()->commit());
    done->path = destination.file()->path();
    done->resumed = m_resumed;
    return done;
  }

 private:
  /// Saves the partial file of a failed run and mentions it in the error.
  Error save_for_resume(Error error) {
    const bool can_resume = is_cancellation(error.fault) || error.fault == Fault::Network ||
                            error.fault == Fault::Timeout ||
                            (error.fault == Fault::Service && error.http_status >= 500) ||
                            error.fault == Fault::Limited;
    if (!can_resume || destination.file() == nullptr || transfer().received() == 0) return error;
    const std::string kept =
        save_partial_download(*destination.file(), transfer().resume_info(m_source));
    if (kept.empty()) return error;
    error.hint =
        fmt::format("The first {} are in {}; rerun the command to resume from there{}.",
                    format_bytes(transfer().received()), quote_path(kept),
                    transfer().got_wrong_part() ? ", or delete that file to start over" : "");
    return error;
  }

  std::string m_source;
  bool m_resumed = false;
};

Result<Downloaded> wait_for(ApiClient& client, Download& download) {
  const Result<void> ran = client.call_many(1, [&] { return download.next({}); });
  return download.finish(ran ? Error{Fault::Unexpected, "a download without an end"} : ran.error());
}

/// Reads a token or an unescaped quoted string; `rest` then has the next semicolon outside of it.
std::string take_value(sv& rest) {
  rest = trim(rest);
  if (!rest.starts_with('"')) return std::string(trim(rest.substr(0, rest.find(';'))));
  std::string value;
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    value += rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return value;
}

/// Decodes `UTF-8''a%20b` (RFC 8187); "" for another character set.
std::string extended(sv value) {
  const std::size_t first = value.find('\'');
  const std::size_t second = first == sv::npos ? first : value.find('\'', first + 1);
  if (second == sv::npos || !equals_ignore_case(value.substr(0, first), "utf-8")) return {};
  return percent_decode(value.substr(second + 1));
}

}  // namespace

Result<http::HttpRequest> media_request(const std::string& url, std::string_view referrer,
                                        const CallPolicy& policy) {
  const Fault fault = referrer.empty() ? Fault::Usage : Fault::Network;
  const auto read = http::parse_url(url);
  if (!read) return Error{fault, read.error().message, read.error().hint};
  const bool here = http::is_loopback_host(read->host);
  const bool foreign = here && !referrer.empty() && !http::is_loopback(referrer);
  if (foreign || (read->scheme != "https" && !(read->scheme == "http" && here))) {
    return Error{fault,
                 fmt::format("{} is not an https URL to download from", shown(source_of(url)))};
  }
  http::HttpRequest request;
  request.url = url;
  request.headers.push_back({"Accept", "*/*"});
  request.timeouts = policy.timeouts;
  request.redirects = http::Redirects::FollowWithoutCredentials;
  return request;
}

Result<std::unique_ptr<Download>> Download::open(http::HttpRequest request, DownloadTarget target,
                                                 DownloadOptions options) {
  auto made =
      std::make_unique<FileDownload>(std::move(request), std::move(target), std::move(options));
  SVC_CHECK(made->prepare());
  return std::unique_ptr<Download>(std::move(made));
}

Result<Downloaded> download(ApiClient& client, const http::HttpRequest& request,
                            const DownloadTarget& target, const DownloadOptions& options) {
  SVC_TRY(made, Download::open(request, target, options));
  return wait_for(client, *made);
}

Result<Downloaded> download(ApiClient& client, const http::HttpRequest& request,
                            const std::function<Result<void>(std::string_view bytes)>& sink,
                            const DownloadOptions& options) {
  SinkDestination destination(sink);
  DownloadRequests answers(request, destination, options);
  return wait_for(client, answers);
}

std::string disposition_name(const http::HttpHead& head) {
  sv rest = head.header("content-disposition").value_or("");
  std::string plain;
  std::string wide;
  while (true) {
    const std::size_t semicolon = rest.find(';');
    if (semicolon == sv::npos) break;
    rest.remove_prefix(semicolon + 1);
    const std::size_t equals = rest.find_first_of("=;");
    if (equals == sv::npos) break;
    if (rest[equals] == ';') continue;
    const std::string name = to_lower(trim(rest.substr(0, equals)));
    rest.remove_prefix(equals + 1);
    std::string value = take_value(rest);
    if (name == "filename" && plain.empty()) {
      plain = std::move(value);
    } else if (name == "filename*" && wide.empty()) {
      wide = extended(value);
    }
  }
  return wide.empty() ? plain : wide;
}

std::string name_in_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t host = url.find("://");
  if (host != sv::npos) url.remove_prefix(host + 3);
  const std::size_t slash = url.rfind('/');
  return slash == sv::npos ? std::string() : percent_decode(url.substr(slash + 1));
}

}  // namespace svc
