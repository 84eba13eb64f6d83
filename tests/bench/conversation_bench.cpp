// Measures a long conversation of `svc realtime talk` with the emulator, on a virtual sound card
// whose microphone hears the speaker as loud as the user, with interruptions, one network failure
// and one microphone that stops: svc-conversation-bench [INTERRUPTIONS [MINUTES [PROGRAM]]].
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "audio/sound_file.h"
#include "base/text.h"
#include "row.h"
#include "support/case_companion.h"
#include "support/case_fd.h"
#include "support/case_process.h"
#include "support/sound_card.h"
#include "support/talk_probe.h"

extern char** environ;

namespace {

using namespace svc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Samples = std::vector<std::int16_t>;

constexpr int k_rate = 24'000;

template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "svc-conversation-bench: {}\n", result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Phrase {
  std::string words{};
  Samples samples{};
  Clock::duration onset{};  ///< when the voice starts in it

  explicit Phrase(std::string text, const std::string& directory) : words(std::move(text)) {
    const std::string path = directory + "/phrase.wav";
    const std::string command = fmt::format("flite -voice slt -t '{}' -o '{}'", words, path);
    if (std::system(command.c_str()) != 0) std::exit(1);
    samples = must(audio::read_all(*must(audio::open_sound_reader(path, {k_rate, 1}))));
    const auto loud = std::ranges::find_if(samples, [](int one) { return std::abs(one) > 1'000; });
    onset = std::chrono::microseconds((loud - samples.begin()) * 1'000'000 / k_rate);
  }
};

/// The service's events in svc's output file, read while it grows.
class Events {
 public:
  explicit Events(std::string path) : m_path(std::move(path)) {}

  void update() {
    std::ifstream file(m_path);
    file.seekg(static_cast<std::streamoff>(m_at));
    for (std::string line; std::getline(file, line) && !file.eof();) {
      m_at += line.size() + 1;
      const auto event = nlohmann::json::parse(line, nullptr, false);
      if (!event.is_object()) continue;
      const std::string type = event.value("type", "");
      ++m_counts[type];
      if (type == "conversation.item.input_audio_transcription.completed") {
        const std::string item = event.value("item_id", "");
        if (!m_heard.contains(item)) m_order.push_back(item);
        m_heard[item] = event.value("transcript", "");
      }
      if (type == "error") errors.push_back(line);
    }
  }
  int count(const std::string& type) {
    update();
    return m_counts[type];
  }
  /// Returns when there are at least `least` events; nullopt if there are not within `limit`.
  std::optional<Clock::time_point> wait(const std::string& type, int least, Clock::duration limit) {
    const auto until = Clock::now() + limit;
    while (count(type) < least) {
      if (Clock::now() > until) return std::nullopt;
      std::this_thread::sleep_for(4ms);
    }
    return Clock::now();
  }
  /// The number of turns that contain `words`.
  int turns_with(const std::string& words) {
    update();
    return static_cast<int>(std::ranges::count_if(
        m_heard, [&](const auto& turn) { return contains_ignore_case(turn.second, words); }));
  }

  /// The transcripts of all turns after the first `count`.
  std::string since(std::size_t count) {
    update();
    std::string all;
    for (std::size_t i = count; i < m_order.size(); ++i) {
      all += (all.empty() ? "" : " | ") + m_heard[m_order[i]];
    }
    return all;
  }
  std::size_t turns() {
    update();
    return m_order.size();
  }

  std::vector<std::string> errors{};

 private:
  std::vector<std::string> m_order{};  // IDs of the turns
  std::string m_path;
  std::size_t m_at = 0;
  std::map<std::string, int> m_counts{};
  std::map<std::string, std::string> m_heard{};
};

/// Starts a program with its output in files in `directory`; `extra` becomes its descriptor 3.
std::unique_ptr<test::Companion> launch(const std::string& command, const std::string& directory,
                                        const std::string& name, int extra = -1) {
  test::SpawnPlan plan;
  plan.argv = {"/bin/sh", "-c", "exec " + command};
  for (char** one = environ; *one != nullptr; ++one) plan.env.emplace_back(*one);
  plan.directory = directory;
  const auto file = [&](const char* ending) {
    return test::Fd(::open((directory + "/" + name + ending).c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  };
  const test::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const test::Fd out = file(".out");
  const test::Fd err = file(".err");
  plan.in = null.get();
  plan.out = out.get();
  plan.err = err.get();
  plan.extra = extra;
  return std::make_unique<test::Companion>(must(test::spawn(plan)));
}

std::unique_ptr<test::Companion> launch_emulator(const std::string& directory, int cut_after) {
  std::array<int, 2> announce{};
  if (::pipe2(announce.data(), O_CLOEXEC) != 0) std::exit(1);
  const test::Fd heard(announce[0]);
  test::Fd told(announce[1]);
  auto emulator =
      launch(fmt::format("{} --port 0 --state :memory: --announce-fd 3 --fault 'GET /v1/realtime: "
                         "drop-after {}, times 1'",
                         SVC_EMULATOR_PROGRAM, cut_after),
             directory, "emulator", told.get());
  told.reset();
  const std::string line = must(test::read_line(heard.get(), 20s));
  const std::string url = line.substr(line.find("http"));
  const std::string place = url.substr(url.find(':'), url.find_first_of("\" ,") - url.find(':'));
  ::setenv("SVC_REALTIME_URL", ("ws" + place).c_str(), 1);
  ::setenv("SVC_API_KEY", "svc-demo-key", 1);
  return emulator;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string shares(std::vector<double> all) {
  if (all.empty()) return "none";
  std::ranges::sort(all);
  return fmt::format("median {:.0f}, worst {:.0f} ms", all[all.size() / 2], all.back());
}

class Conversation {
 public:
  Conversation(test::SoundCard& card, std::string directory)
      : m_card(card), m_directory(std::move(directory)), m_events(m_directory + "/talk.out") {}

  [[nodiscard]] bool run(int interruptions, Clock::duration length, pid_t svc) {
    const std::vector<Phrase> phrases = {Phrase("what time is it", m_directory),
                                         Phrase("tell me the weather", m_directory)};
    if (!m_events.wait("session.updated", 1, 10s)) return false;
    const auto begin = Clock::now();
    m_begin = begin;
    const test::ProcessUse before = test::process_use(svc);
    for (int i = 0; i < interruptions; ++i) {
      // The user interrupts an answer after a while; every fifth is heard to the end.
      say(phrases[static_cast<std::size_t>(i % 2)], m_alone);
      answer(i % 5 == 0 ? 20s : 1500ms + i % 7 * 300ms);
      say(phrases[static_cast<std::size_t>((i + 1) % 2)], m_beside);
      answer(20s);
      if (i == interruptions / 2) change_device();
      const auto due = begin + length * (i + 1) / interruptions;
      if (due > Clock::now()) std::this_thread::sleep_until(due);
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    report(interruptions, took.count(), before, test::process_use(svc));
    return true;
  }

 private:
  struct Count {
    std::vector<double> noticed{};  ///< milliseconds after the voice starts
    int said = 0;
    int first_words = 0;
    int understood = 0;
    std::map<std::string, int> lost{};  ///< phrases that were not understood
  };

  void say(const Phrase& phrase, Count& count) {
    const int started = m_events.count("input_audio_buffer.speech_started");
    const int understood = m_events.turns_with(phrase.words);
    const int sessions = m_events.count("session.created");
    const std::size_t turns = m_events.turns();
    const auto begin = Clock::now();
    must(m_card.speak(phrase.samples));
    ++count.said;
    ++m_said;
    const auto when = m_events.wait("input_audio_buffer.speech_started", started + 1, 3s);
    if (when) {
      count.noticed.push_back(
          std::chrono::duration<double, std::milli>(*when - begin - phrase.onset).count());
    }
    m_card.wait_spoken();
    const auto until = Clock::now() + 4s;
    while (m_events.turns_with(phrase.words) == understood && Clock::now() < until) {
      std::this_thread::sleep_for(20ms);
    }
    const std::string heard = m_events.since(turns);
    const std::string first = phrase.words.substr(0, phrase.words.find(' '));
    if (contains_ignore_case(heard, first)) ++count.first_words;
    if (m_events.turns_with(phrase.words) > understood) {
      ++count.understood;
    } else {
      ++count.lost[phrase.words];
      fmt::print(stderr, "{:.1f} s: '{}' was heard as '{}', {}\n", seconds_since(m_begin),
                 phrase.words, heard, &count == &m_alone ? "without echo" : "during an answer");
    }
    // Speech in progress when the connection failed is sent again on the next one.
    const bool again = m_events.count("session.created") > sessions &&
                       m_events.count("input_audio_buffer.speech_started") > started + 1;
    if (again) ++m_said;
    const int extra = m_events.count("input_audio_buffer.speech_started") - m_said;
    if (extra > m_extra) {
      fmt::print(stderr, "{:.1f} s: {} more speech starts than phrases\n", seconds_since(m_begin),
                 extra - m_extra);
    }
    m_extra = std::max(m_extra, extra);
  }

  /// The number of phrases lost during an answer that may be the recogniser's errors, as it did not
  /// understand them without an answer either.
  [[nodiscard]] int misheard_anyway() const {
    int count = 0;
    for (const auto& [words, lost] : m_beside.lost) {
      const auto alone = m_alone.lost.find(words);
      if (alone != m_alone.lost.end()) count += std::min(lost, alone->second);
    }
    return count;
  }

  /// Waits until an answer has played for `length`, or has ended.
  void answer(Clock::duration length) {
    const auto until = Clock::now() + length;
    std::size_t quiet = 0;
    while (Clock::now() < until && quiet < 10) {
      std::this_thread::sleep_for(100ms);
      const Samples all = m_card.heard();
      const std::size_t last = std::min<std::size_t>(all.size(), k_rate / 10);
      const bool silent = std::all_of(all.end() - static_cast<std::ptrdiff_t>(last), all.end(),
                                      [](std::int16_t one) { return one == 0; });
      quiet = silent ? quiet + 1 : 0;
    }
  }

  void change_device() {
    must(m_card.suspend_microphone(true));
    std::this_thread::sleep_for(2500ms);
    must(m_card.suspend_microphone(false));
    std::this_thread::sleep_for(3s);
  }

  void report(int interruptions, double seconds, const test::ProcessUse& before,
              const test::ProcessUse& after) {
    const int started = m_events.count("input_audio_buffer.speech_started");
    const auto beyond = std::ranges::count_if(m_events.errors, [](const std::string& error) {
      return error.find("audio_end_beyond_audio") != error.npos;
    });
    const double core = 100 * (after.cpu_seconds - before.cpu_seconds) / seconds;
    using bench::print_row;
    print_row("answers interrupted by their echo", "never",
              fmt::format("{} in {:.0f} s", started - m_said, seconds), started <= m_said);
    print_row("first words of interruptions", "9 of 10",
              fmt::format("{} of {}; all words of {}", m_beside.first_words, interruptions,
                          m_beside.understood),
              m_beside.first_words * 10 >= interruptions * 9);
    const int anyway = misheard_anyway();
    print_row(
        "interruptions lost by svc", "1 of 10",
        fmt::format("{} of {}; without echo {} of {}", interruptions - m_beside.understood - anyway,
                    interruptions, m_alone.said - m_alone.understood, m_alone.said),
        (interruptions - m_beside.understood - anyway) * 10 <= interruptions);
    std::ranges::sort(m_beside.noticed);
    print_row("interruption to speech_started", "200 ms", shares(m_beside.noticed),
              !m_beside.noticed.empty() && m_beside.noticed[m_beside.noticed.size() / 2] <= 200);
    print_row("truncations beyond the audio", "never", fmt::format("{} rejected", beyond),
              beyond == 0);
    print_row("a minute of conversation", "3 % of a core", fmt::format("{:.2f} %", core),
              core <= 3);
    fmt::print(stderr,
               "without echo: first words of {} of {}, all words of {}, noticed after {}\n"
               "memory: {} at most, {} at the start\n{} errors from the service\n",
               m_alone.first_words, m_alone.said, m_alone.understood, shares(m_alone.noticed),
               format_bytes(after.peak_bytes), format_bytes(before.peak_bytes),
               m_events.errors.size());
    for (const std::string& error : m_events.errors) fmt::print(stderr, "{}\n", error);
  }

  test::SoundCard& m_card;
  std::string m_directory;
  Events m_events;
  Clock::time_point m_begin{};
  Count m_alone{};
  Count m_beside{};
  int m_said = 0;
  int m_extra = 0;  ///< speech starts without a phrase
};

}  // namespace

int main(int count, char** arguments) {
  int interruptions = 50;
  int minutes = 10;
  std::string program = SVC_PROGRAM;
  CLI::App app{"Interrupts a long spoken conversation."};
  app.add_option("interruptions", interruptions)->check(CLI::Range(2, 10'000));
  app.add_option("minutes", minutes)->check(CLI::Range(0, 10'000));
  app.add_option("svc", program, "The program svc");
  CLI11_PARSE(app, count, arguments);
  const auto card = must(test::SoundCard::start({.rate = k_rate, .echo = 40ms}));
  card->apply();
  const std::string directory = card->environment().at("SOUND");
  // Each block of 40 ms is a message.
  const auto emulator = launch_emulator(directory, 25 * std::max(60, minutes * 60) / 3);
  const auto svc =
      launch(fmt::format("{} realtime talk --no-stdin -v --format jsonl --speed 1.2", program),
             directory, "talk");
  const bool held =
      Conversation(*card, directory).run(interruptions, std::chrono::minutes(minutes), svc->pid());
  ::kill(svc->pid(), SIGINT);
  std::this_thread::sleep_for(1s);
  std::ifstream errors(directory + "/talk.err");
  for (std::string line; std::getline(errors, line);) {
    if (line.find("sound:") != line.npos || line.find("svc:") == 0)
      fmt::print(stderr, "{}\n", line);
  }
  if (!held) fmt::print(stderr, "svc-conversation-bench: the conversation did not start\n");
  return held ? 0 : 1;
}
