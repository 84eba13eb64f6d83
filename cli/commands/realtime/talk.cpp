// `svc realtime talk`: a conversation by voice or text, with or without a microphone and a speaker.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "audio/duplex.h"
#include "audio/enhanced_source.h"
#include "audio/microphone_speaker.h"
#include "audio/source.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/realtime_fields.h"
#include "commands/command.h"
#include "commands/realtime/realtime.h"
#include "commands/realtime/talk_run.h"
#include "conversation/tool_flags.h"
#include "live/live_channel.h"
#include "live/sound.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "request/convert.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

using TalkFlags = Flags<catalogue::realtime::k_talk_all_fields>;

using std::chrono::milliseconds;

class Talk {
 public:
  /// `first` are events sent after the session's settings.
  Talk(Session& session, std::vector<std::string> first)
      : m_session(session), m_flags(session.inputs()), m_first(std::move(first)) {}

  Result<void> run() {
    m_text = m_flags.is_true<"text">();
    m_call = m_flags.get<"call">() || m_flags.get<"call-id">();
    m_input = m_flags.text<"input">();
    m_output = m_flags.text<"audio-output">();
    const bool only_shown = m_session.globals().shows_only();
    SVC_CHECK(check_flags());
    SVC_TRY(request, prepare_own(m_session));
    SVC_TRY(made, make_session(request));
    if (only_shown) {
      request.body = made.update;
      return show_socket(m_session, std::move(request));
    }
    TalkPlan plan{.session = made, .text = m_text, .call = m_call, .first = std::move(m_first)};
    SVC_CHECK(read_says(plan));
    SVC_CHECK(open_sound(plan));
    SVC_CHECK(complete(plan, request));
    return talk(std::move(plan));
  }

 private:
  [[nodiscard]] bool interactive() const { return m_input.empty() && m_output.empty() && !m_text; }

  Result<void> check_flags() {
    const bool asks = m_session.can_ask() && !m_session.globals().no_stdin && m_input != "-";
    SVC_TRY(tools, read_tool_flags(m_session, asks));
    m_tools = std::move(tools);
    if (m_output == "-" && m_session.out().terminal().is_tty) {
      return Error{Fault::Local, "audio is not written to a terminal",
                   "Pipe it to a program, or save it with --audio-output FILE."};
    }
    if (m_input == "-" && ::isatty(STDIN_FILENO) == 1) {
      return usage_error("--input - cannot read audio from a terminal");
    }
    return {};
  }

  Result<TalkSession> make_session(const request::Request& request) {
    const auto* opening = std::get_if<std::string>(&request.body);
    return make_talk_session(opening != nullptr ? *opening : std::string(),
                             {.text = m_text,
                              .call = m_call,
                              .manual = m_flags.is_true<"push-to-talk">(),
                              .live_transcript = TalkView::shows_live(m_session),
                              .voice = m_session.settings().voice.value},
                             m_tools.tools);
  }

  /// Reads the texts to send: --say, or the lines of standard input if there is no audio input.
  Result<void> read_says(TalkPlan& plan) {
    for (const request::Given& given : m_flags.get<"say">()) {
      SVC_TRY(text, request::resolve_text("--say", given));
      plan.says.push_back(text);
    }
    if (!m_text || m_call || !plan.says.empty()) return {};
    SVC_TRY(piped, m_session.read_stdin());
    for (const sv line : split(piped ? sv(*piped) : sv(), '\n')) {
      if (!trim(line).empty()) plan.says.emplace_back(trim(line));
    }
    return {};
  }

  Result<void> open_sound(TalkPlan& plan) {
    if (m_text || m_call) return {};
    const audio::Timing timing =
        m_flags.is_true<"fast">() ? audio::Timing::Immediate : audio::Timing::RealTime;
    plan.fast = timing == audio::Timing::Immediate;
    // Without turn detection and without a file, the user has to end each turn.
    plan.push_to_talk = m_flags.is_true<"push-to-talk">() || (plan.session.manual && interactive());
    if (interactive()) {
      const Result<void> opened = open_devices(plan);
      if (opened || opened.error().fault != Fault::Local || !m_flags.has<"say">()) return opened;
      // With --say, the conversation works without audio devices.
      m_session.notices().warning(opened.error().message + "; answers are shown, not played");
      plan.push_to_talk = false;
      m_sink = audio::open_null_sink({.format = {plan.session.output.rate, 1}},
                                     audio::Timing::Immediate);
      return {};
    }
    const audio::Latency latency = latency_of(m_session);
    const audio::SourceOptions listen{.format = {plan.session.input.rate, 1},
                                      .latency = latency.device};
    const audio::SinkOptions speak{.format = {plan.session.output.rate, 1},
                                   .latency = latency.device,
                                   .prebuffer = latency.prebuffer};
    plan.waits = true;
    if (m_input == "-") {
      SVC_TRY(source,
              audio::open_raw_source(STDIN_FILENO, plan.session.input.encoding, listen, timing));
      m_source = std::move(source);
    } else if (!m_input.empty()) {
      SVC_TRY(source, audio::open_sound_file(m_input, listen, timing));
      m_source = std::move(source);
    } else if (!m_flags.has<"say">()) {
      SVC_TRY(microphone, audio::open_microphone(input_device(m_session), listen));
      SVC_TRY(source, audio::enhance(std::move(microphone), enhancement(m_session)));
      m_source = std::move(source);
      plan.waits = false;
    }
    if (m_source) decide_interruptions(plan);
    if (m_output == "-") {
      SVC_TRY(sink,
              audio::open_raw_sink(STDOUT_FILENO, plan.session.output.encoding, speak, timing));
      m_sink = std::move(sink);
    } else if (!m_output.empty()) {
      const Replace replace = m_session.globals().replace();
      SVC_TRY(sink, audio::open_wav_sink(m_output, replace, speak, timing));
      m_sink = std::move(sink);
    } else if (m_session.out().terminal().is_tty) {
      SVC_TRY(sink, audio::open_speaker(output_device(m_session), speak));
      m_sink = std::move(sink);
    } else {
      m_sink = audio::open_null_sink(speak, audio::Timing::Immediate);  // not heard by anybody
    }
    return {};
  }

