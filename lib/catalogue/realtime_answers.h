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
    text("type", "Encoding of the audio.", choices(k_audio_types)),
    integer("rate", "Samples per second."),
};
inline constexpr Shape k_format{"RealtimeAudioFormat", k_format_members};

inline constexpr std::array k_function_tool = {
    text("name", "Name of the function."),
    text("description", "What the function does, for the model."),
    json("parameters", "JSON Schema of the arguments."),
};
inline constexpr std::array k_x_search_tool = {
    text("allowed_x_handles[]", "Accounts of X that are searched; without it, all.")};
inline constexpr std::array k_file_search_tool = {
    text("vector_store_ids[]", "The collections to search."),
    integer("max_num_results", "Most passages to find."),
};
inline constexpr std::array k_mcp_tool = {
    url("server_url", "URL of the MCP server."),
    text("server_label", "Name of the server in calls."),
    text("server_description", "What the server is for."),
    text("allowed_tools[]", "Tools that may be used; without it, all."),
    text("authorization", "Token for the server."),
    json("headers", "Further headers for the server."),
};
inline constexpr std::array k_tool_members = {text("type", "Kind of the tool.", required)};
inline constexpr std::array k_tools = {
    variant("function", k_function_tool), variant("web_search", {}),
    variant("x_search", k_x_search_tool), variant("file_search", k_file_search_tool),
    variant("mcp", k_mcp_tool),
};
inline constexpr Shape k_tool{"RealtimeTool", k_tool_members, "type", k_tools};

inline constexpr std::array k_session_members = {
    text("id", "ID of the session."),
    text("object", "It is \"realtime.session\"."),
    text("type", "It is \"realtime\"."),
    text("model", "Model that answers."),
    text("voice", "Voice of the answers."),
    text("instructions", "System prompt of the session."),
    text("modalities[]", "Whether answers are audio, text or both."),
    text("reasoning.effort", "How much the model reasons.", choices(k_efforts)),
    text("turn_detection.type", "It is server_vad, or null to commit by hand.", nullable),
    number("turn_detection.threshold", "Level above which sound is speech, from 0 to 1."),
    integer("turn_detection.silence_duration_ms", "Silence that ends a turn, in milliseconds."),
    integer("turn_detection.prefix_padding_ms",
            "Audio kept from before the speech, in milliseconds."),
    integer("turn_detection.idle_timeout_ms",
            "Silence after which the model speaks, in milliseconds.", nullable),
    object("audio.input.format", k_format, "Encoding of the audio that is sent."),
    text("audio.input.transport", "How audio is sent: in JSON or as binary messages.",
         choices(k_transports)),
    text("audio.input.transcription.model", "Model that transcribes what is said."),
    text("audio.input.transcription.language_hint", "Language that is likely spoken."),
    text("audio.input.transcription.keyterms[]", "Words that are likely spoken."),
    object("audio.output.format", k_format, "Encoding of the audio of answers."),
    text("audio.output.transport", "How audio arrives: in JSON or as binary messages.",
         choices(k_transports)),
    number("audio.output.speed", "Speed of the voice; 1 is normal."),
    list("tools[]", k_tool, "Tools that the model may call."),
    boolean("resumption.enabled", "Whether the session can be resumed."),
    json("replace", "For each written phrase, its spoken form."),
};
inline constexpr Shape k_session{"RealtimeSession", k_session_members};

// Items of the conversation -----------------------------------------------------------------------

inline constexpr std::array k_text_part = {text("text", "The text.")};
inline constexpr std::array k_audio_part = {
    text("audio", "Audio in Base64."),
    text("transcript", "What is said in the audio."),
};
inline constexpr std::array k_part_members = {text("type", "What the part is.", required)};
inline constexpr std::array k_parts = {
    variant("input_text", k_text_part),    variant("input_audio", k_audio_part),
    variant("output_text", k_text_part),   variant("text", k_text_part),
    variant("output_audio", k_audio_part), variant("audio", k_audio_part),
};
inline constexpr Shape k_part{"RealtimeContentPart", k_part_members, "type", k_parts};

