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
#include "client/api_error.h"
#include "json/document.h"
#include "json/text.h"
#include "print/width.h"
#include "voice/transcript.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;

/// Ends the text of an answer that was interrupted.
constexpr const char* k_cut_mark = " \u2014";

/// Of an answer whose sound had not begun.
constexpr voice::Heard k_unheard{.received_ms = 1};

const char* speaker_name(Speaker speaker) {
  return speaker == Speaker::User ? "user" : "assistant";
}

/// "120 tokens in, 30 out, $0.0012".
std::string usage_text(const voice::TalkUsage& usage) {
  return fmt::format("{} in, {} out{}", counted(usage.input_tokens, "token", "tokens"),
                     usage.output_tokens, usage.ticks > 0 ? ", " + format_cost(usage.ticks) : "");
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

Result<void> TalkTranscript::add(Speaker speaker, const std::string& text, bool cut,
                                 milliseconds begin, milliseconds end) {
  const std::string marked = text + (cut ? k_cut_mark : "");
  if (m_form == Form::Text)
    return m_file.write(fmt::format("{}: {}\n", speaker_name(speaker), marked));
  if (m_form == Form::Lines) {
    OrderedJson line{{"role", speaker_name(speaker)},
                     {"text", text},
                     {"start", in_seconds(begin)},
                     {"end", in_seconds(end)}};
    if (cut) line["interrupted"] = true;
    return m_file.write(compact_json(line) + "\n");
  }
  return m_file.write(voice::subtitle(voice::TranscriptFormat::Srt, ++m_cues, begin.count(),
                                      std::max(end, begin + milliseconds(500)).count(),
                                      speaker_name(speaker), std::array{marked}));
}

TalkView::TalkView(Session& session, bool sound_out, std::optional<TalkTranscript> transcript,
                   std::string user)
    : m_session(session),
      m_sound_out(sound_out),
      m_user(std::move(user)),
      m_transcript(std::move(transcript)),
      m_live(session.err(), shows_live(session), &TalkView::columns) {}

int TalkView::columns() {
  return print::detect_terminal(STDERR_FILENO, {}).columns;
}

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
  SVC_CHECK(m_session.write_document(without_secrets_in_error(text, m_session.secrets())));
  return m_session.out().flush();
}

TalkView::Line& TalkView::line_of(Speaker speaker, const std::string& item) {
  for (Line& line : m_open) {
    if (line.item == item && line.speaker == speaker) return line;
  }
  return m_open.emplace_back(Line{.speaker = speaker, .item = item, .begin = Clock::now()});
}

Result<void> TalkView::words(Speaker speaker, const voice::TalkEvent& event) {
  if (event.replayed || (m_settled.contains(event.item) && !event.final)) return {};
  if (speaker == Speaker::Assistant && !trim(event.text).empty()) {
    std::erase_if(m_open, [&](const Line& one) { return one.lost && one.item != event.item; });
  }
  Line& line = line_of(speaker, event.item);
  line.text = event.text;
  if (speaker == Speaker::Assistant && m_heard) {
    const auto heard = m_heard(event.item);
    line.arrival.add(event.text.size(), heard ? heard->received_ms : 0);
  }
  line.whole = event.final;
  if (event.final) line.broken = false;
  if (event.cut) line.cut = {.heard_ms = 1, .received_ms = 1, .complete = true};
  return advance();
}

std::string_view TalkView::heard_text(const Line& line) const {
  if (line.speaker == Speaker::User || !m_heard) return line.text;
  auto heard = line.cut ? line.cut : m_heard(line.item);
  if (heard && line.over && !line.cut && !line.broken) heard->complete = true;
  if (!heard) return line.over ? std::string_view(line.text) : std::string_view();
  heard->pace = m_pace.value_or(heard->pace);
  return voice::spoken_part(line.text, line.whole, *heard, line.arrival);
}

bool TalkView::is_heard(const Line& line) const {
  if (line.lost) return false;
  if (line.speaker == Speaker::User || !m_heard) return line.whole;
  if (line.cut) return !line.text.empty();
  const auto heard = m_heard(line.item);
  if (!heard) return line.over && line.whole;
  return line.whole && (heard->complete || line.over) && heard->heard_ms >= heard->received_ms;
}

Result<void> TalkView::advance() {
  for (std::size_t at = 0; at < m_open.size();) {
    if (!is_heard(m_open[at])) {
      ++at;
      continue;
    }
    Line done = std::move(m_open[at]);
    m_open.erase(m_open.begin() + static_cast<std::ptrdiff_t>(at));
    SVC_CHECK(settle(std::move(done)));
  }
  return {};
}

void TalkView::answer_over() {
  for (Line& line : m_open) {
    if (line.speaker == Speaker::Assistant) line.over = true;
  }
}

void TalkView::cut(const std::vector<voice::Truncation>& items) {
  for (Line& line : m_open) {
    if (line.speaker == Speaker::Assistant && !line.cut && !is_heard(line)) line.cut = k_unheard;
  }
  for (const voice::Truncation& one : items) {
    if (m_settled.contains(one.item)) continue;
    voice::Heard heard = m_heard ? m_heard(one.item).value_or(k_unheard) : k_unheard;
    heard.heard_ms = one.played_ms;
    line_of(Speaker::Assistant, one.item).cut = heard;
  }
}

