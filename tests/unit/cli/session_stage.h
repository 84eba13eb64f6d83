// A session for tests of what commands print.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/atomic_file.h"
#include "command_line/parse_args.h"
#include "session/session.h"
#include "support/environment_variable.h"
#include "unit/base/temporary_directory.h"

namespace svc::cli {

/// A session that prints to strings.
class SessionStage {
 public:
  /// `words`: the command. It reads no configuration of this machine, but the one given.
  /// `terminal`: of standard error; on one, progress is shown, and each look at its clock takes a
  /// second.
  explicit SessionStage(const std::vector<std::string>& words, const std::string& config = {},
                        const print::Terminal& terminal = {})
      : m_err(print::string_sink(m_said), terminal),
        m_progress(m_err, terminal.is_tty, [this] { return m_now += std::chrono::seconds(1); }) {
    const auto file = m_directory.path() / "svc/config.toml";
    REQUIRE(std::filesystem::create_directory(file.parent_path()));
    if (!config.empty()) REQUIRE(write_file(file.string(), config, Replace::Yes, 0600));
    auto parsed = parse_args(words);
    REQUIRE(parsed);
    m_invocation = *std::move(parsed);
    m_session.emplace(m_invocation, m_nobody, m_err, m_notices, m_progress);
    m_session->embed({.result = print::string_sink(m_printed)});
    REQUIRE(m_session->open({}));
  }

  [[nodiscard]] Session& session() { return *m_session; }
  /// What was printed since the last call.
  std::string out() {
    REQUIRE(m_session->out().flush());
    return std::exchange(m_printed, {});
  }
  std::string err() {
    REQUIRE(m_err.flush());
    return std::exchange(m_said, {});
  }

 private:
  test::TemporaryDirectory m_directory{};
  test::EnvironmentVariable m_place{"XDG_CONFIG_HOME", m_directory.path()};
  NeverCanceled m_nobody{};
  std::string m_said{};
  std::string m_printed{};
  std::chrono::steady_clock::time_point m_now{};
  print::Out m_err;
  print::Progress m_progress;
  print::Notices m_notices{m_err, {}, &m_progress};
  Invocation m_invocation{};
  std::optional<Session> m_session{};
};

}  // namespace svc::cli
