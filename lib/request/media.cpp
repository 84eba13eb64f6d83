#include "request/media.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"
#include "request/body.h"
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
  // A sample that ends inside a character is still valid.
  if (const auto at = first_invalid_utf8(bytes); at && *at + 4 < bytes.size()) return false;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f') return false;
  }
  return true;
}

constexpr std::size_t k_first = 1'000'000;
constexpr std::size_t k_digits = 7;

/// "JPEG, PNG and WebP".
std::string join_type_names(std::span<const sv> types) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += i + 1 == types.size() ? " and " : ", ";
    text += type_name(types[i]);
  }
  return text;
}

Result<void> check_type(const Field& field, std::string_view what, std::string_view type) {
  const MediaSlot& slot = *field.media;
  if (slot.types.empty() ||
      std::find(slot.types.begin(), slot.types.end(), type) != slot.types.end()) {
    return {};
  }
  return usage_error(
      fmt::format("{} {}: {} is not accepted here", flag_name(field), what, type_name(type)),
      fmt::format("Accepted: {}.", join_type_names(slot.types)));
}

Result<void> check_size(const Field& field, std::string_view what, std::uint64_t size) {
  if (size <= field.media->max_bytes) return {};
  return usage_error(fmt::format("{} {}: {} is too large; the limit is {}", flag_name(field), what,
                                 format_bytes(size), format_bytes(field.media->max_bytes)),
                     "Upload it with `svc files upload`, or use a URL.");
}

/// Checks the content of a data: URL by its first bytes.
Result<void> check_data_url(const Field& field, std::string_view url) {
  constexpr std::string_view k_base64 = ";base64,";
  const std::size_t comma = url.find(',');
  const std::string_view head = url.substr(0, std::min(comma, url.size()) + 1);
  if (comma == sv::npos || !head.ends_with(k_base64)) {
    return usage_error(
        fmt::format("{} must be a base64 data: URL, not '{}'", flag_name(field), shown(url)),
        "For example: data:image/png;base64,iVBORw0…");
  }
  const std::string_view encoded = url.substr(comma + 1);
  SVC_CHECK(check_size(field, "data: URL", encoded.size() / 4 * 3));
  const auto bytes = base64_decode(encoded.substr(0, 64));
  if (!bytes || bytes->empty()) {
    return usage_error(fmt::format("{}: the data: URL contains no base64", flag_name(field)));
  }
  return check_type(field, "data: URL", sniff_type(*bytes));
}

Result<OrderedJson> media_object(const Field& field, Media media, InlineFiles& files) {
  switch (media.form) {
    case MediaForm::Url:
      return OrderedJson{{"url", std::move(media.text)}};
    case MediaForm::FileId:
      return OrderedJson{{"file_id", std::move(media.text)}};
    case MediaForm::DataUrl:
      SVC_CHECK(check_data_url(field, media.text));
      return OrderedJson{{"url", std::move(media.text)}};
    case MediaForm::File:
    case MediaForm::Bytes:
      break;
  }
  const std::string name = visible(media.file_name, Lines::Escape);
  SVC_CHECK(check_type(field, name, media.type));
  SVC_CHECK(check_size(field, name, media.size()));
  return OrderedJson{{"url", data_url(media, files)}};
}

/// Splits "SECONDS=MEDIA": returns {"timestamp_s"} and leaves MEDIA in `text`.
Result<OrderedJson> take_timestamp(const Field& field, std::string& text) {
  const std::size_t equals = text.find('=');
  const auto seconds =
      equals != std::string::npos ? parse_number(sv(text).substr(0, equals)) : std::nullopt;
  if (!seconds || *seconds < 0) {
    return usage_error(
        fmt::format("{} must be SECONDS=IMAGE, not '{}'", flag_name(field), shown(text)),
        "For example: --keyframe 2.5=door.png");
  }
  text.erase(0, equals + 1);
  OrderedJson timestamp = OrderedJson::object();
  if (*seconds == std::floor(*seconds) && *seconds < 1e9) {
    timestamp["timestamp_s"] = static_cast<std::int64_t>(*seconds);
  } else {
    timestamp["timestamp_s"] = *seconds;
  }
  return timestamp;
}

Result<OrderedJson> collect(const Field& field, const Inputs& inputs,
                            const std::optional<std::string>& stdin_text, InlineFiles& files) {
  OrderedJson objects = OrderedJson::array();
  for (const Given& given : inputs.given) {
    if (given.field != &field) continue;
    std::string text = given.text;
    OrderedJson wrapper;
    if (!field.wraps.empty()) {
      SVC_TRY(timestamp, take_timestamp(field, text));
      wrapper = std::move(timestamp);
    }
    const bool from_stdin = text == "-";
    SVC_TRY(media, resolve_media(flag_name(field), text,
                                 from_stdin && stdin_text ? &*stdin_text : nullptr));
    SVC_TRY(object, media_object(field, std::move(media), files));
    if (!field.wraps.empty()) {
      wrapper[std::string(field.wraps)] = std::move(object);
      object = std::move(wrapper);
    }
    objects.push_back(std::move(object));
  }
  if (field.max_count != 0 && objects.size() > field.max_count) {
    return usage_error(fmt::format("{} was given {} times (maximum: {})", flag_name(field),
                                   objects.size(), field.max_count));
  }
  return objects;
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
       {"application/octet-stream", "an unknown format"}}};
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
  return media.form == MediaForm::File ? files.placeholder(media.file) : base64_encode(media.bytes);
}

