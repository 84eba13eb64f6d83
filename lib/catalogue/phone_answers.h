// The answers of the group phone.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::phone {

inline constexpr std::array<sv, 2> k_origins = {"svc_provisioned", "byo_trunk"};
inline constexpr std::array k_first_members = {
    text("phone_number_id", "ID of the phone number.", label("ID")),
    text("phone_number", "The number, in E.164 format.", label("Number")),
    text("name", "Name of the phone number."),
    text("origin", "Whose number it is.", choices(k_origins)),
    view("Agent", "agent_name|agent_id"),
    text("agent_name", "Name of the agent that answers.", hidden("Text shows it as the agent.")),
};
inline constexpr Shape k_first{"PhoneNumberName", k_first_members};

inline constexpr std::array k_trunk_members = {
    text("inbound_trunk_id", "ID of the trunk that calls come in on.", label("Trunk")),
    text("sip_auth.auth_username", "User name of the carrier, if it has to sign in.",
         label("SIP user")),
    text("sip_auth.allowed_addresses[]", "Addresses that may place calls.", label("Allowed")),
};
inline constexpr Shape k_trunk{"PhoneNumberTrunk", k_trunk_members};

inline constexpr sv k_other_time = "Some answers have this name; text shows it as the time.";
inline constexpr std::array k_rest_members = {
    view("Created", "created_at|create_time", Unit::UnixTime),
    time("created_at", "Time of creation.", hidden("Text shows it as the time.")),
    time("create_time", "Another name of created_at.", hidden(k_other_time)),
    text("agent_id", "Agent that answers the calls.", details),
    text("team_id", "Team that the number is of.", label("Team"), details),
    boolean("outbound_sms_enabled", "Whether the number can send text messages.",
            label("Outbound SMS"), details),
    time("updated_at", "Time of the last change.", hidden("Text shows it as the time.")),
    time("update_time", "Another name of updated_at.", hidden(k_other_time)),
};
inline constexpr Shape k_rest{"PhoneNumberRest", k_rest_members};

inline constexpr sv k_updated = "updated_at|update_time";
inline constexpr sv k_as_webhook = "Text shows it as the webhook.";
inline constexpr sv k_host_help = "SIP host to which the carrier routes calls.";

inline constexpr std::array k_listed_members = {
    members_of(k_first),
    text("webhook_id", "Webhook that receives the calls.", label("Webhook")),
    text("sip_host", k_host_help, label("SIP host")),
    members_of(k_rest),
    view("Updated", k_updated, Unit::UnixTime, details),
    members_of(k_trunk, details),
};
inline constexpr Shape k_listed{"ListedPhoneNumber", k_listed_members};
inline constexpr std::array k_list = {
    list("phone_numbers[]", k_listed, "Phone numbers of the team.")};

inline constexpr std::array k_number_members = {
    members_of(k_first),
    text("sip_host", k_host_help, label("SIP host")),
    members_of(k_trunk),
    members_of(k_rest),
    view("Updated", k_updated, Unit::UnixTime),
    text("webhook_id", "Webhook that receives the calls.", hidden(k_as_webhook)),
};
inline constexpr Shape k_number{"PhoneNumber", k_number_members};

/// The wrapper may be missing.
inline constexpr std::array k_answer = {
    object("(phone_number)", k_number, "The phone number."),
    view("Webhook", "webhook.webhook_id|(phone_number).webhook_id"),
    text("webhook.webhook_id", "The new webhook.", hidden(k_as_webhook)),
    text("webhook.dispatch_signing_secret", "Secret of the webhook's signatures, sent only once.",
         secret_value, hidden("It is printed alone, on standard output.")),
};

// The delivery to a webhook -----------------------------------------------------------------------

inline constexpr std::array k_header_members = {
    text("name", "Name of the SIP header."),
    text("value", "Value of the SIP header."),
};
inline constexpr Shape k_header{"SipHeader", k_header_members};
inline constexpr std::array k_delivery = {
    text("object", "It is always \"event\"."),
    text("id", "ID of the event."),
    text("type", "Kind of the event.", required),
    unix_time("created_at", "Time of the event."),
    text("data.call_id", "ID of the call, for `svc phone answer`."),
    list("data.sip_headers[]", k_header, "SIP headers of the call."),
    json("data.metadata", "What the carrier or the account added."),
};
inline constexpr std::array k_deliveries = {
    event("realtime.call.incoming", k_delivery, "A call arrives."),
};

}  // namespace svc::catalogue::answer::phone
