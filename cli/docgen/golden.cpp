// Golden requests.
#include "docgen/golden.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "json/text.h"
#include "request/build.h"
#include "request/show.h"

namespace svc::docgen {
namespace {

/// 2026-06-01T00:00:00Z, a fixed time before all example times.
constexpr std::int64_t k_golden_time = 1'780'272'000;

/// Whether a rule forbids combining the field with another one; such fields are omitted.
bool is_excluded(const Operation& operation, const Field& field) {
  for (const Rule& rule : operation.rules) {
    if (rule.kind == RuleKind::Excludes && rule.other == field.flag) return true;
  }
  return false;
}

request::Inputs example_inputs(const Operation& operation) {
  request::Inputs inputs;
  for (const Field& field : operation.fields) {
    if (field.in == In::Local || field.alias || is_excluded(operation, field)) continue;
    if (field.kind == Kind::Boolean) {
      inputs.given.push_back({&field, "true"});
    } else if (!field.example.empty()) {
      inputs.given.push_back({&field, std::string(field.example)});
    }
  }
  return inputs;
}

}  // namespace

Result<std::vector<GeneratedFile>> golden_requests() {
  std::vector<GeneratedFile> files;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      if (operation.host == Host::Local) continue;
      const request::BuildContext context{.base_url = "https://api.example",
                                          .team_id = "team_1",
                                          .now = k_golden_time,
                                          .without_files = true};
      auto request = build_request(operation, example_inputs(operation), context);
      if (!request) {
        return Error{Fault::Unexpected,
                     fmt::format("the examples of {} do not build a request: {}",
                                 command_name(operation), request.error().message)};
      }
      std::string content;
      if (reformat_json(request::show_request_json(*request), JsonStyle{},
                        [&](sv text) { content += text; })) {
        return Error{Fault::Unexpected, "the printed request is not valid JSON"};
      }
      files.push_back(
          {fmt::format("tests/golden/{}.json", replace_all(command_name(operation), " ", "-")),
           content + "\n"});
    }
  }
  return files;
}

}  // namespace svc::docgen
