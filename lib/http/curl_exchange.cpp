#include "http/curl_exchange.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/files.h"
#include "base/platform.h"
#include "base/text.h"
#include "http/check.h"
#include "http/curl_library.h"
#include "http/failure.h"
#include "http/system_trust.h"

namespace svc::http {

namespace {

constexpr int k_max_redirects = 5;

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Codings that libcurl decodes for us with little memory; we request no others.
bool is_known_coding(std::string_view coding) {
  static constexpr std::array k_known{"", "identity", "gzip", "x-gzip", "deflate"};
  return std::any_of(k_known.begin(), k_known.end(),
                     [&](const char* known) { return equals_ignore_case(coding, known); });
}

/// The value of an environment variable; null if unset, empty, or not to be used.
const char* environment(const TransportOptions& options, const char* name) {
  const char* value = options.environment ? std::getenv(name) : nullptr;
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// The variable that names the file of trusted certificates; null if neither is set.
const char* trust_variable(const TransportOptions& options) {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (environment(options, name) != nullptr) return name;
  }
  return nullptr;
}

constexpr const char* k_trust_directory = "SSL_CERT_DIR";

constexpr const char* k_url_hint = "Check the URL, and any proxy in between.";

}  // namespace

std::string Exchange::clean(std::string_view text) const {
  return visible(mask(excerpt_message(text), m_secrets), Lines::Escape);
}

void Exchange::trace(std::string_view prefix, std::string_view text) const {
  // A connection opened ahead of its request may be opened in another thread.
  if (m_options.trace && !m_connect_only) trace_lines(m_options.trace, prefix, text, m_secrets);
}

bool Exchange::abort_transfer(Error error, bool permanent) {
  if (!m_outcome.error) {
    m_outcome.error = std::move(error);
    m_outcome.permanent = permanent;
  }
  return false;
}

void Exchange::fail(Error error) {
  (void)abort_transfer(std::move(error), false);
}

void Exchange::report() {
  (void)pause();
  if (m_done) m_done(std::move(m_outcome));
}

bool Exchange::before_request(int local_port) {
  // libcurl retries on its own when a reused connection breaks before a response. Only the caller
  // knows whether that is safe, so never retry here once a byte was sent.
  if (m_request_sent)
    return abort_transfer(describe_failure(FailureKind::Broken, context()), false);
  if (is_stale(local_port)) {
    m_stale = true;
    return false;
  }
  m_connected = true;
  m_last_activity = Clock::now();
  if (m_connect_only) hold_request();
  m_receiver.on_send();
  return true;
}

void Exchange::on_request_bytes(std::string_view bytes, bool head) {
  if (head) trace("> ", bytes);
  if (!m_connected || bytes.empty()) return;  // a proxy's CONNECT is not the request
  m_request_sent = true;
  m_outcome.sent = true;
  m_last_activity = Clock::now();
}

void Exchange::on_info_text(std::string_view text) {
  if (text.starts_with("reached easy.c")) return;  // left over from libcurl's own debugging
  trace("* ", text);
  if (text.find("REFUSED_STREAM") != std::string_view::npos) {
    // The server reports that it did not process the request (RFC 9113 §8.7).
    m_request_sent = false;
    m_outcome.sent = m_redirects > 0;
  }
  if (text.find("(IN), TLS alert, close notify") != std::string_view::npos) m_close_notify = true;
  constexpr std::string_view k_proxy = "Uses proxy env variable ";
  if (!text.starts_with(k_proxy)) return;
  const std::size_t begin = text.find('\'');
  const std::size_t end = text.rfind('\'');
  if (begin != std::string_view::npos && end > begin)
    m_proxy = clean(text.substr(begin + 1, end - begin - 1));
}

bool Exchange::missing_close_notify() const {
  const HttpHead& head = m_outcome.head;
  const bool close_delimited = head.version.starts_with("1") && !head.header("content-length") &&
                               !head.header("transfer-encoding") && head.status != 204 &&
                               head.status != 304 && m_request.method != "HEAD";
  return m_url.secure() && close_delimited && !m_close_notify;
}

bool Exchange::on_header_line(std::string_view line) {
  m_last_activity = Clock::now();
  const auto complete = m_head.line(line);
  if (complete) return !*complete || on_final_head();
  Error error = complete.error();
  error.message = fmt::format("{}: {}", shown(m_url.authority()), error.message);
  error.hint = k_url_hint;
  return abort_transfer(std::move(error), true);
}

bool Exchange::on_final_head() {
  m_outcome.head = m_head.head();
  m_outcome.answered = true;
  const HttpHead& head = m_outcome.head;
  const auto location = head.header("location");
  if (location && is_redirect(head.status)) return on_redirect(*location);
  for (const std::string_view coding : split(head.header("content-encoding").value_or(""), ',')) {
    if (!is_known_coding(trim(coding)))
      return abort_transfer(
          Error{Fault::Network,
                fmt::format("the response from {} has the content coding '{}', which "
                            "svc did not request",
                            shown(m_url.authority()), shown(trim(coding))),
                k_url_hint},
          true);
  }
  auto taken = m_receiver.on_head(head);
  return taken.has_value() || abort_transfer(std::move(taken).error(), true);
}

bool Exchange::on_redirect(std::string_view location) {
  const int status = m_outcome.head.status;
  const auto target = resolve_reference(m_url, location);
  const std::string where = target ? shown(target->authority()) : clean(location);
  const auto refuse = [&](std::string_view why, std::string hint) {
    return abort_transfer(Error{Fault::Network,
                                fmt::format("{} returned {} with a redirect to {}; {}",
                                            shown(m_url.authority()), status, where, why),
                                std::move(hint)},
                          true);
  };
  if (m_request.redirects == Redirects::Refuse)
    return refuse("redirects are not followed, to protect the API key", "Check the base URL.");
  if (m_request.method != "GET" && m_request.method != "HEAD")
    return refuse("only downloads follow redirects", "Check the URL.");
  if (!target || (target->scheme != "https" && target->scheme != "http"))
    return refuse("the redirect target is not a valid download URL", "Check the URL.");
  const bool both_loopback = is_loopback_host(m_url.host) && is_loopback_host(target->host);
  if (!target->secure() && !both_loopback)
    return refuse("downloads follow redirects only to https", "Check the URL.");
  if (is_loopback_host(target->host) && !is_loopback_host(m_url.host))
    return refuse("only a local server may redirect a download to this machine", "Check the URL.");
  if (m_redirects >= k_max_redirects)
    return refuse(fmt::format("the limit of {} redirects was exceeded", k_max_redirects),
                  "Check the URL.");
  m_outcome.head = HttpHead{};
  m_outcome.answered = false;
  m_next = *target;
  return false;
}

bool Exchange::on_body(std::string_view bytes) {
  m_body_bytes += bytes.size();
  if (m_request.max_body_bytes > 0 && m_body_bytes > m_request.max_body_bytes)
    return abort_transfer(
        Error{Fault::Network,
              fmt::format("the response from {} exceeds the limit of {}", shown(m_url.authority()),
                          format_bytes(m_request.max_body_bytes))},
        true);
  m_delivered = true;
  auto taken = m_receiver.on_body(bytes);
  return taken.has_value() || abort_transfer(std::move(taken).error(), true);
}

bool Exchange::pause() {
  if (!std::exchange(m_delivered, false)) return true;
  m_last_activity = Clock::now();
  auto paused = m_receiver.on_pause();
  return paused.has_value() || abort_transfer(std::move(paused).error(), true);
}

void Exchange::on_progress(std::uint64_t received, std::uint64_t sent, std::uint64_t to_send) {
  if (received != m_received || sent != m_sent) m_last_activity = Clock::now();
  m_received = received;
  if (sent == m_sent) return;
  m_sent = sent;
  m_receiver.on_upload(sent, to_send);
}

Exchange::Clock::time_point Exchange::deadline() const noexcept {
  const Timeouts& limits = m_request.timeouts;
  Clock::time_point first = Clock::time_point::max();
  if (limits.total.count() > 0) first = m_started + limits.total;
  if (limits.idle.count() > 0) first = std::min(first, m_last_activity + limits.idle);
  return first;
}

std::optional<Error> Exchange::overdue(Clock::time_point now) {
  // Until the connection is established, the connect timeout applies instead of the idle timeout.
  if (!m_connected) m_last_activity = now;
  if (now < deadline()) return std::nullopt;
  const Timeouts& limits = m_request.timeouts;
  const bool total = limits.total.count() > 0 && now >= m_started + limits.total;
  return describe_timeout(total ? Limit::Total : Limit::Idle, total ? limits.total : limits.idle,
                          shown(m_url.authority()));
}

// The code below uses libcurl; the code above does not.

namespace {

constexpr const char* k_tls_truncated = "TLS connection closed without close_notify";

/// CURLE_TOO_LARGE, since 8.6: libcurl's own limits on a header line and on their number. Before, a
/// header line beyond its limit was CURLE_OUT_OF_MEMORY.
constexpr auto k_too_large = static_cast<CURLcode>(100);

/// Maps libcurl's codes to the causes of a failed request. `in_head`: the head of the response was
/// incomplete.
FailureKind failure_kind(CURLcode code, bool in_head) {
  if (code == k_too_large || (in_head && code == CURLE_OUT_OF_MEMORY)) {
    return FailureKind::HeadTooLarge;
  }
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return FailureKind::NameLookup;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FailureKind::ProxyNameLookup;
    case CURLE_COULDNT_CONNECT:
      return FailureKind::Connect;
    case CURLE_PROXY:
      return FailureKind::Proxy;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
      return FailureKind::Handshake;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return FailureKind::Certificate;
    case CURLE_PARTIAL_FILE:
      return FailureKind::Truncated;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return FailureKind::NotHttp;
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
      return FailureKind::BadFraming;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2_STREAM:
      return FailureKind::Broken;
    default:
      return FailureKind::Other;
  }
}

}  // namespace

