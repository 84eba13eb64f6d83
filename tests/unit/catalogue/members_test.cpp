// The catalogue has every documented field of the service.
#include <initializer_list>
#include <string>

#include <doctest/doctest.h>

#include "catalogue/catalogue.h"

using namespace svc;

TEST_CASE("chat create has every field of the service") {
  const Operation* chat = find_operation("chat", "create");
  REQUIRE(chat != nullptr);
  for (const char* path : {"model",
                           "messages",
                           "deferred",
                           "frequency_penalty",
                           "logit_bias",
                           "logprobs",
                           "max_completion_tokens",
                           "max_tokens",
                           "n",
                           "parallel_tool_calls",
                           "presence_penalty",
                           "prompt_cache_key",
                           "reasoning_effort",
                           "response_format",
                           "search_parameters.mode",
                           "search_parameters.sources",
                           "search_parameters.from_date",
                           "search_parameters.to_date",
                           "search_parameters.max_search_results",
                           "search_parameters.return_citations",
                           "seed",
                           "service_tier",
                           "stop",
                           "stream",
                           "stream_options.include_usage",
                           "temperature",
                           "tool_choice",
                           "tools",
                           "top_logprobs",
                           "top_p",
                           "user",
                           "web_search_options.filters",
                           "web_search_options.search_context_size",
                           "web_search_options.user_location"}) {
    CAPTURE(path);
    bool found = false;
    for (const Field& field : chat->fields) found = found || field.path == path;
    CHECK(found);
  }
}

TEST_CASE("responses create has every field of the service") {
  const Operation* responses = find_operation("responses", "create");
  REQUIRE(responses != nullptr);
  for (const char* path : {"model",
                           "instructions",
                           "previous_response_id",
                           "store",
                           "background",
                           "context_management",
                           "include",
                           "logprobs",
                           "top_logprobs",
                           "max_output_tokens",
                           "max_turns",
                           "metadata",
                           "min_p",
                           "top_k",
                           "parallel_tool_calls",
                           "prompt_cache_key",
                           "reasoning.effort",
                           "reasoning.generate_summary",
                           "reasoning.summary",
                           "reasoning_effort",
                           "search_parameters.mode",
                           "search_parameters.sources",
                           "service_tier",
                           "stream",
                           "temperature",
                           "top_p",
                           "text.format",
                           "tool_choice",
                           "tools",
                           "truncation",
                           "user"}) {
    CAPTURE(path);
    bool found = false;
    for (const Field& field : responses->fields) found = found || field.path == path;
    CHECK(found);
  }
  // `input` is composed of text, items, messages and attachments.
  CHECK(find_field(*responses, "input") != nullptr);
}

TEST_CASE("files has every operation and field of the service") {
  const auto has = [](const char* verb, std::initializer_list<const char*> paths) {
    const Operation* operation = find_operation("files", verb);
    REQUIRE(operation != nullptr);
    for (const char* path : paths) {
      CAPTURE(verb);
      CAPTURE(path);
      bool found = false;
      for (const Field& field : operation->fields) found = found || field.path == path;
      CHECK(found);
    }
  };
  has("upload",
      {"file", "expires_after", "expires_after[anchor]", "expires_after[seconds]", "purpose"});
  has("list", {"order", "sort_by", "after", "filter"});
  has("get", {"file_id"});
  has("update", {"file_id", "name", "content_type", "data"});
  has("delete", {"file_id"});
  has("initialize", {"name", "content_type"});
  has("upload-chunk", {"file_id", "chunk"});
  has("download", {"file_id", "format"});
  has("publish", {"file_id", "expires_after"});
  has("unpublish", {"file_id"});
}

TEST_CASE("the legacy operations have every field of the service") {
  const auto has_all = [](const char* name, std::initializer_list<const char*> paths) {
    const Operation* operation = find_operation("legacy", name);
    REQUIRE(operation != nullptr);
    // The prompt and the resulting messages are composed.
    CHECK(find_field(*operation, "prompt") != nullptr);
    for (const char* path : paths) {
      CAPTURE(path);
      bool found = false;
      for (const Field& field : operation->fields) found = found || field.path == path;
      CHECK(found);
    }
  };
  has_all("completions",
          {"model", "max_tokens", "n", "temperature", "top_p", "seed", "stop", "stream",
           "stream_options.include_usage", "echo", "logprobs", "user", "best_of",
           "frequency_penalty", "logit_bias", "presence_penalty", "suffix"});
  has_all("messages",
          {"model", "max_tokens", "messages", "system", "metadata.user_id", "stop_sequences",
           "stream", "temperature", "top_p", "tool_choice", "tools", "top_k"});
  has_all("complete", {"model", "max_tokens_to_sample", "stop_sequences", "temperature", "top_p",
                       "metadata.user_id", "stream", "top_k"});
}

