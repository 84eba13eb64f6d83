#include "emulator/picture/picture.h"

#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>
#include <wels/codec_api.h>

namespace svc::emulator::media {
namespace {

std::size_t offset_of(Size size, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
          static_cast<std::size_t>(x)) *
         3;
}

constexpr std::int64_t k_max_pixels = 40'000'000;

const std::uint8_t* bytes_of(sv bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

Error invalid(sv name) {
  return usage_error(fmt::format("Invalid {} image.", name));
}

Result<Image> make_image(sv name, std::int64_t width, std::int64_t height) {
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

Result<Image> decode_jpeg(sv bytes) {
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

Result<Image> decode_png(sv bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> freed(&png, png_image_free);
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return invalid("PNG");
  }
  SVC_TRY(image, make_image("PNG", png.width, png.height));
  png.format = PNG_FORMAT_RGB;
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&png, &white, image.data(), 0, nullptr) == 0) return invalid("PNG");
  return std::move(image);
}

Result<Image> decode_webp(sv bytes) {
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

double ratio_of(sv ratio, double fallback) {
  const std::size_t colon = ratio.find(':');
  if (colon == sv::npos) return fallback;
  const auto width = parse_number(ratio.substr(0, colon));
  const auto height = parse_number(ratio.substr(colon + 1));
  return width && height && *height > 0 ? *width / *height : fallback;
}

double ratio_of(Size size) {
  return static_cast<double>(size.width) / std::max(1, size.height);
}

std::uint64_t stable_hash(sv text, std::uint64_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return seed;
}

Image draw_image(sv prompt, std::uint64_t variant, std::span<const Image> inputs, Size size) {
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

sv image_type(sv bytes) {
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return "image/png";
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return "image/webp";
  }
  return {};
}

Result<Image> decode_image(sv bytes) {
  const auto type = image_type(bytes);
  if (type == "image/jpeg") return decode_jpeg(bytes);
  if (type == "image/png") return decode_png(bytes);
  if (type == "image/webp") return decode_webp(bytes);
  return usage_error("Invalid image: it is neither JPEG nor PNG nor WebP.");
}

Result<std::string> encode_jpeg(const Image& image, sv comment, int quality) {
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

namespace svc::emulator::videos {
namespace {

/// One image as stored in an MP4: NAL units, each preceded by its length in four bytes.
struct Sample {
  std::string bytes{};
  bool key = false;  ///< can be decoded without earlier samples
};

struct Stream {
  std::string sps{};  ///< the parameter sets, as NAL units
  std::string pps{};
  std::vector<Sample> samples{};  ///< one per image
};

constexpr int k_frames_per_second = 6;

enum NalType : unsigned { k_sps_nal = 7, k_pps_nal = 8 };

struct Deleter {
  void operator()(ISVCEncoder* encoder) const noexcept {
    encoder->Uninitialize();
    WelsDestroySVCEncoder(encoder);
  }
};
using Encoder = std::unique_ptr<ISVCEncoder, Deleter>;

Error codec_error(const char* what) {
  return Error{Fault::Unexpected, std::string("The video codec failed: ") + what + "."};
}

Result<Encoder> open_encoder(media::Size size) {
  ISVCEncoder* raw = nullptr;
  if (WelsCreateSVCEncoder(&raw) != 0 || raw == nullptr) return codec_error("no encoder");
  Encoder encoder(raw);
  int silent = WELS_LOG_QUIET;
  raw->SetOption(ENCODER_OPTION_TRACE_LEVEL, &silent);
  SEncParamBase settings{};  // with these, the bytes are the same on every machine
  settings.iUsageType = CAMERA_VIDEO_REAL_TIME;
  settings.iPicWidth = size.width;
  settings.iPicHeight = size.height;
  settings.iTargetBitrate = 5'000'000;
  settings.iRCMode = RC_OFF_MODE;
  settings.fMaxFrameRate = static_cast<float>(k_frames_per_second);
  if (raw->Initialize(&settings) != 0) return codec_error("it takes no such size");
  return encoder;
}

/// An image in the codec's format: luma, and chroma at half the size (BT.601, video range).
using Planes = std::array<std::vector<std::uint8_t>, 3>;

Planes planes_of(const media::Image& image) {
  Planes planes;
  const auto [width, height] = image.size();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const media::Color c = image.at(x, y);
      const auto add = [&](std::size_t plane, int zero, int red, int green, int blue) {
        const int sum = red * c.red + green * c.green + blue * c.blue;
        planes[plane].push_back(static_cast<std::uint8_t>(zero + (sum + 128) / 256));
      };
      add(0, 16, 66, 129, 25);
      if (x % 2 != 0 || y % 2 != 0) continue;
      add(1, 128, -38, -74, 112);
      add(2, 128, 112, -94, -18);
    }
  }
  return planes;
}

// Removes the start code, which has three or four bytes.
sv bare_nal(sv nal) {
  const std::size_t one = nal.find('\1');
  return one == sv::npos ? nal : nal.substr(one + 1);
}

// Returns numbers of four bytes, the most significant one first.
std::string words(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const std::uint32_t value : values) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift);
  }
  return bytes;
}

