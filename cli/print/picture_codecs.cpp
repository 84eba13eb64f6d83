#include "print/picture_codecs.h"

#include <memory>

#include <png.h>
#include <turbojpeg.h>

#include "base/platform.h"
#include "base/shared_library.h"

namespace svc::print {
namespace {

constexpr std::size_t k_max_pixels = 64UL << 20U;

// clang-format off
#define SVC_TURBOJPEG_FUNCTIONS(F) \
  F(init, tjInitDecompress) \
  F(header, tjDecompressHeader3) \
  F(decompress, tjDecompress2) \
  F(destroy, tjDestroy)
#define SVC_PNG_FUNCTIONS(F) \
  F(begin, png_image_begin_read_from_memory) \
  F(finish, png_image_finish_read) \
  F(write, png_image_write_to_memory) \
  F(free, png_image_free)
// clang-format on
SVC_BUNDLED_LIBRARY(Turbojpeg, SVC_TURBOJPEG_FUNCTIONS);
SVC_BUNDLED_LIBRARY(Png, SVC_PNG_FUNCTIONS);

/// The library's functions, loaded on first use; null if it is not installed.
template <typename Functions>
const Functions* loaded(sv name, int version) {
  static const Result<Functions> functions = [&]() -> Result<Functions> {
    SVC_TRY(library, BundledLibrary::load(library_name(name, version)));
    return Functions::find_in(library);
  }();
  return functions ? &*functions : nullptr;
}

const Png* png() {
  return loaded<Png>("png16", 16);
}

}  // namespace

bool built_with_pictures() noexcept {
  return true;
}

std::optional<Pixels> decode_jpeg(sv bytes) {
  const Turbojpeg* library = loaded<Turbojpeg>("turbojpeg", 0);
  if (library == nullptr) return std::nullopt;
  const std::unique_ptr<void, decltype(tjDestroy)*> handle(library->init(), library->destroy);
  if (!handle) return std::nullopt;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0;
  int height = 0;
  int sampling = 0;
  int space = 0;
  if (library->header(handle.get(), data, bytes.size(), &width, &height, &sampling, &space) != 0 ||
      width <= 0 || height <= 0) {
    return std::nullopt;
  }
  Pixels pixels{static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}};
  if (pixels.width * pixels.height > k_max_pixels) return std::nullopt;
  pixels.rgb.resize(pixels.width * pixels.height * 3);
  auto* target = reinterpret_cast<unsigned char*>(pixels.rgb.data());
  if (library->decompress(handle.get(), data, bytes.size(), target, width, 0, height, TJPF_RGB,
                          0) != 0) {
    return std::nullopt;
  }
  return pixels;
}

std::optional<Pixels> decode_png(sv bytes) {
  const Png* library = png();
  if (library == nullptr) return std::nullopt;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (library->begin(&image, bytes.data(), bytes.size()) == 0) return std::nullopt;
  image.format = PNG_FORMAT_RGB;
  Pixels pixels{image.width, image.height, {}};
  if (pixels.width * pixels.height > k_max_pixels) {
    library->free(&image);
    return std::nullopt;
  }
  pixels.rgb.resize(pixels.width * pixels.height * 3);
  const png_color white{255, 255, 255};
  const bool good = library->finish(&image, &white, pixels.rgb.data(), 0, nullptr) != 0;
  library->free(&image);
  if (!good) return std::nullopt;
  return pixels;
}

std::string png_of(const Pixels& pixels) {
  const Png* library = png();
  if (library == nullptr) return {};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(pixels.width);
  image.height = static_cast<png_uint_32>(pixels.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  if (library->write(&image, nullptr, &size, 0, pixels.rgb.data(), 0, nullptr) == 0) return {};
  std::string bytes(size, '\0');
  if (library->write(&image, bytes.data(), &size, 0, pixels.rgb.data(), 0, nullptr) == 0) return {};
  bytes.resize(size);
  return bytes;
}

}  // namespace svc::print
