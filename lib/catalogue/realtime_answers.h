// The answers of the group realtime, and the events of its socket, which is also that of calls.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::realtime {

inline constexpr std::array k_secret = {
    text("value", "The client secret.", required, secret_value),
    unix_time("expires_at", "Time at which it expires.", label("Expires"), required),
};

// The session -------------------------------------------------------------------------------------

inline constexpr std::array<sv, 2> k_efforts = {"high", "none"};
inline constexpr std::array<sv, 2> k_transports = {"json", "binary"};
inline constexpr std::array<sv, 4> k_audio_types = {"audio/pcm", "audio/pcmu", "audio/pcma",
                                                    "audio/opus"};
inline constexpr std::array k_format_members = {
    text("type", choices(k_audio_types)),
    integer("rate", "Samples per second."),
};
inline constexpr Shape k_format{"RealtimeAudioFormat", k_format_members};

inline constexpr std::array k_function_tool = {
    text("name"),
    text("description"),
    json("parameters", "JSON Schema of the arguments."),
};
inline constexpr std::array k_x_search_tool = {text("allowed_x_handles[]")};
inline constexpr std::array k_file_search_tool = {
    text("vector_store_ids[]"),
    integer("max_num_results"),
};
inline constexpr std::array k_mcp_tool = {
    url("server_url"),       text("server_label"),  text("server_description"),
    text("allowed_tools[]"), text("authorization"), json("headers"),
};
inline constexpr std::array k_tool_members = {text("type", required)};
inline constexpr std::array k_tools = {
    variant("function", k_function_tool), variant("web_search", {}),
    variant("x_search", k_x_search_tool), variant("file_search", k_file_search_tool),
    variant("mcp", k_mcp_tool),
};
inline constexpr Shape k_tool{"RealtimeTool", k_tool_members, "type", k_tools};

inline constexpr std::array k_session_members = {
    text("id"),
    text("object", "It is \"realtime.session\"."),
    text("type", "It is \"realtime\"."),
    text("model"),
    text("voice"),
    text("instructions"),
    text("modalities[]"),
    text("reasoning.effort", choices(k_efforts)),
    text("turn_detection.type", "It is server_vad, or null to commit by hand.", nullable),
    number("turn_detection.threshold"),
    integer("turn_detection.silence_duration_ms"),
    integer("turn_detection.prefix_padding_ms"),
    integer("turn_detection.idle_timeout_ms", nullable),
    object("audio.input.format", k_format),
    text("audio.input.transport", choices(k_transports)),
    text("audio.input.transcription.model"),
    text("audio.input.transcription.language_hint"),
    text("audio.input.transcription.keyterms[]"),
    object("audio.output.format", k_format),
    text("audio.output.transport", choices(k_transports)),
    number("audio.output.speed"),
    list("tools[]", k_tool),
    boolean("resumption.enabled"),
    json("replace", "For each written phrase, its spoken form."),
};
inline constexpr Shape k_session{"RealtimeSession", k_session_members};

// Items of the conversation -----------------------------------------------------------------------

inline constexpr std::array k_text_part = {text("text")};
inline constexpr std::array k_audio_part = {
    text("audio", "Audio in Base64."),
    text("transcript"),
};
inline constexpr std::array k_part_members = {text("type", required)};
inline constexpr std::array k_parts = {
    variant("input_text", k_text_part),    variant("input_audio", k_audio_part),
    variant("output_text", k_text_part),   variant("text", k_text_part),
    variant("output_audio", k_audio_part), variant("audio", k_audio_part),
};
inline constexpr Shape k_part{"RealtimeContentPart", k_part_members, "type", k_parts};

inline constexpr std::array<sv, 3> k_roles = {"user", "assistant", "system"};
inline constexpr std::array k_message_item = {
    text("role", choices(k_roles)),
    list("content[]", k_part),
};
inline constexpr std::array k_call_item = {
    text("call_id"),
    text("name", "Name of the function."),
    text("arguments", "JSON."),
};
inline constexpr std::array k_call_output_item = {
    text("call_id"),
    text("output"),
};
inline constexpr std::array k_force_item = {
    text("role"),
    list("content[]", k_part),
    boolean("interruptible"),
    text("voice"),
};
inline constexpr std::array k_item_members = {
    text("id"),
    text("object", "It is \"realtime.item\"."),
    text("type", required),
    text("status"),
};
inline constexpr std::array k_items = {
    variant("message", k_message_item),
    variant("function_call", k_call_item),
    variant("function_call_output", k_call_output_item),
    variant("force_message", k_force_item, "Spoken word for word."),
};
inline constexpr Shape k_item{"RealtimeItem", k_item_members, "type", k_items};