void add_nal(Stream& stream, Sample& sample, sv nal) {
  if (nal.empty()) return;
  const unsigned type = static_cast<unsigned char>(nal.front()) & 0x1FU;
  if (type == k_sps_nal) {
    stream.sps = nal;
  } else if (type == k_pps_nal) {
    stream.pps = nal;
  } else {
    sample.bytes.append(words({static_cast<std::uint32_t>(nal.size())})).append(nal);
  }
}

// All must have the same size, with even sides.
Result<Stream> encode(const std::vector<media::Image>& frames) {
  const media::Size size = frames.front().size();
  SVC_TRY(encoder, open_encoder(size));
  Stream stream;
  for (const media::Image& image : frames) {
    Planes planes = planes_of(image);
    SSourcePicture source{};
    source.iColorFormat = videoFormatI420;
    source.iPicWidth = size.width;
    source.iPicHeight = size.height;
    source.uiTimeStamp = static_cast<long long>(stream.samples.size()) * 1000 / k_frames_per_second;
    for (std::size_t i = 0; i < planes.size(); ++i) {
      source.pData[i] = planes[i].data();
      source.iStride[i] = i == 0 ? size.width : size.width / 2;
    }
    SFrameBSInfo out{};
    if (encoder->EncodeFrame(&source, &out) != cmResultSuccess) return codec_error("no picture");
    Sample sample;
    sample.key = out.eFrameType == videoFrameTypeIDR;
    for (int i = 0; i < out.iLayerNum; ++i) {
      const SLayerBSInfo& layer = out.sLayerInfo[i];
      const char* at = reinterpret_cast<const char*>(layer.pBsBuf);
      for (int n = 0; n < layer.iNalCount; ++n) {
        const auto length = static_cast<std::size_t>(layer.pNalLengthInByte[n]);
        add_nal(stream, sample, bare_nal({at, length}));
        at += length;
      }
    }
    stream.samples.push_back(std::move(sample));
  }
  return stream;
}

