#include "support/case_checks.h"

#include <algorithm>
#include <array>

#include <fnmatch.h>
#include <nlohmann/json.hpp>
#include <regex.h>

#include "base/text.h"
#include "support/case_file.h"
#include "support/case_head.h"

namespace svc::test {
namespace {

using Json = nlohmann::json;

/// Where and how two values differ; empty if they are equal.
std::string json_difference(const Json& expected, const Json& actual, Members members,
                            const std::string& path) {
  if (expected == Json("<any>")) return {};
  if (expected.is_object() && actual.is_object()) {
    for (const auto& [name, value] : expected.items()) {
      if (!actual.contains(name)) return path + "/" + name + " is missing";
      const auto inner = json_difference(value, actual[name], members, path + "/" + name);
      if (!inner.empty()) return inner;
    }
    if (members == Members::Further) return {};
    for (const auto& [name, value] : actual.items()) {
      if (!expected.contains(name)) return path + "/" + name + " was not expected";
    }
    return {};
  }
  if (expected.is_array() && actual.is_array()) {
    if (expected.size() != actual.size()) {
      return path + " has " + std::to_string(actual.size()) + " items instead of " +
             std::to_string(expected.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string at = path + "/" + std::to_string(i);
      const auto inner = json_difference(expected[i], actual[i], members, at);
      if (!inner.empty()) return inner;
    }
    return {};
  }
  if (expected == actual && expected.is_number_float() == actual.is_number_float()) return {};
  return (path.empty() ? std::string("the document") : path) + " is " +
         actual.dump(-1, ' ', false, Json::error_handler_t::replace) + " instead of " +
         expected.dump();
}

struct Pattern {
  regex_t compiled{};
  bool ready = false;

  explicit Pattern(const std::string& text)
      : ready(::regcomp(&compiled, text.c_str(),
                        REG_EXTENDED | REG_ICASE | REG_NEWLINE | REG_NOSUB) == 0) {}
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (ready) ::regfree(&compiled);
  }
};

std::vector<sv> lines_of(sv text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return split(text, '\n');
}

bool glob(sv pattern, sv text) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

std::string compare_header(sv rest, const RecordedRequest& actual) {
  const std::size_t colon = rest.find(':');
  const sv name = trim(rest.substr(0, colon));
  const sv value = colon == sv::npos ? sv{} : trim(rest.substr(colon + 1));
  const auto found = actual.header(name);
  if (!found) return "header " + std::string(name) + " is missing";
  if (glob(value, *found)) return {};
  return "header " + std::string(name) + " is '" + visible(*found) + "' instead of '" +
         std::string(value) + "'";
}

/// The length of `ESC [ … letter` at the beginning of `text`, or 0.
std::size_t color_length(sv text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;?", 2);
  return end == sv::npos ? 0 : end + 1;
}

/// The length of a sixel image, or 0.
std::size_t sixel_length(sv text) {
  constexpr sv k_begin = "\x1bP0;1q";
  if (!text.starts_with(k_begin)) return 0;
  const std::size_t end = text.find('\x1b', k_begin.size());
  if (end == sv::npos || !text.substr(end).starts_with("\x1b\\")) return 0;
  const sv data = text.substr(k_begin.size(), end - k_begin.size());
  const bool plain = std::all_of(data.begin(), data.end(), [](char c) {
    return (c >= '?' && c <= '~') || (c >= '0' && c <= '9') || sv("\"#;!$-").find(c) != sv::npos;
  });
  return plain ? end + 2 : 0;
}

/// The length of an image in kitty's or iTerm2's format, or in sixels, if every byte is valid; 0
/// for anything else.
std::size_t picture_length(sv text) {
  constexpr sv k_base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  constexpr sv k_control = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=,;";
  struct Form {
    sv begin;
    char before_data;
    sv end;
  };
  for (const Form& form : {Form{"\x1b_G", ';', "\x1b\\"}, Form{"\x1b]1337;File=", ':', "\a"}}) {
    if (!text.starts_with(form.begin)) continue;
    const std::size_t data = text.find(form.before_data, form.begin.size());
    if (data == sv::npos) return 0;
    const sv control = text.substr(form.begin.size(), data - form.begin.size());
    if (control.find_first_not_of(k_control) != sv::npos) return 0;
    const std::size_t end = text.find_first_not_of(k_base64, data + 1);
    if (end == sv::npos || !text.substr(end).starts_with(form.end)) return 0;
    return end + form.end.size();
  }
  constexpr sv k_note = "\x1b]9;svc: done\x1b\\";  // a desktop notification
  constexpr sv k_clipboard = "\x1b]5522;type=read;aW1hZ2UvcG5nIGltYWdlL2pwZWc=\x1b\\";
  for (const sv known : {k_note, k_clipboard}) {
    if (text.starts_with(known)) return known.size();
  }
  return sixel_length(text);
}

}  // namespace

std::string show(std::string_view text, std::size_t first, std::size_t count) {
  std::string out;
  const std::vector<sv> all = lines_of(text);
  for (std::size_t i = first; i < all.size() && i < first + count; ++i) {
    out.append("      | ").append(visible(excerpt(all[i], 400), Lines::Escape)).append("\n");
  }
  if (all.size() > first + count) {
    out.append("      | … ").append(std::to_string(all.size() - first - count)).append(" more\n");
  }
  if (!text.empty() && !text.ends_with('\n')) out.append("      (no newline at the end)\n");
  return text.empty() ? "      (nothing)\n" : out;
}

std::string compare_text(std::string_view expected, std::string_view actual) {
  if (expected == actual) return {};
  const std::vector<sv> wanted = lines_of(expected);
  const std::vector<sv> got = lines_of(actual);
  std::size_t same = 0;
  while (same < wanted.size() && same < got.size() && wanted[same] == got[same]) ++same;
  const std::size_t from = same > 2 ? same - 2 : 0;
  return "differs from line " + std::to_string(same + 1) + " on\n    expected:\n" +
         show(expected, from, 12) + "    got:\n" + show(actual, from, 12);
}

std::string compare_json(std::string_view expected, std::string_view actual, Members members) {
  const Json wanted = Json::parse(expected, nullptr, false);
  if (wanted.is_discarded()) return "the JSON in the case is invalid";
  const Json got = Json::parse(actual, nullptr, false);
  if (got.is_discarded()) return "is not one JSON document:\n" + show(actual);
  const std::string difference = json_difference(wanted, got, members, "");
  if (difference.empty()) return {};
  return visible(excerpt(difference, 600)) + "\n    got:\n" + show(actual);
}

std::string compare_patterns(std::string_view patterns, std::string_view actual, bool wanted) {
  std::string text(actual);
  for (char& byte : text) {
    if (byte == '\0') byte = ' ';
  }
  for (const sv line : lines_of(patterns)) {
    if (line.empty()) continue;
    const Pattern pattern{std::string(line)};
    if (!pattern.ready) return "'" + std::string(line) + "' is not a valid regular expression";
    const bool found = ::regexec(&pattern.compiled, text.c_str(), 0, nullptr, 0) == 0;
    if (found == wanted) continue;
    return (wanted ? "nothing matches '" : "something matches '") + std::string(line) +
           "'\n    got:\n" + show(actual);
  }
  return {};
}

std::string compare_request(std::string_view expected, const RecordedRequest& actual) {
  const std::vector<sv> lines = lines_of(expected);
  const std::string first = actual.method + " " + actual.target;
  if (lines.empty() || first != lines[0]) {
    return "is '" + visible(first) + "' instead of '" +
           std::string(lines.empty() ? sv{} : lines[0]) + "'";
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    sv rest = lines[i];
    const sv word = take_word(rest);
    std::string problem;
    if (word == "header") {
      problem = compare_header(rest, actual);
    } else if (word == "no-header") {
      if (actual.header(rest)) problem = "has a header " + std::string(rest);
    } else if (word == "body") {
      problem = compare_text(unescape(rest), actual.body);
    } else if (word == "body-match") {
      std::string flat = actual.body;
      std::replace(flat.begin(), flat.end(), '\r', ' ');
      std::replace(flat.begin(), flat.end(), '\n', ' ');
      problem = compare_patterns(rest, flat, true);
    } else if (word == "json" || word == "json-has") {
      const auto offset = static_cast<std::size_t>(lines[i].data() - expected.data()) + word.size();
      return compare_json(expected.substr(offset), actual.body,
                          word == "json" ? Members::Exact : Members::Further);
    } else if (!word.empty()) {
      problem = "cannot be compared with the line '" + std::string(lines[i]) + "'";
    }
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string find_control(std::string_view text, Controls allowed) {
  const std::size_t ill_formed = first_invalid_utf8(text).value_or(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second = i + 1 < text.size();
    const bool c1 = byte == 0xc2 && second && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    const bool control =
        (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') || byte == 0x7f || c1;
    if (control && allowed == Controls::Color) {
      const sv rest = text.substr(i);
      if (const std::size_t length = std::max(color_length(rest), picture_length(rest));
          length != 0) {
        i += length - 1;
        continue;
      }
    }
    if (!control && i != ill_formed) continue;
    const std::size_t from = i > 30 ? i - 30 : 0;
    return (control ? "a control character at byte " : "ill-formed UTF-8 at byte ") +
           std::to_string(i) + ":\n" + show(text.substr(from, 80));
  }
  return {};
}

std::string find_sanitizer_report(std::string_view text) {
  static constexpr std::array<sv, 6> k_marks = {"AddressSanitizer", "LeakSanitizer",
                                                "ThreadSanitizer",  "UndefinedBehaviorSanitizer",
                                                "MemorySanitizer",  ": runtime error: "};
  for (const sv mark : k_marks) {
    const std::size_t at = text.find(mark);
    if (at != sv::npos) return show(text.substr(at > 200 ? at - 200 : 0));
  }
  return {};
}

}  // namespace svc::test