namespace {

/// libcurl fills this in at each call, which threads must not do at once.
const curl_version_info_data* libcurl_info() {
  static const curl_version_info_data* const k_info = libcurl().version_info(CURLVERSION_NOW);
  return k_info;
}

/// Whether libcurl finds certificates in `directory` (null: the system's) by the hash of their
/// subject, as OpenSSL does; GnuTLS would read each of its files.
bool looks_up_by_hash(const char* directory) {
  const curl_version_info_data* built = libcurl_info();
  if (built->age < CURLVERSION_SEVENTH || built->ssl_version == nullptr ||
      !std::string_view(built->ssl_version).starts_with("OpenSSL"))
    return false;
  if (directory == nullptr) directory = built->capath;
  return directory != nullptr && has_hashed_names(directory);
}

/// Whether libcurl was built with the path of the system's bundle.
bool has_bundle() {
  const curl_version_info_data* built = libcurl_info();
  return built->age < CURLVERSION_SEVENTH || built->cainfo != nullptr;
}

bool has_paths() {
  return has_bundle() || libcurl_info()->capath != nullptr;
}

/// Where those of the system's certificates are that libcurl does not know.
const SystemTrust& system_trust() {
  static const SystemTrust k_trust =
      libcurl_info()->age < CURLVERSION_SEVENTH
          ? SystemTrust{}
          : trust_beside(libcurl_info()->capath, libcurl_info()->cainfo);
  return k_trust;
}

bool finds_none() {
  return !has_paths() && system_trust().directory.empty() && system_trust().bundle.empty();
}

}  // namespace