TEST_CASE("realtime and phone have every field of the service") {
  const auto has = [](const char* group, const char* verb,
                      std::initializer_list<const char*> paths) {
    const Operation* operation = find_operation(group, verb);
    REQUIRE(operation != nullptr);
    for (const char* path : paths) {
      CAPTURE(verb);
      CAPTURE(path);
      bool found = false;
      for (const Field& field : operation->fields) found = found || field.path == path;
      CHECK(found);
    }
  };
  has("realtime", "secret",
      {"expires_after.seconds",
       "session",
       "session.model",
       "session.reasoning.effort",
       "session.instructions",
       "session.voice",
       "session.turn_detection",
       "session.turn_detection.type",
       "session.turn_detection.threshold",
       "session.turn_detection.silence_duration_ms",
       "session.turn_detection.prefix_padding_ms",
       "session.turn_detection.idle_timeout_ms",
       "session.audio.input.format.type",
       "session.audio.input.format.rate",
       "session.audio.input.transport",
       "session.audio.input.transcription.model",
       "session.audio.input.transcription.language_hint",
       "session.audio.input.transcription.keyterms",
       "session.audio.output.format.type",
       "session.audio.output.format.rate",
       "session.audio.output.transport",
       "session.audio.output.speed",
       "session.tools",
       "session.resumption.enabled",
       "session.replace",
       "session.type"});
  has("phone", "create",
      {"origin", "name", "agent_id", "area_code", "phone_number", "sip_auth.auth_username",
       "sip_auth.auth_password", "sip_auth.allowed_addresses", "webhook.name", "webhook.url",
       "webhook.auth_url", "webhook.auth_token"});
  has("phone", "get", {"phone_number_id"});
  has("phone", "update",
      {"phone_number_id", "name", "agent_id", "webhook_id", "outbound_sms_enabled"});
  has("phone", "delete", {"phone_number_id"});
  has("phone", "refer", {"call_id", "target_uri"});
  has("phone", "hangup", {"call_id"});
}

TEST_CASE("images and videos have every field of the service") {
  const auto check = [](const char* group, const char* name,
                        std::initializer_list<const char*> all) {
    const Operation* operation = find_operation(group, name);
    REQUIRE(operation != nullptr);
    for (const char* path : all) {
      CAPTURE(path);
      bool found = false;
      for (const Field& field : operation->fields) {
        found = found || field.path == path;
        if (field.media) found = found || field.media->one == path || field.media->many == path;
      }
      CHECK(found);
    }
  };
  check("images", "generate",
        {"prompt", "model", "n", "aspect_ratio", "resolution", "response_format",
         "storage_options.expires_after", "storage_options.filename", "storage_options.public_url",
         "user", "quality", "deferred"});
  check("images", "edit",
        {"prompt", "model", "n", "aspect_ratio", "resolution", "response_format", "image",
         "image.file_id", "image.url", "image.image_url", "image.type", "images",
         "storage_options.expires_after", "storage_options.filename", "storage_options.public_url",
         "user", "quality", "deferred"});
  check("videos", "generate",
        {"prompt", "model", "duration", "seconds", "aspect_ratio", "resolution", "image",
         "image.file_id", "image.url", "reference_images", "reference_audios", "output.upload_url",
         "storage_options.expires_after", "storage_options.filename", "storage_options.public_url",
         "user", "keyframes", "last_frame"});
  check("videos", "edit",
        {"prompt", "video", "video.file_id", "video.url", "model", "output.upload_url",
         "storage_options.expires_after", "storage_options.filename", "storage_options.public_url",
         "user"});
  check(
      "videos", "extend",
      {"prompt", "video", "video.file_id", "video.url", "duration", "model", "output.upload_url",
       "storage_options.expires_after", "storage_options.filename", "storage_options.public_url"});
}

TEST_CASE("tts and stt have every field of the service") {
  const auto has = [](const char* group, const char* verb,
                      std::initializer_list<const char*> paths) {
    const Operation* operation = find_operation(group, verb);
    REQUIRE(operation != nullptr);
    for (const char* path : paths) {
      CAPTURE(path);
      bool found = false;
      for (const Field& field : operation->fields) found = found || field.path == path;
      CHECK(found);
    }
  };
  has("tts", "speak",
      {"text", "language", "voice_id", "output_format.codec", "output_format.sample_rate",
       "output_format.bit_rate", "optimize_streaming_latency", "text_normalization",
       "with_timestamps", "speed", "replace"});
  has("tts", "voice", {"voice_id"});
  CHECK(find_operation("tts", "voices") != nullptr);
  has("stt", "transcribe",
      {"file", "url", "audio_format", "sample_rate", "language", "format", "multichannel",
       "channels", "diarize", "keyterm", "filler_words", "vad_threshold", "model"});
  // The service accepts no field after the file.
  const Operation* transcribe = find_operation("stt", "transcribe");
  CHECK(transcribe->fields.back().flag == "file");
  CHECK(find_field(*transcribe, "file")->max_bytes == 500'000'000);
  CHECK(find_field(*transcribe, "keyterm")->max_count == 100);
  CHECK(find_field(*transcribe, "keyterm")->max_length == 50);
  CHECK(find_field(*find_operation("tts", "speak"), "text")->max_length == 15'000);
  CHECK(default_operation(*find_group("tts"))->name == "speak");
  CHECK(default_operation(*find_group("stt"))->name == "transcribe");
  for (const char* flag : {"voice-id", "voice"}) {
    CHECK(find_field(*find_operation("tts", "speak"), flag)->completes == "voices");
  }
}

TEST_CASE("fields that the service ignores are marked") {
  const Operation* chat = find_operation("chat", "create");
  CHECK(find_field(*chat, "logit-bias")->status == Status::Unsupported);
  CHECK(find_field(*chat, "max-tokens")->status == Status::Deprecated);
  CHECK(find_field(*chat, "web-search-options-filters")->status == Status::Ignored);
  const Operation* completions = find_operation("legacy", "completions");
  for (const char* flag :
       {"best-of", "frequency-penalty", "logit-bias", "presence-penalty", "suffix"}) {
    CHECK(find_field(*completions, flag)->status == Status::Unsupported);
  }
  const Operation* responses = find_operation("responses", "create");
  for (const char* flag : {"background", "metadata", "truncation"}) {
    CHECK(find_field(*responses, flag)->status == Status::Unsupported);
  }
}
