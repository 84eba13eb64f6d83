// What local commands print: svc's own JSON. Each of these rows is of one item of a list, or of a
// document.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::local_commands {

inline constexpr sv k_in_json = "It is for programs, in JSON.";

inline constexpr std::array k_conversation_members = {
    integer("id", "Number of the conversation.", required),
    text("name", "Name, if it has one.", required, nullable),
    unix_time("updated", "Time of the last answer.", label("Last used"), required),
    text("title", "Beginning of the first message.", required),
    count("turns", "Number of turns.", required),
    ticks("cost_in_usd_ticks", "Exact cost.", label("Cost"), required),
    text("model", "Model of the last answer.", required, nullable),
    text("directory", "Directory in which it was started.", required),
    text("command", "Command that continues it.", required, details),
    text("profile", "Profile that it was held with.", required, details),
    unix_time("created", "Time of the first message.", required, details),
    text("response_id", "Last response, if the service stores the conversation.", label("Response"),
         required, nullable, details),
};
inline constexpr Shape k_conversation{"Conversation", k_conversation_members};

inline constexpr std::array k_saved_message_members = {
    integer("turn", "Number of its turn, from 1.", required),
    unix_time("time", "Time at which it was saved.", required),
    json("message", "As it was sent to the service or received.", required),
};
inline constexpr Shape k_saved_message{"SavedMessage", k_saved_message_members};
inline constexpr std::array k_whole_conversation = {
    members_of(k_conversation),
    text("system", "Instructions.", required, nullable),
    list("messages[]", k_saved_message, "Messages, the oldest first.", required),
};

inline constexpr std::array k_found_message = {
    members_of(k_conversation),
    unix_time("time", "Time of the message; with role name, of the last answer.", required),
    integer("turn", "Number of its turn, from 1; none with role name.", required, nullable),
    text("role", "Who wrote it; name: the words are in the conversation's name.", required),
    text("snippet", "Part of it with the words.", required),
};

inline constexpr std::array<sv, 2> k_key_kinds = {"api_key", "management_key"};
inline constexpr std::array k_key_status_members = {
    text("kind", "What the key is for: inference or management.", choices(k_key_kinds), required),
    boolean("usable", "Whether the service accepts the key.", required),
    text("key", "The key, masked.", required, nullable),
    text("source", "Where it comes from.", required, nullable),
    text("file", "File in which it is stored.", required, nullable),
    text("permissions", "Mode of that file, in octal.", required, nullable),
    text("error", "Why it cannot be used.", required, nullable),
};
inline constexpr Shape k_key_status{"KeyStatus", k_key_status_members};
inline constexpr std::array k_auth_status = {
    text("profile", "Profile that the keys are of.", required),
    text("profile_source", "Where the profile was selected.", required),
    list("keys[]", k_key_status, "State of each key.", required),
};
inline constexpr std::array k_login = {
    text("profile", "Profile of the key.", required),
    text("base_url", "URL of the service, with an API key.", nullable),
    text("management_url", "URL of the service, with a management key.", nullable),
    text("kind", "What the key is for: inference or management.", choices(k_key_kinds), required),
    text("key", "The key, masked.", required),
    boolean("checked", "Whether the service accepted it.", required),
    text("name", "Name of the key, if the service reports it.", required, nullable),
    text("team_id", "Team of the key, if the service reports it.", label("Team ID"), required,
         nullable),
    text("file", "File in which it is stored.", required),
};
inline constexpr std::array k_logout = {
    text("profile", "Profile of the key.", required),
    text("kind", "What the key is for: inference or management.", choices(k_key_kinds), required),
    boolean("removed", "Whether a key was stored.", required),
};

inline constexpr std::array k_change = {
    text("profile", "Missing for default_profile.", required, nullable),
    text("name", "Name of the setting.", required),
    text("value", "Missing if it was removed.", required, nullable),
    text("path", "Configuration file.", required),
};
inline constexpr std::array k_config_path = {
    text("path", "Configuration file.", required),
    boolean("exists", "Whether the file is there.", required),
};

