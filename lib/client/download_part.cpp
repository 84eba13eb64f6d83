#include "client/download_part.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "base/write_target.h"
#include "json/document.h"

namespace svc {
namespace {

using nlohmann::json;

constexpr std::uint64_t k_max_resume_info = 16U << 10U;

std::string resume_info_path(const std::string& partial) {
  return partial + ".json";
}

std::optional<ResumeInfo> read_resume_info(const std::string& path) {
  // A link or device at this path was not created by svc.
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto text = read_file(path, k_max_resume_info);
  if (!text) return std::nullopt;
  const json note = json::parse(*text, nullptr, false);
  if (!note.is_object()) return std::nullopt;
  ResumeInfo info{.source = text_member(note, "source"),
                  .validator = {.etag = text_member(note, "etag"),
                                .last_modified = text_member(note, "last_modified")}};
  const json& total = member(note, "total");
  if (total.is_number_unsigned()) info.total = total.get<std::uint64_t>();
  return info;
}

std::string resume_info_json(const ResumeInfo& info) {
  json note{{"source", info.source}};
  if (!info.validator.etag.empty()) note["etag"] = info.validator.etag;
  if (!info.validator.last_modified.empty()) note["last_modified"] = info.validator.last_modified;
  if (info.total) note["total"] = *info.total;
  return note.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

std::string path_in_directory(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

Error directory_error(const std::string& directory, int error_number) {
  Error error = create_error(path_in_directory(directory, "a file"), directory, error_number);
  if (error_number == ENOENT) {
    error.message = fmt::format("directory {} does not exist", quote_path(directory));
  }
  return error;
}

}  // namespace

Validator validator_of(const http::HttpHead& head) {
  Validator validator;
  const sv etag = trim(head.header("etag").value_or(""));
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') validator.etag = etag;
  validator.last_modified = trim(head.header("last-modified").value_or(""));
  return validator;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  text = trim(text);
  if (text.size() < 6 || !equals_ignore_case(text.substr(0, 6), "bytes ")) return std::nullopt;
  text = trim(text.substr(6));
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == sv::npos || slash == sv::npos || dash > slash) return std::nullopt;
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = parse_integer(text.substr(dash + 1, slash - dash - 1));
  const sv whole = text.substr(slash + 1);
  const auto total = parse_integer(whole);
  if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
  if (whole != "*" && (!total || *total <= *last)) return std::nullopt;
  ContentRange range{static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*last)};
  if (total) range.total = static_cast<std::uint64_t>(*total);
  return range;
}

std::string source_of(std::string_view url) {
  return std::string(url.substr(0, url.find_first_of("?#")));
}

std::optional<Resumed> adopt_partial(AtomicFile& file, const std::string& source) {
  if (file.is_direct()) return std::nullopt;
  const std::string partial = file.path() + ".partial";
  auto info = read_resume_info(resume_info_path(partial));
  if (!info || info->source != source || info->validator.empty()) return std::nullopt;
  const auto bytes = file.adopt(partial);
  if (!bytes) return std::nullopt;
  remove(resume_info_path(partial));
  return Resumed{*std::move(info), *bytes};
}

std::string save_partial_download(AtomicFile& file, const ResumeInfo& info) {
  if (info.validator.empty() || file.is_direct()) return {};
  const auto kept = file.save_partial();
  if (!kept || kept->empty()) return {};
  // Without its JSON file it could not be resumed.
  if (*kept == file.path() + ".partial" &&
      write_file(resume_info_path(*kept), resume_info_json(info), Replace::Yes)) {
    return *kept;
  }
  remove(*kept);
  return {};
}

Result<void> check_download_directory(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return directory_error(directory, errno);
  if (!S_ISDIR(status.st_mode)) {
    return Error{Fault::Local, fmt::format("{} is not a directory", quote_path(directory)),
                 "Choose another one with --output."};
  }
  if (::access(directory.c_str(), W_OK) != 0) return directory_error(directory, errno);
  return {};
}

Result<void> FileDestination::prepare() {
  if (!m_target.directory) return create(m_target.path, Links::Follow);
  SVC_CHECK(check_download_directory(m_target.path));
  return m_target.name.empty() ? Result<void>() : create_named(m_target.name);
}

Result<void> FileDestination::open(const http::HttpHead& head) {
  return m_file ? Result<void>() : create_named(disposition_name(head));
}

Result<void> FileDestination::create_named(const std::string& name) {
  // One safe component, no link followed, and a final rename: it cannot leave the directory.
  return create(path_in_directory(m_target.path, safe_file_name(name, m_target.fallback)),
                Links::Refuse);
}

Result<void> FileDestination::create(const std::string& path, Links links) {
  SVC_TRY(file, AtomicFile::create(path, m_target.replace, 0666, links));
  m_file.emplace(std::move(file));
  return {};
}

}  // namespace svc
