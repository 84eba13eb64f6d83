#include "session/secret_answer.h"

#include <fmt/format.h>

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

}  // namespace svc::cli
