// The input of a bulk run as a table, with the answers beside its rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "batch/journal.h"
#include "batch/runner.h"

namespace svc::cli {

class AnswerTable {
 public:
  /// Nothing where --output names no table (.csv, .tsv), or the input is none and no list of
  /// prompts. Local when the input cannot be read any more.
  [[nodiscard]] static Result<std::optional<AnswerTable>> open(const batch::RunOptions& options,
                                                               const std::string& output);

  /// The names of the columns, as a line.
  [[nodiscard]] const std::string& header() const noexcept { return m_header; }

  /// The row of a result: the answer as far as there is one, the state, and what went wrong. `line`
  /// is the result.
  [[nodiscard]] Result<std::string> row(const batch::Finished& finished, std::string_view line);

 private:
  [[nodiscard]] std::string joined(const std::vector<std::string>& cells) const;

  FileDescriptor m_input{};
  std::string m_name{};
  char m_read = ',';   ///< between cells of the input; 0: lines of prompts
  char m_write = ',';  ///< between those of the output
  std::size_t m_columns = 1;
  std::string m_header{};
};

}  // namespace svc::cli
