// The table of settings: name, sources, kind, help, default, choices.
#include <algorithm>

#include "base/text.h"
#include "client/settings.h"

namespace svc {
namespace {

/// What a listener says without taking the turn.
constexpr sv k_usual_fillers = "mm-hm, mhm, mm, mmm, hm, hmm, uh-huh, aha, ah, oh, uh, um, er, erm";

/// The first source in which a setting is looked up; later ones follow.
enum class From : std::uint8_t { Flag, Environment, Profile };

/// A setting's name and the names derived from it: "base_url" is --base-url and SVC_BASE_URL.
template <std::size_t Size>
struct Name {
  constexpr Name(const char (&text)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) {
      const char c = text[i];
      name[i] = c;
      flag[i] = c == '_' ? '-' : c;
      variable[i + 4] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }

  char name[Size]{};
  char flag[Size]{};
  char variable[Size + 4]{'S', 'V', 'C', '_'};
};

template <Name k_name>
constexpr SettingRow row(Setting Settings::*member, From from, SettingKind kind, sv help,
                         sv default_value = "", sv choices = "", sv other_variable = "") {
  return {.name = k_name.name,
          .flag = from == From::Flag ? k_name.flag : sv(),
          .variables = {from == From::Profile ? sv() : k_name.variable, other_variable},
          .kind = kind,
          .default_value = default_value,
          .choices = choices,
          .help = help,
          .member = member};
}

constexpr std::array k_rows = {
    row<"base_url">(&Settings::base_url, From::Flag, SettingKind::Url,
                    "URL of the inference service.", "", "", "SVC_API_BASE_URL"),
    row<"management_url">(&Settings::management_url, From::Flag, SettingKind::Url,
                          "URL of the management service.", "", "", "SVC_MANAGEMENT_BASE_URL"),
    row<"realtime_url">(&Settings::realtime_url, From::Flag, SettingKind::SocketUrl,
                        "URL of the realtime service (default: base_url with wss)."),
    row<"docs_url">(&Settings::docs_url, From::Flag, SettingKind::Url,
                    "URL of the documentation service."),
    row<"team_id">(&Settings::team_id, From::Flag, SettingKind::Text,
                   "Team that management operations act on."),
    row<"model">(&Settings::model, From::Environment, SettingKind::Text, "The default model."),
    row<"voice">(&Settings::voice, From::Environment, SettingKind::Text, "The default voice."),
    row<"input_device">(&Settings::input_device, From::Environment, SettingKind::Text,
                        "The default microphone: its number, or part of its name."),
    row<"output_device">(&Settings::output_device, From::Environment, SettingKind::Text,
                         "The default speaker: its number, or part of its name."),
    row<"noise_suppression">(&Settings::noise_suppression, From::Environment, SettingKind::Choice,
                             "How strongly to suppress noise in what the microphone hears.", "off",
                             "off|low|high"),
    row<"gain_control">(&Settings::gain_control, From::Environment, SettingKind::Choice,
                        "Whether to adapt the microphone's volume to how loudly you speak.",
                        "false", "true|false"),
    row<"latency">(&Settings::latency, From::Environment, SettingKind::Choice,
                   "How much audio devices buffer in a conversation.", "normal", "low|normal|safe"),
    row<"interrupt_after">(
        &Settings::interrupt_after, From::Environment, SettingKind::Duration,
        "The shortest speech that interrupts a spoken answer, once one of these four is set.",
        "250ms"),
    row<"interrupt_words">(&Settings::interrupt_words, From::Environment, SettingKind::Count,
                           "The fewest words that interrupt a spoken answer.", "1"),
    row<"fillers">(&Settings::fillers, From::Environment, SettingKind::Text,
                   "Words that do not interrupt a spoken answer (comma-separated); or none.",
                   k_usual_fillers),
    row<"resume_after">(&Settings::resume_after, From::Environment, SettingKind::Duration,
                        "How long after speech without words a spoken answer continues; or none.",
                        "2s", "none"),
    row<"format">(&Settings::format, From::Flag, SettingKind::Choice, "Output format.", "text",
                  "text|json|jsonl|raw"),
    row<"timeout">(&Settings::timeout, From::Flag, SettingKind::Duration,
                   "Timeout for a whole request.", "1h"),
    row<"connect_timeout">(&Settings::connect_timeout, From::Flag, SettingKind::Duration,
                           "Timeout for connecting.", "30s"),
    row<"idle_timeout">(&Settings::idle_timeout, From::Flag, SettingKind::Duration,
                        "Timeout without any data in either direction.", "5m"),
    row<"retries">(&Settings::retries, From::Flag, SettingKind::Count,
                   "Maximum retries of a failed request.", "2"),
    row<"max_wait">(&Settings::max_wait, From::Flag, SettingKind::Duration,
                    "Longest Retry-After to wait out.", "60s"),
    row<"key_command">(&Settings::key_command, From::Profile, SettingKind::Command,
                       "Shell command that prints the API key."),
    row<"key_file">(&Settings::key_file, From::Profile, SettingKind::Path,
                    "Private file with the API key (mode 0600)."),
    row<"management_key_command">(&Settings::management_key_command, From::Profile,
                                  SettingKind::Command,
                                  "Shell command that prints the management key."),
    row<"management_key_file">(&Settings::management_key_file, From::Profile, SettingKind::Path,
                               "Private file with the management key (mode 0600)."),
    row<"webhook_secret_file">(
        &Settings::webhook_secret_file, From::Profile, SettingKind::Path,
        "Private file with webhook signing secrets, one per line (mode 0600)."),
    row<"cost">(&Settings::cost, From::Flag, SettingKind::Choice,
                "Whether to print tokens and cost per answer; auto: on a terminal.", "auto",
                "auto|always|never"),
    row<"max_cost">(&Settings::max_cost, From::Flag, SettingKind::Money,
                    "Budget per run, in US dollars."),
    row<"max_cost_per_day">(&Settings::max_cost_per_day, From::Environment, SettingKind::Money,
                            "Budget per profile and day, in US dollars."),
    row<"history">(&Settings::history, From::Environment, SettingKind::Choice,
                   "Whether to save conversations on this machine.", "true", "true|false"),
    row<"mcp_config">(&Settings::mcp_config, From::Environment, SettingKind::Path,
                      "File with the MCP servers whose tools conversations use."),
    row<"render">(&Settings::render, From::Environment, SettingKind::Choice,
                  "Whether to render an answer's Markdown on a terminal.", "true", "true|false"),
    row<"reasoning">(&Settings::reasoning, From::Environment, SettingKind::Choice,
                     "How much of an answer's reasoning is shown: all, how long it took, nothing.",
                     "full", "full|fold|none"),
    row<"keys">(&Settings::keys, From::Environment, SettingKind::Choice,
                "Keys of the prompt: emacs, or vi with its normal mode after Esc.", "emacs",
                "emacs|vi"),
    row<"notify">(&Settings::notify, From::Environment, SettingKind::Duration,
                  "Notify you when an answer or a job has taken this long (true: 10s).", "false",
                  "true|false"),
    row<"screen_reader">(&Settings::screen_reader, From::Environment, SettingKind::Choice,
                         "Whether a screen reader reads the terminal: plain text, written once.",
                         "false", "true|false"),
    row<"default_command">(&Settings::default_command, From::Environment, SettingKind::Choice,
                           "Command for `svc \"What is a fjord?\"`, a text that is no command.", "",
                           "chat|responses"),
};

}  // namespace

std::span<const SettingRow> setting_rows() noexcept {
  return k_rows;
}

const SettingRow* find_setting(std::string_view name) noexcept {
  const auto same = [](char a, char b) { return a == (b == '-' ? '_' : b); };
  for (const SettingRow& row : k_rows) {
    if (std::equal(row.name.begin(), row.name.end(), name.begin(), name.end(), same)) return &row;
  }
  return nullptr;
}

}  // namespace svc
