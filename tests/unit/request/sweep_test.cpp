// What each flag makes of values of every kind: what is sent, or why it is refused.
#include <cstdlib>
#include <fstream>
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "request/build.h"
#include "request/show.h"

namespace {

using namespace svc;
using namespace svc::request;

constexpr std::int64_t k_sweep_time = 1'780'272'000;  // 2026-06-01T00:00:00Z
constexpr const char* k_sweep_file = SVC_SOURCE_DIR "/tests/flags.txt";

/// The flags without which nothing can be built, beside `field`.
Inputs required_inputs(const Operation& operation, const Field& field) {
  Inputs inputs;
  for (const Field& one : operation.fields) {
    const bool needed = one.required || one.positional;
    if (needed && one.flag != field.flag && !one.alias && !one.example.empty()) {
      inputs.given.push_back({&one, std::string(one.example)});
    }
  }
  return inputs;
}

nlohmann::json shown(const Operation& operation, const Inputs& inputs, std::string& refusal) {
  const BuildContext context{.base_url = "https://api.example",
                             .team_id = "team_1",
                             .now = k_sweep_time,
                             .without_files = true};
  const auto request = build_request(operation, inputs, context);
  if (!request) {
    refusal = request.error().message;
    if (!request.error().hint.empty()) refusal += " | " + request.error().hint;
    return {};
  }
  return nlohmann::json::parse(show_request_json(*request));
}

/// The values that a field is tried with: around what its kind allows, and its own.
std::vector<std::string> values_for(const Field& field) {
  static const std::map<Kind, std::vector<std::string>> k_values = {
      {Kind::Integer, {"0", "1", "-1", "2.5", "1e9", "+1", "99999999999999999999"}},
      {Kind::Number, {"0", "1", "-1", "2.5", "1e9", "+1", "nan", ".5"}},
      {Kind::Money, {"0", "1", "-1", "2.5", "2.555", "$5", "1e9"}},
      {Kind::Duration, {"0", "1", "-1", "10s", "1d", "-1h", "2h30m", "10 s", "99999d"}},
      {Kind::Time, {"0", "1", "1d", "-1h", "2026-01-02", "2026-13-02", "2027-01-15T08:00:00Z"}},
      {Kind::Boolean, {"true", "false", "yes"}},
      {Kind::Json, {"1", "[]", "{\"a\":1}", "\"b\"", "null", "{", "@none"}},
      {Kind::TextOrJson, {"1", "[]", "{\"a\":1}", "\"b\"", "{", "@none"}},
      {Kind::Text, {"a,b", "a b", "@none", "5"}}};
  std::vector<std::string> values = {"", "~"};
  if (const auto found = k_values.find(field.kind); found != k_values.end()) {
    values.insert(values.end(), found->second.begin(), found->second.end());
  }
  for (const sv choice : field.choices) values.emplace_back(choice);
  if (!field.choices.empty()) values.push_back(to_upper(field.choices.front()));
  if (!field.example.empty()) values.emplace_back(field.example);
  return values;
}

/// What differs in a request; of one that could not be built without the value, what it is.
std::string changes_of(const nlohmann::json& without, const nlohmann::json& with) {
  if (without.is_null()) {
    return fmt::format("/url={} /body={}", with["url"].dump(), with["body"].dump());
  }
  std::string changes;
  for (const nlohmann::json& change : nlohmann::json::diff(without, with)) {
    changes += fmt::format(" {}={}", change["path"].get<std::string>(),
                           change.value("value", nlohmann::json()).dump());
  }
  return std::string(trim(changes));
}

/// One line for each value: what differs in the request, or the error.
std::string tried(const Operation& operation, const Field& field) {
  std::string refusal;
  const nlohmann::json without = shown(operation, required_inputs(operation, field), refusal);
  std::string lines;
  for (const std::string& value : values_for(field)) {
    Inputs inputs = required_inputs(operation, field);
    inputs.given.push_back({&field, value});
    std::string why;
    const nlohmann::json with = shown(operation, inputs, why);
    lines += fmt::format("  {}\t{}\n", value, why.empty() ? changes_of(without, with) : "! " + why);
  }
  return lines;
}

/// Flags that behave alike stand together: "--limit of files list, batches list".
std::string sweep() {
  std::map<std::pair<std::string, std::string>, std::string> alike;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      if (operation.host == Host::Local) continue;
      for (const Field& field : operation.fields) {
        if (field.in == In::Local || field.alias || field.kind == Kind::Secret) continue;
        std::string& names = alike[{std::string(field.flag), tried(operation, field)}];
        names += (names.empty() ? "" : ", ") + command_name(operation);
      }
    }
  }
  std::string text;
  for (const auto& [flag, names] : alike) {
    text += fmt::format("--{} of {}\n{}\n", flag.first, names, flag.second);
  }
  return text;
}

}  // namespace

// With SVC_RECORD_FLAGS=1 the file is written again: read what `git diff` shows of it.
TEST_CASE("what each flag makes of values of every kind") {
  const std::string text = sweep();
  if (std::getenv("SVC_RECORD_FLAGS") != nullptr) std::ofstream(k_sweep_file) << text;
  const auto known = read_file(k_sweep_file);
  REQUIRE(known);
  const auto lines = split(text, '\n');
  const auto expected = split(*known, '\n');
  REQUIRE(lines.size() == expected.size());
  std::string flag;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("--")) flag = lines[i];
    CAPTURE(flag);
    CHECK(lines[i] == expected[i]);
  }
}
