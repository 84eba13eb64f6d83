#include "support/case_sample.h"

#include <vector>

#include "base/text.h"
#include "support/case_checks.h"

namespace svc::test {
namespace {

constexpr sv k_fence = "```";
constexpr sv k_anything = "…";

std::vector<sv> lines_of_sample(sv text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return split(text, '\n');
}

bool fits(sv pattern, sv line) {
  std::vector<sv> pieces;
  for (std::size_t at = 0; at != sv::npos;) {
    const std::size_t next = pattern.find(k_anything, at);
    pieces.push_back(pattern.substr(at, next == sv::npos ? next : next - at));
    at = next == sv::npos ? next : next + k_anything.size();
  }
  if (!line.starts_with(pieces.front())) return false;
  line.remove_prefix(pieces.front().size());
  if (pieces.size() == 1) return line.empty();
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::size_t at = line.find(pieces[i]);
    if (at == sv::npos) return false;
    line.remove_prefix(at + pieces[i].size());
  }
  return line.ends_with(pieces.back());
}

}  // namespace

std::string blocks_of(std::string_view markdown, std::string_view name) {
  const std::string mark = "<!-- " + std::string(name) + " -->";
  std::string text;
  sv fence{};  // the one that opened the current block
  bool taken = false;
  bool marked = false;
  for (const sv line : lines_of_sample(markdown)) {
    if (fence.empty() && line.starts_with(k_fence)) {
      fence = line.substr(0, line.find_first_not_of('`'));
      taken = marked || line.substr(fence.size()) == name;
      marked = false;
    } else if (!fence.empty() && line == fence) {
      fence = {};
    } else if (!fence.empty() && taken) {
      text.append(line).push_back('\n');
    } else if (fence.empty() && line == mark) {
      marked = true;
    }
  }
  return text;
}

std::string compare_sample(std::string_view expected, std::string_view actual) {
  if (expected.empty()) return "cannot be compared: the document has no sample";
  const std::vector<sv> wanted = lines_of_sample(expected);
  const std::vector<sv> got = lines_of_sample(actual);
  std::size_t same = 0;
  while (same < wanted.size() && same < got.size() && fits(wanted[same], got[same])) ++same;
  if (same == wanted.size() && same == got.size()) return {};
  const std::size_t from = same > 2 ? same - 2 : 0;
  return "differs from the document from line " + std::to_string(same + 1) +
         " on\n    expected:\n" + show(expected, from, 12) + "    got:\n" + show(actual, from, 12);
}

}  // namespace svc::test
