// The answers of the groups tts and stt, and the events of live transcription.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer {

namespace tts {

inline constexpr std::array k_voice_members = {
    text("voice_id", "Name for requests.", label("Voice"), required),
    text("name", "Name for people.", required),
    text("language", "Language of the voice, such as en.", nullable),
};
inline constexpr Shape k_voice{"Voice", k_voice_members};
inline constexpr std::array k_voices = {list("voices[]", k_voice, "Voices that can be used.")};

inline constexpr std::array k_char_time_members = {
    seconds("start", "From the start of the audio.", required),
    seconds("end", "From the start of the audio.", required),
};
inline constexpr Shape k_char_time{"CharacterTime", k_char_time_members};

/// With timestamps; otherwise the answer is audio.
inline constexpr sv k_is_audio = "It is written as audio.";
inline constexpr sv k_is_subtitles = "--subtitles writes the times.";
inline constexpr std::array k_speech = {
    text("audio", "Audio in Base64.", required, hidden(k_is_audio)),
    text("content_type", "Media type of the audio.", required, hidden("It follows from --codec.")),
    seconds("duration", "Length of the audio.", required, hidden("--timestamps writes it.")),
    text("audio_timestamps.graph_chars[]", "The characters of the text.", required,
         hidden(k_is_subtitles)),
    list("audio_timestamps.graph_times[]", k_char_time, "The time of each character.",
         hidden(k_is_subtitles)),
};

}  // namespace tts

namespace stt {

inline constexpr std::array k_word_members = {
    text("text", "The word.", required),
    seconds("start", "From the start of the audio.", required),
    seconds("end", "From the start of the audio.", required),
    number("confidence", "From 0 to 1; missing if it is 0."),
    integer("speaker", "Number of the speaker, from 0, with --diarize."),
};
inline constexpr Shape k_word{"Word", k_word_members};

inline constexpr sv k_in_words = "--transcript-format words shows each word.";
inline constexpr std::array k_channel_members = {
    text("language", "Often empty.", label("Channel languages"), details),
    integer("index", "Number of the channel, from 0.", required, hidden(k_in_words)),
    text("text", "What was said on this channel.", required, hidden("The transcript contains it.")),
    list("words[]", k_word, "Words of the channel.", hidden(k_in_words)),
};
inline constexpr Shape k_channel{"ChannelTranscript", k_channel_members};

inline constexpr std::array k_transcript = {
    text("text", "What was said, on all channels.", required, drawn),
    text("language", "Often empty.", required, details),
    list("channels[]", k_channel, "With --multichannel only."),
    seconds("duration", "Length of the audio.", required, details),
    view("Words", "words", Unit::Count, details),
    list("words[]", k_word, "Missing if there are none.", hidden(k_in_words)),
    view("Channels", "channels", Unit::Count, details),
};

// Live transcription ------------------------------------------------------------------------------

inline constexpr std::array k_type = {text("type", "What the event is.", required)};
inline constexpr Shape k_head{"TranscriptionEvent", k_type};

inline constexpr std::array k_finalize = {
    members_of(k_head),
    integer("channel", "Channel whose utterance ends, from 0; missing for all."),
};
inline constexpr std::array k_created = {
    members_of(k_head),
    text("id", "ID of the session."),
};
inline constexpr std::array k_partial = {
    members_of(k_head),
    text("text", "What was said in this utterance.", required),
    list("words[]", k_word, "Words of the utterance."),
    boolean("is_final", "Whether the text will not change.", required),
    boolean("speech_final", "Whether the speaker has finished.", required),
    seconds("start", "Start of the utterance."),
    seconds("duration", "Length of the utterance."),
    integer("channel_index", "Number of the channel, from 0."),
    number("end_of_turn_confidence", "From 0 to 1, with --smart-turn."),
    text("language", "Language that was recognized."),
};
inline constexpr std::array k_done = {
    members_of(k_head),
    text("text", "The whole transcript; often empty."),
    list("words[]", k_word, "Words of the transcript."),
    seconds("duration", "Length of the audio.", required),
    integer("channel_index", "Number of the channel, from 0."),
};
inline constexpr std::array k_error = {
    members_of(k_head),
    text("message", "What went wrong, as a sentence.", required),
};
inline constexpr std::array k_events = {
    sent("", {}, "A piece of the audio, as a binary message."),
    sent("finalize", k_finalize, "Ends the utterance."),
    sent("audio.done", k_type, "All audio is sent."),
    event("transcript.created", k_created, "Audio may be sent."),
    event("transcript.partial", k_partial, "A piece of an utterance, or all of it."),
    event("transcript.done", k_done, "The end; one for each channel."),
    event("error", k_error),
};

}  // namespace stt

}  // namespace svc::catalogue::answer