std::string data_url(const Media& media, InlineFiles& files) {
  return fmt::format("data:{};base64,{}", media.type, media_base64(media, files));
}

namespace {

/// Enough to detect a file's type.
constexpr std::size_t k_sample_bytes = 65'536;

Error empty_media(std::string_view name, std::string_view what) {
  return usage_error(fmt::format("{}: {} is empty", name, visible(what, Lines::Escape)));
}

/// Inspects a regular file; reads anything else (a pipe) immediately.
Result<Media> inspect_path(std::string_view name, const std::string& path) {
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
  Result<std::string> read = read_prefix(path, k_sample_bytes);
  if (!read) {
    read.error().message = fmt::format("{}: {}", name, read.error().message);
    return std::move(read).error();
  }
  const std::string& start = *read;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (start.empty() || size == 0) return empty_media(name, path);
  if (size > k_max_inline_media) {
    return usage_error(fmt::format("{}: {} is too large: {}; the limit for a request is {}", name,
                                   visible(path, Lines::Escape), format_bytes(size),
                                   format_bytes(k_max_inline_media)),
                       "Upload it with `svc files upload`, or use a URL.");
  }
  media.form = MediaForm::File;
  media.file = FileSource{path, size};
  media.type = sniff_type(start);
  return media;
}

}  // namespace

MediaForm form_of(std::string_view text) noexcept {
  if (text.starts_with("https://") || text.starts_with("http://")) return MediaForm::Url;
  if (text.starts_with("data:")) return MediaForm::DataUrl;
  const bool id = text.starts_with("file_") && text.find_first_of("/.") == sv::npos;
  return id ? MediaForm::FileId : MediaForm::File;
}

Result<Media> resolve_media(std::string_view name, std::string_view text,
                            const std::string* stdin_bytes) {
  if (text.empty()) {
    return usage_error(
        fmt::format("{} is empty", name),
        "Pass a path, an http(s) URL, a data: URL, a file ID, or - for standard input.");
  }
  if (first_invalid_utf8(text)) return usage_error(fmt::format("{} is not valid UTF-8", name));
  const MediaForm form = form_of(text);
  if (form == MediaForm::Url) {
    const std::size_t host = text.find("//") + 2;
    if (host == text.size() || sv("/?#").find(text[host]) != sv::npos) {
      return usage_error(fmt::format("{}: the URL '{}' has no host", name, shown(text)));
    }
  }
  if (form != MediaForm::File) return Media{.form = form, .text = std::string(text)};
  if (text != "-") return inspect_path(name, std::string(text));
  if (stdin_bytes == nullptr) {
    return usage_error(fmt::format("{} is -, but standard input is empty", name));
  }
  if (stdin_bytes->empty()) return empty_media(name, "standard input");
  return Media{.form = MediaForm::Bytes,
               .bytes = *stdin_bytes,
               .type = sniff_type(*stdin_bytes),
               .file_name = "stdin"};
}

InlineFiles::InlineFiles() : m_mark(fmt::format("svc-file-{}-", random_uuid())) {}

std::string InlineFiles::placeholder(FileSource file) {
  m_files.push_back(std::move(file));
  // Starts at 1,000,000, so that every number has seven digits.
  return fmt::format("{}{}", m_mark, k_first + m_files.size() - 1);
}

Payload InlineFiles::to_payload(std::string body) const {
  if (m_files.empty()) return body;
  std::vector<BodySection> sections;
  std::size_t from = 0;
  for (std::size_t at = body.find(m_mark); at != std::string::npos; at = body.find(m_mark, from)) {
    sections.emplace_back(body.substr(from, at - from));
    const std::size_t digits = at + m_mark.size();
    const auto number = parse_integer(std::string_view(body).substr(digits, k_digits));
    const auto index = number ? static_cast<std::size_t>(*number) - k_first : m_files.size();
    sections.emplace_back(Base64Source{m_files.at(index)});
    from = digits + k_digits;
  }
  sections.emplace_back(body.substr(from));
  return sections;
}

Result<std::string> complete_body(const Payload& body) {
  if (const auto* text = std::get_if<std::string>(&body)) return *text;
  const auto* sections = std::get_if<std::vector<BodySection>>(&body);
  if (sections == nullptr) return std::string();
  std::string whole;
  for (const BodySection& section : *sections) {
    if (const auto* text = std::get_if<std::string>(&section)) {
      whole += *text;
    } else if (const auto* encoded = std::get_if<Base64Source>(&section)) {
      SVC_TRY(bytes, read_file(encoded->file.path, encoded->file.size));
      append_base64(whole, bytes);
    } else {
      const auto& source = std::get<FileSource>(section);
      SVC_TRY(bytes, read_file(source.path, source.size));
      whole += bytes;
    }
  }
  return whole;
}

Result<void> place_media(const Operation& operation, const Inputs& inputs,
                         const std::optional<std::string>& stdin_text, InlineFiles& files,
                         OrderedJson& body) {
  for (const Field& field : operation.fields) {
    if (!field.media) continue;
    SVC_TRY(objects, collect(field, inputs, stdin_text, files));
    if (objects.empty()) continue;
    const MediaSlot& slot = *field.media;
    for (const sv member : {slot.one, slot.many}) body.erase(std::string(member));
    const bool alone = !slot.one.empty() && objects.size() == 1;
    SVC_CHECK(put(body, alone ? slot.one : slot.many,
                  alone ? std::move(objects.front()) : std::move(objects)));
  }
  return {};
}

}  // namespace svc::request
