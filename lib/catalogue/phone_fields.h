// The members of the operations on phone numbers and calls. Only
// for phone.cpp.
#pragma once

#include "catalogue/check.h"
#include "catalogue/realtime_session_fields.h"

namespace svc::catalogue::phone {

inline constexpr std::array<sv, 2> k_reasoning_efforts = {"high", "none"};
inline constexpr std::array<sv, 2> k_origins = {"svc_provisioned", "byo_trunk"};

inline constexpr Field k_number_field{.flag = "phone-number-id",
                                      .in = In::Path,
                                      .help = "Number ID, from `svc phone list`.",
                                      .required = true,
                                      .positional = true,
                                      .example = "pn_0001",
                                      .completes = "phone-numbers"};

inline constexpr Field k_call_field{.flag = "call-id",
                                    .in = In::Path,
                                    .help = "Call ID, from its webhook.",
                                    .required = true,
                                    .positional = true,
                                    .example = "00000000-0000-0000-0000-000000000000"};

// create ------------------------------------------------------------------------------------------

inline constexpr std::array k_create_fields = {
    Field{.flag = "name",
          .help = "Descriptive name.",
          .required = true,
          .positional = true,
          .example = "support line"},
    Field{.flag = "origin",
          .help = "Number source: the service, or your own SIP trunk.",
          .required = true,
          .common = true,
          .choices = k_origins,
          .example = "byo_trunk"},
    Field{.flag = "phone-number",
          .help = "Your own number.",
          .common = true,
          .form = TextForm::PhoneNumber,
          .example = "+14155550100"},
    Field{.flag = "area-code",
          .help = "US area code of the service's number.",
          .common = true,
          .form = TextForm::AreaCode,
          .example = "415"},
    Field{.flag = "webhook-url",
          .path = "webhook.url",
          .help = "Webhook URL for incoming calls.",
          .common = true,
          .form = TextForm::WebUrl,
          .example = "https://example.com/calls"},
    Field{.flag = "webhook-name",
          .path = "webhook.name",
          .help = "The webhook's name.",
          .fallback = "the number's name",
          .example = "calls"},
    Field{.flag = "webhook-auth-url",
          .path = "webhook.auth_url",
          .help = "URL that exchanges --webhook-auth-token for a token (OAuth).",
          .form = TextForm::WebUrl,
          .example = "https://example.com/token"},
    Field{.flag = "webhook-auth-token",
          .path = "webhook.auth_token",
          .kind = Kind::Secret,
          .help = "Token the service sends with each webhook.",
          .example = "env:WEBHOOK_TOKEN"},
    Field{.flag = "agent-id",
          .help = "Agent that answers the calls.",
          .common = true,
          .example = "agent_1"},
    Field{.flag = "sip-auth-username",
          .path = "sip_auth.auth_username",
          .help = "SIP digest user name required of callers.",
          .common = true,
          .example = "trunk"},
    Field{.flag = "sip-auth-password",
          .path = "sip_auth.auth_password",
          .kind = Kind::Secret,
          .help = "SIP digest password.",
          .common = true,
          .example = "env:SIP_PASSWORD"},
    Field{.flag = "sip-auth-allowed-addresses",
          .path = "sip_auth.allowed_addresses",
          .help = "Accept calls only from this IP range.",
          .repeated = true,
          .common = true,
          .form = TextForm::AddressRange,
          .example = "203.0.113.0/24"},
    Field{.flag = "secret-file",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Save the webhook's signing secret, shown only once, to this private file "
                  "instead of printing it.",
          .common = true,
          .example = "webhook.secret"},
};

inline constexpr sv k_one_taker = "A call goes either to an agent or to a webhook.";
inline constexpr std::array k_create_rules = {
    Rule{RuleKind::Excludes, "webhook-url", "agent-id", k_one_taker},
    Rule{RuleKind::Requires, "webhook-name", "webhook-url", "A webhook needs a URL."},
    Rule{RuleKind::Requires, "webhook-auth-url", "webhook-url", "A webhook needs a URL."},
    Rule{RuleKind::Requires, "webhook-auth-token", "webhook-url", "A webhook needs a URL."},
    Rule{RuleKind::Requires, "webhook-auth-url", "webhook-auth-token",
         "That URL exchanges the token."},
    Rule{RuleKind::Requires, "secret-file", "webhook-url", "Only a webhook has a signing secret."},
    Rule{RuleKind::Excludes, "phone-number", "area-code",
         "Your own number has no area code to choose."},
    Rule{RuleKind::Requires, "phone-number", "origin=byo_trunk",
         "The service assigns its own numbers."},
    Rule{RuleKind::Requires, "area-code", "origin=svc_provisioned",
         "Area codes apply to service numbers only."},
    Rule{RuleKind::Requires, "sip-auth-username", "sip-auth-password",
         "User name and password belong together."},
    Rule{RuleKind::Requires, "sip-auth-password", "sip-auth-username",
         "User name and password belong together."},
};

inline constexpr std::array k_create_examples = {
    Example{"svc phone create 'support line' --origin byo_trunk --phone-number +14155550100 "
            "--webhook-url https://example.com/calls --secret-file webhook.secret",
            "Registers your own number and saves its webhook signing secret."},
    Example{"svc phone create 'night desk' --origin svc_provisioned --area-code 415 --agent-id "
            "agent_1",
            "Asks for a number in San Francisco that an agent answers."},
    Example{"svc phone create office --origin byo_trunk --phone-number +14155550100 --agent-id "
            "agent_1 --sip-auth-username trunk --sip-auth-password env:SIP_PASSWORD "
            "--sip-auth-allowed-addresses 203.0.113.0/24",
            "Accepts calls only from a known trunk."},
};

// What a number is, in an answer that is nested or flat, in snake or camel case -----------------

inline constexpr std::array k_number_columns = {
    Column{"ID",
           "phone_number.phone_number_id|phoneNumber.phoneNumberId|phone_number_id|phoneNumberId"},
    Column{"NUMBER", "phone_number.phone_number|phoneNumber.phoneNumber|phone_number|phoneNumber"},
    Column{"NAME", "phone_number.name|phoneNumber.name|name"},
    Column{"ORIGIN", "phone_number.origin|phoneNumber.origin|origin"},
    Column{"AGENT",
           "phone_number.agent_name|phone_number.agent_id|phoneNumber.agentName|"
           "phoneNumber.agentId|agent_name|agentName|agent_id|agentId"},
    Column{"WEBHOOK",
           "webhook.webhook_id|webhook.webhookId|phone_number.webhook_id|phoneNumber.webhookId|"
           "webhook_id|webhookId"},
    Column{"SIP HOST", "phone_number.sip_host|phoneNumber.sipHost|sip_host|sipHost"},
    Column{"TRUNK",
           "phone_number.inbound_trunk_id|phoneNumber.inboundTrunkId|inbound_trunk_id|"
           "inboundTrunkId"},
    Column{"SIP USER",
           "phone_number.sip_auth.auth_username|phoneNumber.sipAuth.authUsername|"
           "sip_auth.auth_username|sipAuth.authUsername"},
    Column{"ALLOWED",
           "phone_number.sip_auth.allowed_addresses|phoneNumber.sipAuth.allowedAddresses|"
           "sip_auth.allowed_addresses|sipAuth.allowedAddresses",
           Cell::List},
    Column{"CREATED",
           "phone_number.created_at|phoneNumber.createdAt|phoneNumber.createTime|created_at|"
           "createdAt|createTime",
           Cell::UnixTime},
    Column{"AGENT ID", "phone_number.agent_id|phoneNumber.agentId|agent_id|agentId", Cell::Text,
           true},
    Column{"TEAM", "phone_number.team_id|phoneNumber.teamId|team_id|teamId", Cell::Text, true},
    Column{"OUTBOUND SMS",
           "phone_number.outbound_sms_enabled|phoneNumber.outboundSmsEnabled|"
           "outbound_sms_enabled|outboundSmsEnabled",
           Cell::Text, true},
    Column{"UPDATED",
           "phone_number.updated_at|phoneNumber.updatedAt|phoneNumber.updateTime|updated_at|"
           "updatedAt|updateTime",
           Cell::UnixTime},
};
inline constexpr std::array k_number_sections = {Section{.columns = k_number_columns}};

inline constexpr std::array k_list_columns = {
    Column{"ID", "phone_number_id|phoneNumberId"},
    Column{"NUMBER", "phone_number|phoneNumber"},
    Column{"NAME", "name"},
    Column{"ORIGIN", "origin"},
    Column{"AGENT", "agent_name|agentName|agent_id|agentId"},
    Column{"WEBHOOK", "webhook_id|webhookId"},
    Column{"SIP HOST", "sip_host|sipHost"},
    Column{"CREATED", "created_at|createdAt|createTime", Cell::UnixTime},
    Column{"UPDATED", "updated_at|updatedAt|updateTime", Cell::UnixTime, true},
    Column{"AGENT ID", "agent_id|agentId", Cell::Text, true},
    Column{"TRUNK", "inbound_trunk_id|inboundTrunkId", Cell::Text, true},
    Column{"SIP USER", "sip_auth.auth_username|sipAuth.authUsername", Cell::Text, true},
    Column{"ALLOWED", "sip_auth.allowed_addresses|sipAuth.allowedAddresses", Cell::List, true},
    Column{"TEAM", "team_id|teamId", Cell::Text, true},
    Column{"OUTBOUND SMS", "outbound_sms_enabled|outboundSmsEnabled", Cell::Text, true},
};
inline constexpr std::array k_list_examples = {
    Example{"svc phone list", "Lists the team's numbers and their call routing."},
    Example{"svc phone list --jq '.[].phone_number'", "Prints the numbers alone."}};

constexpr Field several_numbers() {
  Field field = k_number_field;
  field.repeated = true;
  field.help = "Number IDs, from `svc phone list`.";
  return field;
}
inline constexpr std::array k_id_fields = {k_number_field};
inline constexpr std::array k_delete_fields = {several_numbers()};
inline constexpr std::array k_get_examples = {
    Example{"svc phone get pn_0001", "Shows a number and its SIP host."}};
inline constexpr std::array k_delete_examples = {
    Example{"svc phone delete pn_0001 --yes", "Releases a number without asking."}};

// update ------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 4> k_clearable = {"name", "agent-id", "webhook-id",
                                                  "outbound-sms-enabled"};
