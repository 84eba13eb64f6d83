// `svc stt FILE|URL...`: several at once over one transport.
#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "client/concurrent_calls.h"
#include "commands/registry.h"
#include "commands/stt/items.h"
#include "json/document.h"
#include "live/sound.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "print/json.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

constexpr auto k_transcribe_slice = std::chrono::milliseconds(100);

class Transcriptions {
 public:
  Transcriptions(Session& session, std::vector<SttItem> items,
                 std::optional<voice::TranscriptFormat> format, ApiClient& client)
      : m_session(session),
        m_items(std::move(items)),
        m_format(format),
        m_client(client),
        m_calls(client),
        m_sent(m_items.size()),
        m_results(session, m_items.size()),
        m_failures(session, m_items.size(), "recordings were not transcribed") {}

  Result<void> run() {
    const auto jobs = m_session.invocation().value("jobs");
    const std::int64_t most = jobs ? parse_integer(*jobs).value_or(4) : 4;
    show_begin();
    while (!m_broken && !over()) {
      while (!m_ended && m_next < m_items.size() &&
             m_calls.under_way() < static_cast<std::size_t>(most)) {
        SVC_CHECK(start(m_next++));
      }
      m_calls.run(m_session.cancel_token(), std::chrono::steady_clock::now() + k_transcribe_slice);
      m_session.progress().tick();
    }
    m_session.progress().finish();
    if (m_broken) return *m_broken;
    SVC_CHECK(m_results.finish());
    SVC_CHECK(m_session.out().flush());
    return m_failures.verdict();
  }

 private:
  [[nodiscard]] bool several() const { return m_items.size() > 1; }
  [[nodiscard]] bool over() const {
    return m_calls.under_way() == 0 && (m_ended || m_next == m_items.size());
  }

  Result<void> start(std::size_t at) {
    SttItem& item = m_items[at];
    SVC_CHECK(complete_address(m_session, item.request));
    m_calls.start({.request = item.request,
                   .timeouts = speech_timeouts(m_session, m_client),
                   .on_upload = [this, at](std::uint64_t sent,
                                           std::uint64_t total) { show_upload(at, sent, total); },
                   .done = [this, at](Result<CallReply> reply) { done(at, std::move(reply)); }});
    return {};
  }

  // Progress ------------------------------------------------------------------------------------

  void show_begin() {
    if (several()) {
      m_session.progress().start("Transcribing", print::Unit::Items, m_items.size());
    } else if (m_items.front().bytes > 0) {
      m_session.progress().start(fmt::format("Uploading {}", m_items.front().name),
                                 print::Unit::Bytes, m_items.front().bytes);
    } else {
      m_session.progress().start("Transcribing");
    }
  }

  void show_upload(std::size_t at, std::uint64_t sent, std::uint64_t total) {
    m_sent[at] = sent;
    if (several()) {
      std::uint64_t all = 0;
      for (const std::uint64_t one : m_sent) all += one;
      m_session.progress().aside(fmt::format("{} sent", format_bytes(all)));
    } else if (total != 0 && sent >= total) {
      if (!m_waiting) m_session.progress().start("Transcribing");
      m_waiting = true;
    } else {
      m_session.progress().update(sent, total);
    }
  }

  // Results -------------------------------------------------------------------------------------

  void done(std::size_t at, Result<CallReply> reply) {
    ++m_done;
    if (several()) m_session.progress().update(m_done);
    const Operation& operation = *m_items[at].request.operation;
    if (reply) record_document(m_session, operation, reply->body);
    if (!reply) record_interrupted(m_session, operation, reply.error());
    Result<void> taken = reply ? take(at, reply->body) : Result<void>(std::move(reply).error());
    if (!taken && !m_failures.take(m_items[at].name, std::move(taken).error())) m_ended = true;
    if (!taken) hand_out(at, std::nullopt);
  }

