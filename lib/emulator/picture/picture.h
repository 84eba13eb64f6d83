// An image in memory, and the image generated for a prompt: the same prompt gives the same image.
#pragma once

#include "emulator/handler/handler.h"

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

/// Returns width by height: 1.5 for "3:2"; `fallback` if `ratio` is not of that form.
[[nodiscard]] double ratio_of(sv ratio, double fallback);
[[nodiscard]] double ratio_of(Size size);

/// Eight bits each of red, green and blue per pixel, rows from the top without gaps.
class Image {
 public:
  Image() = default;
  /// A vertical gradient from `top` to `bottom`. Both sides must be positive.
  Image(Size size, Color top, Color bottom);

  [[nodiscard]] Size size() const { return m_size; }
  [[nodiscard]] Color at(int x, int y) const;
  [[nodiscard]] const std::uint8_t* data() const { return m_bytes.data(); }
  [[nodiscard]] std::uint8_t* data() { return m_bytes.data(); }

  /// Draws `other`, scaled to `size`, with its upper left corner at x, y. It must fit inside.
  void paste(const Image& other, int x, int y, Size size);

 private:
  Size m_size{};
  std::vector<std::uint8_t> m_bytes{};
};

/// Draws two colors for the prompt and image number `variant`, with the inputs of an edit.
[[nodiscard]] Image draw_image(sv prompt, std::uint64_t variant, std::span<const Image> inputs,
                               Size size);

inline constexpr std::uint64_t k_hash_seed = 0xCBF29CE484222325U;

/// Returns a hash that is the same on every machine (FNV-1a); the seed may be another hash.
[[nodiscard]] std::uint64_t stable_hash(sv text, std::uint64_t seed = k_hash_seed);

// --- image files: output in JPEG, input in JPEG, PNG or WebP ---

/// Returns "image/jpeg", "image/png" or "image/webp", from the first bytes; "" for anything else.
[[nodiscard]] sv image_type(sv bytes);

/// Decodes an image. Returns Usage, with the service's message (`Invalid PNG image.`), if the bytes
/// are not an image or it has more than 40 megapixels. Transparent pixels become white.
[[nodiscard]] Result<Image> decode_image(sv bytes);

/// `comment` is stored in the file, where viewers look for it.
[[nodiscard]] Result<std::string> encode_jpeg(const Image& image, sv comment, int quality = 88);

}  // namespace svc::emulator::media

namespace svc::emulator::videos {

// Encodes images as H.264 with OpenH264; writes and reads MP4 files (ISO/IEC 14496-12, -15).

/// The properties of a video track.
struct Mp4Track {
  std::string codec{};  ///< "avc1", "hvc1", "av01", …
  media::Size size{};
  double duration_s = 0;
};

/// Returns the first video track, or Usage, with the reason.
[[nodiscard]] Result<Mp4Track> read_mp4(sv file);

/// Creates a video of this size and duration. Its content does not depend on the prompt.
[[nodiscard]] Result<std::string> make_video(media::Size size, double seconds);

}  // namespace svc::emulator::videos
