#include "session/secret_value.h"

#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/files.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "request/convert.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {
namespace {

using From = request::SecretSource::From;

constexpr std::size_t k_max_secret = 64U << 10U;

Result<std::string> first_line_of_stdin(Session& session, const std::string& flag) {
  SVC_TRY(line, read_line(STDIN_FILENO, session.cancel_token(), k_max_secret));
  if (line.end != LineEnd::TooLong) return std::move(line.text);
  return usage_error(fmt::format("{}: the first line of standard input is too long", flag));
}

Result<std::string> fetch_secret(Session& session, const std::string& flag,
                                 const request::SecretSource& source) {
  switch (source.from) {
    case From::File:
      return request::read_named_file(flag, source.name, k_max_secret);
    case From::Variable: {
      const auto value = session.environment()(source.name.c_str());
      if (!value) {
        return usage_error(fmt::format("{}: the variable {} is not set", flag, source.name));
      }
      return *value;
    }
    case From::Input:
      break;
  }
  if (::isatty(STDIN_FILENO) != 1) return first_line_of_stdin(session, flag);
  Result<std::string> typed = read_secret(
      STDIN_FILENO, [&] { return session.say(fmt::format("{} (input hidden): ", flag)); },
      session.cancel_token());
  SVC_CHECK(session.say("\n"));
  return typed;
}

Result<void> write_out(Session& session, const std::string& secret, const std::string& document) {
  if (session.format() != Format::Text) return session.write_document(document);
  SVC_CHECK(session.write_foreign(secret + "\n"));
  return session.out().flush();
}

}  // namespace

Result<std::string> read_secret_value(Session& session, const Field& field,
                                      const request::SecretSource& source) {
  const std::string flag = request::flag_name(field);
  SVC_TRY(secret, fetch_secret(session, flag, source));
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.empty()) return usage_error(fmt::format("{}: the secret is empty", flag));
  if (secret.find_first_of("\r\n") != std::string::npos) {
    return usage_error(fmt::format("{}: the secret must be a single line", flag));
  }
  if (first_invalid_utf8(secret) || visible(secret, Lines::Escape) != secret) {
    return usage_error(fmt::format("{}: the secret contains control characters", flag));
  }
  session.keep_secret(secret);
  return std::move(secret);
}

Result<std::optional<std::string>> read_secret_flag(Session& session,
                                                    const std::optional<request::Given>& given) {
  if (!given) return std::optional<std::string>();
  SVC_TRY(source, request::parse_secret_source(*given->field, given->text));
  SVC_TRY(secret, read_secret_value(session, *given->field, source));
  return std::optional(std::move(secret));
}

Result<std::vector<std::string>> read_secret_flags(Session& session,
                                                   const std::vector<request::Given>& given) {
  std::vector<std::string> secrets;
  for (const request::Given& one : given) {
    SVC_TRY(secret, read_secret_flag(session, one));
    secrets.push_back(*std::move(secret));
  }
  return secrets;
}

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

bool may_have_run(const Error& error) noexcept {
  return error.fault == Fault::Network || error.fault == Fault::Timeout ||
         error.fault == Fault::UnknownOutcome || is_cancellation(error.fault);
}

Result<void> deliver_secret(Session& session, const std::string& secret,
                            const std::string& document) {
  Result<void> done = write_out(session, secret, document);
  if (done) done = session.close(true);
  if (done || done.error().fault != Fault::ReaderGone) return done;
  Error error = done.error();
  error.fault = Fault::Local;
  return error;
}

std::string describe_delivery(const Session& session, std::string_view secret) {
  if (!session.globals().has_output_path()) {
    return fmt::format("{} is shown only once; store it safely", secret);
  }
  return fmt::format("{} is in {}; it is not shown again", secret,
                     quote_path(*session.globals().output));
}

SecretCopy::SecretCopy(Session& session, std::string_view directory, const std::string& name,
                       std::string_view bytes)
    : m_session(session) {
  const auto state = state_directory();
  if (state.empty() || !make_private_directory(state / directory)) return;
  const std::string path = (state / directory / safe_file_name(name, "answer")).string();
  if (write_file(path, bytes, Replace::Yes, 0600)) m_path = path;
}

void SecretCopy::release() {
  if (!m_path.empty()) std::filesystem::remove(m_path, m_ignored);
  m_path.clear();
}

SecretCopy::~SecretCopy() {
  if (m_path.empty()) return;
  m_session.notices().note(
      fmt::format("the service returns this response only once; a copy is saved in {}",
                  visible(m_path, Lines::Escape)));
}

}  // namespace svc::cli
