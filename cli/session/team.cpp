#include "session/team.h"

#include <fmt/format.h>

#include "base/text.h"
#include "client/credentials.h"
#include "session/key_check.h"

namespace svc::cli {
namespace {

/// The team that the key of that kind names; "" when there is no such key, no address for it, or no
/// team in the answer.
Result<std::string> team_of(Session& session, KeyKind kind) {
  if (!session.base_url(host_of(kind))) return std::string();
  SVC_TRY(found, look_for_credential(kind, session.settings(), session.environment(),
                                     session.config(), session.cancel_token()));
  if (!found) return std::string();
  SVC_TRY(facts, try_key(session, kind, found->key));
  return std::move(facts.team_id);
}

}  // namespace

Result<std::string> find_team(Session& session) {
  if (session.settings().team_id.is_set()) return session.settings().team_id.value;
  std::optional<Error> wrong;
  for (const KeyKind kind : {KeyKind::Management, KeyKind::Inference}) {
    Result<std::string> team = team_of(session, kind);
    if (!team && is_cancellation(team.error().fault)) return team;
    if (!team && !wrong) wrong = team.error();
    if (!team || team->empty()) continue;
    session.notices().detail(
        fmt::format("the {} belongs to team {}", key_title(kind), visible(*team, Lines::Escape)));
    session.set_team(*team, fmt::format("the {}", key_title(kind)));
    return team;
  }
  Error unknown = missing_setting(*find_setting("team_id"));
  if (wrong) {
    wrong->message = fmt::format("{}, and asking which team the key belongs to failed: {}",
                                 unknown.message, wrong->message);
    if (wrong->fault != Fault::Auth) wrong->hint = unknown.hint;
    return *std::move(wrong);
  }
  return unknown;
}

}  // namespace svc::cli