inline constexpr std::array k_verification = {
    boolean("valid", "Whether the signature fits the delivery.", required),
    text("id", "ID of the delivery.", required),
    integer("timestamp", "Time of the delivery, in seconds since 1970.", required),
    text("reason", "Why it is invalid."),
    text("file", "File of the delivery, with a directory."),
};

inline constexpr std::array k_setting = {
    text("name", "Name of the setting.", required),
    text("value", "Missing if it is not set.", required, nullable),
    text("source", "Where it was set.", required, nullable),
};

inline constexpr std::array k_profile = {
    text("name", "Name of the profile.", required),
    text("base_url", "Address of its inference service.", required, nullable),
    boolean("in_use", "Whether this command uses it.", required),
};

inline constexpr std::array k_template = {
    text("name", "Name of the template.", required),
    text("system", "Instructions.", required, nullable),
    text("prompt", "Prompt of the template.", required, nullable),
    text("model", "Model of the template.", required, nullable),
    json("flags", "Further flags, with underscores.", required),
};

inline constexpr std::array k_alias = {
    text("name", "Word that stands for the command.", required),
    text("expansion", "Command that it stands for, without svc.", required),
};

inline constexpr std::array<sv, 4> k_states = {"ok", "note", "warning", "error"};
inline constexpr std::array k_finding = {
    text("check", "What was checked.", required),
    text("state", "Whether it is as it should be.", choices(k_states), required),
    text("detail", "What was found.", required),
    text("hint", "What to do.", required, nullable, hidden("Text shows hints as notes.")),
};

inline constexpr Shape k_finding_shape{"Finding", k_finding};
inline constexpr std::array k_findings = {
    boolean("ok", "Whether no check failed.", required),
    list("checks[]", k_finding_shape, "What was checked, in order.", required),
};

inline constexpr std::array<sv, 6> k_ending_kinds = {"file",  "public URL", "response",
                                                     "batch", "key",        "deferred answer"};
inline constexpr std::array k_ending = {
    unix_time("ends_at", "Time after which it is gone.", label("Ends"), required),
    text("kind", "What will end.", choices(k_ending_kinds), required),
    text("id", "ID of what will end.", label("ID"), required, details),
    text("name", "Name, if it has one.", required, nullable),
    text("command", "Command that saves or renews it.", label("To keep it"), required),
};

inline constexpr std::array k_device = {
    integer("index", "Number, for --input-device and --output-device.", label("Number"), required),
    text("name", "Name of the device.", required),
    text("system", "Sound system.", required),
    count("input_channels", "Channels that can be recorded.", label("In"), required),
    count("output_channels", "Channels that can be played.", label("Out"), required),
    count("sample_rate", "Usual samples per second.", label("Rate"), required),
    text("default", "What it is used for by default.", required),
};