/// Frees an object created by libcurl.
template <auto Free, typename Object>
struct CurlDeleter {
  void operator()(Object* made) const noexcept { (libcurl().*Free)(made); }
};

struct Exchange::Handles {
  // Destroyed from the bottom up: the handle first, then what it points to.
  std::unique_ptr<curl_slist, CurlDeleter<&CurlLibrary::slist_free_all, curl_slist>> headers{};
  std::unique_ptr<curl_mime, CurlDeleter<&CurlLibrary::mime_free, curl_mime>> form{};
  std::array<char, CURL_ERROR_SIZE> error_text{};
  std::unique_ptr<CURL, CurlDeleter<&CurlLibrary::easy_cleanup, CURL>> easy{libcurl().easy_init()};

  template <typename Value>
  void set(CURLoption option, Value value) {
    if (libcurl().easy_setopt(easy.get(), option, value) != CURLE_OK) all_set = false;
  }
  void add_header(const std::string& line) {
    curl_slist* longer = libcurl().slist_append(headers.get(), line.c_str());
    if (longer == nullptr) {
      all_set = false;
      return;
    }
    (void)headers.release();
    headers.reset(longer);
  }
  bool all_set = true;
};

/// The functions called by libcurl. Exceptions must not propagate through it, so each one ends the
/// transfer instead.
struct Callbacks {
  /// Any count but that of the bytes given ends the transfer (CURL_WRITEFUNC_ERROR since 7.87).
  static constexpr std::size_t k_refused = 0xFFFFFFFF;

