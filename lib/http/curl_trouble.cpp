#include "http/curl_trouble.h"

#include <algorithm>
#include <array>

namespace svc::http {

namespace {

// libcurl's own cap on one header line ends in one of these: before 8.6, and since (TOO_LARGE).
constexpr std::array k_head_too_large = {CURLE_OUT_OF_MEMORY, static_cast<CURLcode>(100)};

}  // namespace

Trouble trouble_of(CURLcode code, bool in_head) {
  if (in_head && std::ranges::count(k_head_too_large, code) > 0) return Trouble::HeadTooLarge;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return Trouble::NameLookup;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Trouble::ProxyNameLookup;
    case CURLE_COULDNT_CONNECT:
      return Trouble::Connect;
    case CURLE_PROXY:
      return Trouble::Proxy;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
      return Trouble::Handshake;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return Trouble::Certificate;
    case CURLE_PARTIAL_FILE:
      return Trouble::CutShort;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return Trouble::NotHttp;
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
      return Trouble::BadFraming;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2_STREAM:
      return Trouble::Broken;
    default:
      return Trouble::Other;
  }
}

}  // namespace svc::http
