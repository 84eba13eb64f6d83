// Pictures as files: what the service gives (JPEG), and what it takes (JPEG, PNG, WebP).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::media {

/// "image/jpeg", "image/png" or "image/webp", by the first bytes; "" for anything else.
[[nodiscard]] std::string_view image_type(std::string_view bytes);

/// The picture in these bytes. Usage, with the service's sentence (`Invalid PNG image.`), when they
/// are none, or one of more than 40 megapixels. What is transparent becomes white.
[[nodiscard]] Result<Picture> decode_image(std::string_view bytes);

/// `comment` stands in the file, where viewers look for it.
[[nodiscard]] Result<std::string> encode_jpeg(const Picture& picture, std::string_view comment,
                                              int quality = 88);

}  // namespace svc::emulator::media