inline constexpr std::array k_field_members = {
    text("flag", "Name of the flag.", required),
    text("member", "Where its value is in the request.", required),
    text("type", "Kind of its value.", required),
    text("in", "Where the value is sent.", required),
    text("help", "What it is, as a sentence.", required),
    boolean("required", "Whether the command needs it.", required),
    boolean("repeated", "Whether it may be given several times.", required),
    boolean("positional", "Whether it is given without the flag, too.", required),
    text("status", "Whether the service still supports it.", required),
    text("letter", "Short form."),
    text("unit", "Unit of its numbers."),
    number("minimum", "Smallest number allowed."),
    number("maximum", "Largest number allowed."),
    text("choices[]", "Allowed values."),
    text("suggestions[]", "Known values."),
    text("form", "Required format."),
    integer("max_count", "Most values allowed."),
    integer("max_length", "Most characters allowed."),
    bytes("max_bytes", "Largest file allowed, in bytes."),
    integer("max_days", "Days from now, of a time."),
    text("needs_one_of[]", "Members of which the JSON object must have one."),
    text("null", "The word that is sent as null."),
    boolean("quoted", "Whether the number is sent as text."),
    text("default", "Value without the flag."),
    text("example", "A value that is allowed."),
};
inline constexpr Shape k_field{"OperationField", k_field_members};
inline constexpr std::array k_example_members = {
    text("command", "The command, with its flags.", required),
    text("says", "What it does.", required),
};
inline constexpr Shape k_example{"OperationExample", k_example_members};
inline constexpr std::array k_described_member_members = {
    text("path", "Path of the member in the answer.", required),
    text("type", "Kind of its value.", required),
    text("label", "Its title in text.", required),
    boolean("required", "Whether the service documents it as always present.", required),
    boolean("nullable", "Whether it may be null.", required),
    text("text", "When text shows it.", required),
    text("because", "Why text never shows it."),
    text("variant", "Value of the tag of the union's objects that have it."),
    boolean("wrapper", "Whether the service may leave it out, with its members in its place."),
    text("shape", "Name of the object that it is."),
    text("help", "What it is, as a sentence."),
    text("unit", "Unit of its number."),
    text("choices[]", "Known values."),
};
inline constexpr Shape k_described_member{"OperationMember", k_described_member_members};
inline constexpr std::array k_described_rule_members = {
    text("rule", "Kind of the rule.", required),
    text("flag", "The flag that the rule is about.", required),
    text("other", "The flag that the rule relates it to.", required),
    text("reason", "Why, as a sentence.", required),
};
inline constexpr Shape k_described_rule{"OperationRule", k_described_rule_members};
inline constexpr std::array k_described_event_members = {
    text("type", "Value of the event's member type.", required),
    text("from", "Who sends it: client or service.", required),
    text("help", "What it says, as a sentence.", required),
    list("members[]", k_described_member, "Its members.", required),
};
inline constexpr Shape k_described_event{"OperationEvent", k_described_event_members};
inline constexpr std::array k_operation = {
    text("command", "The words after svc.", required),
    text("request", "Method and path; a dagger marks those without documentation.", required),
    text("summary", "What the command does.", required),
    text("group", "First word of the command.", required,
         hidden("It is the first word of the command.")),
    text("verb", "Rest of the command.", required, hidden("It is the rest of the command.")),
    text("host", "Host that the request goes to.", required, hidden(k_in_json)),
    text("method", "HTTP method of the request.", required, hidden("It is part of the request.")),
    text("path", "Path of the request.", required, hidden("It is part of the request.")),
    boolean("documented", "Whether the service documents the request.", required,
            hidden("It is part of the request.")),
    boolean("streams", "Whether the answer can be streamed.", required, hidden(k_in_json)),
    boolean("destructive", "Whether it ends something for good.", required, hidden(k_in_json)),
    text("replaced_by", "Command to use instead.", hidden(k_in_json)),
    text("tool", "Tool that the request calls.", hidden(k_in_json)),
    list("fields[]", k_field, "Its flags.", required,
         hidden("The help of each command shows its flags.")),
    list("rules[]", k_described_rule, "Rules between its flags.", required, hidden(k_in_json)),
    boolean("list", "Whether --json prints an array of answers.", required, hidden(k_in_json)),
    list("answer[]", k_described_member, "Members of what is printed.", required,
         hidden("The manual page shows the answer.")),
    text("bulk.flag", "Flag for one request per line of a file.", hidden(k_in_json)),
    list("bulk.record[]", k_described_member, "Members of each result of bulk work.",
         hidden("The manual page shows the record.")),
    list("events[]", k_described_event, "Events of its stream or socket.", required,
         hidden(k_in_json)),
    list("examples[]", k_example, "Commands to try.", required,
         hidden("The help of each command shows examples.")),
};

inline constexpr std::array k_tool = {
    text("server", "Name of the server.", required),
    text("name", "Name of the tool.", label("Tool"), required),
    text("description", "What the tool does, as its server says.", required),
    text("title", "Name for people.", details),
    json("inputSchema", "JSON Schema of the arguments.", label("Arguments"), required, details),
    boolean("readOnly", "Whether it changes nothing, as the server says.", required, details),
    boolean("destructive", "Whether it may destroy something, as the server says.", required,
            details),
};

}  // namespace svc::catalogue::answer::local_commands
