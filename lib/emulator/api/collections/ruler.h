// A text measured in characters, tokens or bytes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "emulator/api/collections/chunk.h"

namespace svc::emulator::collections {

/// Positions are byte offsets that lie between two atoms: characters, or tokens. The text must
/// outlive the ruler.
class Ruler {
 public:
  Ruler(std::string_view text, Measure measure);

  /// How long the text from `begin` to `end` is.
  [[nodiscard]] std::size_t length(std::size_t begin, std::size_t end) const;

  /// The last position at most `amount` after `begin`.
  [[nodiscard]] std::size_t forward(std::size_t begin, std::size_t amount) const;

  /// The end of the atom at `begin`.
  [[nodiscard]] std::size_t next(std::size_t begin) const;

  /// The first position at most `amount` before `end`.
  [[nodiscard]] std::size_t backward(std::size_t end, std::size_t amount) const;

 private:
  [[nodiscard]] std::size_t index_of(std::size_t position) const;
  [[nodiscard]] bool inside_character(std::size_t position) const;

  std::string_view m_text;
  bool m_bytes;
  std::vector<std::size_t> m_edges{};  ///< the begin of each atom, and the end; not for bytes
};

}  // namespace svc::emulator::collections
