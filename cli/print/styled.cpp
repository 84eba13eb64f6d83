#include "print/styled.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace svc::print {

std::string begin_look(unsigned look) {
  constexpr std::array<std::pair<unsigned, sv>, 9> k_codes = {{{k_look_bold, "1"},
                                                               {k_look_dim, "2"},
                                                               {k_look_italic, "3"},
                                                               {k_look_underline, "4"},
                                                               {k_look_strike, "9"},
                                                               {k_look_red, "31"},
                                                               {k_look_green, "32"},
                                                               {k_look_magenta, "35"},
                                                               {k_look_cyan, "36"}}};
  std::string codes;
  for (const auto& [bit, code] : k_codes) {
    if ((look & bit) == 0) continue;
    if (!codes.empty()) codes += ';';
    codes += code;
  }
  return codes.empty() ? codes : "\x1b[" + codes + "m";
}

std::string styled(sv text, unsigned look) {
  std::string out = begin_look(look);
  const bool any = !out.empty();
  out += text;
  if (any) out += k_end_look;
  return out;
}

bool is_link_target(sv url) noexcept {
  constexpr std::size_t k_longest = 2000;
  const sv rest = url.starts_with("https://")  ? url.substr(8)
                  : url.starts_with("http://") ? url.substr(7)
                                               : sv{};
  if (rest.empty() || rest.front() == '/' || url.size() > k_longest) return false;
  static constexpr sv k_marks = "-._~:/?#[]@!$&'()*+,;=%";
  return std::all_of(rest.begin(), rest.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           k_marks.find(c) != sv::npos;
  });
}

}  // namespace svc::print