inline constexpr std::array k_update_fields = {
    k_number_field,
    Field{.flag = "name",
          .help = "New name of the number.",
          .common = true,
          .example = "support line 2"},
    Field{.flag = "agent-id",
          .help = "Agent that answers the calls.",
          .common = true,
          .example = "agent_1"},
    Field{.flag = "webhook-id",
          .help = "Send calls to this webhook.",
          .common = true,
          .example = "wh_1"},
    Field{.flag = "outbound-sms-enabled",
          .kind = Kind::Boolean,
          .help = "Allow the number to send text messages.",
          .common = true},
    Field{.flag = "clear",
          .in = In::Local,
          .help = "Clear this field, such as the agent.",
          .repeated = true,
          .common = true,
          .choices = k_clearable,
          .example = "agent-id"},
};
inline constexpr std::array k_update_rules = {
    Rule{RuleKind::Excludes, "webhook-id", "agent-id", k_one_taker}};
inline constexpr std::array k_update_examples = {
    Example{"svc phone update pn_0001 --name 'support line 2'", "Renames a number."},
    Example{"svc phone update pn_0001 --webhook-id wh_1 --clear agent-id",
            "Routes calls to a webhook instead of an agent."}};

// calls -------------------------------------------------------------------------------------------

inline constexpr std::array k_refer_fields = {
    k_call_field,
    Field{.flag = "target-uri",
          .help = "Transfer target: tel:+NUMBER or sip:USER@HOST.",
          .required = true,
          .positional = true,
          .form = TextForm::CallTarget,
          .example = "tel:+14155550199"},
};
inline constexpr std::array k_call_fields = {k_call_field};
inline constexpr std::array k_refer_examples = {
    Example{"svc phone refer 00000000-0000-0000-0000-000000000000 tel:+14155550199",
            "Transfers a call to another number."},
    Example{"svc phone refer 00000000-0000-0000-0000-000000000000 sip:desk@pbx.example.com",
            "Transfers a call to a SIP URI."}};
