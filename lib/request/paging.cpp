#include "request/paging.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"

namespace svc::request {
namespace {

constexpr std::uint64_t k_usual_most = 100;

}  // namespace

Pages read_pages(const Operation& operation, const Inputs& inputs) {
  const Paging& paging = *operation.paging;
  Pages pages{.most = paging.all_by_default ? UINT64_MAX : k_usual_most,
              .page_size = paging.max_page};
  bool all = false;
  for (const Given& given : inputs.given) {
    const auto number = [&](std::uint64_t otherwise) {
      const auto value = parse_integer(given.text);
      return value && *value > 0 ? static_cast<std::uint64_t>(*value) : otherwise;
    };
    if (given.field->in != In::Local) continue;
    if (given.field->flag == "limit") pages.most = number(pages.most);
    if (given.field->flag == "page-size") pages.page_size = number(pages.page_size);
    if (given.field->flag == "pagination-token") pages.token = given.text;
    if (given.field->flag == "all") all = given.text == "true";
  }
  if (all) pages.most = UINT64_MAX;
  return pages;
}

void set_page(std::string& url, const Paging& paging, std::uint64_t size, std::string_view token) {
  // What names the page stands last.
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

}  // namespace svc::request
