// `svc tts voices`, `svc tts voice ID`: lists the voices, and plays a sample.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "catalogue/tts_fields.h"
#include "commands/command.h"
#include "commands/tts/plan.h"
#include "json/document.h"
#include "live/sound.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

/// Plays or saves a sample sentence, like `svc tts`.
Result<void> play_sample(Session& session, const std::string& voice) {
  const Operation& speak_operation = *find_operation("tts", "speak");
  request::Inputs inputs;
  inputs.headers = session.invocation().inputs.headers;
  const nlohmann::json body = {
      {"text", fmt::format("Hello, this is the voice {}. This is how I sound.", voice)},
      {"language", "en"},
      {"voice_id", voice}};
  inputs.body = compact_json(body);
  SVC_TRY(plan, plan_speech(session, speak_operation, inputs));
  return speak(session, plan);
}

}  // namespace

template <>
Result<void> run<Handler::TtsVoices>(Session& session) {
  const Flags<catalogue::tts::k_voices_fields> flags(session.inputs());
  if (flags.is_true<"list-devices">()) return print_devices(session);
  const auto sample = flags.get<"sample">();
  if (sample) return play_sample(session, *sample);
  // With --output, the list goes to that file.
  SVC_CHECK(session.write_to_output_file());
  return run_operation(session);
}

template <>
Result<void> run<Handler::TtsVoice>(Session& session) {
  const Flags<catalogue::tts::k_voice_fields> flags(session.inputs());
  if (flags.is_true<"list-devices">()) return print_devices(session);
  if (flags.is_true<"sample">()) {
    return play_sample(session, flags.text<"voice-id">());
  }
  SVC_CHECK(session.write_to_output_file());
  return run_operation(session);
}

}  // namespace svc::cli
