// The part of an exchange that needs nothing of libcurl: what its callbacks do.
#include "http/curl_exchange.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "http/check.h"

namespace svc::http {
namespace {

constexpr int k_max_redirects = 5;

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// What libcurl decodes for us without needing much memory; anything else was not asked for.
bool is_known_coding(std::string_view coding) {
  static constexpr std::array k_known{"", "identity", "gzip", "x-gzip", "deflate"};
  return std::any_of(k_known.begin(), k_known.end(),
                     [&](const char* known) { return equals_ignore_case(coding, known); });
}

constexpr const char* k_between = "Check the address, and any proxy in between.";

}  // namespace

/// The file of the options, else the one that curl's users know how to set; "" for the system's.
std::string Exchange::trusted_certificates() const {
  if (!m_options.ca_file.empty()) return m_options.ca_file;
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string Exchange::clean(std::string_view text) const {
  return visible(mask(excerpt(text, 300), m_secrets), Lines::Escape);
}

void Exchange::trace(std::string_view prefix, std::string_view text) const {
  if (m_options.trace) trace_lines(m_options.trace, prefix, text, m_secrets);
}

bool Exchange::give_up(Error error, bool permanent) {
  if (!m_outcome.error) {
    m_outcome.error = std::move(error);
    m_outcome.permanent = permanent;
  }
  return false;
}

void Exchange::fail(Error error) {
  (void)give_up(std::move(error), false);
}

void Exchange::report() {
  (void)pause();
  if (m_done) m_done(std::move(m_outcome));
}

Result<void> Exchange::prepare_next() {
  m_url = *std::move(m_next);
  m_next.reset();
  ++m_redirects;
  return make_handle();
}

bool Exchange::before_request() {
  // libcurl repeats a request by itself when a connection that it reused breaks before an answer.
  // Only who knows whether it may run twice can decide that: never here, once a byte went out.
  if (m_request_sent) return give_up(describe_failure(Trouble::Broken, context()), false);
  m_may_send = true;
  m_active = Clock::now();
  return true;
}

void Exchange::on_request_bytes(std::string_view bytes, bool head) {
  if (head) trace("> ", bytes);
  if (!m_may_send || bytes.empty()) return;  // a proxy's CONNECT is not the request
  m_request_sent = true;
  m_outcome.sent = true;
  m_active = Clock::now();
}

void Exchange::on_remark(std::string_view text) {
  trace("* ", text);
  if (text.find("REFUSED_STREAM") != std::string_view::npos) {
    // The server says that it did nothing with it (RFC 9113 §8.7).
    m_request_sent = false;
    m_outcome.sent = m_redirects > 0;
  }
  if (text.find("(IN), TLS alert, close notify") != std::string_view::npos)
    m_closed_in_order = true;
  constexpr std::string_view k_proxy = "Uses proxy env variable ";
  if (!text.starts_with(k_proxy)) return;
  const std::size_t begin = text.find('\'');
  const std::size_t end = text.rfind('\'');
  if (begin != std::string_view::npos && end > begin)
    m_proxy = clean(text.substr(begin + 1, end - begin - 1));
}

bool Exchange::ended_unannounced() const {
  const HttpHead& head = m_outcome.head;
  const bool by_closing = head.version.starts_with("1") && !head.header("content-length") &&
                          !head.header("transfer-encoding") && head.status != 204 &&
                          head.status != 304 && m_request.method != "HEAD";
  return m_url.secure() && by_closing && !m_closed_in_order;
}

bool Exchange::on_header_line(std::string_view line) {
  m_active = Clock::now();
  const auto complete = m_head.line(line);
  if (complete) return !*complete || on_final_head();
  Error error = complete.error();
  error.message = fmt::format("{}: {}", shown(m_url.authority(), 120), error.message);
  error.hint = k_between;
  return give_up(std::move(error), true);
}

bool Exchange::on_final_head() {
  m_outcome.head = m_head.head();
  m_outcome.answered = true;
  const HttpHead& head = m_outcome.head;
  const auto location = head.header("location");
  if (location && is_redirect(head.status)) return on_redirect(*location);
  for (const std::string_view coding : split(head.header("content-encoding").value_or(""), ',')) {
    if (!is_known_coding(trim(coding)))
      return give_up(Error{Fault::Network,
                           fmt::format("the answer of {} has the content coding '{}', which "
                                       "was not asked for",
                                       shown(m_url.authority(), 120), shown(trim(coding))),
                           k_between},
                     true);
  }
  auto taken = m_receiver.on_head(head);
  return taken.has_value() || give_up(std::move(taken).error(), true);
}

bool Exchange::on_redirect(std::string_view location) {
  const int status = m_outcome.head.status;
  const auto target = resolve_reference(m_url, location);
  const std::string where = target ? shown(target->authority(), 120) : clean(location);
  const auto refuse = [&](std::string_view why, std::string hint) {
    return give_up(Error{Fault::Network,
                         fmt::format("{} answered {} and points to {}; {}",
                                     shown(m_url.authority(), 120), status, where, why),
                         std::move(hint)},
                   true);
  };
  if (m_request.redirects == Redirects::Refuse)
    return refuse("redirects are not followed, so that the key goes to no other place",
                  "Check the base URL.");
  if (m_request.method != "GET" && m_request.method != "HEAD")
    return refuse("only downloads follow redirects", "Check the address.");
  if (!target || (target->scheme != "https" && target->scheme != "http"))
    return refuse("that is not an address to download from", "Check the address.");
  const bool within = is_loopback_host(m_url.host) && is_loopback_host(target->host);
  if (!target->secure() && !within)
    return refuse("a download is continued over https only", "Check the address.");
  if (is_loopback_host(target->host) && !is_loopback_host(m_url.host))
    return refuse("no other host may send a download to this machine", "Check the address.");
  if (m_redirects >= k_max_redirects)
    return refuse(fmt::format("that is more than {} redirects", k_max_redirects),
                  "Check the address.");
  m_outcome.head = HttpHead{};
  m_outcome.answered = false;
  m_next = *target;
  return false;
}

bool Exchange::on_body(std::string_view bytes) {
  m_body_bytes += bytes.size();
  if (m_request.max_body_bytes > 0 && m_body_bytes > m_request.max_body_bytes)
    return give_up(
        Error{Fault::Network,
              fmt::format("the answer of {} is larger than {}, the most that is read",
                          shown(m_url.authority(), 120), format_bytes(m_request.max_body_bytes))},
        true);
  m_handed_on = true;
  auto taken = m_receiver.on_body(bytes);
  return taken.has_value() || give_up(std::move(taken).error(), true);
}

bool Exchange::pause() {
  if (!std::exchange(m_handed_on, false)) return true;
  m_active = Clock::now();
  auto paused = m_receiver.on_pause();
  return paused.has_value() || give_up(std::move(paused).error(), true);
}

void Exchange::on_progress(std::uint64_t received, std::uint64_t sent, std::uint64_t to_send) {
  if (received != m_received || sent != m_sent) m_active = Clock::now();
  m_received = received;
  if (sent == m_sent) return;
  m_sent = sent;
  m_receiver.on_upload(sent, to_send);
}

Exchange::Clock::time_point Exchange::deadline() const noexcept {
  const Timeouts& limits = m_request.timeouts;
  Clock::time_point first = Clock::time_point::max();
  if (limits.total.count() > 0) first = m_began + limits.total;
  if (limits.idle.count() > 0) first = std::min(first, m_active + limits.idle);
  return first;
}

std::optional<Error> Exchange::overdue(Clock::time_point now) {
  // Until the connection stands, its own limit counts instead of the idle one.
  if (!m_may_send) m_active = now;
  if (now < deadline()) return std::nullopt;
  const Timeouts& limits = m_request.timeouts;
  const bool total = limits.total.count() > 0 && now >= m_began + limits.total;
  return describe_timeout(total ? Limit::Total : Limit::Idle, total ? limits.total : limits.idle,
                          shown(m_url.authority(), 120));
}

}  // namespace svc::http
