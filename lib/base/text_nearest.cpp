#include <algorithm>

#include "base/text.h"

namespace svc {
namespace {

// Longer words are no typing errors, and the cost grows with the product of the lengths.
constexpr std::size_t k_longest_word = 100;

// Insertions, deletions, substitutions and swaps of neighbours that lead from `a` to `b`.
std::size_t distance(sv a, sv b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// The one candidate that `word` abbreviates.
sv completed(sv word, std::span<const sv> candidates) {
  if (word.size() < 3) return {};
  sv found;
  for (const sv candidate : candidates) {
    if (!equals_ignore_case(candidate.substr(0, word.size()), word)) continue;
    if (candidate.size() == word.size()) return candidate;
    if (!found.empty() && found != candidate) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

sv nearest(sv word, std::span<const sv> candidates) {
  if (word.empty() || word.size() > k_longest_word) return {};
  if (const sv whole = completed(word, candidates); !whole.empty()) return whole;
  const std::string small = to_lower(word);
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  sv best;
  std::size_t best_distance = limit + 1;
  for (const sv candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > limit) continue;
    const std::size_t steps = distance(small, to_lower(candidate));
    // As many steps as letters means that nothing is shared.
    if (steps < best_distance && steps < longer) {
      best = candidate;
      best_distance = steps;
    }
  }
  return best;
}

sv nearest(sv word, std::span<const std::string> candidates) {
  return nearest(word, std::vector<sv>(candidates.begin(), candidates.end()));
}

}  // namespace svc