  /// Flags, or else the profile's settings.
  [[nodiscard]] voice::InterruptionPolicy interruption_policy() const {
    const Settings& settings = m_session.settings();
    const auto set = [](const Setting& setting, std::string given) {
      return given.empty() ? setting.value : given;
    };
    voice::InterruptionPolicy policy;
    policy.least = parse_duration(set(settings.interrupt_after, m_flags.text<"interrupt-after">()))
                       .value_or(policy.least);
    policy.words = static_cast<int>(
        parse_integer(set(settings.interrupt_words, m_flags.text<"interrupt-words">()))
            .value_or(policy.words));
    const std::string fillers = set(settings.fillers, m_flags.text<"fillers">());
    for (const sv filler : split(fillers == "none" ? sv() : sv(fillers), ',')) {
      if (!trim(filler).empty()) policy.fillers.emplace_back(trim(filler));
    }
    policy.resume = parse_duration(set(settings.resume_after, m_flags.text<"resume-after">()));
    return policy;
  }

  /// Whether a flag or a setting asks for it. Otherwise the service decides what interrupts:
  /// detection on this side changes the session's turn detection during each answer.
  [[nodiscard]] bool wants_policy() const {
    const Settings& settings = m_session.settings();
    const auto set = [](const Setting* one) {
      return one->is_set() && one->origin != Origin::BuiltIn;
    };
    return m_flags.has<"interrupt-after">() || m_flags.has<"interrupt-words">() ||
           m_flags.has<"fillers">() || m_flags.has<"resume-after">() ||
           std::ranges::any_of(std::array{&settings.interrupt_after, &settings.interrupt_words,
                                          &settings.fillers, &settings.resume_after},
                               set);
  }

  void decide_interruptions(TalkPlan& plan) const {
    if (wants_policy() && !plan.half_duplex && !plan.push_to_talk && !plan.session.manual) {
      plan.interrupts = interruption_policy();
    }
  }

  Result<void> open_devices(TalkPlan& plan) {
    audio::DuplexOptions options{.format = {plan.session.input.rate, 1},
                                 .latency = latency_of(m_session),
                                 .enhancement = enhancement(m_session),
                                 .input = input_device(m_session),
                                 .output = output_device(m_session),
                                 .lag_of = known_lag,
                                 .cancel = &m_session.cancel_token()};
    if (plan.session.input.rate != plan.session.output.rate) {
      return usage_error(
          "microphone and speaker must use the same sample rate",
          "Set --audio-input-format-rate and --audio-output-format-rate to the same value.");
    }
    const std::string interrupts = m_flags.get<"barge-in">().value_or("voice");
    if (m_flags.get<"echo-cancel">() == false) options.echo = audio::EchoMode::HalfDuplex;
    if (interrupts == "key") options.echo = audio::EchoMode::HalfDuplex;
    if (interrupts == "level") options.echo = audio::EchoMode::Gate;
    if (m_flags.get<"echo-suppression">() == "high") {
      options.suppression = audio::Suppression::High;
    }
    // With push-to-talk, speech follows the keypress immediately.
    if (plan.push_to_talk) options.tail = milliseconds(0);
    plan.devices = std::make_unique<TalkDevices>(options);
    auto opened = plan.devices->open();
    if (!opened) {
      plan.devices.reset();
      return std::move(opened).error();
    }
    audio::Duplex duplex = *std::move(opened);
    plan.half_duplex = duplex.echo == audio::EchoMode::HalfDuplex;
    if (!duplex.why.empty()) m_session.notices().note(duplex.why);
    if (plan.half_duplex && !plan.push_to_talk) {
      m_session.notices().note(
          "the microphone is muted while an answer plays; press i to interrupt it");
    }
    if (duplex.echo == audio::EchoMode::Cancel) {
      m_session.notices().detail("speaker echo is canceled");
    }
    if (duplex.echo == audio::EchoMode::Gate) {
      m_session.notices().detail("only a voice louder than the echo interrupts an answer");
    }
    decide_interruptions(plan);
    m_source = std::move(duplex.microphone);
    m_sink = std::move(duplex.speaker);
    plan.devices->use(duplex);
    return {};
  }

