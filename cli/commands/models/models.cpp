// `svc models`: the models of every cluster, with normalised prices.
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

/// Writes each model as the service describes it, with the cluster that serves it.
Result<void> write_models(Session& session, const std::vector<sv>& clusters, sv kind, sv cluster) {
  std::vector<std::string> lines;
  for (const sv config : clusters) {
    const auto named = json_member(config, "clusterName");
    if (!cluster.empty() && json_string(named) != cluster) continue;
    for (const JsonMember& list : json_members(config)) {
      const std::string found = print::model_kind(list.name);
      if (!list.name.ends_with("Models") || (!kind.empty() && found != kind)) continue;
      for (const sv model : json_elements(list.value)) {
        lines.push_back(fmt::format(R"({{"cluster":{},"kind":{},"model":{}}})",
                                    named.value_or("null"), json_quote(found), model));
      }
    }
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