inline constexpr std::array<sv, 3> k_roles = {"user", "assistant", "system"};
inline constexpr std::array k_message_item = {
    text("role", "Who speaks.", choices(k_roles)),
    list("content[]", k_part, "Parts of the message."),
};
inline constexpr std::array k_call_item = {
    text("call_id", "ID that the result must name."),
    text("name", "Name of the function."),
    text("arguments", "JSON."),
};
inline constexpr std::array k_call_output_item = {
    text("call_id", "ID of the call."),
    text("output", "Result of the call, as text."),
};
inline constexpr std::array k_force_item = {
    text("role", "Who speaks: assistant."),
    list("content[]", k_part, "What is to be said."),
    boolean("interruptible", "Whether speech interrupts it."),
    text("voice", "Voice that says it."),
};
inline constexpr std::array k_item_members = {
    text("id", "ID of the item."),
    text("object", "It is \"realtime.item\"."),
    text("type", "What the item is.", required),
    text("status", "How far the item is."),
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
    text("id", "ID of the response."),
    text("object", "It is \"realtime.response\"."),
    text("status", "How far the response is.", choices(k_response_states)),
    json("status_details", "Why it ended early, if it did.", nullable),
    list("output[]", k_item, "Items of the response."),
    count("usage.input_tokens", "Tokens of the input."),
    count("usage.output_tokens", "Tokens of the response."),
    count("usage.total_tokens", "Tokens of input and response."),
    json("metadata", "What the client noted of the response."),
};
inline constexpr Shape k_response{"RealtimeResponse", k_response_members};

// Events of the client ----------------------------------------------------------------------------

inline constexpr std::array k_only_head = {
    text("type", "What the event is.", required),
    text("event_id", "ID of the event."),
};
inline constexpr Shape k_head{"RealtimeEvent", k_only_head};

inline constexpr std::array k_session_event = {
    members_of(k_head),
    object("session", k_session, "The session, or what changes in it.", required),
};
inline constexpr std::array k_append = {
    members_of(k_head),
    text("audio", "Audio in Base64.", required),
};
inline constexpr std::array k_create_item = {
    members_of(k_head),
    object("item", k_item, "The item to add.", required),
    text("previous_item_id", "Item after which it is added; without it, at the end."),
};
inline constexpr std::array k_item_id = {
    members_of(k_head),
    text("item_id", "ID of the item.", required),
};
inline constexpr std::array k_truncate = {
    members_of(k_head),
    text("item_id", "ID of the item.", required),
    integer("content_index", "Position of the part in its item.", required),
    integer("audio_end_ms", "Length of what was played.", required),
};
inline constexpr std::array k_create_response = {
    members_of(k_head),
    text("response.modalities[]", "Whether the response is audio, text or both."),
    text("response.instructions", "System prompt of this response."),
    json("response.metadata", "At most 16 pairs."),
};
inline constexpr std::array k_cancel = {
    members_of(k_head),
    text("response_id", "Response to cancel; without it, the current one."),
};

// Events of the service ---------------------------------------------------------------------------

