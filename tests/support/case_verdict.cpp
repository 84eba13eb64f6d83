#include "support/case_verdict.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fnmatch.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/text.h"
#include "support/case_checks.h"
#include "support/case_process.h"
#include "support/case_sample.h"
#include "support/picture.h"
#include "support/screen.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;

std::string in_ms(Milliseconds time) {
  return std::to_string(time.count()) + " ms";
}

std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(directory, failed)) {
    if (!entry.is_directory(failed) || entry.is_symlink(failed)) files.push_back(entry.path());
  }
  return files;
}

/// Names that a program leaves if it is killed between writing and renaming a file.
bool looks_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const char* pattern : {"*.part", "*.part.*", "*.tmp", "*.tmp.*", ".svc-*", "*.svc-??????"}) {
    if (::fnmatch(pattern, name.c_str(), 0) == 0) return true;
  }
  return false;
}

}  // namespace

void Verdict::fail_if(const std::string& subject, const std::string& problem) {
  if (!problem.empty()) fail(subject + " " + problem);
}

void Verdict::check_end() {
  if (m_outcome.timed_out) fail("did not exit within " + in_ms(m_case.timeout) + " and was killed");
  if (m_outcome.exit != m_case.exit) {
    std::string how = "exit code " + std::to_string(m_outcome.exit);
    if (m_outcome.signal != 0)
      how += " (killed by signal " + std::to_string(m_outcome.signal) + ")";
    fail(how + " instead of " + std::to_string(m_case.exit));
  }
  if (m_outcome.left_process || !m_world.all_gone()) fail("left a process behind");
  if (m_outcome.wall < m_case.min_time) {
    fail("took " + in_ms(m_outcome.wall) + ", less than " + in_ms(m_case.min_time));
  }
  if (m_case.max_time && m_outcome.wall > *m_case.max_time * (under_sanitizer() ? 4 : 1)) {
    fail("took " + in_ms(m_outcome.wall) + ", more than " + in_ms(*m_case.max_time));
  }
  if (m_case.max_rss && !under_sanitizer() && m_outcome.max_rss > *m_case.max_rss) {
    fail("used " + format_bytes(m_outcome.max_rss) + " of memory, more than " +
         format_bytes(*m_case.max_rss));
  }
  if (m_outcome.actions_done != m_case.actions.size()) {
    fail("action " + std::to_string(m_outcome.actions_done + 1) + " never became due");
  }
}

void Verdict::check_section(const CaseSection& section, const std::string& subject,
                            const std::string& actual) {
  const std::string text = section_text(section, m_world.variables());
  const sv what = sv(section.name).substr(subject.size());
  if (what.empty() && section.words.size() == 3 && section.words[0] == "of") {
    const std::string document = slurp(m_world.resolve(section.words[1]));
    return fail_if(subject, compare_sample(blocks_of(document, section.words[2]), actual));
  }
  if (what.empty()) fail_if(subject, compare_text(text, actual));
  if (what == "-match") fail_if(subject + ":", compare_patterns(text, actual, true));
  if (what == "-not") fail_if(subject + ":", compare_patterns(text, actual, false));
  if (what == "-json") fail_if(subject + ":", compare_json(text, actual, Members::Exact));
  if (what == "-json-has") fail_if(subject + ":", compare_json(text, actual, Members::Further));
}

void Verdict::check_output() {
  check_stream("stdout", m_outcome.out, true);
  check_stream("stderr", m_outcome.err, !m_case.foreign_stderr);
}

void Verdict::check_stream(const std::string& name, const std::string& text, bool silent) {
  bool described = reads_screen();
  for (const CaseSection& section : m_case.sections) {
    if (!section.name.starts_with(name)) continue;
    described = true;
    check_section(section, name, text);
  }
  if (silent && !described) fail_if(name, compare_text("", text));
}

bool Verdict::reads_screen() const {
  return std::any_of(m_case.sections.begin(), m_case.sections.end(), [](const CaseSection& one) {
    return one.name.starts_with("screen") || one.name == "clipboard" || one.name == "picture";
  });
}

