#include "session/secret_copy.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace svc::cli {

SecretCopy::SecretCopy(Session& session, std::string_view folder, const std::string& name,
                       std::string_view bytes)
    : m_session(session) {
  const auto state = state_folder();
  if (state.empty() || !make_private_folder(state / folder)) return;
  const std::string path = (state / folder / safe_file_name(name, "answer")).string();
  if (write_file(path, bytes, Replace::Yes, 0600)) m_path = path;
}

void SecretCopy::release() {
  if (!m_path.empty()) std::filesystem::remove(m_path, m_ignored);
  m_path.clear();
}

SecretCopy::~SecretCopy() {
  if (m_path.empty()) return;
  m_session.notices().note(fmt::format("the service gives this answer only once; a copy is in {}",
                                       visible(m_path, Lines::Escape)));
}

}  // namespace svc::cli
