// `svc alias set | list | delete`: names for commands with their flags.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "client/config_file.h"
#include "client/config_write.h"
#include "command_line/aliases.h"
#include "commands/command.h"
#include "operation/list.h"

namespace svc::cli {
namespace {

using AliasFlags = Flags<catalogue::tool_commands::k_alias_set_fields>;

OrderedJson alias_json(const std::string& name, const std::string& expansion) {
  return {{"name", name}, {"expansion", expansion}};
}

}  // namespace

template <>
Result<void> run<Handler::AliasSet>(Session& session) {
  const AliasFlags flags(session.inputs());
  const std::string name = flags.text<"name">();
  const std::string expansion = flags.text<"expansion">();
  SVC_CHECK(check_alias(name, expansion));
  const auto& aliases = session.config().aliases();
  const auto before = aliases.find(name);
  SVC_CHECK(write_alias(session.config().path(), name, expansion, session.cancel_token()));
  if (session.format() != Format::Text) {
    return session.write_document(compact_json(alias_json(name, expansion)));
  }
  if (before != aliases.end() && before->second.text != expansion) {
    session.notices().note(
        fmt::format("alias {} stood for: svc {}", name, shown_message(before->second.text)));
  }
  return {};
}

template <>
Result<void> run<Handler::AliasList>(Session& session) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& [name, expansion] : session.config().aliases()) {
    rows.push_back(alias_json(name, expansion.text));
  }
  if (rows.empty() && session.format() == Format::Text) {
    session.notices().note("there are no aliases; `svc alias set NAME 'COMMAND'` creates one");
  }
  return print_list(session, rows);
}

template <>
Result<void> run<Handler::AliasDelete>(Session& session) {
  const std::string name =
      Flags<catalogue::tool_commands::k_alias_fields>(session.inputs()).text<"name">();
  if (!session.config().aliases().contains(name)) {
    return Error{Fault::NotFound, fmt::format("there is no alias '{}'", shown(name)),
                 "`svc alias list` lists the aliases."};
  }
  return write_alias(session.config().path(), name, std::nullopt, session.cancel_token());
}

}  // namespace svc::cli
