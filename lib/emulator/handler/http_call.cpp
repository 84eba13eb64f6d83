#include "emulator/handler/http_call.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

namespace svc::emulator {

std::string_view HttpCall::raw_path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpCall::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
  return found == headers.end() ? std::string_view{} : std::string_view(found->value);
}

std::string percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      unsigned value = 0;
      const char* first = text.data() + i + 1;
      if (std::from_chars(first, first + 2, value, 16).ptr == first + 2) {
        out += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
  }
  return out;
}

std::vector<Header> parse_query(std::string_view target) {
  std::vector<Header> query;
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return query;
  for (const sv pair : split(target.substr(mark + 1), '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const sv value = equals == sv::npos ? sv{} : pair.substr(equals + 1);
    query.push_back({percent_decode(pair.substr(0, equals), true), percent_decode(value, true)});
  }
  return query;
}

Result<std::shared_ptr<BodyFile>> BodyFile::create() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) {  // a file system without unnamed files
    std::string path = (folder / "svc-emulator-body-XXXXXX").string();
    file = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (!file.is_open()) return system_error("Cannot create a file in " + folder.string(), errno);
    ::unlink(path.c_str());
  }
  return std::shared_ptr<BodyFile>(new BodyFile(std::move(file)));
}

Result<void> BodyFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(m_file.get(), bytes.data(), bytes.size(), static_cast<off_t>(m_size));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return system_error("Cannot keep a request's body", errno);
    m_size += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::size_t BodyFile::read(std::uint64_t offset, std::span<char> into) const {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t count = ::pread(m_file.get(), into.data() + got, into.size() - got,
                                  static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  return got;
}

}  // namespace svc::emulator