  Result<void> complete(TalkPlan& plan, const request::Request& request) {
    SVC_TRY(live, LivePlan::make(m_session, request));
    plan.live = std::move(live);
    plan.live.what = "the session";
    plan.live.ready = "that the session is ready";
    plan.live.meanwhile = "your speech is buffered";
    plan.idle = std::min(plan.idle, timeouts_of(m_session.settings()).idle);
    if (const auto turns = m_flags.get<"turns">()) plan.turns = static_cast<int>(*turns);
    plan.limit = m_flags.get<"session-limit">().value_or(plan.limit);
    return {};
  }

  Result<void> talk(TalkPlan plan) {
    std::optional<TalkTranscript> transcript;
    if (const auto path = m_flags.get<"transcript">()) {
      SVC_TRY(file, TalkTranscript::create(*path, m_session.globals().replace()));
      transcript.emplace(std::move(file));
    }
    if (const auto path = m_flags.get<"record">(); path && !m_text && !m_call) {
      if (plan.session.input.rate != plan.session.output.rate) {
        return usage_error(
            "--record needs the same rate on both sides",
            "Set --audio-input-format-rate and --audio-output-format-rate to the same value.");
      }
      SVC_TRY(record, audio::StereoRecorder::create(*path, plan.session.output.rate,
                                                    m_session.globals().replace()));
      plan.record.emplace(std::move(record));
    }
    plan.interactive = m_input.empty() && (plan.says.empty() || plan.devices);
    const bool asks = not_allowed(m_tools.allowed, m_tools.tools) != nullptr;
    KeyInput keys(m_input != "-" && !m_session.globals().no_stdin && (plan.interactive || asks));
    if (plan.push_to_talk && keys.descriptor() < 0) {
      return usage_error("push-to-talk needs a terminal for the space bar",
                         "Let the service detect turns (--turn-detection server_vad), or use a "
                         "file: --input FILE --turn-detection none.");
    }
    plan.live.key = keys.descriptor() >= 0 && !m_text;
    TalkView view(m_session, m_output == "-", std::move(transcript), m_call ? "caller" : "you");
    TalkVoice voice(std::move(m_sink), plan.session.output.encoding);
    ToolCalls tools(m_tools.tools, m_tools.allowed, m_tools.limits);
    plan.served = [this] { return m_tools.served(m_tools.tools); };
    plan.servers = m_tools.servers;
    SVC_TRY(left,
            run_talk(m_session, std::move(plan), std::move(m_source), voice, tools, view, keys));
    return m_call ? leave_call(left) : Result<void>();
  }

  /// A call continues when this program exits, unless it was hung up.
  Result<void> leave_call(CallLeft left) {
    const auto given = m_flags.get<"call-id">();
    const std::string id = given ? *given : m_flags.get<"call">().value_or("CALL");
    if (left == CallLeft::HangUp) {
      const FinishOnInterrupt finish;  // the first Ctrl-C must not leave the call active
      return hang_up(id);
    }
    if (left == CallLeft::Alone) {
      m_session.notices().note(fmt::format(
          "If the call is still active, `svc phone hangup {}` ends it.", shell_quote(id)));
    }
    return {};
  }

  /// Hangs up; a call that has already ended is not an error.
  Result<void> hang_up(const std::string& id) {
    const Operation* operation = find_operation("phone", "hangup");
    request::Inputs inputs;
    inputs.given.push_back({find_field(*operation, TalkFlags::k_name<"call-id">), id});
    SVC_TRY(request, prepare(m_session, *operation, inputs));
    SVC_TRY(client, open_client(m_session, request));
    const Result<CallReply> reply = client->call(request);
    if (!reply && reply.error().fault != Fault::NotFound) return reply.error();
    m_session.notices().note(reply ? "the call was ended" : std::string(operation->already_done));
    return {};
  }

  Session& m_session;
  TalkFlags m_flags;
  std::vector<std::string> m_first;
  bool m_text{};
  bool m_call{};
  std::string m_input{};
  std::string m_output{};
  ToolFlags m_tools{};
  std::unique_ptr<audio::Source> m_source{};
  std::unique_ptr<audio::Sink> m_sink{};
};

}  // namespace

Result<void> run_call(Session& session, std::vector<std::string> first) {
  return Talk(session, std::move(first)).run();
}

template <>
Result<void> run<Handler::RealtimeTalk>(Session& session) {
  if (TalkFlags(session.inputs()).is_true<"list-devices">()) return print_devices(session);
  return Talk(session, {}).run();
}

}  // namespace svc::cli
