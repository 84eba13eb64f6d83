// The flags that every command accepts, anywhere after `svc`.
#pragma once

#include <array>
#include <string_view>

namespace svc {

struct GlobalFlag {
  std::string_view name;       ///< without dashes
  char letter;                 ///< short form, or 0
  std::string_view value;      ///< the placeholder in help; empty: a switch
  std::string_view help;       ///< one sentence
  std::string_view choices{};  ///< "text|json"; empty: any value
  bool common = false;
};

inline constexpr std::array k_global_flags = {
    GlobalFlag{"profile", 'p', "NAME", "Use this configuration profile, or `emulator`.", "", true},
    GlobalFlag{"format", 'f', "FORMAT", "Set the output format.", "text|json|jsonl|raw", true},
    GlobalFlag{"json", 0, "", "Write one JSON document; the same as --format json.", "", true},
    GlobalFlag{"jq", 0, "EXPR", "Filter the JSON result with a jq expression.", "", true},
    GlobalFlag{"columns", 0, "NAMES",
               "Show these columns of a list, in this order (comma-separated).", "", false},
    GlobalFlag{"wide", 0, "",
               "Show every column of a list in full, even if wider than the "
               "terminal.",
               "", false},
    GlobalFlag{"output", 'o', "FILE", "Write the result to a file.", "", true},
    GlobalFlag{"force", 0, "", "Overwrite an existing output file.", "", false},
    GlobalFlag{"header", 'H', "NAME: VALUE", "Add an HTTP header; may be repeated.", "", false},
    GlobalFlag{"body", 0, "JSON|@FILE|-", "Use this request body; flags override it.", "", false},
    GlobalFlag{"set", 0, "PATH=JSON", "Set any body field, documented or not; may be repeated.", "",
               false},
    GlobalFlag{"timeout", 0, "DURATION", "Fail if the whole request takes longer (default: 1h).",
               "", false},
    GlobalFlag{"connect-timeout", 0, "DURATION",
               "Fail if no connection is established in this time (default: 30s).", "", false},
    GlobalFlag{"idle-timeout", 0, "DURATION",
               "Fail if no data is transferred for this long (default: 5m).", "", false},
    GlobalFlag{"retries", 0, "N", "Retry a failed request up to N times (default: 2).", "", false},
    GlobalFlag{"max-wait", 0, "DURATION", "Honor Retry-After up to this long (default: 60s).", "",
               false},
    GlobalFlag{"dry-run", 0, "", "Print the request instead of sending it.", "", true},
    GlobalFlag{"curl", 0, "", "Print an equivalent curl command instead of sending.", "", true},
    GlobalFlag{
        "estimate", 0, "",
        "Print what the request costs instead of sending it; after it, exact lets the service "
        "count the tokens.",
        "", true},
    GlobalFlag{"estimate-exact", 0, "",
               "The same as --estimate exact: the service counts the tokens.", "", false},
    GlobalFlag{"verbose", 'v', "",
               "Print all details of answers, requests and retries to standard error.", "", true},
    GlobalFlag{"quiet", 'q', "", "Print only the result and errors.", "", true},
    GlobalFlag{"cost", 0, "", "Always print the tokens and cost of each answer.", "", false},
    GlobalFlag{"no-cost", 0, "", "Do not print costs.", "", false},
    GlobalFlag{"max-cost", 0, "USD", "Send nothing that may cost more than is left of USD.", "",
               false},
    GlobalFlag{"color", 0, "WHEN", "Choose when to use color.", "auto|always|never", false},
    GlobalFlag{"no-progress", 0, "", "Do not show progress.", "", false},
    GlobalFlag{"no-stdin", 0, "", "Ignore standard input.", "", false},
    GlobalFlag{"yes", 'y', "", "Skip confirmation prompts.", "", false},
    GlobalFlag{"base-url", 0, "URL", "Use this inference service URL.", "", false},
    GlobalFlag{"management-url", 0, "URL", "Use this management service URL.", "", false},
    GlobalFlag{"realtime-url", 0, "URL", "Use this realtime service URL.", "", false},
    GlobalFlag{"docs-url", 0, "URL", "Use this documentation service URL.", "", false},
    GlobalFlag{"team-id", 0, "ID", "Use this team for management operations.", "", false},
    GlobalFlag{"help", 'h', "", "Show help.", "", true},
    GlobalFlag{"help-all", 0, "", "Show help with every flag.", "", false},
};

/// The global flag of that name (without dashes), or null.
[[nodiscard]] constexpr const GlobalFlag* find_global_flag(std::string_view name) {
  for (const auto& flag : k_global_flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

/// Not by the pointer: with UBSan, GCC 12 cannot compare it in a constant expression.
[[nodiscard]] constexpr bool is_global_flag(std::string_view name) {
  for (const auto& flag : k_global_flags) {
    if (flag.name == name) return true;
  }
  return false;
}

}  // namespace svc
