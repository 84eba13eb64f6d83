#include "session/secret_answer.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "catalogue/catalogue.h"

namespace svc::cli {
namespace {

Result<void> write_out(Session& session, const std::string& secret, const std::string& document) {
  if (session.format() != Format::Text) return session.write_document(document);
  SVC_CHECK(session.write_foreign(secret + "\n"));
  return session.out().flush();
}

}  // namespace

Result<std::string> fetch_secret_answer(Session& session, ApiClient& client,
                                        const request::Request& request) {
  std::string body;
  session.progress().start(fmt::format("svc {}", command_name(*request.operation)));
  const auto head = client.fetch(request, [&](sv bytes) {
    body += bytes;
    return Result<void>();
  });
  session.progress().finish();
  if (!head) return head.error();
  return body;
}

bool may_have_happened(const Error& error) noexcept {
  return error.fault == Fault::Network || error.fault == Fault::Timeout ||
         error.fault == Fault::UnknownOutcome || is_cancellation(error.fault);
}

Result<void> give_out(Session& session, const std::string& secret, const std::string& document) {
  Result<void> done = write_out(session, secret, document);
  if (done) done = session.close(true);
  if (done || done.error().fault != Fault::ReaderGone) return done;
  Error error = done.error();
  error.fault = Fault::Local;
  return error;
}

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
