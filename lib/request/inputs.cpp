#include "request/inputs.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "catalogue/shared_fields.h"
#include "request/convert.h"
#include "request/flags.h"

namespace svc::request {
namespace {

constexpr std::uint64_t k_default_limit = 100;

bool is_variable_name(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

Result<Header> read_header(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    return usage_error(fmt::format("--header must be 'NAME: VALUE', not '{}'", shown(text)));
  }
  Header header{std::string(trim(std::string_view(text).substr(0, colon))),
                std::string(trim(std::string_view(text).substr(colon + 1)))};
  if (equals_ignore_case(header.name, "authorization")) {
    return usage_error("--header cannot carry the key: other local users could read it",
                       "Set SVC_API_KEY, or run `svc auth login`.");
  }
  if (visible(header.value, Lines::Escape) != header.value || first_invalid_utf8(header.value)) {
    return usage_error(fmt::format("--header {}: the value contains control characters",
                                   visible(header.name, Lines::Escape)));
  }
  return header;
}

Result<bool> wants_stdin(const Operation& operation, const Inputs& inputs) {
  int wanted = inputs.body && *inputs.body == "-" ? 1 : 0;
  int buffered = 0;  // buffered in a file, or one line, instead of being read into memory
  for (const Given& given : inputs.given) {
    const bool accepts_dash =
        given.field->kind == Kind::Media || (given.field->positional && given.field->file_text);
    if (accepts_dash && given.is_stdin()) ++wanted;
    const bool file = given.field->kind == Kind::File && given.field->in != In::Local;
    const bool is_buffered = file || given.field->kind == Kind::Secret;
    if (is_buffered && given.is_stdin()) ++buffered;
  }
  if (wanted + buffered > 1) return usage_error("standard input (-) can only be used once");
  // A line with a secret is not part of a prompt.
  return wanted > 0 || (buffered == 0 && operation.composer != Composer::None &&
                        operation.composer != Composer::Collection);
}

std::optional<Given> last_given(const Inputs& inputs, sv flag) {
  std::optional<Given> found;
  for (const Given& given : inputs.given) {
    if (given.field->flag == flag) found = given;
  }
  return found;
}

std::vector<Given> all_given(const Inputs& inputs, sv flag) {
  std::vector<Given> found;
  std::ranges::copy_if(inputs.given, std::back_inserter(found),
                       [&](const Given& given) { return given.field->flag == flag; });
  return found;
}

std::optional<std::string> text_given(const Inputs& inputs, sv flag) {
  auto found = last_given(inputs, flag);
  return found ? std::optional(std::move(found->text)) : std::nullopt;
}

std::vector<std::string> texts_given(const Inputs& inputs, sv flag) {
  std::vector<std::string> texts;
  for (Given& given : all_given(inputs, flag)) texts.push_back(std::move(given.text));
  return texts;
}

PageRange read_pages(const Operation& operation, const Inputs& inputs) {
  const Paging& paging = *operation.paging;
  const Flags<catalogue::k_page_fields> flags(inputs);
  const auto positive = [](std::optional<std::int64_t> given, std::uint64_t otherwise) {
    return given && *given > 0 ? static_cast<std::uint64_t>(*given) : otherwise;
  };
  const std::uint64_t usual = paging.all_by_default ? UINT64_MAX : k_default_limit;
  return {.most = flags.is_true<"all">() ? UINT64_MAX : positive(flags.get<"limit">(), usual),
          .page_size = positive(flags.get<"page-size">(), paging.max_page),
          .token = flags.text<"pagination-token">()};
}

void set_page(std::string& url, const Paging& paging, std::uint64_t size, std::string_view token) {
  // The page parameters are at the end.
  for (const char sign : {'?', '&'}) {
    const std::size_t at = url.rfind(fmt::format("{}{}=", sign, paging.limit_param));
    if (at != std::string::npos) url.resize(at);
  }
  std::vector<Header> query = {{std::string(paging.limit_param), fmt::format("{}", size)}};
  if (!token.empty()) query.push_back({std::string(paging.token_param), std::string(token)});
  std::string added = query_string(query);
  if (url.find('?') != std::string::npos) added.front() = '&';
  url += added;
}

Error secret_in_argv(std::string_view flag) {
  return usage_error(
      fmt::format("{} must not be a literal secret: other local users could read it", flag),
      "Pass a secret as @FILE, as env:NAME, or as - for a line of standard input.");
}

Result<SecretSource> parse_secret_source(const Field& field, std::string_view text) {
  if (text == "-") return SecretSource{SecretSource::From::Input, {}};
  if (text.starts_with('@') && text.size() > 1) {
    return SecretSource{SecretSource::From::File, std::string(text.substr(1))};
  }
  if (text.starts_with("env:") && is_variable_name(text.substr(4))) {
    return SecretSource{SecretSource::From::Variable, std::string(text.substr(4))};
  }
  return secret_in_argv(flag_name(field));
}

std::string secret_variable(const Field& field, const SecretSource& source) {
  if (source.from == SecretSource::From::Variable) return fmt::format("${}", source.name);
  std::string name = "$SVC_";
  for (const char c : field.flag) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::vector<Header> sent_headers(const Request& request) {
  std::vector<Header> headers = request.headers;
  const Reply reply = request.operation->reply;
  if (reply == Reply::Socket) return headers;
  set_default_header(headers, "Accept",
                     request.stream          ? "text/event-stream"
                     : reply == Reply::Bytes ? "*/*"
                                             : "application/json");
  return headers;
}

}  // namespace svc::request
