// Media arguments: a path, a URL, a data: URL, a file id or standard input (design §2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::request {

enum class MediaForm : std::uint8_t { Url, DataUrl, FileId, Bytes };

/// A media argument, resolved. Bytes holds what a path or standard input gave.
struct Media {
  MediaForm form = MediaForm::Url;
  std::string text{};       ///< the URL, data URL or id
  std::string bytes{};      ///< with MediaForm::Bytes
  std::string type{};       ///< with MediaForm::Bytes: "image/png", from the bytes
  std::string file_name{};  ///< with MediaForm::Bytes: the last component of the path, or "stdin"
};

/// The largest file that is sent inside a request (api 1 §4: the limit of uploads).
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

/// "data:image/png;base64,…".
[[nodiscard]] std::string data_url(std::string_view type, std::string_view bytes);

[[nodiscard]] std::string base64_encode(std::string_view bytes);

/// Strict base64 (padding required, no white space); nothing when it is not.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace svc::request
