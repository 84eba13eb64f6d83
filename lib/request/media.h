// Media arguments: a path, a URL, a data: URL, a file ID or standard input.
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

/// Files to embed in a JSON body as base64, encoded while the body is sent.
class InlineFiles {
 public:
  InlineFiles();

  /// Returns a placeholder for the base64 of `file` in the body, to be replaced by to_payload().
  [[nodiscard]] std::string placeholder(FileSource file);

  /// The finished body, split at the placeholders into sections; plain text if there are none.
  [[nodiscard]] Payload to_payload(std::string body) const;

 private:
  std::string m_mark;  ///< a marker that does not occur in the user's text
  std::vector<FileSource> m_files{};
};

/// The complete body as sent, with files read and encoded; "" for a form, which is not text. Local
/// if a file can no longer be read.
[[nodiscard]] Result<std::string> complete_body(const Payload& body);

enum class MediaForm : std::uint8_t { Url, DataUrl, FileId, File, Bytes };

/// A resolved media argument. A regular file is only inspected, and read while it is sent. Bytes is
/// the content of standard input or of a path that is a pipe.
struct Media {
  MediaForm form = MediaForm::Url;
  std::string text{};       ///< the URL, data URL or ID
  FileSource file{};        ///< with MediaForm::File
  std::string bytes{};      ///< with MediaForm::Bytes
  std::string type{};       ///< of a file or bytes: "image/png", detected from the content
  std::string file_name{};  ///< of a file or bytes: last component of the path, or "stdin"

  /// The size of a file or bytes.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return form == MediaForm::File ? file.size : bytes.size();
  }
};

/// The largest file that can be sent inside a request (the limit of POST /v1/files).
inline constexpr std::uint64_t k_max_inline_media = 50'000'000;

/// How `text` is meant: a URL, a data: URL, the ID of a file on the service, or, as File, anything
/// else: a path, or - for standard input.
[[nodiscard]] MediaForm form_of(std::string_view text) noexcept;

/// Resolves `text`. `stdin_bytes` is the content of `-`, or null if it is not available. Usage if a
/// file is missing, unreadable, a directory, empty or too large. `name` is the flag, for errors.
[[nodiscard]] Result<Media> resolve_media(std::string_view name, std::string_view text,
                                          const std::string* stdin_bytes);

/// Detects the media type from the first bytes: images, PDF, audio, video, zip; "text/plain" for
/// UTF-8 text without control characters; else "application/octet-stream".
[[nodiscard]] std::string sniff_type(std::string_view bytes);

/// A short name of a media type for messages: "PNG", "plain text"; a rare type is returned
/// unchanged.
[[nodiscard]] std::string_view type_name(std::string_view type);

/// The bytes of a file or of standard input. `name` as above.
[[nodiscard]] Result<std::string> media_bytes(std::string_view name, const Media& media);

/// The base64 of a file or bytes; for a file a placeholder until the body is sent.
[[nodiscard]] std::string media_base64(const Media& media, InlineFiles& files);

/// "data:image/png;base64,…" of a file or bytes, with the same placeholder.
[[nodiscard]] std::string data_url(const Media& media, InlineFiles& files);

/// Puts media arguments into the body, as specified by each field's MediaSlot: one as {"url": …} or
/// {"file_id": …}, several as an array of these. Replaces values from --body and --set. Usage if a
/// file or data: URL has a type that the slot does not accept, is too large or cannot be read.
[[nodiscard]] Result<void> place_media(const Operation& operation, const Inputs& inputs,
                                       const std::optional<std::string>& stdin_text,
                                       InlineFiles& files, OrderedJson& body);

}  // namespace svc::request