void Verdict::check_screen() {
  if (!reads_screen() || !m_case.tty) return;
  Screen screen(static_cast<std::size_t>(m_case.tty->columns),
                static_cast<std::size_t>(m_case.tty->rows));
  std::size_t at = 0;
  for (const CommandResize& resize : m_outcome.resizes) {
    screen.feed(sv(m_outcome.out).substr(at, resize.at - at));
    screen.resize(static_cast<std::size_t>(resize.columns), static_cast<std::size_t>(resize.rows));
    at = resize.at;
  }
  screen.feed(sv(m_outcome.out).substr(at));
  m_screen_text = screen.text();
  for (const CaseSection& section : m_case.sections) {
    if (section.name.starts_with("screen")) check_section(section, "screen", m_screen_text);
    if (section.name == "picture") check_picture(section, screen);
    if (section.name != "clipboard") continue;
    const auto bytes = base64_decode(screen.clipboard());
    fail_if("the clipboard",
            compare_text(section_text(section, m_world.variables()), bytes.value_or("not base64")));
  }
  for (const std::string& sequence : screen.faults()) fail("the terminal got " + sequence);
  if (!m_failures.empty()) fail("the screen was\n" + show(m_screen_text, 0, 60));
}

void Verdict::check_picture(const CaseSection& section, const Screen& screen) {
  const std::string name = section.words.empty() ? std::string{} : section.words[0];
  const fs::path path = m_world.resolve(name);
  const std::string picture = picture_of(screen);
  if (std::getenv("SVC_REDRAW") != nullptr) std::ofstream(path, std::ios::binary) << picture;
  if (slurp(path) == picture) return;
  fail("the screen differs from " + name + "; run svc-cases with SVC_REDRAW=1 to update it");
}

void Verdict::check_gaps(const std::vector<RecordedRequest>& requests) {
  for (const CaseGap& gap : m_case.gaps) {
    if (requests.size() < gap.request) continue;
    const Milliseconds time = requests[gap.request - 1].at - requests[gap.request - 2].at;
    if (time < gap.least || (time > gap.most && !under_sanitizer())) {
      fail("request " + std::to_string(gap.request) + " came after " + in_ms(time) +
           " instead of " + in_ms(gap.least) + " to " + in_ms(gap.most));
    }
  }
}

void Verdict::check_request_section(const CaseSection& section) {
  const auto number = parse_integer(section.words.empty() ? sv{} : sv(section.words[0]));
  const std::string name = section.words.size() > 1 ? section.words[1] : std::string{};
  const FaultServer* server = m_world.server(name);
  if (!number || *number < 1 || server == nullptr) {
    fail("the section in line " + std::to_string(section.line) +
         " does not specify a request to a server");
    return;
  }
  const auto requests = server->requests();
  const auto index = static_cast<std::size_t>(*number);
  if (requests.size() < index) {
    fail("request " + std::to_string(index) + " was never received");
    return;
  }
  fail_if("request " + std::to_string(index),
          compare_request(section_text(section, m_world.variables()), requests[index - 1]));
}

void Verdict::check_requests() {
  const FaultServer* server = m_world.server("");
  if (server == nullptr) return;
  // The server's thread may still be processing requests sent just before the command exited.
  std::this_thread::sleep_for(Milliseconds(30));
  if (!server->wait_until_closed(Milliseconds(2000))) fail("a connection was left open");
  const auto requests = server->requests();
  if (m_case.requests && requests.size() != *m_case.requests) {
    fail("the server got " + std::to_string(requests.size()) + " requests instead of " +
         std::to_string(*m_case.requests) + "\n" + show(server->dump()));
  }
  const std::size_t connections = server->connections().size();
  if (m_case.connections && connections != *m_case.connections) {
    fail("the server got " + std::to_string(connections) + " connections instead of " +
         std::to_string(*m_case.connections));
  }
  for (const std::string& name : m_case.untouched) {
    const FaultServer* other = m_world.server(name);
    if (other == nullptr || !other->connections().empty()) fail("server " + name + " was reached");
  }
  check_gaps(requests);
  for (const CaseSection& section : m_case.sections) {
    if (section.name == "request") check_request_section(section);
  }
}