  template <typename Function>
  static bool guarded(Exchange& exchange, const Function& function) noexcept {
    try {
      return function();
    } catch (const std::bad_alloc&) {
      // Short enough to be stored without an allocation.
      return exchange.abort_transfer(Error{Fault::Unexpected, "out of memory"}, true);
    } catch (const std::exception& problem) {
      return exchange.abort_transfer(Error{Fault::Unexpected, problem.what()}, true);
    } catch (...) {
      return exchange.abort_transfer(Error{Fault::Unexpected, "an unknown exception"}, true);
    }
  }

  static std::size_t header(char* data, std::size_t size, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    const std::string_view line(data, size * count);
    return guarded(exchange, [&] { return exchange.on_header_line(line); }) ? line.size()
                                                                            : k_refused;
  }
  static std::size_t body(char* data, std::size_t size, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    const std::string_view bytes(data, size * count);
    return guarded(exchange, [&] { return exchange.on_body(bytes); }) ? bytes.size() : k_refused;
  }
  static std::size_t read(char* buffer, std::size_t size, std::size_t count, void* part) {
    auto& file = *static_cast<Exchange::PartReader*>(part);
    std::size_t given = 0;
    const bool fine = guarded(*file.exchange, [&] {
      auto result = file.reader.read(buffer, size * count);
      if (!result) return file.exchange->abort_transfer(std::move(result).error(), true);
      given = *result;
      return true;
    });
    return fine ? given : CURL_READFUNC_ABORT;
  }
  static int seek(void* part, curl_off_t offset, int origin) {
    auto& file = *static_cast<Exchange::PartReader*>(part);
    const bool fine =
        origin == SEEK_SET && offset >= 0 && file.reader.seek(static_cast<std::uint64_t>(offset));
    return fine ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK;
  }
  static int progress(void* self, curl_off_t /*down_total*/, curl_off_t down, curl_off_t up_total,
                      curl_off_t up) {
    auto& exchange = *static_cast<Exchange*>(self);
    const auto positive = [](curl_off_t n) { return static_cast<std::uint64_t>(n < 0 ? 0 : n); };
    return guarded(exchange,
                   [&] {
                     exchange.on_progress(positive(down), positive(up), positive(up_total));
                     return true;
                   })
               ? 0
               : 1;
  }
  /// Limits unsent data in the system's send buffer, which would accept megabytes that the peer
  /// never reads. Sent bytes then mean that the peer is reading, which the idle timeout and the
  /// progress display rely on.
  static int new_socket(void* self, curl_socket_t socket, curlsocktype /*purpose*/) {
    auto& exchange = *static_cast<Exchange*>(self);
    (void)guarded(exchange, [&] {
      std::vector<int>* sockets = exchange.m_sockets;
      if (sockets != nullptr && std::ranges::count(*sockets, socket) == 0)
        sockets->push_back(socket);
      return true;
    });
    const int most_unsent = 65'536;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most_unsent, sizeof most_unsent);
    return CURL_SOCKOPT_OK;
  }
  static int before_request(void* self, char*, char*, int /*port*/, int local_port) {
    auto& exchange = *static_cast<Exchange*>(self);
    return guarded(exchange, [&] { return exchange.before_request(local_port); })
               ? CURL_PREREQFUNC_OK
               : CURL_PREREQFUNC_ABORT;
  }
  static int wire(CURL* /*easy*/, curl_infotype type, char* data, std::size_t size, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    (void)guarded(exchange, [&] {
      const std::string_view bytes(data, size);
      if (type == CURLINFO_TEXT) exchange.on_info_text(bytes);
      if (type == CURLINFO_HEADER_IN) exchange.trace("< ", bytes);
      if (type == CURLINFO_HEADER_OUT) exchange.on_request_bytes(bytes, true);
      if (type == CURLINFO_DATA_OUT) exchange.on_request_bytes(bytes, false);
      return true;
    });
    return 0;
  }
};

