// The group phone.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/local_answers.h"
#include "catalogue/phone_answers.h"
#include "catalogue/phone_fields.h"
#include "catalogue/realtime_answers.h"

namespace svc::catalogue {
namespace phone {

constexpr sv k_one_taker = "A call goes either to an agent or to a webhook.";
constexpr std::array k_create_rules = {
    excludes("webhook-url", "agent-id", k_one_taker),
    needs("webhook-name", "webhook-url", "A webhook needs a URL."),
    needs("webhook-auth-url", "webhook-url", "A webhook needs a URL."),
    needs("webhook-auth-token", "webhook-url", "A webhook needs a URL."),
    needs("webhook-auth-url", "webhook-auth-token", "That URL exchanges the token."),
    needs("secret-file", "webhook-url", "Only a webhook has a signing secret."),
    excludes("phone-number", "area-code", "Your own number already has an area code."),
    needs("phone-number", "origin=byo_trunk", "The service assigns its own numbers."),
    needs("area-code", "origin=svc_provisioned", "Area codes apply to service numbers only."),
    needs("sip-auth-username", "sip-auth-password", "Specify both or neither."),
    needs("sip-auth-password", "sip-auth-username", "Specify both or neither."),
    needs("origin=byo_trunk", "phone-number", "Your trunk brings its own number."),
};

constexpr std::array k_update_rules = {excludes("webhook-id", "agent-id", k_one_taker)};
constexpr std::array k_answer_own_rules = {
    excludes("greeting", "greet=false", "A greeting requires --greet."),
};

constexpr std::array k_listen_rules = {
    excludes("exec", "answer", "A call can be answered only once."),
    needs("exec-timeout", "exec", "It limits how long --exec runs."),
};

constexpr auto k_answer_rules = concat(k_answer_own_rules, realtime::k_session_rules);
constexpr auto k_all_listen_rules =
    concat(k_listen_rules, k_answer_own_rules, realtime::k_session_rules);

constexpr std::array k_examples = {
    Example{"svc phone create 'support line' --origin byo_trunk --phone-number +14155550100 "
            "--webhook-url https://example.com/calls --secret-file webhook.secret",
            "Registers your own number and saves its webhook signing secret."},
    Example{
        "svc phone create 'night desk' --origin svc_provisioned --area-code 415 --agent-id agent_1",
        "Requests a San Francisco number answered by an agent."},
    Example{"svc phone create office --origin byo_trunk --phone-number +14155550100 --agent-id "
            "agent_1 --sip-auth-username trunk --sip-auth-password env:SIP_PASSWORD "
            "--sip-auth-allowed-addresses 203.0.113.0/24",
            "Accepts calls only from a known trunk."},
    Example{"svc phone list", "Lists the team's numbers and their call routing."},
    Example{"svc phone list --jq '.[].phone_number'", "Prints only the numbers."},
    Example{"svc phone get pn_0001", "Shows a number and its SIP host."},
    Example{"svc phone update pn_0001 --name 'support line 2'", "Renames a number."},
    Example{"svc phone update pn_0001 --webhook-id wh_1 --clear agent-id",
            "Routes calls to a webhook instead of an agent."},
    Example{"svc phone delete pn_0001 --yes", "Releases a number without asking."},
    Example{"svc phone refer 00000000-0000-0000-0000-000000000000 tel:+14155550199",
            "Transfers a call to another number."},
    Example{"svc phone refer 00000000-0000-0000-0000-000000000000 sip:desk@pbx.example.com",
            "Transfers a call to a SIP URI."},
    Example{"svc phone hangup 00000000-0000-0000-0000-000000000000", "Ends a call."},
    Example{"svc phone answer 00000000-0000-0000-0000-000000000000 --greeting 'Good morning!' "
            "--instructions @desk.txt",
            "Greets the caller, and prints a transcript until the call ends."},
    Example{"svc phone answer 00000000-0000-0000-0000-000000000000 --format jsonl < events.jsonl",
            "Sends custom events, and prints every event as JSON Lines."},
    Example{"svc phone answer 00000000-0000-0000-0000-000000000000 --no-greet --voice ara",
            "Waits for the caller to speak first."},
    Example{"svc phone listen --port 8080 --secret @webhook.secret",
            "Prints each verified event as a line of JSON."},
    Example{"svc phone listen --port 8080 --secret @webhook.secret --exec ./on-call",
            "Runs a program for each call."},
    Example{
        "svc phone listen --port 8080 --secret env:HOOK_SECRET --answer --greeting 'Good morning!'",
        "Answers each call."},
    Example{"svc phone listen --secret @webhook.secret --store deliveries --tunnel 'ssh -R "
            "80:localhost:{port} tunnel.example.com'",
            "Opens a tunnel, and saves each delivery."},
    Example{"svc phone verify body.json --headers headers.txt --secret @webhook.secret",
            "Verifies a delivery: exit code 0, or 6 with the reason."},
    Example{"svc phone verify deliveries --secret @webhook.secret",
            "Verifies everything that --store saved."},
};

constexpr Property k_of_calls = noun("call", "calls");
constexpr Property k_of_deliveries = noun("delivery", "deliveries");
constexpr std::array k_rows = {
    post("phone create", "/v2/phone-numbers", "Set up a phone number for an agent or a webhook.",
         runs(Handler::PhoneCreate), free_of_charge, answers_secret, fields<k_create_fields>,
         rules(k_create_rules), as_card, answers(answer::phone::k_answer)),
    get("phone list", "/v2/phone-numbers", "List the phone numbers.", observed,
        items("phone_numbers|phoneNumbers"), answers(answer::phone::k_list)),
    get("phone get", "/v2/phone-numbers/{phone_number_id}", "Show a phone number.", observed,
        fields<k_id_fields>, as_card, answers(answer::phone::k_answer)),
    operation("phone update", "PATCH", "/v2/phone-numbers/{phone_number_id}",
              "Change a phone number's name or call routing.", observed, repeatable,
              fields<k_update_fields>, mask(Mask{"phone_number", "field_mask", MaskForm::Paths}),
              rules(k_update_rules), as_card, answers(answer::phone::k_answer)),
    operation("phone delete", "DELETE", "/v2/phone-numbers/{phone_number_id}",
              "Release phone numbers.", observed, repeatable_when_refused, answers_nothing,
              ends("A released number no longer takes calls, and may not be available again."),
              fields<k_delete_fields>),
    post("phone refer", "/v1/realtime/calls/{call_id}/refer",
         "Transfer a call to another number or SIP URI.", k_of_calls, answers_nothing,
         free_of_charge, fields<k_refer_fields>),
    post("phone hangup", "/v1/realtime/calls/{call_id}/hangup", "End a phone call.", k_of_calls,
         repeatable, answers_nothing, free_of_charge, ends("The caller is disconnected."),
         fields<k_call_fields>, already_done("The call had already ended.")),
    socket("phone answer", "/v1/realtime", "Answer a phone call: configure, greet and follow it.",
           k_of_calls, runs(Handler::PhoneAnswer), own_model, fields<k_answer_fields>,
           opening("session.update"), rules(k_answer_rules), events(answer::realtime::k_events)),
    command("phone listen", "Receive and verify phone-call webhooks.", k_of_deliveries,
            runs(Handler::PhoneListen), fields<k_listen_fields>, rules(k_all_listen_rules),
            events(answer::phone::k_deliveries)),
    command("phone verify", "Verify a webhook delivery.", k_of_deliveries,
            runs(Handler::PhoneVerify), fields<k_verify_fields>, one_document,
            answers(answer::local_commands::k_verification)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"phone number", "phone numbers"});

}  // namespace phone

constinit const std::span<const Operation> k_phone_operations = phone::k_operations;

}  // namespace svc::catalogue
