#include "commands/realtime/talk_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/counted.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/realtime_fields.h"
#include "json/document.h"
#include "json/text.h"
#include "voice/transcript.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;
const char* speaker_name(Speaker speaker) {
  return speaker == Speaker::User ? "user" : "assistant";
}

/// "120 tokens in, 30 out, $0.0012".
std::string usage_text(const voice::TalkUsage& usage) {
  return fmt::format("{} tokens in, {} out{}", usage.input_tokens, usage.output_tokens,
                     usage.ticks > 0 ? ", " + format_ticks(usage.ticks) : "");
}

double in_seconds(milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

Result<TalkTranscript> TalkTranscript::create(const std::string& path, Replace replace) {
  Form form = Form::Text;
  if (path.ends_with(".jsonl")) form = Form::Lines;
  if (path.ends_with(".srt")) form = Form::Subtitles;
  if (form == Form::Text && !path.ends_with(".txt")) {
    return usage_error(fmt::format("--transcript {}: the extension must be .txt, .jsonl or .srt",
                                   visible(path, Lines::Escape)));
  }
  SVC_TRY(file, AtomicFile::create(path, replace));
  return TalkTranscript(std::move(file), form);
}

Result<void> TalkTranscript::add(Speaker speaker, const std::string& text, milliseconds begin,
                                 milliseconds end) {
  if (m_form == Form::Text)
    return m_file.write(fmt::format("{}: {}\n", speaker_name(speaker), text));
  if (m_form == Form::Lines) {
    return m_file.write(compact_json(OrderedJson{{"role", speaker_name(speaker)},
                                                 {"text", text},
                                                 {"start", in_seconds(begin)},
                                                 {"end", in_seconds(end)}}) +
                        "\n");
  }
  return m_file.write(voice::subtitle(voice::TranscriptFormat::Srt, ++m_cues, begin.count(),
                                      std::max(end, begin + milliseconds(500)).count(),
                                      speaker_name(speaker), std::array{text}));
}

TalkView::TalkView(Session& session, bool sound_out, std::optional<TalkTranscript> transcript,
                   std::string user)
    : m_session(session),
      m_sound_out(sound_out),
      m_user(std::move(user)),
      m_transcript(std::move(transcript)),
      m_live(session.err(), shows_live(session),
             [] { return print::detect_terminal(STDERR_FILENO, {}).columns; }) {}

bool TalkView::shows_live(Session& session) {
  const print::Terminal& terminal = session.err().terminal();
  return terminal.is_tty && !terminal.dumb && !session.globals().quiet &&
         !session.globals().no_progress;
}

Result<void> TalkView::message(const std::string& text) {
  if (m_sound_out) return {};
  const Format format = m_session.format();
  if (format == Format::Raw || (format == Format::Jsonl && check_json(text))) {
    SVC_CHECK(m_session.write_foreign(text + "\n"));
    return m_session.out().flush();
  }
  if (format != Format::Jsonl) return {};
  SVC_CHECK(m_session.write_document(text));
  return m_session.out().flush();
}

TalkView::Line& TalkView::line_of(Speaker speaker, const std::string& item) {
  for (Line& line : m_open) {
    if (line.item == item && line.speaker == speaker) return line;
  }
  return m_open.emplace_back(Line{.speaker = speaker, .item = item, .begin = Clock::now()});
}

Result<void> TalkView::words(Speaker speaker, const voice::TalkEvent& event) {
  if (event.replayed) return {};
  Line& line = line_of(speaker, event.item);
  line.text = event.text;
  if (!event.final) return {};
  Line done = std::move(line);
  std::erase_if(m_open, [&](const Line& one) { return one.item == event.item; });
  return settle(std::move(done));
}

Result<void> TalkView::settle(Line line) {
  const std::string text(trim(line.text));
  const auto [known, is_new] = m_settled.try_emplace(line.item, text);
  // Already printed: a later, better version goes only to the document and the transcript.
  if (!is_new) {
    known->second = text;
    for (Line& one : m_said) {
      if (one.item == line.item) one.text = text;
    }
    return {};
  }
  if (text.empty()) return {};
  m_live.clear();
  line.end = Clock::now();
  line.text = line.printed = text;
  m_said.push_back(line);
  if (m_session.format() != Format::Text) return {};
  if (line.speaker == Speaker::User || m_sound_out) {
    m_session.notices().aside(
        fmt::format("{}: {}\n", line.speaker == Speaker::User ? m_user : "svc", text));
    return {};
  }
  SVC_CHECK(m_session.write_foreign(text + "\n"));
  return m_session.out().flush();
}

void TalkView::typed(const std::string& text) {
  (void)words(Speaker::User, {.kind = voice::TalkEvent::Kind::UserText,
                              .item = fmt::format("typed {}", ++m_texts),
                              .text = text,
                              .final = true});
}

void TalkView::begin(Speaker speaker, const std::string& item) {
  if (!item.empty() && !m_settled.contains(item)) (void)line_of(speaker, item);
}

void TalkView::turn(std::optional<Clock::duration> wait, bool sound,
                    const voice::TalkUsage& usage) {
  std::string line;
  if (wait) {
    line = fmt::format("{:.2f} s to the first {}; ", std::chrono::duration<double>(*wait).count(),
                       sound ? "sound" : "word");
  }
  m_live.clear();
  m_session.notices().aside(fmt::format("({}so far {})\n", line, usage_text(usage)));
}

void TalkView::draw(const std::string& status, const std::string& typed) {
  if (!m_live.enabled()) return;
  std::string text;
  for (const Line& line : m_open) {
    if (trim(line.text).empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : " / ",
                        line.speaker == Speaker::User ? m_user : "svc", line.text);
  }
  m_live.show(text, typed.empty() ? status : "> " + visible(typed, Lines::Escape));
}

Result<void> TalkView::disconnect() {
  for (Line& line : std::exchange(m_open, {})) {
    if (line.speaker == Speaker::Assistant) SVC_CHECK(settle(std::move(line)));
  }
  return {};
}

void TalkView::note(const std::string& text) {
  m_live.clear();
  m_session.notices().note(text);
}

void TalkView::warning(const std::string& text) {
  m_live.clear();
  m_session.notices().warning(text);
}

/// Writes both sides, in the order in which they started to speak.
Result<void> TalkView::write_transcript() {
  if (!m_transcript) return {};
  const auto since = [this](Clock::time_point moment) {
    return std::chrono::duration_cast<milliseconds>(moment - m_begin);
  };
  for (const Line& line : m_said) {
    SVC_CHECK(m_transcript->add(line.speaker, line.printed, since(line.begin), since(line.end)));
  }
  return std::exchange(m_transcript, std::nullopt)->close();
}

Result<void> TalkView::finish(const voice::Conversation& talk, int answers, int interrupted) {
  m_live.clear();
  // Unfinished lines are written as far as they came.
  for (Line& line : std::exchange(m_open, {})) SVC_CHECK(settle(std::move(line)));
  std::ranges::stable_sort(m_said, {}, &Line::begin);
  SVC_CHECK(write_transcript());
  const voice::TalkUsage& usage = talk.usage();
  m_session.record_cost(
      {.id = talk.id(),
       .model = Flags<catalogue::realtime::k_talk_all_fields>(m_session.inputs()).text<"model">(),
       .usage = {.input_tokens = usage.input_tokens,
                 .output_tokens = usage.output_tokens,
                 .cost_ticks = usage.ticks > 0 ? std::optional(usage.ticks) : std::nullopt}});
  if (m_session.format() == Format::Json && !m_sound_out) {
    OrderedJson items = OrderedJson::array();
    for (const Line& line : m_said) {
      items.push_back(
          {{"id", line.item}, {"role", speaker_name(line.speaker)}, {"text", line.text}});
    }
    OrderedJson document = {
        {"conversation_id", talk.id()},
        {"items", std::move(items)},
        {"usage", {{"input_tokens", usage.input_tokens}, {"output_tokens", usage.output_tokens}}}};
    SVC_CHECK(m_session.write_document(compact_json(document)));
  }
  if (answers == 0 && talk.id().empty()) return m_session.out().flush();
  const auto elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - m_begin);
  m_session.notices().aside(
      fmt::format("{}{}, {}, {}\n", counted(answers, "answer", "answers"),
                  interrupted > 0 ? fmt::format(", {} interrupted", interrupted) : "",
                  format_duration(elapsed), usage_text(usage)));
  return m_session.out().flush();
}

}  // namespace svc::cli