// Responses ---------------------------------------------------------------------------------------

inline constexpr std::array<sv, 5> k_response_states = {"in_progress", "completed", "cancelled",
                                                        "incomplete", "failed"};
inline constexpr std::array k_response_members = {
    text("id"),
    text("object", "It is \"realtime.response\"."),
    text("status", choices(k_response_states)),
    json("status_details", nullable),
    list("output[]", k_item),
    count("usage.input_tokens"),
    count("usage.output_tokens"),
    count("usage.total_tokens"),
    json("metadata"),
};
inline constexpr Shape k_response{"RealtimeResponse", k_response_members};

// Events of the client ----------------------------------------------------------------------------

inline constexpr std::array k_only_head = {
    text("type", required),
    text("event_id"),
};
inline constexpr Shape k_head{"RealtimeEvent", k_only_head};

inline constexpr std::array k_session_event = {
    members_of(k_head),
    object("session", k_session, required),
};
inline constexpr std::array k_append = {
    members_of(k_head),
    text("audio", "Audio in Base64.", required),
};
inline constexpr std::array k_create_item = {
    members_of(k_head),
    object("item", k_item, required),
    text("previous_item_id"),
};
inline constexpr std::array k_item_id = {
    members_of(k_head),
    text("item_id", required),
};
inline constexpr std::array k_truncate = {
    members_of(k_head),
    text("item_id", required),
    integer("content_index", required),
    integer("audio_end_ms", "Length of what was played.", required),
};
inline constexpr std::array k_create_response = {
    members_of(k_head),
    text("response.modalities[]"),
    text("response.instructions"),
    json("response.metadata", "At most 16 pairs."),
};
inline constexpr std::array k_cancel = {
    members_of(k_head),
    text("response_id"),
};

// Events of the service ---------------------------------------------------------------------------

inline constexpr std::array k_conversation_event = {
    members_of(k_head),
    text("conversation.id", "ID for resuming the conversation."),
    text("conversation.object", "It is \"realtime.conversation\"."),
};
inline constexpr std::array k_speech_started = {
    members_of(k_head),
    text("item_id"),
    integer("audio_start_ms"),
};
inline constexpr std::array k_speech_stopped = {
    members_of(k_head),
    text("item_id"),
    integer("audio_end_ms"),
};
inline constexpr std::array k_committed = {
    members_of(k_head),
    text("item_id"),
    text("previous_item_id", nullable),
};
inline constexpr std::array k_timeout = {
    members_of(k_head),        text("item_id"),         text("previous_item_id", nullable),
    integer("audio_start_ms"), integer("audio_end_ms"),
};
inline constexpr std::array k_dtmf = {
    members_of(k_head),
    text("event", "The key."),
    unix_time("received_at"),
};
inline constexpr std::array k_item_event = {
    members_of(k_head),
    object("item", k_item),
    text("previous_item_id", nullable),
};
inline constexpr std::array k_truncated = {
    members_of(k_head),      text("item_id"),    integer("content_index"),
    integer("audio_end_ms"), text("transcript"),
};
inline constexpr std::array k_heard = {
    members_of(k_head),
    text("item_id"),
    integer("content_index"),
    text("transcript", "The whole text so far; it replaces earlier ones."),
    text("status"),
};
inline constexpr std::array k_response_event = {
    members_of(k_head),
    object("response", k_response),
};
inline constexpr std::array k_output_item = {
    members_of(k_head),
    text("response_id"),
    integer("output_index"),
    object("item", k_item),
};