  Result<void> take(std::size_t at, const std::string& body) {
    if (!m_format) {
      hand_out(at, several() ? named(m_items[at].name, body) : body);
      return {};
    }
    SVC_TRY(transcript, voice::read_transcript(body));
    const std::string text = written(transcript, body);
    if (trim(transcript.text).empty() && transcript.words.empty()) {
      m_session.notices().note(
          fmt::format("no speech was found in {}", visible(m_items[at].name, Lines::Escape)));
    }
    const std::string& target = m_items[at].target;
    const Replace replace = m_session.globals().replace();
    if (!target.empty()) SVC_CHECK(write_file(target, text, replace));
    m_session.progress().clear();
    SVC_CHECK(m_session.write_foreign(target.empty() ? text : target + "\n"));
    SVC_CHECK(m_session.out().flush());
    // Several files end in any order.
    if (several() && wants_details(m_session)) {
      m_session.notices().aside(visible(m_items[at].name, Lines::Escape) + ":");
    }
    print_details(m_session, m_session.invocation().operation->details, parse_reply(body));
    return {};
  }

  std::string written(const voice::Transcript& transcript, const std::string& body) const {
    if (*m_format == voice::TranscriptFormat::Json) {
      std::string text;
      print::Out out(print::string_sink(text));
      if (print::print_json(out, body) && out.flush()) return text;
      return body + "\n";
    }
    std::int64_t channels = 0;
    for (const voice::Word& word : transcript.words) {
      channels = std::max(channels, word.channel.value_or(-1) + 1);
    }
    voice::TranscriptWriter writer(*m_format, static_cast<std::size_t>(channels));
    std::string text = writer.add(transcript);
    return text + writer.finish();
  }

  /// One of several documents says which recording it is about; everything else stays as it is.
  static std::string named(const std::string& name, const std::string& body) {
    const sv object = trim(body);
    if (!object.starts_with('{')) return body;
    const std::string file = compact_json(nlohmann::json(name));
    const bool empty = trim(object.substr(1)).starts_with('}');
    return fmt::format("{{\"file\":{}{}{}", file, empty ? "" : ",", object.substr(1));
  }

  /// Documents come out in the order in which the recordings were given.
  void hand_out(std::size_t at, std::optional<std::string> document) {
    if (m_format) return;
    m_held.emplace(at, std::move(document));
    for (auto next = m_held.find(m_handed); next != m_held.end(); next = m_held.find(m_handed)) {
      if (next->second && !m_broken) {
        m_session.progress().clear();
        if (auto added = m_results.add(*next->second, ""); !added) m_broken = added.error();
      }
      m_held.erase(next);
      ++m_handed;
    }
  }

  Session& m_session;
  std::vector<SttItem> m_items;
  std::optional<voice::TranscriptFormat> m_format;
  ApiClient& m_client;
  ConcurrentCalls m_calls;
  std::vector<std::uint64_t> m_sent;
  Results m_results;
  Failures m_failures;
  std::map<std::size_t, std::optional<std::string>> m_held{};
  std::size_t m_handed = 0;
  std::size_t m_next = 0;
  std::size_t m_done = 0;
  bool m_waiting = false;  ///< the only one is uploaded
  bool m_ended = false;    ///< nothing more is begun
  std::optional<Error> m_broken{};
};

}  // namespace

Result<void> run_stt_transcribe(Session& session) {
  SVC_TRY(format, stt_format(session));
  SVC_TRY(items, stt_items(session));
  if (session.globals().shows_only()) {
    for (const SttItem& item : items) SVC_CHECK(show(session, item.request));
    return {};
  }
  SVC_CHECK(plan_stt_targets(session, format, items));
  // What goes into one file goes through the session's own.
  const bool one_file = std::all_of(items.begin(), items.end(),
                                    [](const SttItem& item) { return item.target.empty(); });
  if (one_file) SVC_CHECK(session.write_to_output_file());
  SVC_TRY(client, session.client(session.invocation().operation->host));
  return Transcriptions(session, std::move(items), format, *client).run();
}

}  // namespace svc::cli
