#include "emulator/picture/picture.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>

#include "base/text.h"

namespace svc::emulator::media {

namespace {

std::size_t offset_of(Size size, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
          static_cast<std::size_t>(x)) *
         3;
}

constexpr std::int64_t k_max_pixels = 40'000'000;

const std::uint8_t* bytes_of(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

Error invalid(std::string_view name) {
  return usage_error(fmt::format("Invalid {} image.", name));
}

Result<Image> make_image(std::string_view name, std::int64_t width, std::int64_t height) {
  if (width <= 0 || height <= 0) return invalid(name);
  if (width * height > k_max_pixels) {
    return usage_error(fmt::format("The {} image has {}x{} pixels; at most 40 million are allowed.",
                                   name, width, height));
  }
  return Image({static_cast<int>(width), static_cast<int>(height)}, {}, {});
}

struct DestroyTurbo {
  void operator()(void* handle) const noexcept { tjDestroy(handle); }
};
using Turbo = std::unique_ptr<void, DestroyTurbo>;

Result<Image> decode_jpeg(std::string_view bytes) {
  const Turbo turbo(tjInitDecompress());
  int width = 0;
  int height = 0;
  int sampling = 0;
  int space = 0;
  if (tjDecompressHeader3(turbo.get(), bytes_of(bytes), bytes.size(), &width, &height, &sampling,
                          &space) != 0) {
    return invalid("JPEG");
  }
  SVC_TRY(image, make_image("JPEG", width, height));
  // A warning (such as a truncated file) means an image with a grey area: not valid.
  if (tjDecompress2(turbo.get(), bytes_of(bytes), bytes.size(), image.data(), width, 0, height,
                    TJPF_RGB, TJFLAG_STOPONWARNING) != 0) {
    return invalid("JPEG");
  }
  return std::move(image);
}

Result<Image> decode_png(std::string_view bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> freed(&png, png_image_free);
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return invalid("PNG");
  }
  SVC_TRY(image, make_image("PNG", png.width, png.height));
  png.format = PNG_FORMAT_RGB;
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&png, &white, image.data(), 0, nullptr) == 0) {
    return invalid("PNG");
  }
  return std::move(image);
}

Result<Image> decode_webp(std::string_view bytes) {
  int width = 0;
  int height = 0;
  if (WebPGetInfo(bytes_of(bytes), bytes.size(), &width, &height) == 0) return invalid("WebP");
  SVC_TRY(image, make_image("WebP", width, height));
  const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
  if (WebPDecodeRGBInto(bytes_of(bytes), bytes.size(), image.data(), size, width * 3) == nullptr) {
    return invalid("WebP");
  }
  return std::move(image);
}

}  // namespace

Image::Image(Size size, Color top, Color bottom)
    : m_size(size), m_bytes(offset_of(size, 0, size.height)) {
  const int whole = std::max(1, size.height - 1);
  for (int y = 0; y < size.height; ++y) {
    const auto mix = [&](int from, int to) {
      return static_cast<std::uint8_t>(from + (to - from) * y / whole);
    };
    for (int x = 0; x < size.width; ++x) {
      std::uint8_t* pixel = m_bytes.data() + offset_of(size, x, y);
      pixel[0] = mix(top.red, bottom.red);
      pixel[1] = mix(top.green, bottom.green);
      pixel[2] = mix(top.blue, bottom.blue);
    }
  }
}

Color Image::at(int x, int y) const {
  const std::uint8_t* pixel = m_bytes.data() + offset_of(m_size, x, y);
  return {pixel[0], pixel[1], pixel[2]};
}

void Image::paste(const Image& other, int x, int y, Size size) {
  const auto scaled = [](int at, int from, int to) {
    return static_cast<int>(static_cast<std::int64_t>(at) * to / from);
  };
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column) {
      const std::uint8_t* from =
          other.data() + offset_of(other.m_size, scaled(column, size.width, other.m_size.width),
                                   scaled(row, size.height, other.m_size.height));
      std::copy_n(from, 3, m_bytes.data() + offset_of(m_size, x + column, y + row));
    }
  }
}

double ratio_of(std::string_view ratio, double fallback) {
  const std::size_t colon = ratio.find(':');
  if (colon == sv::npos) return fallback;
  const auto width = parse_number(ratio.substr(0, colon));
  const auto height = parse_number(ratio.substr(colon + 1));
  return width && height && *height > 0 ? *width / *height : fallback;
}

double ratio_of(Size size) {
  return static_cast<double>(size.width) / std::max(1, size.height);
}

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return hash;
}

Image draw_image(std::string_view prompt, std::uint64_t variant, std::span<const Image> inputs,
                 Size size) {
  const std::uint64_t hash = stable_hash(fmt::format("{} {}", variant, prompt));
  const auto channel = [&](unsigned shift) { return static_cast<std::uint8_t>(hash >> shift); };
  Image image(size, {channel(0), channel(8), channel(16)}, {channel(24), channel(32), channel(40)});
  const int count = static_cast<int>(inputs.size());
  for (int i = 0; i < count; ++i) {
    image.paste(inputs[static_cast<std::size_t>(i)], size.width * i / count, size.height / 4,
                {size.width / count, size.height / 2});
  }
  return image;
}

std::string_view image_type(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return "image/png";
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return "image/webp";
  }
  return {};
}

Result<Image> decode_image(std::string_view bytes) {
  const auto type = image_type(bytes);
  if (type == "image/jpeg") return decode_jpeg(bytes);
  if (type == "image/png") return decode_png(bytes);
  if (type == "image/webp") return decode_webp(bytes);
  return usage_error("Invalid image: it is neither JPEG nor PNG nor WebP.");
}

Result<std::string> encode_jpeg(const Image& image, std::string_view comment, int quality) {
  const Turbo turbo(tjInitCompress());
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int outcome =
      tjCompress2(turbo.get(), image.data(), image.size().width, 0, image.size().height, TJPF_RGB,
                  &bytes, &size, TJSAMP_420, quality, TJFLAG_FASTDCT);
  struct Free {
    void operator()(unsigned char* memory) const noexcept { tjFree(memory); }
  };
  const std::unique_ptr<unsigned char, Free> owned(bytes);
  if (outcome != 0) {
    return Error{Fault::Unexpected, fmt::format("The picture could not be written as JPEG: {}.",
                                                tjGetErrorStr2(turbo.get()))};
  }
  std::string file(reinterpret_cast<const char*>(bytes), size);
  comment = comment.substr(0, 0xFFFD);  // a segment's length has two bytes, which count as well
  const std::size_t length = comment.size() + 2;
  std::string segment = "\xFF\xFE";
  segment += static_cast<char>(length >> 8U);
  segment += static_cast<char>(length & 0xFFU);
  segment += comment;
  return file.insert(2, segment);
}

}  // namespace svc::emulator::media
