#include "docgen/describe.h"

#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"

namespace svc::docgen {
namespace {

constexpr std::size_t k_max_choice_bytes = 32;

/// The placeholder that follows from the end of the flag's name: --team-id ID, --base-url URL.
sv value_name_by_flag(const Field& field, sv otherwise) {
  struct Ending {
    sv flag;
    sv value;
  };
  constexpr std::array k_endings = {Ending{"id", "ID"},
                                    Ending{"ids", "ID"},
                                    Ending{"url", "URL"},
                                    Ending{"name", "NAME"},
                                    Ending{"model", "NAME"},
                                    Ending{"voice", "NAME"},
                                    Ending{"language", "LANG"},
                                    Ending{"date", "DATE"},
                                    Ending{"since", "DATE"},
                                    Ending{"until", "DATE"},
                                    Ending{"profile", "NAME"},
                                    Ending{"device", "DEVICE"},
                                    Ending{"session", "NAME"},
                                    Ending{"allow-tools", "NAMES"},
                                    Ending{"mcp-tool", "NAME"},
                                    Ending{"tool", "NAME=PROGRAM"},
                                    Ending{"mcp-local", "NAME=COMMAND|URL"},
                                    Ending{"dir", "DIR"},
                                    Ending{"shard", "K/N"},
                                    Ending{"exec", "PROGRAM"},
                                    Ending{"store", "DIR"},
                                    Ending{"tunnel", "COMMAND"}};
  for (const Ending& ending : k_endings) {
    if (field.flag == ending.flag) return ending.value;
    const sv before = field.flag.substr(0, field.flag.rfind(ending.flag));
    if (field.flag.ends_with(ending.flag) && before.ends_with('-')) return ending.value;
  }
  return otherwise;
}

bool fits_as_value(const Field& field) {
  return !field.choices.empty() && join(field.choices, "|").size() <= k_max_choice_bytes;
}

std::string range_text(const Range& range) {
  const std::string bounds = range.max >= k_no_max ? fmt::format("{} or more", range.min)
                                                   : fmt::format("{} to {}", range.min, range.max);
  return range.unit.empty() ? bounds : fmt::format("{} {}", bounds, range.unit);
}

std::string repeat_text(const Field& field) {
  if (field.max_count == 0) return "may be repeated";
  return fmt::format("may be repeated, at most {} times", field.max_count);
}

sv status_mark(Status status) {
  return status == Status::Deprecated    ? "[deprecated] "
         : status == Status::Ignored     ? "[ignored by the service] "
         : status == Status::Unsupported ? "[unsupported by the service] "
                                         : "";
}

std::vector<std::string> facts(const Field& field) {
  std::vector<std::string> all;
  if (field.required && !field.positional) all.emplace_back("required");
  if (field.range) all.push_back(range_text(*field.range));
  if (!field.choices.empty() && !fits_as_value(field)) {
    all.push_back("one of " + join(field.choices, ", "));
  }
  if (!field.suggests.empty()) all.push_back("such as " + join(field.suggests, ", "));
  if (field.max_length != 0) all.push_back(fmt::format("at most {} characters", field.max_length));
  if (field.repeated) all.push_back(repeat_text(field));
  if (field.max_days != 0) all.push_back(fmt::format("at most {} days from now", field.max_days));
  if (field.file_text) all.emplace_back("@FILE reads a file");
  if (!field.fallback.empty()) all.push_back(fmt::format("default: {}", field.fallback));
  if (field.positional) all.push_back(fmt::format("or --{}", field.flag));
  return all;
}

std::vector<const Field*> flags(const Operation& operation, bool shown_first) {
  std::vector<const Field*> chosen;
  for (const Field& field : operation.fields) {
    if (!field.positional && (field.common || field.required) == shown_first) {
      chosen.push_back(&field);
    }
  }
  return chosen;
}

}  // namespace

std::string argument_name(const Field& field) {
  std::string name(field.flag);
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string value_name(const Field& field) {
  if (field.optional_value == "N") return "[N]";
  if (!field.optional_value.empty()) return fmt::format("[={}]", field.optional_value);
  if (fits_as_value(field)) return join(field.choices, "|");
  switch (field.kind) {
    case Kind::Text:
      return std::string(value_name_by_flag(field, "TEXT"));
    case Kind::Integer:
      return "N";
    case Kind::Number:
      return "NUMBER";
    case Kind::Boolean:
      break;
    case Kind::Json:
      return "JSON|@FILE";
    case Kind::TextOrJson:
      return "TEXT|JSON";
    case Kind::File:
      return std::string(value_name_by_flag(field, "FILE"));
    case Kind::Media:
      return "FILE|URL|ID";
    case Kind::Duration:
      return "DURATION";
    case Kind::Time:
      return "TIME|DURATION";
    case Kind::Money:
      return "USD";
    case Kind::Secret:
      return "@FILE|-|env:NAME";
  }
  return "";
}

std::string flag_name(const Field& field) {
  const bool negatable = field.kind == Kind::Boolean && field.stands_for.empty() &&
                         field.optional_value.empty() && !field.plain_switch;
  const sv lead = negatable ? "--[no-]" : "--";
  const std::string letter = field.letter == 0 ? "" : fmt::format("-{}, ", field.letter);
  return fmt::format("{}{}{}", letter, lead, field.flag);
}

std::string describe(const Field& field) {
  std::string text = fmt::format("{}{}", status_mark(field.status), command_line_help(field));
  const std::vector<std::string> known = facts(field);
  if (known.empty()) return text;
  return fmt::format("{} ({})", text, join(known, "; "));
}

std::string flag_name(const GlobalFlag& flag) {
  if (flag.letter == 0) return fmt::format("    --{}", flag.name);
  return fmt::format("-{}, --{}", flag.letter, flag.name);
}

std::string value_name(const GlobalFlag& flag) {
  return std::string(flag.choices.empty() ? flag.value : flag.choices);
}

std::string usage(const Operation& operation) {
  std::string line = fmt::format("svc {}", operation.group);
  if (!operation.name.empty()) {
    line += operation.is_default ? fmt::format(" [{}]", operation.name)
                                 : fmt::format(" {}", operation.name);
  }
  for (const Field* field : arguments(operation)) {
    const std::string name = argument_name(*field) + (field->repeated ? "..." : "");
    line += field->required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  for (const Field& field : operation.fields) {
    if (!field.required || field.positional) continue;
    const Field& shown = preferred_field(operation, field);
    line += fmt::format(" --{}", shown.flag);
    if (const std::string value = value_name(shown); !value.empty()) line += " " + value;
  }
  return line + " [flags]";
}

std::string request_line(const Operation& operation) {
  if (operation.method.empty()) return {};
  std::string line = fmt::format("{} {}", operation.method, operation.path);
  switch (operation.host) {
    case Host::Management:
      return line + " on the management host";
    case Host::Realtime:
      return line + " on the realtime host";
    case Host::Docs:
      return line + " on the documentation host";
    case Host::Inference:
    case Host::Local:
      break;
  }
  return line;
}

std::string marked_summary(const Operation& operation) {
  return fmt::format("{}{}", operation.summary, operation.source == Source::Observed ? " †" : "");
}

std::vector<std::string> remarks(const Operation& operation) {
  std::vector<std::string> all;
  if (!operation.replaced_by.empty()) {
    all.push_back(fmt::format("The service has deprecated this operation; `{}` replaces it.",
                              operation.replaced_by));
  }
  if (!operation.ends.empty()) {
    const sv flag = rule_flag(operation.ends_if);
    all.push_back(
        fmt::format("{} On a terminal svc asks for confirmation{}; elsewhere --yes is required.",
                    operation.ends, flag.empty() ? std::string() : fmt::format(" of --{}", flag)));
  }
  if (operation.view == View::Images) {
    all.emplace_back(
        "-o takes a file, a directory (existing, or with a trailing slash), or a pattern such as "
        "'image-%d.jpg' for several images. Without it, svc chooses an unused file name and prints "
        "it; a pipe gets the bytes of a single image.");
  }
  if (operation.view == View::Video) {
    all.emplace_back(
        "-o takes a file or directory to download the video to; rerun the command to resume an "
        "interrupted download. Without it, svc prints the video's URL on a terminal and writes the "
        "video to a pipe.");
  }
  return all;
}

std::vector<const Field*> arguments(const Operation& operation) {
  std::vector<const Field*> chosen;
  for (const Field& field : operation.fields) {
    if (field.positional) chosen.push_back(&field);
  }
  return chosen;
}

std::vector<const Field*> common_flags(const Operation& operation) {
  return flags(operation, true);
}

std::vector<const Field*> further_flags(const Operation& operation) {
  return flags(operation, false);
}

}  // namespace svc::docgen