inline constexpr std::array k_conversation_event = {
    members_of(k_head),
    text("conversation.id", "ID for resuming the conversation."),
    text("conversation.object", "It is \"realtime.conversation\"."),
};
inline constexpr std::array k_speech_started = {
    members_of(k_head),
    text("item_id", "ID of the item that the speech will be."),
    integer("audio_start_ms", "Where the speech begins, in milliseconds of audio."),
};
inline constexpr std::array k_speech_stopped = {
    members_of(k_head),
    text("item_id", "ID of the item that the speech will be."),
    integer("audio_end_ms", "Where the speech ends, in milliseconds of audio."),
};
inline constexpr std::array k_committed = {
    members_of(k_head),
    text("item_id", "ID of the new item."),
    text("previous_item_id", "Item before it.", nullable),
};
inline constexpr std::array k_timeout = {
    members_of(k_head),
    text("item_id", "ID of the new item."),
    text("previous_item_id", "Item before it.", nullable),
    integer("audio_start_ms", "Where the silence begins, in milliseconds of audio."),
    integer("audio_end_ms", "Where the silence ends, in milliseconds of audio."),
};
inline constexpr std::array k_dtmf = {
    members_of(k_head),
    text("event", "The key."),
    unix_time("received_at", "Time at which the key was pressed."),
};
inline constexpr std::array k_item_event = {
    members_of(k_head),
    object("item", k_item, "The item."),
    text("previous_item_id", "Item before it.", nullable),
};
inline constexpr std::array k_truncated = {
    members_of(k_head),
    text("item_id", "ID of the item."),
    integer("content_index", "Position of the part in its item."),
    integer("audio_end_ms", "Where the audio was cut off, in milliseconds."),
    text("transcript", "What was said up to there."),
};
inline constexpr std::array k_heard = {
    members_of(k_head),
    text("item_id", "ID of the item."),
    integer("content_index", "Position of the part in its item."),
    text("transcript", "The whole text so far; it replaces earlier ones."),
    text("status", "How far the transcription is."),
};
inline constexpr std::array k_response_event = {
    members_of(k_head),
    object("response", k_response, "The response."),
};
inline constexpr std::array k_output_item = {
    members_of(k_head),
    text("response_id", "ID of the response."),
    integer("output_index", "Position of the item."),
    object("item", k_item, "The item."),
};

inline constexpr std::array k_place_members = {
    members_of(k_head),
    text("response_id", "ID of the response."),
    text("item_id", "ID of the item."),
    integer("output_index", "Position of the item."),
    integer("content_index", "Position of the part in its item."),
};
inline constexpr Shape k_place{"RealtimePartEvent", k_place_members};
inline constexpr std::array k_part_event = {
    members_of(k_place),
    object("part", k_part, "The part."),
};
inline constexpr std::array k_delta = {
    members_of(k_place),
    text("delta", "The next piece; of audio, in Base64.", required),
};
inline constexpr std::array k_transcript_done = {
    members_of(k_place),
    text("transcript", "All that is said in the part."),
};
inline constexpr std::array k_text_done = {
    members_of(k_place),
    text("text", "The whole text."),
};
inline constexpr std::array k_arguments_delta = {
    members_of(k_head),
    text("response_id", "ID of the response."),
    text("item_id", "ID of the item."),
    text("call_id", "ID that the result must name."),
    text("delta", "The next piece of the arguments.", required),
};
inline constexpr std::array k_arguments_done = {
    members_of(k_head),
    text("response_id", "ID of the response."),
    text("item_id", "ID of the item."),
    text("call_id", "ID that the result must name."),
    text("name", "Name of the function."),
    text("arguments", "JSON."),
};
inline constexpr std::array k_mcp_members = {
    members_of(k_head),
    text("item_id", "ID of the item."),
    integer("output_index", "Position of the item."),
};
inline constexpr Shape k_mcp{"RealtimeMcpEvent", k_mcp_members};
inline constexpr std::array k_mcp_delta = {
    members_of(k_mcp),
    text("delta", "The next piece."),
};
inline constexpr std::array k_mcp_done = {
    members_of(k_mcp),
    text("arguments", "JSON."),
};
inline constexpr std::array k_mcp_failed = {
    members_of(k_mcp),
    json("error", "Why the call failed."),
};
inline constexpr std::array k_ping = {
    members_of(k_head),
    json("timestamp", "Time at which the service sent it."),
};
inline constexpr std::array<sv, 5> k_error_types = {"invalid_request_error", "invalid_event",
                                                    "internal_error", "timeout", "max_duration"};
inline constexpr std::array k_error = {
    members_of(k_head),
    text("error.type", "Class of the error.", choices(k_error_types)),
    json("error.code", "Text or a number.", nullable),
    text("error.message", "What was wrong, as a sentence."),
    text("error.param", "The member of the event that was wrong.", nullable),
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
