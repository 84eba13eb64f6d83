#include "tool_program.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_text.h"
#include "base/program.h"
#include "base/text.h"
#include "client/reply_json.h"

namespace svc::cli {
namespace {

using nlohmann::json;

constexpr std::size_t k_most_tool_output = 1U << 20U;
constexpr std::chrono::seconds k_tool_schema_limit{10};

/// The function object of a description.
Result<json> tool_function(const std::string& name, const std::string& text) {
  if (check_json(text)) {
    return usage_error(fmt::format("--tool {}: its description is not JSON", name));
  }
  json given = parse_reply(text);
  if (given.is_object() && given.contains("function")) given = given["function"];
  if (!given.is_object()) {
    return usage_error(fmt::format("--tool {}: its description is no JSON object", name));
  }
  const bool schema =
      !given.contains("parameters") && given.contains("type") && given["type"] != "function";
  json function = schema ? json{{"parameters", given}} : std::move(given);
  if (schema && function["parameters"].contains("description")) {
    function["description"] = function["parameters"]["description"];
  }
  function["type"] = "function";
  function["name"] = name;
  return function;
}

}  // namespace

Result<ToolProgram> read_tool_program(const std::string& flag) {
  const std::size_t equals = flag.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == flag.size()) {
    return usage_error(fmt::format("--tool takes NAME=PROGRAM, not '{}'",
                                   visible(excerpt(flag, 60), Lines::Escape)));
  }
  ToolProgram tool{.name = flag.substr(0, equals), .program = flag.substr(equals + 1)};
  const bool clean = std::all_of(tool.name.begin(), tool.name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (!clean || tool.name.size() > 64) {
    return usage_error(fmt::format("--tool {}: a name has letters, digits, - and _, at most 64",
                                   visible(excerpt(tool.name, 60), Lines::Escape)));
  }
  std::string text;
  std::error_code failed;
  if (std::filesystem::exists(tool.program + ".json", failed)) {
    SVC_TRY(read, read_file(tool.program + ".json", k_most_tool_output));
    text = std::move(read);
  } else {
    ToolRun run(tool.program, {"--schema"}, {}, k_tool_schema_limit);
    auto printed = run.take();
    if (!printed) {
      return usage_error(
          fmt::format("--tool {}: there is no {}, and `{} --schema` says nothing: {}", tool.name,
                      shown_path(tool.program + ".json"), visible(tool.program, Lines::Escape),
                      visible(excerpt(printed.error().message, 200), Lines::Escape)),
          "Describe the function there: {\"description\": …, \"parameters\": a JSON Schema}.");
    }
    text = *std::move(printed);
  }
  SVC_TRY(function, tool_function(tool.name, text));
  tool.tool = function.dump(-1, ' ', false, json::error_handler_t::replace);
  return tool;
}

ToolRun::ToolRun(std::string program, std::vector<std::string> arguments, std::string input,
                 std::chrono::milliseconds limit) {
  m_thread = std::thread([this, program = std::move(program), arguments = std::move(arguments),
                          input = std::move(input), limit] {
    m_result = run(program, arguments, input, limit);
    m_is_over = true;
    m_over.signal();
  });
}

ToolRun::~ToolRun() {
  m_cancel.ask();
  if (m_thread.joinable()) m_thread.join();
}

Result<std::string> ToolRun::take() {
  if (m_thread.joinable()) m_thread.join();
  return std::move(m_result);
}

Result<std::string> ToolRun::run(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 const std::string& input, std::chrono::milliseconds limit) const {
  std::string output;
  ProgramRun run{.arguments = {program}, .input = input, .limit = limit};
  run.arguments.insert(run.arguments.end(), arguments.begin(), arguments.end());
  run.output = ProgramOutput::Taken;
  run.take = [&output](std::string_view bytes) {
    output += bytes.substr(0, k_most_tool_output + 1 - output.size());
  };
  SVC_TRY(end, run_program(run, m_cancel));
  if (end.timed_out || end.signal != 0 || end.code != 0) {
    return Error{end.timed_out ? Fault::Timeout : Fault::Local,
                 fmt::format("it failed: {}", describe(end, limit))};
  }
  if (output.size() > k_most_tool_output) {
    return Error{Fault::Local,
                 fmt::format("it printed more than {}", format_bytes(k_most_tool_output))};
  }
  return output;
}

}  // namespace svc::cli
