// The results file of a bulk run.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/text.h"
#include "base/write_target.h"
#include "commands/bulk/answer_table.h"
#include "commands/bulk/bulk_run.h"

namespace svc::cli {
namespace {

/// FNV-1a; the result does not depend on how the bytes are split.
std::uint64_t add_hash(std::uint64_t hash, sv bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}
constexpr std::uint64_t k_hash_begin = 0xcbf29ce484222325U;

/// The size and hash of a file as one string.
Result<std::string> fingerprint(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t hash = k_hash_begin;
  std::uint64_t size = 0;
  std::string buffer(256UL << 10U, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    const sv bytes = sv(buffer).substr(0, static_cast<std::size_t>(in.gcount()));
    hash = add_hash(hash, bytes);
    size += bytes.size();
  }
  if (in.bad()) return system_error(fmt::format("cannot read {}", shown_path(path)), EIO);
  return fmt::format("{}-{:016x}", size, hash);
}

}  // namespace

bool writes_file(const Session& session) {
  const auto& output = session.globals().output;
  return output && *output != "-";
}

Result<bool> RunOutput::is_ours(const std::string& path) {
  SVC_TRY(written, m_runner.journal().fact("output"));
  if (!written) return false;
  SVC_TRY(now, fingerprint(path));
  return *written == now;
}

Result<void> RunOutput::examine() {
  if (!writes_file(m_session)) return {};
  const std::string& path = *m_session.globals().output;
  m_replace = m_session.globals().replace();
  std::error_code none;
  if (m_replace == Replace::No && std::filesystem::is_regular_file(path, none)) {
    SVC_TRY(ours, is_ours(path));
    if (ours) m_replace = Replace::Yes;
  }
  // A trial file, to detect an unwritable directory now instead of after hours.
  SVC_TRY(trial, AtomicFile::create(path, m_replace));
  (void)trial;
  return {};
}

Result<void> RunOutput::write() {
  const std::string& path = *m_session.globals().output;
  SVC_TRY(file, AtomicFile::create(path, m_replace));
  std::uint64_t hash = k_hash_begin;
  std::uint64_t size = 0;
  std::string buffer;
  const auto flush = [&]() -> Result<void> {
    hash = add_hash(hash, buffer);
    size += buffer.size();
    const Result<void> written = file.write(buffer);
    buffer.clear();
    return written;
  };
  std::optional<AnswerTable> table;
  if (m_session.format() == Format::Text) {
    SVC_TRY(opened, AnswerTable::open(m_options, path));
    table = std::move(opened);
  }
  if (table) buffer = table->header() + "\n";
  SVC_CHECK(m_runner.deliver([&](const batch::Finished& finished, sv line) -> Result<void> {
    if (table) {
      SVC_TRY(row, table->row(finished, line));
      buffer += row;
    } else {
      buffer += line;
    }
    buffer += '\n';
    return buffer.size() < (1U << 20U) ? Result<void>() : flush();
  }));
  SVC_CHECK(flush());
  // Recorded before the rename, so that an interruption between the two does not make the file look
  // like another program's.
  SVC_CHECK(m_runner.journal().set_fact("output", fmt::format("{}-{:016x}", size, hash)));
  SVC_CHECK(file.commit());
  m_session.notices().note(fmt::format("the results are in {}", shown_path(path)));
  return {};
}

}  // namespace svc::cli
