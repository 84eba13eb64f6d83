#include "conversation/tool_program.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/program.h"
#include "base/text.h"
#include "base/wait.h"
#include "json/document.h"
#include "json/text.h"

namespace svc::cli {
namespace {

using nlohmann::json;

constexpr std::size_t k_max_description = 1U << 20U;
constexpr ToolLimits k_description_limits{std::chrono::seconds(10), k_max_description};

constexpr sv k_description_hint =
    "Describe the function in a file PROGRAM.json: {\"description\": …, \"parameters\": a JSON "
    "Schema}.";

/// Builds the function object from a description.
Result<json> tool_function(const std::string& name, const std::string& text) {
  json given = check_json(text) ? json() : parse_reply(text);
  if (given.is_object() && given.contains("function")) given = given["function"];
  if (!given.is_object()) {
    return usage_error(fmt::format("--tool {}: the description must be a JSON object, not '{}'",
                                   name, shown(trim(text))),
                       std::string(k_description_hint));
  }
  const bool typed = given.contains("type") && given["type"] != "function";
  const bool schema = !given.contains("parameters") && (typed || given.contains("properties"));
  json function = schema ? json{{"parameters", given}} : std::move(given);
  if (schema && function["parameters"].contains("description")) {
    function["description"] = function["parameters"]["description"];
  }
  function["type"] = "function";
  function["name"] = name;
  return function;
}

/// Removes ",SCHEMA.json" from the end of `program` and returns the path.
std::string split_schema(std::string& program) {
  const std::size_t comma = program.rfind(',');
  if (comma == std::string::npos || !program.ends_with(".json")) return {};
  std::string file = program.substr(comma + 1);
  program.resize(comma);
  return file;
}

Result<std::string> description_of(const ToolProgram& tool, const std::string& file,
                                   const CancelToken& cancel) {
  if (!file.empty()) return read_file(file, k_max_description);
  std::error_code failed;
  if (std::filesystem::exists(tool.program + ".json", failed)) {
    return read_file(tool.program + ".json", k_max_description);
  }
  ToolRun run(program_work(tool, {"--schema"}, {}, k_description_limits));
  while (!run.over()) {
    SVC_CHECK(wait_readable(run.descriptor(), {}, cancel));
  }
  ToolEnd printed = std::move(run.result());
  if (!printed.error && !printed.cut) return std::move(printed.output);
  std::string why = printed.error ? printed.error->message : "it printed more than the limit";
  if (const sv complaint = trim(printed.complaint); !complaint.empty()) {
    why += fmt::format(" ({})", excerpt_message(complaint));
  }
  return usage_error(fmt::format("--tool {}: {} does not exist, and `{} --schema` failed: {}",
                                 tool.name, quote_path(tool.program + ".json"),
                                 visible(tool.program, Lines::Escape), shown_message(why)),
                     std::string(k_description_hint));
}

}  // namespace

Result<ToolProgram> read_tool_program(const std::string& flag, bool described,
                                      const CancelToken& cancel,
                                      std::vector<std::string> variables) {
  const std::size_t equals = flag.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == flag.size()) {
    return usage_error(fmt::format("a tool must be NAME=PROGRAM, not '{}'", shown(flag)),
                       "For example: weather=./weather.sh");
  }
  ToolProgram tool{.name = flag.substr(0, equals),
                   .program = flag.substr(equals + 1),
                   .variables = std::move(variables)};
  const bool clean = std::all_of(tool.name.begin(), tool.name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (!clean || tool.name.size() > 64) {
    return usage_error(fmt::format("--tool {}: a name may have at most 64 letters, digits, - and _",
                                   shown(tool.name)));
  }
  const std::string file = split_schema(tool.program);
  std::error_code failed;
  if (!described && file.empty() && !std::filesystem::exists(tool.program + ".json", failed)) {
    tool.tool = compact_json(json{{"type", "function"}, {"name", tool.name}});
    return tool;
  }
  SVC_TRY(text, description_of(tool, file, cancel));
  SVC_TRY(function, tool_function(tool.name, text));
  tool.tool = compact_json(function);
  return tool;
}

ToolRun::Work program_work(const ToolProgram& tool, std::vector<std::string> arguments,
                           std::string input, ToolLimits limits) {
  arguments.insert(arguments.begin(), tool.program);
  return [arguments = std::move(arguments), input = std::move(input), limits,
          variables = tool.variables](CancelSource& cancel) {
    ToolEnd end;
    ProgramOptions run{.arguments = arguments,
                       .input = input,
                       .passed_variables = variables,
                       .limit = limits.time};
    run.output = ProgramOutput::Captured;
    run.take = [&](std::string_view bytes) {
      const std::size_t room = limits.output - end.output.size();
      end.output += bytes.substr(0, room);
      end.cut = end.cut || bytes.size() > room;
      // Output beyond the limit is discarded, so the program is canceled.
      if (end.cut) cancel.cancel();
    };
    // Untrusted text: escaped by the caller before it reaches a terminal.
    run.take_error = [&](std::string_view bytes) {
      end.complaint += bytes.substr(0, limits.output - end.complaint.size());
    };
    const auto ended = run_program(run, cancel);
    if (end.cut) return end;
    if (!ended) {
      end.error = ended.error();
    } else if (ended->timed_out || ended->signal != 0 || ended->code != 0) {
      end.error = Error{ended->timed_out ? Fault::Timeout : Fault::Local,
                        fmt::format("failed: {}", describe(*ended, limits.time))};
    }
    return end;
  };
}

ToolRun::Work tool_work(const ToolProgram& tool, std::string input, ToolLimits limits) {
  if (!tool.call) return program_work(tool, {}, std::move(input), limits);
  return [call = tool.call, input = std::move(input), limits](const CancelToken& cancel) {
    return call(input, limits, cancel);
  };
}

}  // namespace svc::cli
