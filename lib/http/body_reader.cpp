#include "http/body_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/text.h"

namespace svc::http {

Result<void> BodyReader::add(BodySection part) {
  Section section;
  section.begin = size();
  const FileSource* source = nullptr;
  if (auto* text = std::get_if<std::string>(&part)) {
    section.text = std::move(*text);
    section.length = section.text.size();
  } else if (const auto* encoded = std::get_if<Base64Source>(&part)) {
    source = &encoded->file;
    section.base64 = true;
    section.length = base64_length(source->size);
  } else {
    source = &std::get<FileSource>(part);
    section.length = source->size;
  }
  if (source != nullptr) {
    SVC_TRY(file, FileReader::open(*source));
    section.file.emplace(std::move(file));
  }
  m_sections.push_back(std::move(section));
  return {};
}

Result<BodyReader> BodyReader::open(std::vector<BodySection> sections) {
  BodyReader reader;
  for (BodySection& part : sections) SVC_CHECK(reader.add(std::move(part)));
  return reader;
}

std::uint64_t BodyReader::size() const noexcept {
  return m_sections.empty() ? 0 : m_sections.back().begin + m_sections.back().length;
}

bool BodyReader::seek(std::uint64_t offset) noexcept {
  if (offset > size()) return false;
  m_offset = offset;
  m_current = 0;
  m_encoded.clear();
  m_encoded_at = 0;
  while (m_current < m_sections.size()) {
    Section& at = m_sections[m_current];
    if (offset < at.begin + at.length) break;
    ++m_current;
  }
  // Later stretches are read from their first byte.
  for (std::size_t i = m_current; i < m_sections.size(); ++i) {
    Section& at = m_sections[i];
    if (!at.file) continue;
    const std::uint64_t inside = i == m_current ? offset - at.begin : 0;
    if (!at.file->seek(at.base64 ? inside / 4 * 3 : inside)) return false;
    if (i == m_current && at.base64) m_encoded_at = inside % 4;
  }
  return true;
}

Result<void> BodyReader::encode_more(Section& from) {
  // A multiple of three, so that the encoded chunks can be concatenated.
  std::array<char, 49'152> bytes{};
  std::size_t count = 0;
  while (count < bytes.size()) {
    SVC_TRY(more, from.file->read(bytes.data() + count, bytes.size() - count));
    if (more == 0) break;
    count += more;
  }
  m_encoded.clear();
  append_base64(m_encoded, std::string_view(bytes.data(), count));
  return {};
}

Result<std::size_t> BodyReader::read_base64(Section& from, char* buffer, std::size_t size) {
  if (m_encoded_at >= m_encoded.size()) {
    // After a seek the group is encoded again, and some of its characters were already returned.
    const std::size_t skip = m_encoded.empty() ? m_encoded_at : 0;
    SVC_CHECK(encode_more(from));
    m_encoded_at = skip;
  }
  const std::size_t count = std::min(size, m_encoded.size() - m_encoded_at);
  std::memcpy(buffer, m_encoded.data() + m_encoded_at, count);
  m_encoded_at += count;
  return count;
}

Result<std::size_t> BodyReader::read(char* buffer, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size && m_current < m_sections.size()) {
    Section& from = m_sections[m_current];
    const std::uint64_t left = from.begin + from.length - m_offset;
    if (left == 0) {
      ++m_current;
      m_encoded.clear();
      m_encoded_at = 0;
      continue;
    }
    const std::size_t wanted = std::min<std::uint64_t>(size - filled, left);
    std::size_t count = wanted;
    if (from.base64) {
      SVC_TRY(made, read_base64(from, buffer + filled, wanted));
      count = made;
    } else if (from.file) {
      SVC_TRY(given, from.file->read(buffer + filled, wanted));
      count = given;
    } else {
      std::memcpy(buffer + filled, from.text.data() + (m_offset - from.begin), wanted);
    }
    if (count == 0) break;
    filled += count;
    m_offset += count;
  }
  return filled;
}

namespace {

Error changed(const std::string& path, std::uint64_t expected, std::uint64_t found) {
  return Error{Fault::Local,
               fmt::format("{} changed while it was being sent: it had {} bytes and now has {}",
                           visible(path, Lines::Escape), expected, found),
               "Retry when nothing is writing to it."};
}

}  // namespace

FileReader::FileReader(std::string path, std::uint64_t size, FileDescriptor file) noexcept
    : m_path(std::move(path)), m_size(size), m_file(std::move(file)) {}

Result<FileReader> FileReader::open(const FileSource& source) {
  FileDescriptor file(::open(source.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open())
    return system_error(visible(source.path, Lines::Escape) + " is no longer readable", errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0)
    return system_error(visible(source.path, Lines::Escape), errno);
  if (!S_ISREG(status.st_mode))
    return Error{Fault::Local,
                 visible(source.path, Lines::Escape) + " is no longer a regular file"};
  FileReader reader(source.path, source.size, std::move(file));
  SVC_CHECK(reader.check_unchanged());
  return reader;
}

Result<void> FileReader::check_unchanged() const {
  struct stat status {};
  if (fstat(m_file.get(), &status) != 0) return system_error(visible(m_path, Lines::Escape), errno);
  if (status.st_nlink == 0)
    return Error{Fault::Local,
                 fmt::format("{} ({} bytes) was deleted or replaced while it was being sent",
                             visible(m_path, Lines::Escape), m_size),
                 "Retry when nothing is writing to it."};
  const auto found = static_cast<std::uint64_t>(status.st_size);
  if (found != m_size) return changed(m_path, m_size, found);
  return {};
}

Result<std::size_t> FileReader::read(char* buffer, std::size_t size) {
  const std::uint64_t left = m_size - m_offset;
  if (left == 0 || size == 0) return std::size_t{0};
  const std::size_t wanted = std::min<std::uint64_t>(size, left);
  ssize_t count = 0;
  do {
    count = pread(m_file.get(), buffer, wanted, static_cast<off_t>(m_offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return system_error(visible(m_path, Lines::Escape) + " cannot be read", errno);
  if (count == 0) {
    SVC_CHECK(check_unchanged());
    return changed(m_path, m_size, m_offset);
  }
  m_offset += static_cast<std::uint64_t>(count);
  if (m_offset == m_size) SVC_CHECK(check_unchanged());
  return static_cast<std::size_t>(count);
}

bool FileReader::seek(std::uint64_t offset) noexcept {
  if (offset > m_size) return false;
  m_offset = offset;
  return true;
}

}  // namespace svc::http
