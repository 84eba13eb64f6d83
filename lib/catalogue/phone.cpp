// The group phone.
#include "catalogue/groups.h"
#include "catalogue/phone_fields.h"
#include "catalogue/phone_webhook_fields.h"
#include "catalogue/realtime_session_fields.h"

namespace svc::catalogue {
namespace {

using namespace phone;

constexpr auto k_answering =
    concat(k_greeting_fields, realtime::k_call_session_fields, k_answer_session);
constexpr auto k_answer_fields = concat(k_answered_call, k_answering);
constexpr auto k_listen_fields = concat(k_listen_own, k_answering);

constexpr auto k_answer_rules = concat(k_answer_own_rules, realtime::k_session_rules);
constexpr auto k_all_listen_rules =
    concat(k_listen_rules, k_answer_own_rules, realtime::k_session_rules);

constexpr std::array k_operations = {
    Operation{.group = "phone",
              .name = "create",
              .method = "POST",
              .path = "/v2/phone-numbers",
              .summary = "Set up a phone number for an agent or a webhook.",
              .fields = resolved<k_create_fields>,
              .free = true,
              .secret = true,
              .rules = k_create_rules,
              .sections = k_number_sections,
              .examples = k_create_examples},
    Operation{.group = "phone",
              .name = "list",
              .method = "GET",
              .path = "/v2/phone-numbers",
              .summary = "List the phone numbers.",
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .items = "phone_numbers|phoneNumbers",
              .columns = k_list_columns,
              .examples = k_list_examples},
    Operation{.group = "phone",
              .name = "get",
              .method = "GET",
              .path = "/v2/phone-numbers/{phone_number_id}",
              .summary = "Show a phone number.",
              .fields = resolved<k_id_fields>,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .sections = k_number_sections,
              .examples = k_get_examples},
    Operation{.group = "phone",
              .name = "update",
              .method = "PATCH",
              .path = "/v2/phone-numbers/{phone_number_id}",
              .summary = "Change a phone number's name or call routing.",
              .fields = resolved<k_update_fields>,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .mask = Mask{"phone_number", "field_mask", MaskForm::Paths},
              .rules = k_update_rules,
              .sections = k_number_sections,
              .examples = k_update_examples},
    Operation{.group = "phone",
              .name = "delete",
              .method = "DELETE",
              .path = "/v2/phone-numbers/{phone_number_id}",
              .summary = "Release phone numbers.",
              .fields = resolved<k_delete_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::WhenRefused,
              .source = Source::Observed,
              .destructive = true,
              .examples = k_delete_examples},
    Operation{.group = "phone",
              .name = "refer",
              .method = "POST",
              .path = "/v1/realtime/calls/{call_id}/refer",
              .summary = "Transfer a call to another number or SIP URI.",
              .fields = resolved<k_refer_fields>,
              .reply = Reply::Nothing,
              .free = true,
              .examples = k_refer_examples},
    Operation{.group = "phone",
              .name = "hangup",
              .method = "POST",
              .path = "/v1/realtime/calls/{call_id}/hangup",
              .summary = "End a phone call.",
              .fields = resolved<k_call_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::Always,
              .gone = "The call had already ended.",
              .free = true,
              .examples = k_hangup_examples},
    Operation{.group = "phone",
              .name = "answer",
              .method = "GET",
              .path = "/v1/realtime",
              .summary = "Answer a phone call: configure, greet and follow it.",
              .host = Host::Realtime,
              .fields = resolved<k_answer_fields>,
              .reply = Reply::Socket,
              .text_model = false,
              .opening = "session.update",
              .rules = k_answer_rules,
              .examples = k_answer_examples},
    Operation{.group = "phone",
              .name = "listen",
              .summary = "Receive and verify phone-call webhooks.",
              .host = Host::Local,
              .fields = resolved<k_listen_fields>,
              .rules = k_all_listen_rules,
              .examples = k_listen_examples},
    Operation{.group = "phone",
              .name = "verify",
              .summary = "Verify a webhook delivery.",
              .host = Host::Local,
              .fields = resolved<k_verify_fields>,
              .examples = k_verify_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> phone_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