inline constexpr std::array k_hangup_examples = {
    Example{"svc phone hangup 00000000-0000-0000-0000-000000000000", "Ends a call."}};

inline constexpr std::array k_answered_call = {
    Field{.flag = "call-id",
          .in = In::Query,
          .help = "Call ID, from its webhook.",
          .required = true,
          .positional = true,
          .example = "00000000-0000-0000-0000-000000000000"},
};
inline constexpr std::array k_greeting_fields = {
    Field{.flag = "greeting",
          .in = In::Local,
          .help = "Exact greeting; without it, the model chooses its own.",
          .common = true,
          .file_text = true,
          .example = "Good morning, how can I help?"},
    Field{.flag = "greet",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Speak first; --no-greet waits for the caller.",
          .common = true,
          .fallback = "true"},
    realtime::k_session_limit_field,
};
/// On a call the model is chosen by the service; whether it thinks is not.
inline constexpr std::array k_answer_session = {
    Field{.flag = "reasoning-effort",
          .path = "session.reasoning.effort",
          .help = "Let the model reason before it speaks.",
          .choices = k_reasoning_efforts,
          .fallback = "high",
          .example = "none"},
};
inline constexpr std::array k_answer_own_rules = {
    Rule{RuleKind::Excludes, "greeting", "greet=false", "A greeting requires --greet."},
};
inline constexpr std::array k_answer_examples = {
    Example{"svc phone answer 00000000-0000-0000-0000-000000000000 --greeting 'Good morning!' "
            "--instructions @desk.txt",
            "Greets the caller, and prints a transcript until the call ends."},
    Example{"svc phone answer 00000000-0000-0000-0000-000000000000 --format jsonl < events.jsonl",
            "Sends custom events, and prints every event as JSON Lines."},
    Example{"svc phone answer 00000000-0000-0000-0000-000000000000 --no-greet --voice ara",
            "Lets the caller speak first."}};

}  // namespace svc::catalogue::phone
