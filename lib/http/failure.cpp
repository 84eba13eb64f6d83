#include "http/failure.h"

#include <fmt/format.h>

#include "base/text.h"

namespace svc::http {
namespace {

Error network(std::string message, std::string hint = {}) {
  return Error{Fault::Network, std::move(message), std::move(hint)};
}

/// An error that may pass by itself.
Error passing(Fault fault, std::string message, std::string hint = "Try again.") {
  return Error{.fault = fault,
               .message = std::move(message),
               .hint = std::move(hint),
               .cause = Cause::Passing};
}

std::string in_parentheses(const std::string& detail) {
  return detail.empty() ? std::string() : fmt::format(" ({})", detail);
}

Error describe_proxy(const FailureContext& context) {
  const std::string name = context.proxy.empty() ? "the proxy" : "the proxy " + context.proxy;
  if (context.proxy_status == 407)
    return network(fmt::format("{} did not connect to {}: it requires a user name and password, or "
                               "rejected the given ones (407)",
                               name, context.authority),
                   "Set https_proxy to http://USER:PASSWORD@HOST:PORT.");
  if (context.proxy_status >= 300)
    return network(fmt::format("{} refused to connect to {} ({})", name, context.authority,
                               context.proxy_status),
                   "Check https_proxy and no_proxy.");
  return network(fmt::format("{} did not connect to {}{}", name, context.authority,
                             in_parentheses(context.detail)),
                 "Check https_proxy and no_proxy.");
}

}  // namespace

Error describe_failure(FailureKind kind, const FailureContext& context) {
  const std::string& peer = context.authority;
  const std::string detail = in_parentheses(context.detail);
  switch (kind) {
    case FailureKind::NameLookup:
      return network(fmt::format("cannot resolve the host of {}{}", peer, detail),
                     "Check the URL and the network.");
    case FailureKind::ProxyNameLookup:
      return network(fmt::format("cannot resolve the host of the proxy {}", context.proxy),
                     "Check https_proxy and no_proxy.");
    case FailureKind::Connect:
      return network(fmt::format("cannot connect to {}{}", peer, detail),
                     "Check the URL and the network.");
    case FailureKind::Handshake:
      return network(fmt::format("TLS handshake with {} failed{}", peer, detail),
                     "The key was not sent; the server must support TLS 1.2 or newer.");
    case FailureKind::Certificate:
      if (context.trusts_none)
        return network(
            fmt::format("cannot verify the certificate of {}: this system has no trusted "
                        "certificates where svc looks",
                        peer),
            "The key was not sent. Install the package ca-certificates, or name a file of "
            "certificates in SSL_CERT_FILE.");
      return network(
          fmt::format("the certificate of {} is not trusted{}", peer, detail),
          fmt::format(
              "The key was not sent. Check the URL and this machine's clock; {} "
              "can add trusted certificates.",
              context.trust_variable.empty()
                  ? "SSL_CERT_FILE"
                  : fmt::format("the {} that {} names",
                                context.trust_variable.ends_with("_DIR") ? "directory" : "file",
                                context.trust_variable)));
    case FailureKind::Proxy:
      return describe_proxy(context);
    case FailureKind::Broken:
      return passing(Fault::Network,
                     context.answered
                         ? fmt::format("connection to {} lost during the response{}", peer, detail)
                         : fmt::format("empty response from {}{}", peer, detail),
                     "Try again; if it persists, check the network.");
    case FailureKind::Truncated:
      return passing(Fault::Network,
                     fmt::format("the response from {} ended early{}", peer, detail));
    case FailureKind::NotHttp:
      return network(fmt::format("{} is not an HTTP server{}", peer, detail),
                     "Check the URL and the port.");
    case FailureKind::BadFraming:
      return network(fmt::format("malformed response from {}{}", peer, detail),
                     "Check the URL, and any proxy in between.");
    case FailureKind::HeadTooLarge:
      return network(fmt::format("the response headers from {} are too large", peer),
                     "Check the URL, and any proxy in between.");
    case FailureKind::Other:
      break;
  }
  return passing(Fault::Network, fmt::format("the request to {} failed{}", peer, detail));
}

Error describe_timeout(Limit limit, std::chrono::milliseconds time, const std::string& authority) {
  const std::string span = format_duration(time);
  switch (limit) {
    case Limit::NameLookup:
      return network(fmt::format("resolving the host of {} timed out after {}", authority, span),
                     "Check the URL and the network.");
    case Limit::Connect:
      return Error{Fault::Timeout,
                   fmt::format("connecting to {} timed out after {}", authority, span),
                   "Check the network, or raise --connect-timeout."};
    case Limit::Total:
      return Error{Fault::Timeout, fmt::format("request to {} timed out after {}", authority, span),
                   "Raise --timeout."};
    case Limit::Idle:
      break;
  }
  return passing(Fault::Timeout, fmt::format("no data to or from {} for {}", authority, span),
                 "Try again; the service or the network stalled.");
}

}  // namespace svc::http
