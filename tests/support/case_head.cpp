#include "support/case_head.h"

#include <array>
#include <csignal>
#include <functional>
#include <utility>

#include "base/text.h"

namespace svc::test {
namespace {

Result<Milliseconds> duration(sv text, int line) {
  const auto value = parse_duration(text);
  if (!value) return bad_line(line, "'" + std::string(text) + "' is not a duration");
  return *value;
}

Result<std::uint64_t> number(sv text, int line) {
  const auto value = parse_integer(text);
  if (!value || *value < 0) return bad_line(line, "'" + std::string(text) + "' is not a count");
  return static_cast<std::uint64_t>(*value);
}

Result<std::uint64_t> size(sv text, int line) {
  std::uint64_t unit = 1;
  for (const auto& [suffix, factor] :
       {std::pair<sv, std::uint64_t>{"kB", 1000}, {"MB", 1'000'000}, {"GB", 1'000'000'000}}) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(suffix.size());
    unit = factor;
  }
  SVC_TRY(count, number(trim(text), line));
  return count * unit;
}

Result<bool> yes(sv text, int line) {
  if (text != "yes") return bad_line(line, "must be `yes`");
  return true;
}

/// Parses `"text"` with C escapes and removes it from `rest`.
Result<std::string> quoted(sv& rest, int line) {
  rest = trim(rest);
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2U : 1U;
  if (!rest.starts_with('"') || end >= rest.size()) return bad_line(line, "expected \"text\"");
  std::string text = unescape(rest.substr(1, end - 1));
  rest = trim(rest.substr(end + 1));
  return text;
}

/// `after 300ms`, `after requests 2` or `when "text"`.
Result<void> read_moment(sv rest, int line, CaseAction& action) {
  const sv word = take_word(rest);
  if (word == "when" || word == "then") {
    SVC_TRY(text, quoted(rest, line));
    action.when = text;
    action.then = word == "then";
    if (rest.empty()) return {};
    if (take_word(rest) != "after") return bad_line(line, "expected `after DURATION`");
    SVC_TRY(after, duration(rest, line));
    action.after = after;
    return {};
  }
  if (word != "after") {
    return bad_line(line, "expected `after DURATION`, `when \"text\"` or `then \"text\"`");
  }
  if (rest.starts_with("requests ")) {
    SVC_TRY(count, number(rest.substr(9), line));
    action.requests = count;
    action.after = Milliseconds(300);
    return {};
  }
  SVC_TRY(after, duration(rest, line));
  action.after = after;
  return {};
}

Result<void> read_signal(Case& into, sv rest, int line) {
  static constexpr std::array<std::pair<sv, int>, 10> k_signals = {{{"INT", SIGINT},
                                                                    {"TERM", SIGTERM},
                                                                    {"HUP", SIGHUP},
                                                                    {"QUIT", SIGQUIT},
                                                                    {"KILL", SIGKILL},
                                                                    {"STOP", SIGSTOP},
                                                                    {"CONT", SIGCONT},
                                                                    {"PIPE", SIGPIPE},
                                                                    {"TSTP", SIGTSTP},
                                                                    {"WINCH", SIGWINCH}}};
  CaseAction action;
  const sv name = take_word(rest);
  for (const auto& [known, value] : k_signals) {
    if (known == name) action.signal = value;
  }
  if (action.signal == 0) return bad_line(line, "unknown signal '" + std::string(name) + "'");
  SVC_CHECK(read_moment(rest, line, action));
  into.actions.push_back(std::move(action));
  return {};
}

Result<void> read_type(Case& into, sv rest, int line) {
  CaseAction action;
  SVC_TRY(text, quoted(rest, line));
  action.text = text;
  SVC_CHECK(read_moment(rest, line, action));
  into.actions.push_back(std::move(action));
  return {};
}

struct Shape {
  int columns;
  int rows;
};

Result<Shape> read_shape(sv text, int line) {
  const std::size_t cross = text.find('x');
  const auto columns = parse_integer(text.substr(0, cross));
  const auto rows = cross == sv::npos ? std::nullopt : parse_integer(text.substr(cross + 1));
  if (!columns || !rows) return bad_line(line, "expected COLUMNSxROWS");
  return Shape{static_cast<int>(*columns), static_cast<int>(*rows)};
}

Result<void> read_resize(Case& into, sv rest, int line) {
  SVC_TRY(shape, read_shape(take_word(rest), line));
  CaseAction action;
  action.columns = shape.columns;
  action.rows = shape.rows;
  SVC_CHECK(read_moment(rest, line, action));
  into.actions.push_back(std::move(action));
  return {};
}

Result<void> read_tty(Case& into, sv rest, int line) {
  SVC_TRY(shape, read_shape(take_word(rest), line));
  CaseTty tty{shape.columns, shape.rows};
  if (!rest.empty()) tty.input = tty.output = tty.error = false;
  while (!rest.empty()) {
    const sv word = take_word(rest);
    if (word != "stdin" && word != "stdout" && word != "stderr") {
      return bad_line(line,
                      "'" + std::string(word) + "' is not a stream (stdin, stdout or stderr)");
    }
    tty.input |= word == "stdin";
    tty.output |= word == "stdout";
    tty.error |= word == "stderr";
  }
  into.tty = tty;
  return {};
}

Result<void> read_gap(Case& into, sv rest, int line) {
  CaseGap gap;
  SVC_TRY(request, number(take_word(rest), line));
  const std::size_t dots = rest.find("..");
  if (dots == sv::npos || request < 2)
    return bad_line(line, "expected `gap: N LEAST..MOST` with N of at least 2");
  SVC_TRY(least, duration(rest.substr(0, dots), line));
  SVC_TRY(most, duration(rest.substr(dots + 2), line));
  gap.request = request;
  gap.least = least;
  gap.most = most;
  into.gaps.push_back(gap);
  return {};
}

Result<void> read_target(Case& into, sv value, int line) {
  if (value == "fault") {
    into.target = CaseTarget::Fault;
  } else if (value == "emulator") {
    into.target = CaseTarget::Emulator;
  } else if (value == "none") {
    into.target = CaseTarget::None;
  } else {
    return bad_line(line, "target must be fault, emulator or none");
  }
  return {};
}

Result<void> read_stdin(Case& into, sv value, int line) {
  if (value == "null") {
    into.input = CaseInput::Null;
  } else if (value == "closed") {
    into.input = CaseInput::Closed;
  } else if (value == "open") {
    into.input = CaseInput::Open;
  } else {
    return bad_line(line, "stdin must be null, closed or open");
  }
  return {};
}

Result<void> read_sound(Case& into, sv value, int line) {
  CaseSound sound;
  while (!value.empty()) {
    const sv word = take_word(value);
    if (word.starts_with("rate=")) {
      SVC_TRY(rate, number(word.substr(5), line));
      sound.rate = static_cast<int>(rate);
    } else if (word.starts_with("echo=")) {
      SVC_TRY(echo, duration(word.substr(5), line));
      sound.echo = echo;
    } else if (word != "yes") {
      return bad_line(line, "sound must be `yes`, `rate=HERTZ` or `echo=DURATION`");
    }
  }
  into.sound = sound;
  return {};
}

using Reader = std::function<Result<void>(Case&, sv, int)>;

/// A reader that converts the value and stores it in a member.
template <typename Member, typename Convert>
Reader store(Member Case::*member, Convert convert) {
  return [member, convert](Case& into, sv value, int line) -> Result<void> {
    SVC_TRY(converted, convert(value, line));
    into.*member = static_cast<Member>(converted);
    return {};
  };
}

Reader text(std::string Case::*member) {
  return [member](Case& into, sv value, int) -> Result<void> {
    into.*member = std::string(value);
    return {};
  };
}

Reader append(std::vector<std::string> Case::*member) {
  return [member](Case& into, sv value, int) -> Result<void> {
    (into.*member).emplace_back(value);
    return {};
  };
}

const std::map<sv, Reader>& readers() {
  static const std::map<sv, Reader> k_readers = {
      {"row", [](Case&, sv, int) -> Result<void> { return {}; }},
      {"target", read_target},
      {"emulator", text(&Case::emulator_arguments)},
      {"env", append(&Case::env)},
      {"key", text(&Case::key)},
      {"secret", append(&Case::secrets)},
      {"secret-in", append(&Case::secret_files)},
      {"command", text(&Case::command)},
      {"exit", store(&Case::exit, number)},
      {"stdin", read_stdin},
      {"tty", read_tty},
      {"signal", read_signal},
      {"type", read_type},
      {"resize", read_resize},
      {"timeout", store(&Case::timeout, duration)},
      {"min-time", store(&Case::min_time, duration)},
      {"max-time", store(&Case::max_time, duration)},
      {"max-rss", store(&Case::max_rss, size)},
      {"requests", store(&Case::requests, number)},
      {"connections", store(&Case::connections, number)},
      {"untouched", append(&Case::untouched)},
      {"gap", read_gap},
      {"leaves", append(&Case::leaves)},
      {"absent", append(&Case::absent)},
      {"allow-escapes", store(&Case::allow_escapes, yes)},
      {"foreign-stderr", store(&Case::foreign_stderr, yes)},
      {"sound", read_sound},
      {"alone", store(&Case::alone, yes)},
      {"root", store(&Case::root, yes)},
      {"no-sanitizer", store(&Case::no_sanitizer, yes)},
      {"retry", text(&Case::retry)},
  };
  return k_readers;
}

}  // namespace

Error bad_line(int line, const std::string& what) {
  return usage_error("line " + std::to_string(line) + ": " + what);
}

sv take_word(sv& rest) {
  rest = trim(rest);
  const std::size_t end = rest.find_first_of(" \t");
  const sv word = rest.substr(0, end);
  rest = end == sv::npos ? sv{} : trim(rest.substr(end));
  return word;
}

Result<void> read_head_line(Case& into, sv line_text, int line) {
  line_text = trim(line_text);
  if (line_text.empty() || line_text.starts_with('#')) return {};
  const std::size_t colon = line_text.find(':');
  const auto reader = readers().find(line_text.substr(0, colon));
  if (colon == sv::npos || reader == readers().end()) {
    return bad_line(line, "'" + std::string(line_text) + "' is neither a key nor a section");
  }
  return reader->second(into, trim(line_text.substr(colon + 1)), line);
}

}  // namespace svc::test