/// Returns the number in the `count` bytes at `at`, most significant first; 0 beyond the end.
std::uint64_t number(sv bytes, std::size_t at, std::size_t count) {
  if (at > bytes.size() || bytes.size() - at < count) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

struct Mp4Box {
  sv type{};
  sv content{};
};

// Removes and returns the box at the front of `bytes`; nothing if it is malformed.
std::optional<Mp4Box> take_box(sv& bytes) {
  std::size_t head = 8;
  if (bytes.size() < head) return std::nullopt;
  std::uint64_t size = number(bytes, 0, 4);
  if (size == 1) {
    head = 16;
    size = number(bytes, 8, 8);
  } else if (size == 0) {
    size = bytes.size();
  }
  if (size < head || size > bytes.size()) return std::nullopt;
  const Mp4Box box{bytes.substr(4, 4), bytes.substr(head, size - head)};
  bytes.remove_prefix(size);
  return box;
}

// Returns the content of the first box of that type; empty if there is none.
sv find(sv bytes, sv type) {
  while (const auto box = take_box(bytes)) {
    if (box->type == type) return box->content;
  }
  return {};
}

std::optional<Mp4Track> read_track(sv trak) {
  constexpr std::size_t k_entry_head = 78;  // of a visual sample entry
  const sv mdia = find(trak, "mdia");
  const sv handler = find(mdia, "hdlr");
  if (handler.size() < 12 || handler.substr(8, 4) != "vide") return std::nullopt;
  const sv mdhd = find(mdia, "mdhd");
  const bool wide = number(mdhd, 0, 1) == 1;
  const std::uint64_t timescale = number(mdhd, wide ? 20 : 12, 4);
  const std::uint64_t duration = wide ? number(mdhd, 24, 8) : number(mdhd, 16, 4);
  sv entries = find(find(find(mdia, "minf"), "stbl"), "stsd");
  if (entries.size() < 8 || timescale == 0) return std::nullopt;
  entries.remove_prefix(8);
  const auto entry = take_box(entries);
  if (!entry || entry->content.size() < k_entry_head) return std::nullopt;
  Mp4Track track;
  track.codec = entry->type;
  track.size = {static_cast<int>(number(entry->content, 24, 2)),
                static_cast<int>(number(entry->content, 26, 2))};
  track.duration_s = static_cast<double>(duration) / static_cast<double>(timescale);
  return track;
}

constexpr std::uint32_t k_timescale = 12'000;
constexpr std::uint32_t k_sample_ticks = k_timescale / k_frames_per_second;

struct VideoTrack {
  const Stream& stream;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t count;

  [[nodiscard]] const Sample& sample(std::uint32_t index) const {
    return stream.samples[index % stream.samples.size()];
  }
};

std::string box(sv type, const std::string& content) {
  return words({static_cast<std::uint32_t>(content.size() + 8)}).append(type) + content;
}

// A parameter set after its length, in two bytes.
std::string parameter_set(const std::string& nal) {
  return words({static_cast<std::uint32_t>(nal.size())}).substr(2) + nal;
}

// The coding of the samples, with the parameter sets.
std::string sample_description(const VideoTrack& video) {
  constexpr std::uint32_t k_72_dpi = 0x480000;
  const auto& [sps, pps, samples] = video.stream;
  // Before each NAL unit its length stands in four bytes.
  const std::string configuration =
      "\1" + sps.substr(1, 3) + "\xFF\xE1" + parameter_set(sps) + "\1" + parameter_set(pps);
  return box(
      "stsd",
      words({0, 1}) + box("avc1", words({0, 1, 0, 0, 0, 0, video.width << 16U | video.height,
                                         k_72_dpi, k_72_dpi, 0, 0x10000, 0, 0, 0, 0, 0, 0, 0, 24}) +
                                      "\xFF\xFF" + box("avcC", configuration)));
}

// All samples are in one chunk, which starts at `offset`.
std::string sample_table(const VideoTrack& video, std::uint32_t offset) {
  std::uint32_t key_count = 0;
  std::string keys;
  std::string sizes;
  for (std::uint32_t i = 0; i < video.count; ++i) {
    sizes += words({static_cast<std::uint32_t>(video.sample(i).bytes.size())});
    if (!video.sample(i).key) continue;
    ++key_count;
    keys += words({i + 1});
  }
  return box("stbl", sample_description(video) +
                         box("stts", words({0, 1, video.count, k_sample_ticks})) +
                         box("stss", words({0, key_count}) + keys) +
                         box("stsc", words({0, 1, 1, video.count, 1})) +
                         box("stsz", words({0, 0, video.count}) + sizes) +
                         box("stco", words({0, 1, offset})));
}

std::string movie(const VideoTrack& video, std::uint32_t offset) {
  constexpr std::uint32_t k_enabled_in_movie = 3;
  constexpr std::uint32_t k_undetermined_language = 0x55C4;
  const std::uint32_t ticks = k_sample_ticks * video.count;
  // The identity matrix: a transformation applied before display.
  const std::string matrix = words({0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000});
  const std::string information =
      box("vmhd", words({1, 0, 0})) +
      box("dinf", box("dref", words({0, 1}) + box("url ", words({1})))) +
      sample_table(video, offset);
  const std::string media =
      box("mdhd", words({0, 0, 0, k_timescale, ticks, k_undetermined_language << 16U})) +
      box("hdlr", words({0, 0}) + "vide" + words({0, 0, 0}) + "svc-emulator" + '\0') +
      box("minf", information);
  const std::string track =
      box("tkhd", words({k_enabled_in_movie, 0, 0, 1, 0, ticks, 0, 0, 0, 0}) + matrix +
                      words({video.width << 16U, video.height << 16U})) +
      box("mdia", media);
  return box("moov", box("mvhd", words({0, 0, 0, k_timescale, ticks, 0x10000, 0x1000000, 0, 0}) +
                                     matrix + words({0, 0, 0, 0, 0, 0, 2})) +
                         box("trak", track));
}

// Returns the file, with the metadata before the images, so that playback can start early: `count`
// samples, cycling through the stream's, whose first must be a key.
std::string write_mp4(const VideoTrack& video) {
  const std::string type = box("ftyp", "isom" + words({0x200}) + "isomiso2avc1mp41");
  // The offset does not change the size of the box that contains it.
  const std::size_t before = type.size() + movie(video, 0).size() + 8;
  std::string data;
  for (std::uint32_t i = 0; i < video.count; ++i) data += video.sample(i).bytes;
  return type + movie(video, static_cast<std::uint32_t>(before)) + box("mdat", data);
}

}  // namespace

Result<Mp4Track> read_mp4(sv file) {
  if (file.size() < 12 || file.substr(4, 4) != "ftyp") {
    return usage_error("The video is not an MP4 file.");
  }
  sv movie = find(file, "moov");
  if (movie.empty()) return usage_error("The MP4 file has no moov box: it is not complete.");
  while (const auto box = take_box(movie)) {
    if (box->type != "trak") continue;
    if (auto track = read_track(box->content)) return *std::move(track);
  }
  return usage_error("The MP4 file has no video track.");
}

// The video for every prompt: a square on two colors, which crosses the image once a second.
Result<std::string> make_video(media::Size size, double seconds) {
  const media::Image ground(size, {32, 72, 128}, {224, 160, 96});
  const int side = std::min(size.width, size.height) / 4;
  const media::Image square({1, 1}, {255, 255, 255}, {});
  std::vector<media::Image> second(k_frames_per_second, ground);
  for (int i = 0; i < k_frames_per_second; ++i) {
    second[static_cast<std::size_t>(i)].paste(square,
                                              (size.width - side) * i / (k_frames_per_second - 1),
                                              (size.height - side) / 2, {side, side});
  }
  SVC_TRY(stream, encode(second));
  const auto count = std::max(1L, std::lround(seconds * k_frames_per_second));
  return write_mp4({stream, static_cast<std::uint32_t>(size.width),
                    static_cast<std::uint32_t>(size.height), static_cast<std::uint32_t>(count)});
}

}  // namespace svc::emulator::videos
