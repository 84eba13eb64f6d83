// Compares a case's expectations with its results: its sections, and the rules for every case.
#pragma once

#include <string>
#include <vector>

#include "support/case_file.h"
#include "support/case_process.h"
#include "support/case_world.h"
#include "support/screen.h"

namespace svc::test {

/// Collects the failures of one case.
class Verdict {
 public:
  Verdict(const Case& which, const World& world, const CommandOutcome& outcome)
      : m_case(which), m_world(world), m_outcome(outcome) {}

  /// Exit code, times, memory, actions.
  void check_end();
  /// The sections about stdout and stderr.
  void check_output();
  /// The sections about the terminal's content at the end.
  void check_screen();
  /// Requests and connections of the fault servers.
  void check_requests();
  /// `after-file`, `absent`, undeclared files, temporary files.
  void check_files();
  /// Secrets, sanitizer reports, control characters, the terminal's mode.
  void check_hygiene();

  /// What was on the terminal at the end, once `check_screen` has read it.
  [[nodiscard]] const std::string& screen_text() const { return m_screen_text; }
  void fail(const std::string& what) { m_failures.push_back(what); }
  [[nodiscard]] std::vector<std::string> take() { return std::move(m_failures); }

 private:
  void fail_if(const std::string& subject, const std::string& problem);
  /// `silent`: without a section about it, it must be empty.
  void check_stream(const std::string& name, const std::string& text, bool silent);
  void check_section(const CaseSection& section, const std::string& subject,
                     const std::string& actual);
  void check_request_section(const CaseSection& section);
  void check_picture(const CaseSection& section, const Screen& screen);
  void check_gaps(const std::vector<RecordedRequest>& requests);
  void check_after_file(const CaseSection& section);
  void check_left_behind();
  [[nodiscard]] bool may_stay(const std::filesystem::path& path) const;
  [[nodiscard]] bool may_hold_secret(const std::filesystem::path& path) const;
  void check_secrets();
  [[nodiscard]] bool reads_screen() const;

  const Case& m_case;
  const World& m_world;
  const CommandOutcome& m_outcome;
  std::string m_screen_text{};
  std::vector<std::string> m_failures{};
};

}  // namespace svc::test
