// Finds saved conversations by their names, titles and messages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/conversations.h"

namespace svc::cli {

/// Returns `text` with each word of `words` between history::k_found and k_end, wherever it occurs:
/// case, accents and the width of letters make no difference. Nothing if a word is missing, or if
/// there is none.
[[nodiscard]] std::optional<std::string> marked_words(std::string_view text,
                                                      std::string_view words);

/// Returns `text` on one line from shortly before `word` on; nothing if it does not contain it.
[[nodiscard]] std::optional<std::string> excerpt_at(std::string_view text, std::string_view word);

/// Selects conversations as one types. Remembers which words occur where.
class ConversationFilter {
 public:
  /// Returns the IDs of the conversations whose messages contain a word.
  using Containing = std::function<std::vector<std::int64_t>(const std::string& word)>;

  ConversationFilter(const std::vector<history::Conversation>& all, Containing containing);

  /// Returns the indexes of those that have every word of `typed` in their name, their title or a
  /// message, in their order; the one with exactly this number or name comes first.
  [[nodiscard]] std::vector<std::size_t> matching(const std::string& typed);

  /// Returns the first word of `typed` that is not in the number, name or title of `all[item]`, but
  /// in a message; "" if there is none.
  [[nodiscard]] std::string word_said(std::size_t item, const std::string& typed) const;

 private:
  [[nodiscard]] const std::vector<bool>& with(const std::string& word);

  const std::vector<history::Conversation>& m_all;
  Containing m_containing;
  std::vector<std::string> m_labels{};  ///< folded
  std::map<std::string, std::vector<bool>> m_known{};
};

}  // namespace svc::cli
