// Builds chat requests from plain prompts, one per line or from a CSV file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::batch {

/// A text with placeholders: `{name}` is a column, `{}` the prompt; `{{` and `}}` are literal
/// braces.
class Template {
 public:
  /// Usage, with the known names, for a placeholder without a column.
  [[nodiscard]] static Result<Template> parse(std::string_view text,
                                              std::span<const std::string> columns,
                                              std::size_t prompt_column);

  /// For records whose columns are not known yet: adds each name in the text to `columns` once. The
  /// prompt is column 0.
  [[nodiscard]] static Result<Template> parse_open(std::string_view text,
                                                   std::vector<std::string>& columns);

  [[nodiscard]] std::string fill(std::span<const std::string> cells) const;
  /// Whether a placeholder uses this column.
  [[nodiscard]] bool uses(std::size_t column) const noexcept;
  /// Whether it has no placeholder, so that it is the same for each line.
  [[nodiscard]] bool is_fixed() const noexcept { return m_segments.size() == 1; }

 private:
  using Find = std::function<Result<std::size_t>(std::string_view name)>;
  [[nodiscard]] static Result<Template> parse(std::string_view text, std::size_t prompt_column,
                                              const Find& find);

  struct Segment {
    std::string text{};
    std::ptrdiff_t column = -1;  // if not negative, replaces the text
  };
  std::vector<Segment> m_segments{};
};

/// The index of a column, given its name or its number from 1. Usage if there is none.
[[nodiscard]] Result<std::size_t> find_column(std::string_view flag, std::string_view name,
                                              std::span<const std::string> columns);

/// The JSON of a chat request before and after the text of its prompt.
struct BodyFrame {
  std::string before{};
  std::string after{};
};

/// The body of a chat request. `base` is a JSON object with everything but the user's message,
/// which is appended to its `messages`.
class ChatBody {
 public:
  /// `base` must have passed check_json().
  ChatBody(std::string_view base, std::string_view model, std::string_view system);
  explicit ChatBody(BodyFrame frame) : m_frame(std::move(frame)) {}
  [[nodiscard]] std::string with(std::string_view prompt) const;

 private:
  BodyFrame m_frame{};
};

}  // namespace svc::batch
