#include "commands/stt/live_view.h"

#include <array>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "base/wait.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/text.h"
#include "live/sound.h"
#include "operation/results.h"
#include "voice/event_json.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_line = 64U << 10U;

}  // namespace

std::string stt_clock_text(std::chrono::milliseconds elapsed) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

SttLiveView::SttLiveView(Session& session, voice::TranscriptFormat format, std::size_t channels,
                         bool keys)
    : m_session(session),
      m_format(format),
      m_writer(format, channels),
      m_live(session.err(), !session.globals().quiet && !session.globals().no_progress,
             [] { return print::detect_terminal(STDERR_FILENO, {}).columns; }),
      m_keys(keys) {}

bool SttLiveView::shows_interim(Session& session, voice::TranscriptFormat format) {
  const print::Terminal& terminal = session.err().terminal();
  return session.format() == Format::Text && format == voice::TranscriptFormat::Text &&
         terminal.is_tty && !terminal.dumb && !session.globals().quiet &&
         !session.globals().no_progress;
}

Result<void> SttLiveView::message(const std::string& text) {
  if (m_session.format() == Format::Raw ||
      (m_session.format() == Format::Jsonl && check_json(text))) {
    SVC_CHECK(m_session.write_foreign(text + "\n"));
    return m_session.out().flush();
  }
  if (m_session.format() != Format::Jsonl) return {};
  SVC_CHECK(m_session.write_document(without_secrets_in_error(text, m_session.secrets())));
  return m_session.out().flush();
}

Result<void> SttLiveView::utterance(const voice::Transcript& utterance) {
  if (m_session.format() != Format::Text) return {};
  m_live.clear();
  SVC_CHECK(m_session.write_foreign(m_writer.add(utterance)));
  return m_session.out().flush();
}

void SttLiveView::draw(const voice::LiveTranscript& transcript, audio::Level level,
                       std::chrono::milliseconds elapsed) {
  if (!m_live.enabled()) return;
  std::string text;
  for (int channel = 0; channel < transcript.channels(); ++channel) {
    const std::string open = transcript.open_text(channel);
    if (!open.empty()) text += (text.empty() ? "" : " / ") + open;
  }
  const print::Terminal& terminal = m_session.err().terminal();
  m_live.show(text,
              fmt::format("{}  {}{}", stt_clock_text(elapsed), level_meter(level, terminal.utf8),
                          m_keys ? "  Enter: end utterance, q: end, ?: keys" : ""));
}

void SttLiveView::note(const std::string& text) {
  m_live.clear();
  m_session.notices().note(text);
}

void SttLiveView::warning(const std::string& text) {
  m_live.clear();
  m_session.notices().warning(text);
}

Result<void> SttLiveView::finish(const voice::LiveTranscript& transcript) {
  m_live.clear();
  if (std::exchange(m_finished, true)) return {};
  if (m_session.format() == Format::Json) {
    SVC_CHECK(m_session.write_document(voice::transcript_json(transcript.transcript())));
  } else if (m_session.format() == Format::Text) {
    const bool document = m_format == voice::TranscriptFormat::Json;
    SVC_CHECK(m_session.write_foreign(
        document ? voice::transcript_json(transcript.transcript()) + "\n" : m_writer.finish()));
  }
  SVC_CHECK(m_session.out().flush());
  print_details(m_session, parse_reply(voice::transcript_json(transcript.transcript())));
  return {};
}

Result<SttCommand> read_stt_command(const std::string& line, int channels) {
  const nlohmann::json message = voice::read_event(line);
  const std::string type = message.is_object() ? text_member(message, "type") : std::string();
  if (type == "audio.done") return SttCommand{.kind = SttCommand::Kind::End};
  if (type != "finalize" && type != "Finalize") {
    return usage_error(fmt::format(
        "control line '{}' is neither {{\"type\":\"finalize\"}} nor {{\"type\":\"audio.done\"}}",
        shown(line)));
  }
  if (!message.contains("channel")) return SttCommand{};
  const auto channel = voice::count_of(message, "channel");
  if (!channel || *channel >= channels) {
    return usage_error(fmt::format(
        "control line '{}' has an invalid channel: {}", shown(line),
        channels > 1 ? fmt::format("channels are 0 to {}", channels - 1)
                     : std::string("without --multichannel there is only one; omit \"channel\"")));
  }
  return SttCommand{.channel = channels > 1 ? channel : std::nullopt};
}

Result<void> SttControl::check(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  // Inherited descriptors have no FD_CLOEXEC; the others are svc's own.
  const bool inherited = flags >= 0 && (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
  if (inherited && (flags & O_ACCMODE) != O_WRONLY) return {};
  return usage_error(
      fmt::format("--control-fd {}: descriptor {} is not open for reading", fd, fd),
      fmt::format(
          "Open it in the shell: `svc stt live --control-fd {} {}<> FIFO`; <> keeps it open "
          "between writers.",
          fd, fd));
}

SttControl::SttControl(int fd) : m_fd(fd), m_signal(SIGUSR1) {}

std::vector<Result<SttCommand>> SttControl::read(int channels) {
  std::vector<Result<SttCommand>> commands;
  if (m_signal.take()) commands.emplace_back(SttCommand{});
  if (m_fd >= 0) read_lines(channels, commands);
  return commands;
}

void SttControl::read_lines(int channels, std::vector<Result<SttCommand>>& commands) {
  while (true) {
    const auto ready = wait_readable(m_fd, after(std::chrono::milliseconds(0)), NeverCanceled());
    if (!ready || !*ready) return;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(m_fd, buffer.data(), buffer.size());
    if (count > 0) m_rest.append(buffer.data(), static_cast<std::size_t>(count));
    const bool over = count <= 0;
    if (over) m_rest += '\n';  // the last line may lack its end
    for (std::size_t end = m_rest.find('\n'); end != m_rest.npos; end = m_rest.find('\n')) {
      const std::string line(trim(m_rest.substr(0, end)));
      m_rest.erase(0, end + 1);
      if (!line.empty()) commands.push_back(read_stt_command(line, channels));
    }
    if (over) {
      m_fd = -1;  // its writer has exited
      return;
    }
    if (m_rest.size() > k_max_line) m_rest.clear();
  }
}

}  // namespace svc::cli
