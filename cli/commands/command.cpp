#include "commands/command.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "client/list_items.h"
#include "command_line/output_ending.h"
#include "conversation/lone_text.h"
#include "conversation/prompt_template.h"
#include "json/slices.h"
#include "json/text.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "print/table.h"
#include "request/convert.h"
#include "request/rules.h"

namespace svc::cli {
namespace {

template <std::size_t... I>
constexpr auto handlers(std::index_sequence<I...> /*all*/) {
  return std::array{&run<static_cast<Handler>(I + 1)>...};
}
/// By Handler, without None.
constexpr auto k_handlers =
    handlers(std::make_index_sequence<static_cast<std::size_t>(Handler::Count) - 1>());

/// Checks that --columns names columns of the list that the command prints.
Result<void> check_columns(const Session& session, const Operation& operation) {
  if (!session.globals().columns) return {};
  const std::vector<print::Column> columns = print::columns_of(operation);
  // For a single document, --columns only formats its fields; a bulk run has a table of its own.
  if (!prints_list(operation) || columns.empty()) {
    return usage_error(fmt::format("--columns works only with lists; 'svc {}' prints none",
                                   command_name(operation)));
  }
  for (const sv name : split(*session.globals().columns, ',')) {
    if (!trim(name).empty()) continue;
    return usage_error(
        fmt::format("--columns: empty name in '{}'", shown(*session.globals().columns)));
  }
  return print::check_columns(columns, session.list_choice().columns);
}

/// The request that finds the collections with that name in theirs.
Result<request::Request> name_request(Session& session, const std::string& name) {
  return prepare_other(session, *find_operation("collections", "list"),
                       {{"filter", fmt::format("collection_name:{}", json_quote(name))}});
}

/// Stands for the ID of the collection of that name in requests that are only shown.
Result<std::string> planned_collection(Session& session, const std::string& name) {
  SVC_TRY(request, name_request(session, name));
  request::Lookup lookup{.step = {.request = std::move(request)},
                         .placeholder = request::placeholder_id("collection")};
  lookup.step.purpose = fmt::format("Find the collection {}.", name);
  lookup.step.result = {
      fmt::format("COLLECTION_{}", session.planned_lookups().size() + 1),
      fmt::format(".collections[] | select(.collection_name == {}) | .collection_id",
                  json_quote(name))};
  std::string id = lookup.placeholder;
  session.plan_lookup(std::move(lookup));
  return id;
}

/// The ID of the collection of that name.
Result<std::string> collection_named(Session& session, const std::string& name) {
  if (session.globals().shows_only()) return planned_collection(session, name);
  const Operation& list = *find_operation("collections", "list");
  SVC_TRY(request, name_request(session, name));
  SVC_TRY(client, open_client(session, request));
  SVC_TRY(reply, client->call(request));
  SVC_TRY(items, list_items(list, reply.body, session.secrets()));
  std::vector<std::string> ids;
  for (const sv item : items) {  // the filter finds parts of names too
    if (json_string(json_member(item, "collection_name")) != name) continue;
    ids.push_back(json_string(json_member(item, "collection_id")));
  }
  if (ids.size() == 1) return std::move(ids.front());
  if (ids.empty()) {
    return Error{Fault::NotFound, fmt::format("no collection has the name '{}'", shown(name)),
                 "`svc collections list` shows names and IDs."};
  }
  return usage_error(fmt::format("{} collections have the name '{}': {}", ids.size(), shown(name),
                                 visible(join(ids, ", "), Lines::Escape)),
                     "Pass the ID of one of them.");
}

/// The collections of a value. Only a list of them is separated by commas, which a name may
/// contain.
std::vector<sv> named_in(const request::Given& given) {
  if (given.field->stands_for.find("$list") == sv::npos) return {given.text};
  return split(given.text, ',');
}

/// Replaces the names of collections by their IDs, which all begin with collection_.
Result<void> find_collections(Session& session, Invocation& invocation) {
  for (request::Given& given : invocation.inputs.given) {
    if (given.field->completes != "collections") continue;
    std::vector<std::string> ids;
    for (const sv part : named_in(given)) {
      std::string id(trim(part));
      if (id.empty() || id.starts_with("collection_")) {
        ids.push_back(std::move(id));
        continue;
      }
      // Report invalid input before anything is sent.
      for (const request::Given& one : invocation.inputs.given) {
        SVC_CHECK(request::check_value(one));
      }
      Result<std::string> found = collection_named(session, id);
      if (!found && found.error().fault == Fault::Auth) {
        found.error().message = fmt::format(
            "collection '{}' is not an ID, and finding it by name "
            "failed: {}",
            shown(id), found.error().message);
      }
      if (!found) return std::move(found).error();
      ids.push_back(*std::move(found));
    }
    given.text = join(ids, ",");
  }
  return {};
}

}  // namespace

Result<void> run_invocation(Session& session, Invocation& invocation) {
  const Operation& operation = *session.invocation().operation;
  SVC_CHECK(session.open({operation.config,
                          operation.new_profile ? NewProfile::Allow : NewProfile::Refuse,
                          operation.own_output || saves_media(operation)}));
  const bool json = session.format() == Format::Json || session.format() == Format::Jsonl;
  session.notices().set_json(json && !session.globals().by_ending);
  SVC_CHECK(settle_lone_text(session, invocation));
  SVC_CHECK(apply_template(session, invocation));
  SVC_CHECK(check_columns(session, operation));
  if (operation.host == Host::Local) {
    SVC_CHECK(request::check_local(operation, session.invocation().inputs));
  }
  SVC_CHECK(find_collections(session, invocation));
  const auto handler = static_cast<std::size_t>(operation.run);
  Result<void> done = handler > 0 ? k_handlers.at(handler - 1)(session) : run_operation(session);
  session.progress().finish();
  const bool success = done || done.error().fault == Fault::RemoteJob;
  Result<void> closed = session.close(success);
  return done ? closed : done;
}

}  // namespace svc::cli
