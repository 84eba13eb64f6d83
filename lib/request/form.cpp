#include "request/form.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/base64.h"
#include "base/text.h"
#include "request/convert.h"
#include "request/media.h"

namespace svc::request {
namespace {

struct TextType {
  sv extension;
  sv type;
};

/// Text formats that cannot be detected from their content.
constexpr std::array k_text_types = {
    TextType{".csv", "text/csv"},
    TextType{".css", "text/css"},
    TextType{".htm", "text/html"},
    TextType{".html", "text/html"},
    TextType{".js", "text/javascript"},
    TextType{".json", "application/json"},
    TextType{".jsonl", "application/jsonl"},
    TextType{".md", "text/markdown"},
    TextType{".svg", "image/svg+xml"},
    TextType{".tsv", "text/tab-separated-values"},
    TextType{".xml", "application/xml"},
    TextType{".yaml", "application/yaml"},
    TextType{".yml", "application/yaml"},
};

/// Document formats that are zip archives.
constexpr std::array k_archive_types = {
    TextType{".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    TextType{".epub", "application/epub+zip"},
    TextType{".odt", "application/vnd.oasis.opendocument.text"},
    TextType{".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    TextType{".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
};

sv by_extension(std::span<const TextType> types, sv name) {
  const std::string lower = to_lower(name);
  for (const TextType& one : types) {
    if (lower.ends_with(one.extension)) return one.type;
  }
  return {};
}

Error too_large(const Field& field, const std::string& shown, std::uint64_t size) {
  return usage_error(fmt::format("{}: {} is too large: {} ({} bytes); the limit is {}",
                                 flag_name(field), shown, format_bytes(size), size,
                                 format_bytes(field.max_bytes)));
}

Result<FileSource> file_source(const Field& field, const std::string& path) {
  std::error_code failed;
  const std::string shown = visible(path, Lines::Escape);
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    return usage_error(fmt::format("{}: no such file: '{}'", flag_name(field), shown),
                       "Check the path; relative paths start at the current directory.");
  }
  if (!std::filesystem::is_regular_file(status)) {
    return usage_error(fmt::format("{}: {} is not a regular file", flag_name(field), shown));
  }
  const auto size = std::filesystem::file_size(path, failed);
  if (failed || ::access(path.c_str(), R_OK) != 0) {
    return usage_error(fmt::format("{}: {} cannot be read: {}", flag_name(field), shown,
                                   std::error_code(errno, std::generic_category()).message()));
  }
  if (size == 0) return usage_error(fmt::format("{}: {} is empty", flag_name(field), shown));
  if (field.max_bytes != 0 && size > field.max_bytes) return too_large(field, shown, size);
  return FileSource{path, size};
}

/// The file, or standard input, buffered in one.
Result<FileSource> source_of(const Field& field, const std::string& path,
                             const BuildContext& context) {
  if (path != "-" || !context.buffer_stdin) return file_source(field, path);
  SVC_TRY(source, context.buffer_stdin());
  if (source.size == 0) {
    return usage_error(fmt::format("{}: standard input is empty", flag_name(field)));
  }
  if (field.max_bytes != 0 && source.size > field.max_bytes) {
    return too_large(field, "standard input", source.size);
  }
  return std::move(source);
}

}  // namespace

std::string file_type(const std::string& path, std::string_view name) {
  std::string sample(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(sample.data(), static_cast<std::streamsize>(sample.size()));
  sample.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (sample.empty()) return "application/octet-stream";
  std::string type = sniff_type(sample);
  sv detected;
  if (type == "text/plain") detected = by_extension(k_text_types, name);
  if (type == "application/zip") detected = by_extension(k_archive_types, name);
  return detected.empty() ? type : std::string(detected);
}

Result<Part> form_part(const Field& field, std::string_view text, const BuildContext& context) {
  Part part{.name = std::string(field.path), .content = std::string()};
  if (field.kind != Kind::File) {
    SVC_TRY(value, convert(field, text));
    part.content = value.is_string() ? value.get<std::string>() : value.dump();
    return part;
  }
  const std::string path(text);
  part.file_name = std::filesystem::path(path).filename().string();
  if (context.without_files) {
    part.content = FileSource{path, 0};
    part.content_type = "application/octet-stream";
    return part;
  }
  SVC_TRY(source, source_of(field, path, context));
  if (source.path != path) part.file_name = "stdin";
  part.content_type = file_type(source.path, part.file_name);
  part.content = std::move(source);
  return part;
}

Result<std::string> base64_file(const Field& field, const std::string& path,
                                const BuildContext& context) {
  if (context.without_files) return base64_encode("content of " + path);
  SVC_TRY(source, source_of(field, path, context));
  SVC_TRY(bytes, read_named_file(flag_name(field), source.path, source.size));
  return base64_encode(bytes);
}

}  // namespace svc::request
