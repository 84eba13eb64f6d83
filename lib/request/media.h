// Media arguments: a path, a URL, a data: URL, a file id or standard input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// Files whose base64 belongs into a JSON body, and is made only while it is sent.
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

enum class MediaForm : std::uint8_t { Url, DataUrl, FileId, File, Bytes };

/// A media argument, resolved. A regular file is only looked at: its bytes are read when they are
/// sent. Bytes holds what standard input, or a path that is a pipe, gave.
struct Media {
  MediaForm form = MediaForm::Url;
  std::string text{};       ///< the URL, data URL or id
  FileSource file{};        ///< with MediaForm::File
  std::string bytes{};      ///< with MediaForm::Bytes
  std::string type{};       ///< of a file or bytes: "image/png", from the bytes
  std::string file_name{};  ///< of a file or bytes: the last component of the path, or "stdin"

  /// Of a file or bytes.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return form == MediaForm::File ? file.size : bytes.size();
  }
};

/// The largest file that is sent inside a request (the limit of POST /v1/files).
inline constexpr std::uint64_t k_max_inline_media = 50'000'000;

/// Resolves `text`. `stdin_bytes` is what `-` stands for, or null when it cannot be used. Usage
/// when a file is missing, unreadable, a folder, empty or too large. `name` is the flag, for
/// errors.
[[nodiscard]] Result<Media> resolve_media(std::string_view name, std::string_view text,
                                          const std::string* stdin_bytes);

/// The media type that the first bytes tell: images, PDF, audio, video, zip; "text/plain" for UTF-8
/// text without control characters; else "application/octet-stream".
[[nodiscard]] std::string sniff_type(std::string_view bytes);

/// A media type in a word, to stand behind "this is": "PNG", "plain text"; a rare one as it is.
[[nodiscard]] std::string_view type_name(std::string_view type);

/// The bytes of a file or of standard input. `name` as above.
[[nodiscard]] Result<std::string> media_bytes(std::string_view name, const Media& media);

/// Base64 of a file or bytes; that of a file stands in for it until the body is sent.
[[nodiscard]] std::string media_base64(const Media& media, InlineFiles& files);

/// "data:image/png;base64,…" of a file or bytes, likewise.
[[nodiscard]] std::string data_url(const Media& media, InlineFiles& files);

// Media arguments that become members of the body, by the slots of the catalogue.

/// Puts every argument of a field with a MediaSlot where the slot says: one as {"url": …} or
/// {"file_id": …}, several as an array of these. What --body and --set put there gives way. Usage
/// when a file or a data: URL is not of the slot's types or too large, or cannot be read.
[[nodiscard]] Result<void> place_media(const Operation& operation, const Inputs& inputs,
                                       const std::optional<std::string>& stdin_text,
                                       InlineFiles& files, OrderedJson& body);

}  // namespace svc::request
