// The body of an error response: any bytes must give an error that is safe to print and contains no
// secret.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"
#include "client/api_error.h"
#include "json/document.h"

namespace {

const std::vector<std::string> k_secrets = {"svc-0123456789-secret"};

void check_shown(const std::string& text) {
  if (text.find(k_secrets.front()) != std::string::npos) std::abort();
  if (svc::first_invalid_utf8(text)) std::abort();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
  }
}

void check_error(const svc::Error& error) {
  check_shown(error.message);
  check_shown(error.hint);
  check_shown(error.request_id);
  check_shown(error.code);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr int k_statuses[] = {302, 400, 401, 403, 404, 409, 422, 429, 500, 503};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  svc::http::HttpHead head;
  head.status = k_statuses[data[0] % std::size(k_statuses)];
  const bool json = (data[0] & 0x80U) != 0;
  head.headers.push_back({"content-type", json ? "application/json" : "text/html"});
  head.headers.push_back({"x-request-id", std::string(body.substr(0, 40))});
  check_error(svc::api_error(head, body, k_secrets));
  if (const auto inside = svc::error_in_body(svc::parse_reply(body), k_secrets)) {
    check_error(*inside);
  }
  return 0;
}
