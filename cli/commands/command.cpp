#include "commands/command.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "catalogue/catalogue.h"
#include "command_line/output_ending.h"
#include "conversation/lone_text.h"
#include "conversation/prompt_template.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "print/table.h"
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
  // For a single document, --columns only formats its fields.
  if (!prints_list(operation)) {
    return usage_error(fmt::format("--columns works only with lists; 'svc {}' prints none",
                                   command_name(operation)));
  }
  for (const sv name : split(*session.globals().columns, ',')) {
    if (!trim(name).empty()) continue;
    return usage_error(
        fmt::format("--columns: empty name in '{}'", shown(*session.globals().columns, 80)));
  }
  return print::check_columns(print::columns_of(operation), session.list_choice().columns);
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
  const auto handler = static_cast<std::size_t>(operation.run);
  Result<void> done = handler > 0 ? k_handlers.at(handler - 1)(session) : run_operation(session);
  session.progress().finish();
  const bool success = done || done.error().fault == Fault::RemoteJob;
  Result<void> closed = session.close(success);
  return done ? closed : done;
}

}  // namespace svc::cli
