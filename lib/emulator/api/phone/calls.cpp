// Transferring and ending calls.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/phone/check.h"
#include "emulator/api/phone/handlers.h"
#include "emulator/api/phone/store.h"
#include "emulator/json/check_tables.h"
#include "emulator/model/rules.h"

namespace svc::emulator::phone {
namespace {

using text::Member;

constexpr std::array k_refer_members = {Member{"target_uri", &text::k_text, true}};
constexpr text::Type k_refer{.shape = text::Shape::Object, .members = k_refer_members};

// Moves the call that the path names to `state`. One that was never there is as invalid as an id of
// another form; one that is over is gone.
Answer end_call(const Call& call, CallState state, const std::string& target_uri) {
  const std::string& id = call.params.at("call_id");
  auto outcome = call.state->change([&](Database& database) -> Result<Answer> {
    SVC_TRY(found, find_call(database, id));
    if (!found || found->team_id != call.key.team_id) {
      return text::refuse_argument("invalid call_id");
    }
    if (found->is_over()) {
      return text::refuse_missing(fmt::format("The call {} has already ended.", id));
    }
    found->state = state;
    found->target_uri = target_uri;
    SVC_CHECK(set_call_state(database, *found));
    Answer answer;
    answer.body = "{}";
    return answer;
  });
  return outcome ? std::move(*outcome) : refuse_internal(outcome.error());
}

}  // namespace

Answer refer_call(const Call& call) {
  std::optional<Answer> refusal;
  const text::Json body = text::read_body(call, k_refer, refusal);
  if (refusal) return *refusal;
  const std::string target = text::text_of(body, "target_uri");
  if (!is_call_target(target)) {
    return text::refuse_argument(
        fmt::format("target_uri must be tel:+<E.164 number> or sip:<user>@<host>, not {}.",
                    visible(excerpt(target, 80), Lines::Escape)));
  }
  return end_call(call, CallState::Transferred, target);
}

Answer hang_up(const Call& call) {
  return end_call(call, CallState::Ended, "");
}

}  // namespace svc::emulator::phone