void Verdict::check_after_file(const CaseSection& section) {
  const std::string name = section.words.empty() ? std::string{} : section.words[0];
  const fs::path path = m_world.resolve(name);
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    fail("file " + name + " does not exist");
    return;
  }
  fail_if("file " + name, compare_text(section_text(section, m_world.variables()), slurp(path)));
  if (section.words.size() < 2) return;
  const auto wanted = static_cast<mode_t>(std::strtoul(section.words[1].c_str(), nullptr, 8));
  if ((facts.st_mode & 07777U) != wanted) fail("file " + name + " has the wrong mode");
}

bool Verdict::may_stay(const fs::path& path) const {
  for (const CaseSection& section : m_case.sections) {
    const bool file = section.name == "file" || section.name == "after-file";
    if (file && !section.words.empty() && m_world.resolve(section.words[0]) == path) return true;
  }
  for (const std::string& pattern : m_case.leaves) {
    if (::fnmatch(m_world.resolve(pattern).c_str(), path.c_str(), 0) == 0) return true;
  }
  return false;
}

void Verdict::check_left_behind() {
  const fs::path work = m_world.work();
  const fs::path temporary = m_world.root() / "tmp";
  for (const fs::path& path : files_below(m_world.root())) {
    if (may_stay(path)) continue;
    const std::string text = path.string();
    if (text.starts_with(work.string() + "/") || text.starts_with(temporary.string() + "/") ||
        looks_temporary(path)) {
      fail("left a file behind: " + visible(text));
    }
  }
}

void Verdict::check_files() {
  for (const CaseSection& section : m_case.sections) {
    if (section.name == "after-file") check_after_file(section);
  }
  for (const std::string& name : m_case.absent) {
    std::error_code failed;
    if (fs::exists(fs::symlink_status(m_world.resolve(name), failed))) {
      fail("file " + name + " exists");
    }
  }
  check_left_behind();
}

bool Verdict::may_hold_secret(const fs::path& path) const {
  for (const std::string& name : m_case.secret_files) {
    if (::fnmatch(m_world.resolve(name).c_str(), path.c_str(), 0) == 0) return true;
  }
  for (const CaseSection& section : m_case.sections) {
    if (section.name == "file" && !section.words.empty() &&
        m_world.resolve(section.words[0]) == path &&
        section_text(section, m_world.variables()).find(m_case.key) != std::string::npos) {
      return true;
    }
  }
  return path == m_world.root() / "emulator.log";
}

void Verdict::check_secrets() {
  std::vector<std::string> secrets = m_case.secrets;
  if (m_case.key.size() >= 8) secrets.push_back(m_case.key);
  for (const std::string& secret : secrets) {
    if (m_outcome.out.find(secret) != std::string::npos) fail("stdout contains a secret");
    if (m_outcome.err.find(secret) != std::string::npos) fail("stderr contains a secret");
  }
  for (const fs::path& path : files_below(m_world.root())) {
    std::error_code failed;
    if (may_hold_secret(path) || !fs::is_regular_file(path, failed)) continue;
    if (fs::file_size(path, failed) > (64U << 20U)) continue;
    const std::string content = slurp(path);
    for (const std::string& secret : secrets) {
      if (content.find(secret) != std::string::npos) fail("a secret is in " + path.string());
    }
  }
}

void Verdict::check_hygiene() {
  check_secrets();
  for (const std::string* text : {&m_outcome.out, &m_outcome.err}) {
    fail_if("a sanitizer reported:\n", find_sanitizer_report(*text));
  }
  for (const auto& entry : fs::directory_iterator(m_world.root())) {
    if (!entry.path().filename().string().starts_with("sanitizer")) continue;
    fail("a sanitizer reported:\n" + show(slurp(entry.path())));
  }
  const Controls allowed = m_case.allow_escapes ? Controls::Color : Controls::None;
  if (m_case.tty && (m_case.tty->output || m_case.tty->error) && !reads_screen()) {
    fail_if("the terminal got", find_control(m_outcome.out, allowed));
  }
  if (!m_case.foreign_stderr) fail_if("stderr has", find_control(m_outcome.err, allowed));
  if (m_outcome.modes_before != m_outcome.modes_after && !m_outcome.timed_out) {
    fail("the terminal was left as '" + m_outcome.modes_after + "' instead of '" +
         m_outcome.modes_before + "'");
  }
}

}  // namespace svc::test