inline constexpr std::array k_place_members = {
    members_of(k_head),      text("response_id"),      text("item_id"),
    integer("output_index"), integer("content_index"),
};
inline constexpr Shape k_place{"RealtimePartEvent", k_place_members};
inline constexpr std::array k_part_event = {
    members_of(k_place),
    object("part", k_part),
};
inline constexpr std::array k_delta = {
    members_of(k_place),
    text("delta", "The next piece; of audio, in Base64.", required),
};
inline constexpr std::array k_transcript_done = {
    members_of(k_place),
    text("transcript"),
};
inline constexpr std::array k_text_done = {
    members_of(k_place),
    text("text"),
};
inline constexpr std::array k_arguments_delta = {
    members_of(k_head), text("response_id"),     text("item_id"),
    text("call_id"),    text("delta", required),
};
inline constexpr std::array k_arguments_done = {
    members_of(k_head),
    text("response_id"),
    text("item_id"),
    text("call_id"),
    text("name", "Name of the function."),
    text("arguments", "JSON."),
};
inline constexpr std::array k_mcp_members = {
    members_of(k_head),
    text("item_id"),
    integer("output_index"),
};
inline constexpr Shape k_mcp{"RealtimeMcpEvent", k_mcp_members};
inline constexpr std::array k_mcp_delta = {
    members_of(k_mcp),
    text("delta"),
};
inline constexpr std::array k_mcp_done = {
    members_of(k_mcp),
    text("arguments", "JSON."),
};
inline constexpr std::array k_mcp_failed = {
    members_of(k_mcp),
    json("error"),
};
inline constexpr std::array k_ping = {
    members_of(k_head),
    json("timestamp"),
};
inline constexpr std::array<sv, 5> k_error_types = {"invalid_request_error", "invalid_event",
                                                    "internal_error", "timeout", "max_duration"};
inline constexpr std::array k_error = {
    members_of(k_head),
    text("error.type", choices(k_error_types)),
    json("error.code", "Text or a number.", nullable),
    text("error.message"),
    text("error.param", nullable),
    text("error.event_id", "Event of the client that failed.", nullable),
    json("code", "In answers without the object error."),
    text("message", "In answers without the object error."),
};

inline constexpr std::array k_events = {
    sent("session.update", k_session_event, "Configures the session."),
    sent("input_audio_buffer.append", k_append, "Adds audio."),
    sent("input_audio_buffer.commit", k_only_head, "Makes the audio a message."),
    sent("input_audio_buffer.clear", k_only_head, "Discards the audio."),
    sent("conversation.item.create", k_create_item, "Adds an item."),
    sent("conversation.item.delete", k_item_id, "Deletes an item."),
    sent("conversation.item.truncate", k_truncate, "Cuts off audio that was not played."),
    sent("response.create", k_create_response, "Asks for an answer."),
    sent("response.cancel", k_cancel, "Stops an answer."),
    event("session.created", k_session_event),
    event("session.updated", k_session_event, "The configuration is active."),
    event("conversation.created", k_conversation_event),
    event("input_audio_buffer.speech_started", k_speech_started),
    event("input_audio_buffer.speech_stopped", k_speech_stopped),
    event("input_audio_buffer.committed", k_committed),
    event("input_audio_buffer.cleared", k_only_head),
    event("input_audio_buffer.timeout_triggered", k_timeout, "Nobody spoke for a while."),
    event("input_audio_buffer.dtmf_event_received", k_dtmf, "A key was pressed on the phone."),
    event("conversation.item.added", k_item_event),
    event("conversation.item.created", k_item_event, "An item of a resumed conversation."),
    event("conversation.item.deleted", k_item_id),
    event("conversation.item.truncated", k_truncated),
    event("conversation.item.input_audio_transcription.completed", k_heard),
    event("conversation.item.input_audio_transcription.updated", k_heard),
    event("response.created", k_response_event),
    event("response.done", k_response_event),
    event("response.output_item.added", k_output_item),
    event("response.output_item.done", k_output_item),
    event("response.content_part.added", k_part_event),
    event("response.content_part.done", k_part_event),
    event("response.output_audio.delta", k_delta),
    event("response.output_audio.done", k_place_members),
    event("response.output_audio_transcript.delta", k_delta),
    event("response.output_audio_transcript.done", k_transcript_done),
    event("response.text.delta", k_delta, "The same as response.output_text.delta."),
    event("response.text.done", k_text_done),
    event("response.output_text.delta", k_delta),
    event("response.output_text.done", k_text_done),
    event("response.function_call_arguments.delta", k_arguments_delta),
    event("response.function_call_arguments.done", k_arguments_done),
    event("mcp_list_tools.in_progress", k_item_id),
    event("mcp_list_tools.completed", k_item_id),
    event("mcp_list_tools.failed", k_item_id),
    event("response.mcp_call_arguments.delta", k_mcp_delta),
    event("response.mcp_call_arguments.done", k_mcp_done),
    event("response.mcp_call.in_progress", k_mcp_members),
    event("response.mcp_call.completed", k_mcp_members),
    event("response.mcp_call.failed", k_mcp_failed),
    event("ping", k_ping),
    event("error", k_error, "Most errors leave the session open."),
    // Older names.
    event("response.audio.delta", k_delta),
    event("response.audio_transcript.delta", k_delta),
    event("response.audio_transcript.done", k_transcript_done),
};

}  // namespace svc::catalogue::answer::realtime
