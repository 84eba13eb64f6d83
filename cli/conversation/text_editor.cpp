#include "conversation/text_editor.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "terminal/pager.h"

namespace svc::cli {
namespace {

std::string editor_command(const Environment& environment) {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const auto value = environment(name);
    if (value && !trim(*value).empty()) return *value;
  }
  return "vi";
}

/// A temporary file, deleted on destruction.
class DraftFile {
 public:
  static Result<DraftFile> create(const std::string& text, const Environment& environment) {
    const std::string directory = environment("TMPDIR").value_or("/tmp");
    DraftFile draft;
    draft.m_path = directory + "/svc-message-XXXXXX.md";
    const FileDescriptor file(::mkstemps(draft.m_path.data(), 3));
    if (!file.is_open()) {
      Error error = system_error("cannot create a file in " + directory, errno);
      draft.m_path.clear();
      return error;
    }
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      return system_error("cannot write " + draft.m_path, errno);
    }
    return draft;
  }
  DraftFile(DraftFile&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
  DraftFile& operator=(DraftFile&&) = delete;
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;
  ~DraftFile() {
    if (!m_path.empty()) ::unlink(m_path.c_str());
  }
  [[nodiscard]] const std::string& path() const noexcept { return m_path; }

 private:
  DraftFile() = default;
  std::string m_path{};
};

}  // namespace

Result<std::string> edit_text(const std::string& text, RawTerminal& terminal,
                              const Environment& environment, const CancelToken& cancel) {
  SVC_TRY(draft, DraftFile::create(text, environment));
  const std::string command = editor_command(environment);
  terminal.leave();
  auto end = run_in_foreground(command + " \"$1\"", draft.path(), std::nullopt, cancel);
  (void)terminal.enter();
  if (!end) return std::move(end).error();
  if (end->code != 0 || end->signal != 0) {
    return Error{Fault::Local, fmt::format("the editor '{}' failed; its text is not used", command),
                 "Set EDITOR to the editor you use."};
  }
  SVC_TRY(edited, read_file(draft.path()));
  while (edited.ends_with('\n')) edited.pop_back();
  return std::move(edited);
}

}  // namespace svc::cli