Exchange::Exchange(std::shared_ptr<const HttpRequest> request, Receiver& receiver,
                   Transport::Done done, const TransportOptions& options)
    : m_shared(std::move(request)),
      m_request(*m_shared),
      m_receiver(receiver),
      m_done(std::move(done)),
      m_options(options),
      m_secrets{m_request.bearer},
      m_started(Clock::now()),
      m_last_activity(m_started) {}

Exchange::~Exchange() = default;

void* Exchange::handle() const noexcept {
  return m_handles ? m_handles->easy.get() : nullptr;
}

Result<void> Exchange::prepare_next() {
  if (std::exchange(m_stale, false)) {
    SVC_CHECK(make_handle());
    m_handles->set(CURLOPT_FRESH_CONNECT, 1L);
    return {};
  }
  if (!m_next) return make_handle();
  m_url = *std::move(m_next);
  m_next.reset();
  ++m_redirects;
  return make_handle();
}

/// Whether the connection is a reused one that its peer has closed. libcurl overlooks that if
/// something unread came before the end, as in TLS.
bool Exchange::is_stale(int local_port) const {
  long opened = 1;
  libcurl().easy_getinfo(handle(), CURLINFO_NUM_CONNECTS, &opened);
  if (opened > 0 || m_sockets == nullptr) return false;
  for (const int socket : *m_sockets) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    // The number may belong to another file by now.
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) continue;
    const in_port_t port = address.ss_family == AF_INET6
                               ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                               : reinterpret_cast<const sockaddr_in&>(address).sin_port;
    if (ntohs(port) != local_port) continue;
    return is_closed_by_peer(socket);
  }
  return false;
}

/// libcurl never reuses the connection of a handle that had CONNECT_ONLY set when it connected; set
/// now, it only ends the transfer before its request.
void Exchange::hold_request() {
  m_handles->set(CURLOPT_CONNECT_ONLY, 1L);
}

Result<void> Exchange::prepare() {
  SVC_TRY(url, check_request(m_request));
  m_url = std::move(url);
  m_started = Clock::now();  // time in the queue does not count
  m_last_activity = m_started;
  return make_handle();
}

Result<void> Exchange::make_handle() {
  m_handles = std::make_unique<Handles>();
  if (!m_handles->easy) return Error{Fault::Unexpected, "libcurl cannot create a handle"};
  m_head = HeadReader{};
  m_request_sent = false;
  m_close_notify = false;
  m_connected = false;
  m_files.clear();
  set_callbacks();
  set_network();
  SVC_CHECK(set_body());
  set_headers();
  if (!m_handles->all_set)
    return Error{Fault::Unexpected, "libcurl rejected an option",
                 "Version 7.88 or newer is required."};
  return {};
}

