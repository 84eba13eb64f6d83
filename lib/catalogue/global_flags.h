// The flags that every command takes. They may stand anywhere after `svc`.
#pragma once

#include <array>
#include <string_view>

namespace svc {

struct GlobalFlag {
  std::string_view name;       ///< without dashes
  char letter;                 ///< short form, or 0
  std::string_view value;      ///< the value's name in help; empty: a switch
  std::string_view help;       ///< one sentence
  std::string_view choices{};  ///< "text|json", empty: free
  bool common = false;
};

inline constexpr std::array k_global_flags = {
    GlobalFlag{"profile", 'p', "NAME", "Use this profile of the configuration, or `emulator`.", "",
               true},
    GlobalFlag{"format", 'f', "FORMAT", "Choose how the result is written.", "text|json|jsonl|raw",
               true},
    GlobalFlag{"json", 0, "", "Write one JSON document; the same as --format json.", "", true},
    GlobalFlag{"jq", 0, "EXPR", "Filter the JSON result with a jq expression.", "", true},
    GlobalFlag{"output", 'o', "FILE", "Write the result to a file.", "", true},
    GlobalFlag{"force", 0, "", "Replace an output file that exists.", "", false},
    GlobalFlag{"header", 'H', "NAME: VALUE", "Send a further HTTP header; may be repeated.", "",
               false},
    GlobalFlag{"body", 0, "JSON|@FILE|-", "Start from this request body; flags win over it.", "",
               false},
    GlobalFlag{"set", 0, "PATH=JSON",
               "Set any member of the body, documented or not; may be repeated.", "", false},
    GlobalFlag{"timeout", 0, "DURATION",
               "Give up when the whole exchange takes longer; 1h unless set.", "", false},
    GlobalFlag{"connect-timeout", 0, "DURATION",
               "Give up when no connection stands by then; 30s unless set.", "", false},
    GlobalFlag{"idle-timeout", 0, "DURATION",
               "Give up when no byte moves for this long; 5m unless set.", "", false},
    GlobalFlag{"retries", 0, "N", "Repeat a failed request at most N times; 2 unless set.", "",
               false},
    GlobalFlag{"max-wait", 0, "DURATION",
               "Wait at most this long when the service asks for a pause; 60s unless set.", "",
               false},
    GlobalFlag{"dry-run", 0, "", "Print the request instead of sending it.", "", true},
    GlobalFlag{"curl", 0, "", "Print an equivalent curl command instead of sending.", "", true},
    GlobalFlag{"verbose", 'v', "", "Tell on standard error what is sent, received and retried.", "",
               true},
    GlobalFlag{"quiet", 'q', "", "Write nothing but the result and errors.", "", true},
    GlobalFlag{"cost", 0, "", "Tell tokens and cost of each answer, also off a terminal.", "",
               false},
    GlobalFlag{"no-cost", 0, "", "Do not tell what answers cost.", "", false},
    GlobalFlag{"max-cost", 0, "USD",
               "Send nothing more once this run has spent so many US dollars; what is under way "
               "then is still paid for.",
               "", false},
    GlobalFlag{"color", 0, "WHEN", "Choose when to use colour.", "auto|always|never", false},
    GlobalFlag{"no-progress", 0, "", "Show no progress.", "", false},
    GlobalFlag{"no-stdin", 0, "", "Ignore standard input.", "", false},
    GlobalFlag{"yes", 'y', "", "Do not ask before destructive work.", "", false},
    GlobalFlag{"base-url", 0, "URL", "Use this address of the inference service.", "", false},
    GlobalFlag{"management-url", 0, "URL", "Use this address of the management service.", "",
               false},
    GlobalFlag{"realtime-url", 0, "URL", "Use this address of the realtime service.", "", false},
    GlobalFlag{"docs-url", 0, "URL", "Use this address of the documentation service.", "", false},
    GlobalFlag{"team-id", 0, "ID", "Use this team for management operations.", "", false},
    GlobalFlag{"help", 'h', "", "Explain the command.", "", true},
    GlobalFlag{"help-all", 0, "", "Explain the command with every flag.", "", false},
};

/// The global flag of that name (without dashes), or null.
[[nodiscard]] constexpr const GlobalFlag* find_global_flag(std::string_view name) {
  for (const auto& flag : k_global_flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

}  // namespace svc
