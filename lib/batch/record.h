// Reads JSON Lines for `svc chat --each`: a string, an object whose fields fill the prompt, or a
// whole chat request, on its own or in one of the two batch formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "batch/prompt_form.h"
#include "batch/request_line.h"

namespace svc::batch {

struct RecordOptions {
  std::string text{};       ///< the template; empty: the prompt alone
  std::string column{};     ///< the field with the prompt; empty: "prompt"
  std::string id_column{};  ///< the field with the ID; empty: "id" or "custom_id", if any
  BodyFrame frame{};        ///< goes around each prompt and provides defaults for whole requests
};

/// A line converted to a chat request.
struct ParsedRecord {
  std::string id{};  ///< empty if none was given
  std::string body{};
  std::vector<LineError> errors{};
};

class RecordReader {
 public:
  /// Usage if the template is invalid.
  [[nodiscard]] static Result<RecordReader> make(RecordOptions options);

  [[nodiscard]] ParsedRecord read(std::string_view text, std::uint64_t line) const;
  [[nodiscard]] const Template& prompt_template() const noexcept { return m_template; }

 private:
  struct Line;

  RecordReader(RecordOptions options, std::vector<std::string> columns, Template text);
  void read_object(Line& line) const;
  void read_request(Line& line) const;
  void read_entry_form(Line& line) const;
  [[nodiscard]] std::string id_of(Line& line) const;

  RecordOptions m_options;
  std::vector<std::string> m_columns;  // the prompt's first, then those used in the template
  Template m_template;
  ChatBody m_chat;
  std::string m_base;  // the frame without messages
};

}  // namespace svc::batch
