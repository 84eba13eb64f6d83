#include "support/case_file.h"

#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "support/case_head.h"

namespace svc::test {
namespace {

constexpr std::array<sv, 23> k_section_names = {
    "server",      "command",         "stdin",        "file",        "stdout",
    "stderr",      "stdout-match",    "stderr-match", "stdout-not",  "stderr-not",
    "stdout-json", "stdout-json-has", "printed",      "stderr-json", "stderr-json-has",
    "after-file",  "after",           "request",      "screen",      "screen-match",
    "screen-not",  "clipboard",       "picture"};

Result<CaseSection> read_section_line(sv line_text, int line) {
  CaseSection section;
  section.line = line;
  sv rest = line_text.substr(3);
  section.name = std::string(take_word(rest));
  bool known = false;
  for (const sv name : k_section_names) known = known || name == section.name;
  if (!known) return bad_line(line, "unknown section '" + section.name + "'");
  while (!rest.empty()) {
    const sv word = take_word(rest);
    section.escaped |= word == "escaped";
    section.no_newline |= word == "no-newline";
    if (word != "escaped" && word != "no-newline") section.words.emplace_back(word);
  }
  return section;
}

/// Blank lines at the end of a section only separate it from the next one.
void drop_blank_end(std::string& text) {
  while (text.ends_with("\n\n") || text == "\n") text.pop_back();
}

Result<void> finish(Case& done) {
  for (CaseSection& section : done.sections) drop_blank_end(section.text);
  if (const CaseSection* command = done.section("command")) done.command = command->text;
  if (done.section("stdin") != nullptr) done.input = CaseInput::Text;
  if (done.command.empty()) return usage_error("the case has no command");
  if (done.key.empty()) {
    const bool demo = done.target == CaseTarget::Emulator;
    done.key = demo ? "svc-demo-key" : "svc-test-key-c4n7Tz81Qx";
  }
  const bool served = done.target == CaseTarget::Fault;
  if (served != (done.section("server") != nullptr)) {
    return usage_error("a server script requires `target: fault`, and vice versa");
  }
  if (!served && (done.requests || done.connections || !done.gaps.empty() ||
                  done.section("request") != nullptr)) {
    return usage_error("requests can be checked only with `target: fault`");
  }
  return {};
}

}  // namespace

const CaseSection* Case::section(std::string_view wanted) const {
  for (const CaseSection& one : sections) {
    if (one.name == wanted) return &one;
  }
  return nullptr;
}

std::string retry_reason(const Case& which) {
  if (!which.retry.empty()) return which.retry;
  if (which.sound) return "sound";
  if (which.tty) return "a terminal";
  const bool timed = which.max_time || !which.gaps.empty() || !which.actions.empty();
  return timed ? "measures time" : "";
}

Result<Case> parse_case(std::string name, std::string_view text) {
  Case parsed;
  parsed.name = std::move(name);
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const sv line_text = text.substr(0, end);
    text = end == sv::npos ? sv{} : text.substr(end + 1);
    ++line;
    if (line_text.starts_with("--- ")) {
      SVC_TRY(section, read_section_line(line_text, line));
      parsed.sections.push_back(std::move(section));
    } else if (parsed.sections.empty()) {
      SVC_CHECK(read_head_line(parsed, line_text, line));
    } else {
      parsed.sections.back().text.append(line_text).push_back('\n');
    }
  }
  SVC_CHECK(finish(parsed));
  return parsed;
}

std::string expand(std::string_view text, const Variables& variables) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find("${", at);
    const std::size_t close = open == sv::npos ? sv::npos : text.find('}', open);
    out.append(text.substr(at, open == sv::npos ? sv::npos : open - at));
    if (open == sv::npos) break;
    const auto found = close == sv::npos
                           ? variables.end()
                           : variables.find(std::string(text.substr(open + 2, close - open - 2)));
    out.append(found == variables.end() ? "${" : found->second);
    at = found == variables.end() ? open + 2 : close + 1;
  }
  return out;
}

std::string section_text(const CaseSection& section, const Variables& variables) {
  std::string text = expand(section.text, variables);
  if (section.escaped) text = unescape(text);
  if (section.no_newline && text.ends_with('\n')) text.pop_back();
  return text;
}

std::string unescape(std::string_view text) {
  static constexpr sv k_letters = "nrte0\\\"";
  static constexpr sv k_bytes{"\n\r\t\x1b\0\\\"", 7};
  const auto digit = [](char c) {
    const std::size_t at = sv("0123456789abcdefABCDEF").find(c);
    return at > 15 ? at - 6 : at;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out.push_back(text[i]);
      continue;
    }
    ++i;
    if (const std::size_t letter = k_letters.find(text[i]); letter != sv::npos) {
      out.push_back(k_bytes[letter]);
    } else if (text[i] == 'x' && i + 2 < text.size() &&
               std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
               std::isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      out.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back('\\');
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace svc::test
