#include "request/media.h"

#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <openssl/evp.h>

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

std::string base64_encode(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  // EVP_EncodeBlock counts in int: encode in blocks of whole triples.
  constexpr std::size_t block = 3UL * 1024 * 1024;
  std::size_t at = 0;
  for (std::size_t from = 0; from < bytes.size(); from += block) {
    const std::string_view part = bytes.substr(from, block);
    at += static_cast<std::size_t>(EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(out.data() + at),
        reinterpret_cast<const unsigned char*>(part.data()), static_cast<int>(part.size())));
  }
  out.resize(at);
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  for (const char c : text.substr(0, text.size() - padding)) {
    const bool fine = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      c == '+' || c == '/';
    if (!fine) return std::nullopt;
  }
  std::string out(3 * (text.size() / 4), '\0');
  constexpr std::size_t block = 4UL * 1024 * 1024;
  std::size_t at = 0;
  for (std::size_t from = 0; from < text.size(); from += block) {
    const std::string_view part = text.substr(from, block);
    const int count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data() + at),
                                      reinterpret_cast<const unsigned char*>(part.data()),
                                      static_cast<int>(part.size()));
    if (count < 0) return std::nullopt;
    at += static_cast<std::size_t>(count);
  }
  out.resize(at - padding);
  return out;
}

std::string data_url(std::string_view type, std::string_view bytes) {
  return fmt::format("data:{};base64,{}", type, base64_encode(bytes));
}

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
  Media media{.form = MediaForm::Bytes};
  if (text == "-") {
    if (stdin_bytes == nullptr) {
      return usage_error(fmt::format("{} is -, but standard input gives nothing to read", name));
    }
    media.bytes = *stdin_bytes;
    media.file_name = "stdin";
  } else {
    SVC_TRY(content, read_named_file(name, std::string(text), k_max_inline_media));
    media.bytes = std::move(content);
    media.file_name = std::filesystem::path(text).filename().string();
  }
  if (media.bytes.empty()) {
    return usage_error(
        fmt::format("{}: {} is empty", name,
                    text == "-" ? std::string("standard input") : visible(text, Lines::Escape)));
  }
  media.type = sniff_type(media.bytes);
  return media;
}

}  // namespace svc::request
