// Files whose base64 belongs into a JSON body, and is made only while it is sent.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/result.h"

namespace svc::request {

class InlineFiles {
 public:
  InlineFiles();

  /// A text that stands for the base64 of `file` in the body until cut().
  [[nodiscard]] std::string stand_in(FileSource file);

  /// The finished body: pieces with the files in their places, or the text when there are none.
  [[nodiscard]] Payload cut(std::string body) const;

 private:
  std::string m_mark;  ///< that no text of the user holds
  std::vector<FileSource> m_files{};
};

/// The body as it goes out, files read and encoded; a form is not a text, and gives "". Local when
/// a file cannot be read any more.
[[nodiscard]] Result<std::string> whole_body(const Payload& body);

}  // namespace svc::request
