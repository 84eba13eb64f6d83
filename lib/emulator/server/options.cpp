#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fcntl.h>

#include "base/files.h"
#include "emulator/server/recorder.h"
#include "emulator/server/serve.h"
#include "emulator/state/state.h"

namespace svc::emulator {
namespace {

using Apply = Result<void> (*)(Options&, sv value);

struct Flag {
  sv name;
  sv value;  ///< the value's name in help; empty: a switch
  sv help;
  Apply apply;
};

Error flag_error(sv flag, sv expected, sv value, std::string hint = {}) {
  return usage_error(
      fmt::format("{} must be {}, not {}.", flag, expected, visible(value, Lines::Escape)),
      std::move(hint));
}

template <int Options::*Member>
Result<void> set_descriptor(Options& options, sv value) {
  const auto number = parse_integer(value);
  if (number && *number >= 0 && *number <= std::numeric_limits<int>::max()) {
    options.*Member = static_cast<int>(*number);
    if (::fcntl(options.*Member, F_GETFD) >= 0) return {};
  }
  return flag_error(Member == &Options::parent_fd ? "--parent-fd" : "--announce-fd",
                    "the number of an open file descriptor", value);
}

Result<void> set_port(Options& options, sv value) {
  const auto port = parse_integer(value);
  if (!port || *port < 0 || *port > 65535) {
    return flag_error("--port", "a number from 0 to 65535", value, "0 selects any free port.");
  }
  options.port = static_cast<std::uint16_t>(*port);
  return {};
}

Result<void> set_video_time(Options& options, sv value) {
  options.video_time = parse_duration(value);
  if (options.video_time) return {};
  return flag_error("--video-time", "a duration such as 3s or 200ms", value);
}

Result<void> add_fault(Options& options, sv value) {
  SVC_TRY(rule, parse_fault(value));
  options.faults.push_back(std::move(rule));
  return {};
}

Result<void> add_answers(Options& options, sv path) {
  SVC_TRY(text, svc::read_file(std::string(path)));
  auto rules = parse_answers(text);
  if (!rules) {
    return usage_error(fmt::format("{}: {}", quote_path(std::string(path)), rules.error().message),
                       rules.error().hint);
  }
  for (AnswerRule& rule : *rules) options.answers.push_back(std::move(rule));
  return {};
}

Result<void> set_record(Options& options, sv value) {
  SVC_CHECK(parse_upstream(value));
  options.record_url = value;
  return {};
}

Result<void> set_replay(Options& options, sv path) {
  options.replay = true;
  return add_answers(options, path);
}

Result<void> set_seed(Options& options, sv value) {
  const auto seed = parse_integer(value);
  if (!seed || *seed < 0) return flag_error("--seed", "an integer of at least 0", value);
  options.seed = static_cast<std::uint64_t>(*seed);
  return {};
}

Result<void> set_clock(Options& options, sv value) {
  options.clock_s = parse_rfc3339(value);
  if (options.clock_s) return {};
  return flag_error("--clock", "a time such as 2026-01-01T00:00:00Z", value);
}

Result<void> set_limit(Options& options, sv value) {
  const std::size_t equals = value.find('=');
  const auto number = equals == sv::npos ? std::nullopt : parse_integer(value.substr(equals + 1));
  const std::string name(value.substr(0, equals));
  const auto known = default_limits();
  if (!number || *number < 0 || !has_element(known, name, &Limit::name)) {
    return flag_error("--limit", "NAME=N", value,
                      "The names are realtime_sessions and credit_cents.");
  }
  options.limits.emplace_back(name, *number);
  return {};
}

Result<void> set_control_token(Options& options, sv value) {
  constexpr std::size_t k_shortest = 16;
  if (value.size() < k_shortest) {
    return usage_error(
        fmt::format("--control-token must have at least {} characters.", k_shortest));
  }
  options.control_token = value;
  return {};
}

template <bool Options::*Member>
Result<void> set_switch(Options& options, sv /*value*/) {
  options.*Member = true;
  return {};
}

template <auto Member>
Result<void> set_text(Options& options, sv value) {
  options.*Member = std::string(value);
  return {};
}

constexpr std::array k_flags = {
    Flag{"--host", "ADDRESS", "Address to listen on (default: 127.0.0.1).",
         set_text<&Options::host>},
    Flag{"--port", "N", "Port to listen on (default: any free port).", set_port},
    Flag{"--state", "FILE",
         "State file, or :memory: to keep it in memory "
         "(default: $XDG_STATE_HOME/svc/emulator.db).",
         set_text<&Options::state>},
    Flag{"--tls", "", "Serve HTTPS and WSS with a generated certificate.",
         set_switch<&Options::tls>},
    Flag{"--cert", "FILE", "Serve HTTPS and WSS with this certificate (PEM); requires --key.",
         set_text<&Options::certificate_file>},
    Flag{"--key", "FILE", "The private key of --cert (PEM).", set_text<&Options::key_file>},
    Flag{"--video-time", "DURATION",
         "How long a video takes (default: $SVC_EMULATOR_VIDEO_TIME, or 3s).", set_video_time},
    Flag{"--fault", "RULE", "Inject this fault; may be repeated.", add_fault},
    Flag{"--answers", "FILE", "JSON file of answer rules; may be repeated.", add_answers},
    Flag{"--seed", "N",
         "Make IDs reproducible: the same requests in the same order get the same IDs.", set_seed},
    Flag{"--clock", "TIME",
         "Start the emulator's clock at this time, such as 2026-01-01T00:00:00Z.", set_clock},
    Flag{"--strict", "", "Answer 404 where no answer rule matches a request to a model.",
         set_switch<&Options::strict>},
    Flag{"--record", "URL", "Forward every request to this service and record the answers.",
         set_record},
    Flag{"--record-to", "FILE", "The file of answer rules that --record writes.",
         set_text<&Options::record_file>},
    Flag{"--replay", "FILE", "Answer from recorded rules only; may be repeated.", set_replay},
    Flag{"--limit", "NAME=N", "Set the limit realtime_sessions or credit_cents; may be repeated.",
         set_limit},
    Flag{"--control-token", "TOKEN",
         "Accept /_emulator requests from other machines with this X-Control-Token.",
         set_control_token},
    Flag{"--announce-fd", "N",
         "Write one line of JSON to this descriptor when ready, not to standard output.",
         set_descriptor<&Options::announce_fd>},
    Flag{"--parent-fd", "N", "Exit at end of file on this descriptor.",
         set_descriptor<&Options::parent_fd>},
    Flag{"--die-with-parent", "", "Exit when the parent process exits.",
         set_switch<&Options::die_with_parent>},
    Flag{"--quiet", "", "Print errors only.", set_switch<&Options::quiet>},
    Flag{"--help", "", "Print this help.", set_switch<&Options::help>},
    Flag{"--version", "", "Print the version.", set_switch<&Options::version>},
};

Error unknown_argument(sv argument) {
  argument = argument.substr(0, argument.find('='));
  std::array<sv, k_flags.size()> names{};
  for (std::size_t i = 0; i < k_flags.size(); ++i) names[i] = k_flags[i].name;
  const sv near = nearest(argument, names);
  return usage_error(
      fmt::format("Unknown flag {}.", visible(argument, Lines::Escape)),
      near.empty() ? "--help lists the flags." : fmt::format("Did you mean {}?", near));
}

/// The words as CLI11 reads them: last first. An empty value becomes a word of its own.
std::vector<std::string> words_for_parser(std::span<const sv> arguments) {
  std::vector<std::string> words;
  for (const sv argument : arguments) {
    const bool empty = argument.starts_with("--") && argument.find('=') == argument.size() - 1;
    words.emplace_back(argument.substr(0, argument.size() - (empty ? 1 : 0)));
    if (empty) words.emplace_back();
  }
  std::ranges::reverse(words);
  return words;
}

Result<void> check(Options& options) {
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return usage_error("--cert and --key must be given together.");
  }
  if (!options.certificate_file.empty()) options.tls = true;
  if (options.state && options.state->empty()) {
    return usage_error("--state must be a file name or :memory:, not an empty string.");
  }
  if (const char* time = std::getenv("SVC_EMULATOR_VIDEO_TIME");
      time != nullptr && !options.video_time) {
    if (!set_video_time(options, time)) {
      return usage_error(
          fmt::format("SVC_EMULATOR_VIDEO_TIME must be a duration such as 3s or 200ms, not {}.",
                      visible(time, Lines::Escape)));
    }
  }
  if (options.record_url.empty() != options.record_file.empty()) {
    return usage_error("--record and --record-to must be given together.");
  }
  if (options.replay && !options.record_url.empty()) {
    return usage_error("--record and --replay cannot be given together.");
  }
  if (options.host.empty()) return usage_error("--host must be an address, not an empty string.");
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<const sv> arguments) {
  Options options;
  std::optional<Error> error;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (const Flag& flag : k_flags) {
    const auto apply = [&](const CLI::results_t& given) {
      const bool refused = flag.value.empty() && given.front() != "true";
      auto applied =
          refused ? usage_error(fmt::format("{} takes no value.", flag.name)) : Result<void>();
      if (!refused) applied = flag.apply(options, given.front());
      if (!applied && !error) error = std::move(applied).error();
      return true;
    };
    app.add_option(std::string(flag.name), apply)
        ->expected(flag.value.empty() ? 0 : 1)
        ->trigger_on_parse();
  }
  try {
    app.parse(words_for_parser(arguments));
  } catch (const CLI::ArgumentMismatch&) {  // only the last word can lack a value
    const auto flag = std::ranges::find(k_flags, arguments.back(), &Flag::name);
    return usage_error(
        fmt::format("{} needs a value: {} {}.", flag->name, flag->name, flag->value));
  }
  if (const auto unknown = app.remaining(); !unknown.empty()) {
    return unknown_argument(unknown.front());
  }
  if (error) return *std::move(error);
  SVC_CHECK(check(options));
  return options;
}

std::string options_help() {
  std::string text =
      "svc-emulator is a local emulator of the service, for trying svc and for testing.\n"
      "It is an EMULATOR: what a model would say is made up, and nothing leaves this machine.\n\n"
      "Usage: svc-emulator [flags]\n\nFlags:\n";
  for (const Flag& flag : k_flags) {
    const std::string left = fmt::format("{} {}", flag.name, flag.value);
    text += fmt::format("  {:<21} {}\n", left, flag.help);
  }
  text += text::embedded_file("faults.txt");
  text +=
      "\nman svc-emulator describes answer rules, the /_emulator operations, and the prompts and\n"
      "headers that change an answer.\n";
  return text;
}

}  // namespace svc::emulator
