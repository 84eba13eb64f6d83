#include "secret_value.h"

#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/text.h"
#include "client/call.h"
#include "commands/secret_input.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using From = request::SecretSource::From;

constexpr std::size_t k_longest_secret = 64U << 10U;

/// One byte at a time: what follows the line is for somebody else.
Result<std::string> first_line_of_stdin(Session& session, const std::string& flag) {
  std::string line;
  while (line.size() <= k_longest_secret) {
    if (const auto fault = session.stop().requested()) return stopped(*fault);
    std::array<pollfd, 2> waits = {pollfd{STDIN_FILENO, POLLIN, 0},
                                   pollfd{session.stop().wake_fd(), POLLIN, 0}};
    if (::poll(waits.data(), waits.size(), 250) <= 0 || waits[0].revents == 0) continue;
    char c = 0;
    const ssize_t count = ::read(STDIN_FILENO, &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EBADF) return system_error("standard input cannot be read", errno);
    if (count <= 0 || c == '\n') return line;
    line += c;
  }
  return usage_error(fmt::format("{}: the first line of standard input is too long", flag));
}

Result<std::string> fetch_secret(Session& session, const std::string& flag,
                                 const request::SecretSource& source) {
  switch (source.from) {
    case From::File:
      return request::read_named_file(flag, source.name, k_longest_secret);
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
  const auto ask = [&]() -> Result<void> {
    SVC_CHECK(session.err().write(fmt::format("{} (is not shown): ", flag)));
    return session.err().flush();
  };
  Result<std::string> typed = read_secret(STDIN_FILENO, ask, session.stop());
  SVC_CHECK(session.err().write("\n"));
  SVC_CHECK(session.err().flush());
  return typed;
}

}  // namespace

Result<std::string> read_secret_value(Session& session, const Field& field,
                                      const request::SecretSource& source) {
  const std::string flag = request::flag_name(field);
  SVC_TRY(secret, fetch_secret(session, flag, source));
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.empty()) return usage_error(fmt::format("{}: the secret is empty", flag));
  if (secret.find_first_of("\r\n") != std::string::npos) {
    return usage_error(fmt::format("{}: the secret is several lines", flag));
  }
  if (first_invalid_utf8(secret) || visible(secret, Lines::Escape) != secret) {
    return usage_error(fmt::format("{}: the secret has control characters", flag));
  }
  session.keep_secret(secret);
  return std::move(secret);
}

Result<std::vector<std::string>> secret_flags(Session& session, sv flag) {
  std::vector<std::string> secrets;
  for (const request::Given& given : session.invocation().inputs.given) {
    if (given.field->flag != flag) continue;
    SVC_TRY(source, request::parse_secret_source(*given.field, given.text));
    SVC_TRY(secret, read_secret_value(session, *given.field, source));
    secrets.push_back(secret);
  }
  return secrets;
}

Result<std::optional<std::string>> secret_flag(Session& session, sv flag) {
  SVC_TRY(secrets, secret_flags(session, flag));
  if (secrets.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(secrets.back()));
}

}  // namespace svc::cli
