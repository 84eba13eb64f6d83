#include "emulator/server/router.h"

#include <algorithm>

#include "base/text.h"
#include "emulator/handler/http_call.h"

namespace svc::emulator {

Router::Router(std::vector<Route> routes) {
  m_rows.reserve(routes.size());
  for (auto& route : routes) m_rows.push_back(make_row(std::move(route)));
}

Router::Row Router::make_row(Route route) {
  Row row{std::move(route)};
  for (const sv part : split(row.route.path, '/')) {
    Segment segment;
    const auto close = part.starts_with('{') ? part.find('}') : sv::npos;
    if (close == sv::npos) {
      segment.literal = part;
    } else {
      segment.parameter = part.substr(1, close - 1);
      segment.literal = part.substr(close + 1);  // "{batch_id}:cancel"
    }
    row.literal_size += segment.literal.size();
    row.segments.push_back(std::move(segment));
  }
  return row;
}

bool Router::matches(const Row& row, const std::vector<std::string>& segments,
                     std::map<std::string, std::string>& params) {
  if (row.segments.size() != segments.size()) return false;
  params.clear();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& wanted = row.segments[i];
    const std::string& given = segments[i];
    if (wanted.parameter.empty()) {
      if (given != wanted.literal) return false;
      continue;
    }
    if (given.size() <= wanted.literal.size() || !given.ends_with(wanted.literal)) return false;
    params[wanted.parameter] = given.substr(0, given.size() - wanted.literal.size());
  }
  return true;
}

Router::Found Router::find(std::string_view method, std::string_view raw_path) const {
  std::vector<std::string> segments;
  for (const sv part : split(raw_path, '/')) segments.push_back(percent_decode(part));
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Found found;
  std::size_t best = 0;
  std::map<std::string, std::string> params;
  for (const Row& row : m_rows) {
    if (!matches(row, segments, params)) continue;
    if (std::ranges::find(found.allowed, row.route.method) == found.allowed.end()) {
      found.allowed.push_back(row.route.method);
    }
    if (row.route.method != wanted) continue;
    if (found.route != nullptr && row.literal_size <= best) continue;
    found.route = &row.route;
    found.params = params;
    best = row.literal_size;
  }
  return found;
}

}  // namespace svc::emulator
