// Finds the route of a request.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  struct Found {
    const Route* route = nullptr;  ///< null: no route for that method and path
    std::map<std::string, std::string> params{};
    std::vector<std::string> allowed{};  ///< the methods of that path; empty: an unknown path
  };

  /// `raw_path` is still percent-encoded: an encoded slash is part of its segment. Where several
  /// routes match, the one with the most literal text wins. HEAD finds the GET route.
  [[nodiscard]] Found find(std::string_view method, std::string_view raw_path) const;

 private:
  /// One segment of a route: literal text, or a parameter with literal text after it.
  struct Segment {
    std::string parameter{};  ///< empty: all literal
    std::string literal{};
  };
  struct Row {
    Route route;
    std::vector<Segment> segments{};
    std::size_t literal_size = 0;
  };
  [[nodiscard]] static Row make_row(Route route);
  [[nodiscard]] static bool matches(const Row& row, const std::vector<std::string>& segments,
                                    std::map<std::string, std::string>& params);

  std::vector<Row> m_rows{};
};

}  // namespace svc::emulator
