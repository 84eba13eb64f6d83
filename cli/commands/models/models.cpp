// `svc models`: the models of every cluster, with normalised prices.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/models_fields.h"
#include "client/list_items.h"
#include "commands/command.h"
#include "json/document.h"
#include "json/repair.h"
#include "json/slices.h"
#include "json/text.h"
#include "operation/runner.h"
#include "print/model_rows.h"
#include "print/table.h"

namespace svc::cli {
namespace {

using Entries = std::vector<print::ModelEntry>;

/// In text, only columns with a value in some row; in formats for programs, all.
std::vector<print::Column> columns_for(const std::vector<print::Column>& all,
                                       const std::vector<nlohmann::json>& rows, bool person,
                                       bool asked) {
  std::vector<print::Column> columns;
  for (const print::Column& column : all) {
    bool filled = !person || asked;
    for (const nlohmann::json& row : rows) {
      filled = filled || !print::cell_text(row, column, print::Reader::Program).empty();
    }
    if (filled) columns.push_back(column);
  }
  return columns;
}

Result<void> print_table(Session& session, const Entries& entries) {
  const std::vector<nlohmann::json> rows = print::model_rows(entries);
  const std::vector<print::Column> columns =
      columns_for(print::columns_of(*session.invocation().operation), rows,
                  session.out().terminal().is_tty, session.globals().columns.has_value());
  print::Table table(session.out(), columns, session.list_choice());
  for (const nlohmann::json& row : rows) SVC_CHECK(table.add(row));
  return finish_table(session, table);
}

/// A model, and the clusters that serve it.
struct ServedModel {
  std::string kind{};
  std::string name{};
  sv model{};                         ///< as the first cluster describes it
  std::vector<std::string> names{};   ///< of the clusters, as JSON
  std::vector<std::string> others{};  ///< clusters that describe it differently, as JSON
};

bool same_model(sv one, sv other) {
  OrderedJson a = parse_reply_in_order(one);
  OrderedJson b = parse_reply_in_order(other);
  for (OrderedJson* model : {&a, &b}) {
    if (model->is_object()) model->erase("cluster");
  }
  return a == b;
}

/// Writes each model once, as the table does: as the service describes it, and with its clusters.
Result<void> write_models(Session& session, const std::vector<sv>& clusters, sv kind, sv cluster) {
  std::vector<ServedModel> all;
  for (const sv config : clusters) {
    const auto named = json_member(config, "clusterName");
    if (!cluster.empty() && json_string(named) != cluster) continue;
    for (const JsonMember& list : json_members(config)) {
      const std::string found = print::model_kind(list.name);
      if (!list.name.ends_with("Models") || (!kind.empty() && found != kind)) continue;
      for (const sv model : json_elements(list.value)) {
        const std::string name = json_string(json_member(model, "name"));
        const auto known = std::ranges::find_if(
            all, [&](const ServedModel& one) { return one.kind == found && one.name == name; });
        const bool fresh = known == all.end();
        ServedModel& served =
            fresh ? all.emplace_back(ServedModel{found, name, model, {}, {}}) : *known;
        served.names.emplace_back(named.value_or("null"));
        if (fresh || same_model(served.model, model)) continue;
        served.others.push_back(
            fmt::format(R"({{"cluster":{},"model":{}}})", named.value_or("null"), model));
      }
    }
  }
  std::vector<std::string> lines;
  for (const ServedModel& one : all) {
    lines.push_back(fmt::format(
        R"({{"name":{},"kind":{},"clusters":[{}],"model":{}{}}})", json_quote(one.name),
        json_quote(one.kind), join(one.names, ","), one.model,
        one.others.empty() ? "" : fmt::format(R"(,"others":[{}])", join(one.others, ","))));
  }
  return write_list(session, std::vector<sv>(lines.begin(), lines.end()));
}

}  // namespace

template <>
Result<void> run<Handler::ModelsList>(Session& session) {
  const Flags<catalogue::models::k_list_fields> flags(session.inputs());
  SVC_TRY(body, fetch_answer(session, "svc models"));
  if (!body) return {};
  const std::string kind = flags.text<"kind">();
  const std::string cluster = flags.text<"cluster">();
  const Format format = session.format();
  if (format == Format::Raw) return session.write_document(*body);
  SVC_TRY(clusters, list_items(*session.invocation().operation, *body, session.secrets()));
  if (format != Format::Text) return write_models(session, clusters, kind, cluster);
  const std::string array = repair_json(fmt::format("[{}]", join(clusters, ",")));
  const OrderedJson document = {{"clusterConfigs", OrderedJson::parse(array, nullptr, false)}};
  const Entries entries = print::model_entries(document, kind, cluster);
  if (entries.empty()) session.notices().note("no matching models");
  return print_table(session, entries);
}

}  // namespace svc::cli