/// Text that arrives ahead of its audio is shown at this pace.
void TalkView::learn_pace(const Line& line) {
  constexpr std::int64_t k_least_ms = 2'000;
  if (line.speaker == Speaker::User || line.cut || line.broken || !m_heard) return;
  const auto heard = m_heard(line.item);
  if (!heard || !heard->complete || heard->received_ms < k_least_ms) return;
  const auto pace = static_cast<std::int64_t>(line.text.size()) * 1'000 / heard->received_ms;
  m_pace = std::clamp<std::int64_t>(pace, 6, 30);
}

Result<void> TalkView::settle(Line line) {
  learn_pace(line);
  const std::string text(trim(heard_text(line)));
  const auto [known, is_new] = m_settled.try_emplace(line.item, text);
  // Already printed: a later, better version goes only to the document and the transcript.
  if (!is_new) {
    known->second = text;
    for (Line& one : m_said) {
      if (one.item == line.item && (line.cut || !one.cut)) one.text = text;
    }
    return {};
  }
  if (text.empty()) return {};
  m_live.clear();
  line.end = Clock::now();
  line.text = line.printed = text;
  m_said.push_back(line);
  if (m_session.format() != Format::Text) return {};
  const std::string shown = text + (line.cut ? k_cut_mark : "");
  if (line.speaker == Speaker::User || m_sound_out) {
    m_session.notices().aside(
        fmt::format("{}: {}\n", line.speaker == Speaker::User ? m_user : "svc", shown));
    return {};
  }
  SVC_CHECK(m_session.write_foreign(shown + "\n"));
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
  for (Line& line : m_open) {
    std::string_view words = heard_text(line);
    line.shown = std::max(words.size(), std::min(line.shown, line.text.size()));
    if (!line.cut && line.text.starts_with(words)) words = sv(line.text).substr(0, line.shown);
    if (trim(words).empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : " / ",
                        line.speaker == Speaker::User ? m_user : "svc", words);
  }
  m_live.show(text, typed.empty() ? status : "> " + visible(typed, Lines::Escape));
}

void TalkView::disconnect() {
  std::erase_if(m_open, [](const Line& line) { return line.speaker == Speaker::User; });
  for (Line& line : m_open) line.broken = line.broken || !line.over;
  answer_over();
}

void TalkView::give_up() {
  for (Line& line : m_open) {
    if (line.broken) line.whole = line.lost = true;
  }
}

void TalkView::question(const std::string& text) {
  m_live.clear();
  (void)m_session.say(print::fold(text + " Type y for yes, n for no or a for always.",
                                  static_cast<std::size_t>(std::max(columns(), 20) - 1)) +
                      "\n");
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
    SVC_CHECK(m_transcript->add(line.speaker, line.printed, line.cut.has_value(), since(line.begin),
                                since(line.end)));
  }
  return std::exchange(m_transcript, std::nullopt)->close();
}

void TalkView::record(const voice::SpokenConversation& talk, bool costs) {
  const voice::TalkUsage before = std::exchange(m_recorded, talk.usage());
  const std::int64_t ticks = costs ? m_recorded.ticks - before.ticks : 0;
  m_session.record_cost(
      {.id = talk.id(),
       .model = Flags<catalogue::realtime::k_talk_all_fields>(m_session.inputs()).text<"model">(),
       .usage = {.input_tokens = m_recorded.input_tokens - before.input_tokens,
                 .output_tokens = m_recorded.output_tokens - before.output_tokens,
                 .cost_ticks = ticks > 0 ? std::optional(ticks) : std::nullopt}});
}

Result<void> TalkView::finish(const voice::SpokenConversation& talk, int answers, int interrupted) {
  m_live.clear();
  // Unfinished lines are written as far as they came.
  for (Line& line : std::exchange(m_open, {})) {
    line.over = true;
    const auto heard =
        m_heard && line.speaker == Speaker::Assistant ? m_heard(line.item) : std::nullopt;
    if (heard && heard->heard_ms < heard->received_ms && !line.cut) line.cut = heard;
    SVC_CHECK(settle(std::move(line)));
  }
  std::ranges::stable_sort(m_said, {}, &Line::begin);
  SVC_CHECK(write_transcript());
  const voice::TalkUsage& usage = talk.usage();
  if (m_session.format() == Format::Json && !m_sound_out) {
    OrderedJson items = OrderedJson::array();
    for (const Line& line : m_said) {
      items.push_back(
          {{"id", line.item}, {"role", speaker_name(line.speaker)}, {"text", line.text}});
      if (line.cut) items.back()["interrupted"] = true;
    }
    OrderedJson document = {
        {"conversation_id", talk.id()},
        {"items", std::move(items)},
        {"usage", {{"input_tokens", usage.input_tokens}, {"output_tokens", usage.output_tokens}}}};
    SVC_CHECK(m_session.write_document(compact_json(document)));
  }
  if (answers == 0 && talk.id().empty()) return {};
  const auto elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - m_begin);
  m_session.notices().aside(
      fmt::format("{}{}, {}, {}\n", counted(answers, "answer", "answers"),
                  interrupted > 0 ? fmt::format(", {} interrupted", interrupted) : "",
                  format_duration(elapsed), usage_text(usage)));
  return {};
}

}  // namespace svc::cli
