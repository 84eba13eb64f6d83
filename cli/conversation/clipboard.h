// The image on the system's clipboard.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/settings.h"
#include "print/streams.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

struct ClipboardImage {
  std::string type{};  ///< "image/png" or "image/jpeg"
  std::string bytes{};
};

/// Reads it with wl-paste (Wayland), xclip (X11) or pngpaste (macOS). Usage if none of these
/// programs is installed, or if there is no image.
[[nodiscard]] Result<ClipboardImage> clipboard_image(const CancelToken& cancel);

/// Whether the terminal gives out images of its clipboard (OSC 5522); most give out text only.
[[nodiscard]] bool terminal_gives_images(const Environment& environment);

/// Reads the image from such a terminal, which may be on another machine and may ask its user
/// first. Keys typed meanwhile go to `ahead`. Usage if there is no image or the user refuses.
[[nodiscard]] Result<ClipboardImage> terminal_image(
    RawTerminal& terminal, print::Out& out, const CancelToken& cancel,
    const std::function<void(std::string_view)>& ahead);

/// Reads a terminal's reply to the request for its clipboard.
class ClipboardReply {
 public:
  /// Takes bytes from the terminal and returns those that are not part of the reply.
  [[nodiscard]] std::string feed(std::string_view bytes);
  /// The end of the reply: nothing while more follows, "" after all data, otherwise an error code
  /// such as EPERM.
  [[nodiscard]] const std::optional<std::string>& end() const noexcept { return m_end; }
  [[nodiscard]] const ClipboardImage& image() const noexcept { return m_image; }

 private:
  void decode(std::string_view sequence);

  std::string m_held{};
  std::optional<std::string> m_end{};
  ClipboardImage m_image{};
};

}  // namespace svc::cli
