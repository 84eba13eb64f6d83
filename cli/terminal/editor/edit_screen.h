// Draws the lines being edited.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// One row as displayed.
struct EditRow {
  std::string shown{};  ///< with our escape sequences, but without control characters of the text
  std::size_t width = 0;
  bool operator==(const EditRow&) const = default;
};

/// The rows of a text and the cursor's position in them.
struct EditLayout {
  std::vector<EditRow> rows{};
  std::vector<std::size_t> begins{};  ///< offset of each row's start
  std::size_t row = 0;
  std::size_t column = 0;
};

/// Lays out `text` after `prompt` (trusted text; other rows are indented by its width). Characters
/// that a terminal must not receive are shown in visible form. Rows are at most `columns` - 1 wide.
[[nodiscard]] EditLayout lay_out(std::string_view text, std::size_t cursor, std::string_view prompt,
                                 std::size_t columns);

/// Returns the offset in `text` nearest to `column` in that row.
[[nodiscard]] std::size_t offset_at(std::string_view text, const EditLayout& layout,
                                    std::size_t row, std::size_t column, std::size_t indent);

/// Draws rows in place: only changed rows are written again. If there are more rows than the screen
/// has, those around the cursor are shown. Pure: returns the output instead of writing it.
class EditScreen {
 public:
  /// `below` is shown below the text, one row per item.
  [[nodiscard]] std::string draw(const EditLayout& layout, const std::vector<EditRow>& below,
                                 std::size_t columns, std::size_t lines);

  /// Removes the rows below the text and moves the cursor to the start of the next line. The next
  /// drawing starts there.
  [[nodiscard]] std::string leave();

  /// Removes all rows. The next drawing starts where they were.
  [[nodiscard]] std::string erase();

  /// Redraws everything next time, because another program has written to the screen.
  void forget();

 private:
  [[nodiscard]] std::string to_top() const;

  std::vector<EditRow> m_rows{};  ///< on the screen
  std::size_t m_row = 0;          ///< the cursor's row
  std::size_t m_column = 0;
  std::size_t m_text_rows = 0;
  std::size_t m_columns = 0;
  std::size_t m_top = 0;  ///< first visible row of the layout
};

}  // namespace svc::cli
