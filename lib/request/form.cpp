#include "request/form.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "request/convert.h"

namespace svc::request {
namespace {

Result<FileSource> file_source(const Field& field, const std::string& path) {
  std::error_code failed;
  const std::string shown = visible(path, Lines::Escape);
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    return usage_error(fmt::format("{}: there is no file {}", flag_name(field), shown));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return usage_error(fmt::format("{}: {} is not a regular file", flag_name(field), shown));
  }
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) {
    return usage_error(
        fmt::format("{}: {} cannot be read: {}", flag_name(field), shown, failed.message()));
  }
  if (size == 0) return usage_error(fmt::format("{}: {} is empty", flag_name(field), shown));
  return FileSource{path, size};
}

}  // namespace

Result<Part> form_part(const Field& field, std::string_view text) {
  Part part{.name = std::string(field.path), .content = std::string()};
  if (field.kind == Kind::File) {
    const std::string path(text);
    SVC_TRY(source, file_source(field, path));
    part.content = std::move(source);
    part.file_name = std::filesystem::path(path).filename().string();
    part.content_type = "application/octet-stream";
    return part;
  }
  SVC_TRY(value, convert(field, text));
  part.content = value.is_string() ? value.get<std::string>() : value.dump();
  return part;
}

}  // namespace svc::request
