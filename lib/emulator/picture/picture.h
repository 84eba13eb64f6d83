// A picture in memory, and what the emulator draws for a prompt: the same words, the same picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::media {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

struct Size {
  int width = 0;
  int height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// Eight bits of red, green and blue per pixel, rows from the top without gaps.
class Picture {
 public:
  Picture() = default;
  /// From `top` to `bottom` by rows. Both sizes must be positive.
  Picture(Size size, Color top, Color bottom);

  [[nodiscard]] Size size() const { return m_size; }
  [[nodiscard]] Color at(int x, int y) const;
  [[nodiscard]] const std::uint8_t* data() const { return m_bytes.data(); }
  [[nodiscard]] std::uint8_t* data() { return m_bytes.data(); }

  /// `other`, stretched to `size`, its upper left corner at x, y. All of it must be inside.
  void paste(const Picture& other, int x, int y, Size size);

 private:
  Size m_size{};
  std::vector<std::uint8_t> m_bytes{};
};

/// Two colours by a hash of the prompt and of `variant`, the number among several of one request;
/// across its middle the inputs of an edit, side by side.
[[nodiscard]] Picture draw_picture(std::string_view prompt, std::uint64_t variant,
                                   std::span<const Picture> inputs, Size size);

/// A number that depends on all of `text`, the same on every machine.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text);

// --- as files: what the service gives (JPEG), and what it takes (JPEG, PNG, WebP) ---

/// "image/jpeg", "image/png" or "image/webp", by the first bytes; "" for anything else.
[[nodiscard]] std::string_view image_type(std::string_view bytes);

/// The picture in these bytes. Usage, with the service's sentence (`Invalid PNG image.`), when they
/// are none, or one of more than 40 megapixels. What is transparent becomes white.
[[nodiscard]] Result<Picture> decode_image(std::string_view bytes);

/// `comment` stands in the file, where viewers look for it.
[[nodiscard]] Result<std::string> encode_jpeg(const Picture& picture, std::string_view comment,
                                              int quality = 88);

}  // namespace svc::emulator::media
