#include "emulator/server/response_head.h"

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include "base/clock.h"

namespace svc::emulator {
namespace {

void add_header(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  // The value may echo part of a request, which must not inject a header.
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') head += c;
  }
  head += "\r\n";
}

}  // namespace

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

std::string serialize_head(const Response& response, const ResponseMode& mode) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status,
                                 std::string_view(reason.data(), reason.size()));
  add_header(head, "Date", format_http_date(mode.now_s));
  add_header(head, "Server", "svc-emulator");
  for (const Header& header : response.headers) add_header(head, header.name, header.value);
  const bool bodiless = has_no_body(response.status);
  if (!bodiless && !response.content_type.empty()) {
    add_header(head, "Content-Type", response.content_type);
  }
  if (response.next) {
    if (find_header(response.headers, "Cache-Control") == nullptr) {
      add_header(head, "Cache-Control", "no-cache");
    }
    if (!mode.http_10) add_header(head, "Transfer-Encoding", "chunked");
  } else if (!bodiless) {
    add_header(head, "Content-Length", std::to_string(response.body.size()));
  }
  if (!mode.keep_alive) {
    add_header(head, "Connection", "close");
  } else if (mode.http_10) {
    add_header(head, "Connection", "keep-alive");
  }
  head += "\r\n";
  return head;
}

}  // namespace svc::emulator
