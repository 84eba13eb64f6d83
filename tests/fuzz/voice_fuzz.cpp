// Transcripts, character timings, and the events of live transcription and of a spoken
// conversation, one per line: any bytes must be read or ignored, and subtitles must be in order.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/text.h"
#include "voice/char_times.h"
#include "voice/conversation.h"
#include "voice/cues.h"
#include "voice/event_json.h"
#include "voice/live_transcript.h"
#include "voice/speech_text.h"
#include "voice/transcript.h"

namespace {

using namespace svc;
using namespace svc::voice;

void write(const Transcript& transcript) {
  for (const TranscriptFormat format : {TranscriptFormat::Text, TranscriptFormat::Srt,
                                        TranscriptFormat::Vtt, TranscriptFormat::Words}) {
    TranscriptWriter writer(format, 2);
    std::string text = writer.add(transcript);
    text += writer.finish();
    if (first_invalid_utf8(text)) std::abort();
  }
  if (check_json(transcript_json(transcript))) std::abort();
  double last = -1;
  for (const Cue& cue : make_cues(transcript, 2)) {
    if (!std::isfinite(cue.start) || !std::isfinite(cue.end) || cue.start < last) std::abort();
    last = cue.start;
  }
}

/// The audio of a response with timings, and its error.
std::string timed(std::string_view bytes, std::size_t step) {
  std::string audio;
  TimedSpeechReader reader([&](std::string_view more) {
    audio += more;
    return Result<void>();
  });
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!reader.feed(bytes.substr(at, step))) return "refused";
  }
  const auto speech = reader.finish();
  if (!speech) return "refused at the end";
  write(spoken_words(speech->times));
  const CharTimesJson json = char_times_json(speech->times);
  if (check_json('[' + json.chars + ']') || check_json('[' + json.spans + ']')) std::abort();
  return audio;
}

void talk(std::string_view lines) {
  SpokenConversation conversation;
  LiveTranscript live(2);
  live.begin(0);
  double sent = 0;
  for (const std::string_view line : split(lines, '\n')) {
    for (const SpokenConversation::Event& event : conversation.feed(line)) {
      if (event.kind == TalkEvent::Kind::SpeechStarted) conversation.interrupt();
      if (event.kind == TalkEvent::Kind::ToolCall) conversation.answered(event.id);
    }
    (void)conversation.take_wants_response();
    (void)live.feed(line, sent += 0.1);
    if (live.resend_from(sent, true) > sent + 1e-6) std::abort();
  }
  (void)conversation.feed_bytes("\1\2");
  (void)conversation.reconnect();
  for (const Transcript& rest : live.close()) write(rest);
  write(live.transcript());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (const auto transcript = read_transcript(text)) write(*transcript);
  if (!check_json(text)) (void)read_char_times(text);
  if (timed(text, 1 + data[0] % 16) != timed(text, text.size())) std::abort();
  talk(text);
  for (const TextPart& part : split_text(text, 1 + data[0])) {
    if (part.text.empty() || part.begin > text.size()) std::abort();
  }
  return 0;
}
