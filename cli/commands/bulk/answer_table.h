// The input of a bulk run as a table, with columns for the answers.
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
  /// Nothing unless --output is a table (.csv, .tsv) and the input is a table or a list of prompts.
  /// Local if the input can no longer be read.
  [[nodiscard]] static Result<std::optional<AnswerTable>> open(const batch::RunOptions& options,
                                                               const std::string& output);

  /// The header row.
  [[nodiscard]] const std::string& header() const noexcept { return m_header; }

  /// The row of a result: the answer, if any, the state and the error. `line` is the result as
  /// JSON.
  [[nodiscard]] Result<std::string> row(const batch::Finished& finished, std::string_view line);

 private:
  [[nodiscard]] std::string joined(const std::vector<std::string>& cells) const;

  FileDescriptor m_input{};
  std::string m_name{};
  char m_read = ',';   ///< separator of the input; 0: lines of prompts
  char m_write = ',';  ///< separator of the output
  std::size_t m_columns = 1;
  std::string m_header{};
};

}  // namespace svc::cli
