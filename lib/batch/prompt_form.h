// Plain prompts, one per line or from a CSV file, made into chat requests.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::batch {

/// A text with places to fill in: `{name}` of a column, `{}` of the prompt; `{{` and `}}` stand for
/// braces.
class Template {
 public:
  /// Usage, with the names that there are, for a place that no column fills.
  [[nodiscard]] static Result<Template> parse(std::string_view text,
                                              std::span<const std::string> columns,
                                              std::size_t prompt_column);

  /// For records whose columns are not known yet: the names in the text are added to `columns`,
  /// each once. The prompt is at 0.
  [[nodiscard]] static Result<Template> parse_open(std::string_view text,
                                                   std::vector<std::string>& columns);

  [[nodiscard]] std::string fill(std::span<const std::string> cells) const;
  /// Whether some place is filled from that column.
  [[nodiscard]] bool uses(std::size_t column) const noexcept;

 private:
  using Find = std::function<Result<std::size_t>(std::string_view name)>;
  [[nodiscard]] static Result<Template> parse(std::string_view text, std::size_t prompt_column,
                                              const Find& find);

  struct Piece {
    std::string text{};
    std::ptrdiff_t column = -1;  // when not negative, instead of the text
  };
  std::vector<Piece> m_pieces{};
};

/// The index of a column by its name, or by its number from 1. Usage when there is none.
[[nodiscard]] Result<std::size_t> find_column(std::string_view flag, std::string_view name,
                                              std::span<const std::string> columns);

/// The JSON of a chat request around the text of its prompt.
struct BodyFrame {
  std::string before{};
  std::string after{};
};

/// The body of a chat request: `base` is a JSON object with everything but the user's message,
/// which is appended to its `messages`.
class ChatBody {
 public:
  /// `base` passed check_json().
  ChatBody(std::string_view base, std::string_view model, std::string_view system);
  explicit ChatBody(BodyFrame frame) : m_frame(std::move(frame)) {}
  [[nodiscard]] std::string with(std::string_view prompt) const;

 private:
  BodyFrame m_frame{};
};

}  // namespace svc::batch
