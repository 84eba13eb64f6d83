// The lines being edited, on the screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// One row as displayed.
struct EditRow {
  std::string shown{};  ///< with our escape sequences, without control characters of the text
  std::size_t width = 0;
  bool operator==(const EditRow&) const = default;
};

/// The rows of a text, and where its cursor is.
struct EditLayout {
  std::vector<EditRow> rows{};
  std::vector<std::size_t> begins{};  ///< the offset at which each row begins
  std::size_t row = 0;
  std::size_t column = 0;
};

/// Lays `text` out behind `prompt` (own text; further rows are indented by its width). What a
/// terminal must not get is shown in visible form. Rows are at most `columns` - 1 wide.
[[nodiscard]] EditLayout lay_out(std::string_view text, std::size_t cursor, std::string_view prompt,
                                 std::size_t columns);

/// The offset in `text` that is nearest to `column` in that row.
[[nodiscard]] std::size_t offset_at(std::string_view text, const EditLayout& layout,
                                    std::size_t row, std::size_t column, std::size_t indent);

/// Draws rows in place: only those that changed are written again. More rows than the screen has
/// are shown around the cursor. Pure: it gives what is to be written.
class EditScreen {
 public:
  /// `below` stands under the text, one row each.
  [[nodiscard]] std::string draw(const EditLayout& layout, const std::vector<EditRow>& below,
                                 std::size_t columns, std::size_t lines);

  /// What stands below goes, the cursor to the begin of the line under the text. The next drawing
  /// begins anew there.
  [[nodiscard]] std::string leave();

  /// The screen is not what it was (another program has written): draws all of it next time.
  void forget();

 private:
  [[nodiscard]] std::string to_top() const;

  std::vector<EditRow> m_rows{};  ///< on the screen
  std::size_t m_row = 0;          ///< of the cursor
  std::size_t m_column = 0;
  std::size_t m_text_rows = 0;
  std::size_t m_columns = 0;
  std::size_t m_top = 0;  ///< the first row of the layout that is shown
};

}  // namespace svc::cli