void Exchange::set_callbacks() {
  Handles& curl = *m_handles;
  void* self = this;
  curl.set(CURLOPT_PRIVATE, self);
  curl.set(CURLOPT_ERRORBUFFER, curl.error_text.data());
  curl.set(CURLOPT_HEADERFUNCTION, &Callbacks::header);
  curl.set(CURLOPT_HEADERDATA, self);
  curl.set(CURLOPT_WRITEFUNCTION, &Callbacks::body);
  curl.set(CURLOPT_WRITEDATA, self);
  curl.set(CURLOPT_XFERINFOFUNCTION, &Callbacks::progress);
  curl.set(CURLOPT_XFERINFODATA, self);
  curl.set(CURLOPT_NOPROGRESS, 0L);
  curl.set(CURLOPT_SOCKOPTFUNCTION, &Callbacks::new_socket);
  curl.set(CURLOPT_SOCKOPTDATA, self);
  curl.set(CURLOPT_PREREQFUNCTION, &Callbacks::before_request);
  curl.set(CURLOPT_PREREQDATA, self);
  curl.set(CURLOPT_DEBUGFUNCTION, &Callbacks::wire);
  curl.set(CURLOPT_DEBUGDATA, self);
  // Always on: only the debug function reports when the first byte of the request was sent.
  curl.set(CURLOPT_VERBOSE, 1L);
  curl.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

void Exchange::set_network() {
  Handles& curl = *m_handles;
  curl.set(CURLOPT_URL, m_url.text().c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
  curl.set(CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl.set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  curl.set(CURLOPT_FOLLOWLOCATION, 0L);
  curl.set(CURLOPT_PATH_AS_IS, 1L);  // send the path exactly as shown
  curl.set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  // Without TLS it is HTTP/1.1 either way, but if HTTP/2 is allowed, libcurl 8.22 does not reuse a
  // connection that has not answered yet, as one that was opened ahead.
  curl.set(CURLOPT_HTTP_VERSION,
           static_cast<long>(m_url.secure() ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  if (m_url.secure()) curl.set(CURLOPT_PIPEWAIT, 1L);
  curl.set(CURLOPT_SSL_VERIFYPEER, 1L);
  curl.set(CURLOPT_SSL_VERIFYHOST, 2L);
  curl.set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set_trust();
  if (is_loopback_host(m_url.host)) curl.set(CURLOPT_NOPROXY, "*");
  if (!m_options.environment) curl.set(CURLOPT_PROXY, "");  // libcurl would read the variables
  curl.set(CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl.set(CURLOPT_QUICK_EXIT, 1L);  // a slow name lookup must not delay the exit
#endif
  curl.set(CURLOPT_TCP_KEEPALIVE, 1L);
  curl.set(CURLOPT_BUFFERSIZE, 102'400L);
  const auto connect = std::max<std::int64_t>(1, m_request.timeouts.connect.count());
  curl.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect));
  if (!m_options.user_agent.empty()) curl.set(CURLOPT_USERAGENT, m_options.user_agent.c_str());
  // brotli and zstd may require windows of 128 MB; gzip never more than 32 kB.
  curl.set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
}

/// TransportOptions::ca_file, else the file and directory that curl's environment variables name,
/// else the system's. Parsing the system's bundle takes longer than all the rest of a request, so
/// it is not read unless the certificate that is needed is missing in the directory.
void Exchange::set_trust() {
  Handles& curl = *m_handles;
  const auto set_both = [&](CURLoption server, CURLoption proxy, const char* path) {
    curl.set(server, path);
    curl.set(proxy, path);
  };
  m_by_directory = false;
  const char* variable = trust_variable(m_options);
  const char* file = variable != nullptr ? environment(m_options, variable) : nullptr;
  if (!m_options.ca_file.empty()) file = m_options.ca_file.c_str();
  const char* directory = nullptr;
  if (m_options.ca_file.empty() && environment(m_options, "CURL_CA_BUNDLE") == nullptr)
    directory = environment(m_options, k_trust_directory);
  const SystemTrust& system = system_trust();
  const auto is_useful = [&](const std::string& found) {
    // Beside libcurl's own bundle it is not trusted in addition, but read instead.
    return !has_bundle() || (file == nullptr && !m_read_bundle && looks_up_by_hash(found.c_str()));
  };
  if (directory == nullptr && !system.directory.empty() && is_useful(system.directory))
    directory = system.directory.c_str();
  if (directory != nullptr) set_both(CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH, directory);
  if (file != nullptr) return set_both(CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO, file);
  m_by_directory = !m_read_bundle && looks_up_by_hash(directory);
  if (m_by_directory) return set_both(CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO, nullptr);
  if (!system.bundle.empty()) set_both(CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO, system.bundle.c_str());
}

Result<void> Exchange::set_body() {
  Handles& curl = *m_handles;
  const std::string& method = m_request.method;
  if (const auto* text = std::get_if<std::string>(&m_request.body)) {
    curl.set(CURLOPT_POST, 1L);
    curl.set(CURLOPT_POSTFIELDS, text->data());
    curl.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(text->size()));
  } else if (const auto* parts = std::get_if<std::vector<Part>>(&m_request.body)) {
    SVC_CHECK(set_form(*parts));
  } else if (const auto* source = std::get_if<FileSource>(&m_request.body)) {
    SVC_CHECK(set_streamed_body({*source}));
  } else if (const auto* sections = std::get_if<std::vector<BodySection>>(&m_request.body)) {
    SVC_CHECK(set_streamed_body(*sections));
  } else if (method == "HEAD") {
    curl.set(CURLOPT_NOBODY, 1L);
    return {};
  } else if (method == "POST" || method == "PUT" || method == "PATCH") {
    curl.set(CURLOPT_POST, 1L);
    curl.set(CURLOPT_POSTFIELDS, "");
    curl.set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t{0});
  } else {
    curl.set(CURLOPT_HTTPGET, 1L);
  }
  curl.set(CURLOPT_CUSTOMREQUEST, method.c_str());
  return {};
}

Result<void> Exchange::set_streamed_body(std::vector<BodySection> sections) {
  SVC_TRY(body, open_sections(std::move(sections)));
  Handles& curl = *m_handles;
  curl.set(CURLOPT_POST, 1L);
  curl.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->reader.size()));
  curl.set(CURLOPT_READFUNCTION, &Callbacks::read);
  curl.set(CURLOPT_READDATA, static_cast<void*>(body));
  curl.set(CURLOPT_SEEKFUNCTION, &Callbacks::seek);
  curl.set(CURLOPT_SEEKDATA, static_cast<void*>(body));
  return {};
}

Result<Exchange::PartReader*> Exchange::open_sections(std::vector<BodySection> sections) {
  SVC_TRY(reader, BodyReader::open(std::move(sections)));
  m_files.push_back(std::make_unique<PartReader>(PartReader{this, std::move(reader)}));
  return m_files.back().get();
}

Result<void> Exchange::set_form(const std::vector<Part>& parts) {
  Handles& curl = *m_handles;
  curl.form.reset(libcurl().mime_init(curl.easy.get()));
  for (const Part& part : parts) {
    curl_mimepart* made = libcurl().mime_addpart(curl.form.get());
    CURLcode code = libcurl().mime_name(made, part.name.c_str());
    if (const auto* text = std::get_if<std::string>(&part.content)) {
      if (code == CURLE_OK) code = libcurl().mime_data(made, text->data(), text->size());
    } else {
      const auto& source = std::get<FileSource>(part.content);
      SVC_TRY(file, open_sections({source}));
      if (code == CURLE_OK)
        code = libcurl().mime_data_cb(made, static_cast<curl_off_t>(source.size), &Callbacks::read,
                                      &Callbacks::seek, nullptr, static_cast<void*>(file));
    }
    if (code == CURLE_OK && !part.file_name.empty())
      code = libcurl().mime_filename(made, part.file_name.c_str());
    if (code == CURLE_OK && !part.content_type.empty())
      code = libcurl().mime_type(made, part.content_type.c_str());
    if (code != CURLE_OK) return Error{Fault::Unexpected, "libcurl cannot build the form"};
  }
  curl.set(CURLOPT_MIMEPOST, curl.form.get());
  return {};
}

void Exchange::set_headers() {
  Handles& curl = *m_handles;
  bool has_type = std::holds_alternative<std::vector<Part>>(m_request.body);
  for (const Header& header : m_request.headers) {
    if (m_redirects > 0 && is_credential_header(header.name)) continue;
    has_type = has_type || equals_ignore_case(header.name, "content-type");
    // libcurl reads "Name:" as "remove it" and "Name;" as "send it empty".
    const bool empty = trim(header.value).empty();
    curl.add_header(empty ? header.name + ";" : header.name + ": " + header.value);
  }
  if (m_redirects == 0 && !m_request.bearer.empty())
    curl.add_header("Authorization: Bearer " + m_request.bearer);
  if (!has_type) curl.add_header("Content-Type:");  // not the form type that libcurl would add
  curl.set(CURLOPT_HTTPHEADER, curl.headers.get());
}

bool Exchange::finish(int curl_code) {
  m_read_bundle = m_by_directory && !m_connected && curl_code == CURLE_PEER_FAILED_VERIFICATION;
  if (m_next || m_stale || m_read_bundle) {
    m_handles.reset();
    return true;
  }
  if (!m_outcome.error && curl_code != CURLE_OK) m_outcome.error = failure(curl_code);
  if (!m_outcome.error && !m_outcome.answered)
    m_outcome.error = describe_failure(FailureKind::Broken, context());
  if (!m_outcome.error && missing_close_notify()) {
    FailureContext known = context();
    known.detail = k_tls_truncated;
    m_outcome.error = describe_failure(FailureKind::Truncated, known);
  }
  m_handles.reset();
  m_files.clear();
  return false;
}

FailureContext Exchange::context() const {
  FailureContext known{.authority = visible(m_url.authority(), Lines::Escape),
                       .proxy = m_proxy,
                       .answered = m_outcome.answered};
  const char* directory =
      environment(m_options, k_trust_directory) != nullptr ? k_trust_directory : "";
  const char* variable = trust_variable(m_options);
  known.trust_variable = variable != nullptr ? variable : directory;
  known.trusts_none = known.trust_variable.empty() && m_options.ca_file.empty() && finds_none();
  if (!m_handles) return known;
  long proxy_status = 0;
  libcurl().easy_getinfo(m_handles->easy.get(), CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  known.proxy_status = static_cast<int>(proxy_status);
  known.detail = clean(m_handles->error_text.data());
  return known;
}

Error Exchange::failure(int curl_code) {
  CURL* easy = m_handles->easy.get();
  const auto code = static_cast<CURLcode>(curl_code);
  if (code == CURLE_OPERATION_TIMEDOUT) {
    curl_off_t looked_up = 0;
    libcurl().easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME_T, &looked_up);
    return describe_timeout(looked_up == 0 ? Limit::NameLookup : Limit::Connect,
                            m_request.timeouts.connect, context().authority);
  }
  FailureContext known = context();
  if (known.detail.empty()) known.detail = clean(libcurl().easy_strerror(code));
  long system_code = 0;
  libcurl().easy_getinfo(easy, CURLINFO_OS_ERRNO, &system_code);
  if (code == CURLE_COULDNT_CONNECT && system_code != 0)
    known.detail = std::system_category().message(static_cast<int>(system_code));
  // libcurl reports that it got no socket, or could not read the certificates, but not why.
  if (!m_connected && lacks_descriptors()) {
    return system_error("cannot connect to " + known.authority, EMFILE);
  }
  FailureKind kind = failure_kind(code, m_connected && !m_head.complete());
  // Chunk errors and TLS truncation have the same code as broken connections; only the message
  // distinguishes them.
  if (kind == FailureKind::Broken && contains_ignore_case(known.detail, "chunk"))
    kind = FailureKind::BadFraming;
  const bool below_proxy = !m_proxy.empty() && !m_connected;
  if (!below_proxy && kind == FailureKind::Broken &&
      contains_ignore_case(known.detail, "unexpected eof")) {
    kind = FailureKind::Truncated;
    known.detail = k_tls_truncated;
  }
  if (below_proxy &&
      (known.proxy_status >= 300 || kind == FailureKind::Broken || kind == FailureKind::Connect))
    kind = FailureKind::Proxy;
  m_outcome.permanent = kind == FailureKind::Certificate || kind == FailureKind::NotHttp ||
                        kind == FailureKind::HeadTooLarge ||
                        (kind == FailureKind::Proxy && known.proxy_status == 407);
  return describe_failure(kind, known);
}

}  // namespace svc::http
