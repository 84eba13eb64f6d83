// `svc models`: the models of every cluster, with prices in one unit.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "commands/registry.h"
#include "json/document.h"
#include "json/repair.h"
#include "operation/runner.h"
#include "print/model_rows.h"
#include "print/table.h"

namespace svc::cli {
namespace {

using Json = nlohmann::ordered_json;
using Entries = std::vector<print::ModelEntry>;

bool is_empty(const nlohmann::json& value) {
  return value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
}

/// For a person only the columns that some model fills; a program finds each always in its place.
std::vector<Column> columns_for(std::span<const Column> all,
                                const std::vector<nlohmann::json>& rows, bool person) {
  std::vector<Column> columns;
  for (const Column& column : all) {
    bool filled = !person;
    for (const nlohmann::json& row : rows) {
      filled = filled || !is_empty(row.at(std::string(column.path)));
    }
    if (filled) columns.push_back(column);
  }
  return columns;
}

Result<void> print_table(Session& session, const Entries& entries) {
  const std::vector<nlohmann::json> rows = print::model_rows(entries);
  const std::vector<Column> columns =
      columns_for(session.invocation().operation->columns, rows, session.out().terminal().is_tty);
  print::Table table(session.out(), columns, session.globals().verbose);
  for (const nlohmann::json& row : rows) SVC_CHECK(table.add(row));
  SVC_CHECK(table.finish());
  SVC_CHECK(session.out().flush());
  note_hidden_columns(session, table);
  return {};
}

/// The service's own document, without the kinds and clusters that were not asked for.
Json filtered(Json document, sv kind, sv cluster) {
  const auto clusters = document.find("clusterConfigs");
  if (clusters == document.end() || !clusters->is_array()) return document;
  Json kept = Json::array();
  for (Json& config : *clusters) {
    const bool named = config.is_object() && config.value("clusterName", Json()) == Json(cluster);
    if (!cluster.empty() && !named) continue;
    Json copy = Json::object();
    for (auto& [name, value] : config.items()) {
      const bool list = sv(name).ends_with("Models");
      if (!kind.empty() && list && print::model_kind(name) != kind) continue;
      copy[name] = std::move(value);
    }
    kept.push_back(std::move(copy));
  }
  *clusters = std::move(kept);
  return document;
}

Result<void> print_lines(Session& session, const Entries& entries) {
  for (const print::ModelEntry& entry : entries) {
    const Json line = {{"cluster", entry.cluster}, {"kind", entry.kind}, {"model", *entry.model}};
    SVC_CHECK(session.write_document(compact_json(line)));
  }
  return {};
}

}  // namespace

Result<void> run_models_list(Session& session) {
  SVC_TRY(body, fetch_answer(session, "svc models"));
  if (!body) return {};
  const Invocation& invocation = session.invocation();
  const std::string kind = invocation.value("kind").value_or("");
  const std::string cluster = invocation.value("cluster").value_or("");
  const Format format = session.format();
  const bool whole = kind.empty() && cluster.empty();
  if (format == Format::Raw || (format == Format::Json && whole)) {
    return session.write_document(*body);
  }
  Json document = Json::parse(mend_json(*body), nullptr, false);
  if (!document.is_object()) {
    return Error{Fault::Network, "the answer is not a list of models",
                 "Look at it with --format raw."};
  }
  if (format == Format::Json) {
    const Json some = filtered(std::move(document), kind, cluster);
    return session.write_document(compact_json(some));
  }
  const Entries entries = print::model_entries(document, kind, cluster);
  if (entries.empty()) session.notices().note("the team has no such models");
  return format == Format::Jsonl ? print_lines(session, entries) : print_table(session, entries);
}

}  // namespace svc::cli
