#include "request/media.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"
#include "request/convert.h"

namespace svc::request {
namespace {

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view type;
};

using namespace std::string_view_literals;

constexpr std::array k_magics = {
    Magic{0, "\x89PNG\r\n\x1a\n"sv, "image/png"},
    Magic{0, "\xff\xd8\xff"sv, "image/jpeg"},
    Magic{0, "GIF87a"sv, "image/gif"},
    Magic{0, "GIF89a"sv, "image/gif"},
    Magic{8, "WEBP"sv, "image/webp"},
    Magic{0, "BM"sv, "image/bmp"},
    Magic{0, "II*\0"sv, "image/tiff"},
    Magic{0, "MM\0*"sv, "image/tiff"},
    Magic{0, "%PDF-"sv, "application/pdf"},
    Magic{0, "PK\x03\x04"sv, "application/zip"},
    Magic{8, "WAVE"sv, "audio/wav"},
    Magic{0, "ID3"sv, "audio/mpeg"},
    Magic{0, "\xff\xfb"sv, "audio/mpeg"},
    Magic{0, "\xff\xf3"sv, "audio/mpeg"},
    Magic{0, "\xff\xf2"sv, "audio/mpeg"},
    Magic{0, "\xff\xfa"sv, "audio/mpeg"},
    Magic{0, "\xff\xf1"sv, "audio/aac"},
    Magic{0, "\xff\xf9"sv, "audio/aac"},
    Magic{0, "OggS"sv, "audio/ogg"},
    Magic{0, "fLaC"sv, "audio/flac"},
    Magic{4, "ftyphei"sv, "image/heic"},
    Magic{4, "ftyphev"sv, "image/heic"},
    Magic{4, "ftypmif1"sv, "image/heic"},
    Magic{4, "ftypavi"sv, "image/avif"},
    Magic{4, "ftypM4A"sv, "audio/mp4"},
    Magic{4, "ftypqt"sv, "video/quicktime"},
    Magic{4, "ftyp"sv, "video/mp4"},
    Magic{0, "\x1a\x45\xdf\xa3"sv, "video/x-matroska"},
};

bool is_text(std::string_view bytes) {
  // A cut inside the last character of the sample is no fault.
  if (const auto at = first_invalid_utf8(bytes); at && *at + 4 < bytes.size()) return false;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f') return false;
  }
  return true;
}

}  // namespace

std::string sniff_type(std::string_view bytes) {
  for (const Magic& magic : k_magics) {
    if (bytes.size() >= magic.offset + magic.bytes.size() &&
        bytes.substr(magic.offset, magic.bytes.size()) == magic.bytes) {
      return std::string(magic.type);
    }
  }
  return is_text(bytes.substr(0, 65536)) ? "text/plain" : "application/octet-stream";
}

std::string_view type_name(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> k_names = {
      {{"image/jpeg", "JPEG"},
       {"image/png", "PNG"},
       {"image/webp", "WebP"},
       {"image/gif", "GIF"},
       {"image/heic", "HEIC"},
       {"image/avif", "AVIF"},
       {"image/bmp", "BMP"},
       {"image/tiff", "TIFF"},
       {"video/mp4", "MP4"},
       {"video/quicktime", "QuickTime"},
       {"video/x-matroska", "Matroska"},
       {"application/pdf", "PDF"},
       {"text/plain", "plain text"},
       {"application/octet-stream", "of an unknown kind"}}};
  for (const auto& [known, name] : k_names) {
    if (known == type) return name;
  }
  return type;
}

Result<std::string> media_bytes(std::string_view name, const Media& media) {
  if (media.form != MediaForm::File) return media.bytes;
  return read_named_file(name, media.file.path, k_max_inline_media);
}

std::string media_base64(const Media& media, InlineFiles& files) {
  return media.form == MediaForm::File ? files.stand_in(media.file) : base64_encode(media.bytes);
}

std::string data_url(const Media& media, InlineFiles& files) {
  return fmt::format("data:{};base64,{}", media.type, media_base64(media, files));
}

namespace {

/// Enough to tell what a file is.
constexpr std::size_t k_start_bytes = 65'536;

Error empty_media(std::string_view name, std::string_view what) {
  return usage_error(fmt::format("{}: {} is empty", name, visible(what, Lines::Escape)));
}

/// A regular file is looked at; anything else that can be read (a pipe) is read at once.
Result<Media> look_at_path(std::string_view name, const std::string& path) {
  Media media{.form = MediaForm::Bytes};
  media.file_name = std::filesystem::path(path).filename().string();
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {
    SVC_TRY(content, read_named_file(name, path, k_max_inline_media));
    if (content.empty()) return empty_media(name, path);
    media.bytes = std::move(content);
    media.type = sniff_type(media.bytes);
    return media;
  }
  Result<std::string> read = read_start(path, k_start_bytes);
  if (!read) {
    read.error().message = fmt::format("{}: {}", name, read.error().message);
    return std::move(read).error();
  }
  const std::string& start = *read;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (start.empty() || size == 0) return empty_media(name, path);
  if (size > k_max_inline_media) {
    return usage_error(
        fmt::format("{}: {} is too large: {} were given, at most {} can be sent along", name,
                    visible(path, Lines::Escape), format_bytes(size),
                    format_bytes(k_max_inline_media)),
        "Upload it with `svc files upload`, or give a URL.");
  }
  media.form = MediaForm::File;
  media.file = FileSource{path, size};
  media.type = sniff_type(start);
  return media;
}

}  // namespace

Result<Media> resolve_media(std::string_view name, std::string_view text,
                            const std::string* stdin_bytes) {
  if (text.empty()) {
    return usage_error(
        fmt::format("{} is empty", name),
        "Give a path, an http(s) URL, a data: URL, a file id or - for standard input.");
  }
  if (first_invalid_utf8(text)) {
    return usage_error(fmt::format("{} is not valid UTF-8 text", name));
  }
  if (text.starts_with("https://") || text.starts_with("http://")) {
    return Media{.form = MediaForm::Url, .text = std::string(text)};
  }
  if (text.starts_with("data:")) {
    return Media{.form = MediaForm::DataUrl, .text = std::string(text)};
  }
  if (text.starts_with("file_") && text.find('/') == sv::npos && text.find('.') == sv::npos) {
    return Media{.form = MediaForm::FileId, .text = std::string(text)};
  }
  if (text != "-") return look_at_path(name, std::string(text));
  if (stdin_bytes == nullptr) {
    return usage_error(fmt::format("{} is -, but standard input gives nothing to read", name));
  }
  if (stdin_bytes->empty()) return empty_media(name, "standard input");
  return Media{.form = MediaForm::Bytes,
               .bytes = *stdin_bytes,
               .type = sniff_type(*stdin_bytes),
               .file_name = "stdin"};
}

}  // namespace svc::request
