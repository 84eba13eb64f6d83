// The image on the system's clipboard.
#pragma once

#include <string>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::cli {

struct ClipboardImage {
  std::string type{};  ///< "image/png" or "image/jpeg"
  std::string bytes{};
};

/// Reads it with wl-paste (Wayland), xclip (X11) or pngpaste (macOS): terminals give out text only.
/// Usage if none of these programs is installed, or if there is no image.
[[nodiscard]] Result<ClipboardImage> clipboard_image(const CancelToken& cancel);

}  // namespace svc::cli
