// svc-sound: audio tool for end-to-end cases with a sound card (support/sound_card.h).
//   svc-sound say FILE.wav RATE TEXT           a spoken sentence (flite)
//   svc-sound noise FILE.wav RATE SECONDS      noise that never repeats
//   svc-sound tone FILE.wav RATE SECONDS HERTZ
//   svc-sound side FILE.wav OTHER.wav left|right   writes one of two channels to OTHER.wav
//   svc-sound speak FILE.wav                   plays into the microphone; exits at the end
//   svc-sound heard RECORDING FILE.wav...      checks that the files are in the recording (.raw or
//                                              .wav), in this order and unchanged; waits for up to
//                                              two seconds
//   svc-sound not-heard RECORDING FILE.wav     checks that FILE.wav is not in the recording
//   svc-sound gap RECORDING MILLISECONDS [RATE]  checks that no silence within the audio is longer;
//                                              RATE is the card's (default: 24000)
//   svc-sound quiet RECORDING MILLISECONDS [RATE]  waits for audio followed by this much silence
//   svc-sound barge-in RECORDING ROUNDS        interrupts ROUNDS answers of `svc realtime talk`,
//                                              which must never report more as heard than was
//                                              played, and in its best round must be silent within
//                                              30 ms and be wrong by at most 20 ms
//   svc-sound kill                             unplugs the card
//   svc-sound freeze | thaw                    stops the sound server, or resumes it
//   svc-sound suspend | resume                 stops the microphone's frames, or resumes them
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "audio/sound_file.h"
#include "audio/wav.h"
#include "base/atomic_file.h"
#include "base/text.h"
#include "support/sound_card.h"
#include "support/talk_probe.h"

namespace {

using namespace svc;
using Words = std::vector<std::string>;
using Samples = std::vector<std::int16_t>;

[[noreturn]] void stop_with(const std::string& message) {
  std::fprintf(stderr, "svc-sound: %s\n", message.c_str());
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (!result) stop_with(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

double number(const std::string& text) {
  const auto value = parse_number(text);
  if (!value) stop_with("'" + text + "' is not a number");
  return *value;
}

Samples load(const std::string& path) {
  if (path.ends_with(".raw")) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return audio::decode(bytes, audio::Encoding::Pcm);
  }
  const auto reader = must(audio::open_sound_reader(path, {0, 1}));
  return must(audio::read_all(*reader));
}

void save(const std::string& path, int rate, const Samples& samples) {
  auto writer = must(audio::WavWriter::create(path, {rate, 1}, Replace::Yes));
  must(writer.write(samples));
  must(writer.close());
}

void say(const Words& words) {
  const std::string spoken = words[1] + ".flite";
  const std::string command =
      "flite -voice slt -t " + shell_quote(words[3]) + " -o " + shell_quote(spoken) + " >/dev/null";
  if (std::system(command.c_str()) != 0) stop_with("flite failed: apt install flite");
  const int rate = static_cast<int>(number(words[2]));
  const auto reader = must(audio::open_sound_reader(spoken, {rate, 1}));
  save(words[1], rate, must(audio::read_all(*reader)));
  ::unlink(spoken.c_str());
}

void make(const Words& words) {
  const int rate = static_cast<int>(number(words[2]));
  const auto count = static_cast<std::size_t>(number(words[3]) * rate);
  save(words[1], rate,
       words[0] == "noise" ? test::test_noise(count)
                           : test::test_tone(count, rate, number(words[4])));
}

void side(const Words& words) {
  const auto reader = must(audio::open_sound_reader(words[1], {0, 0}));
  if (reader->format().channels != 2) stop_with(words[1] + " does not have two channels");
  const Samples both = must(audio::read_all(*reader));
  Samples one;
  for (std::size_t i = words[3] == "right" ? 1 : 0; i < both.size(); i += 2) one.push_back(both[i]);
  save(words[2], reader->format().rate, one);
}

/// The first file that is not in the recording after the previous one; empty if all are.
std::string missing(const Words& words) {
  const Samples recording = load(words[1]);
  std::span<const std::int16_t> rest = recording;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const Samples wanted = load(words[i]);
    const std::ptrdiff_t at = test::find_sound(rest, wanted);
    if (at < 0) return words[i];
    rest = rest.subspan(static_cast<std::size_t>(at) + 1);
  }
  return {};
}

void heard(const Words& words) {
  std::string problem = missing(words);
  for (int tries = 0; !problem.empty() && tries < 20; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    problem = missing(words);
  }
  if (!problem.empty()) stop_with(problem + " was not heard unchanged, or not in this order");
}

void gap(const Words& words) {
  const Samples samples = load(words[1]);
  const double per_ms = (words.size() > 3 ? number(words[3]) : 24'000) / 1000;
  std::size_t silence = 0;
  bool begun = false;
  for (const std::int16_t sample : samples) {
    const double lasted = static_cast<double>(silence) / per_ms;
    if (sample == 0) {
      ++silence;
      continue;
    }
    if (begun && lasted > number(words[2])) {
      stop_with("a silence of " + std::to_string(std::lround(lasted)) + " ms");
    }
    begun = true;
    silence = 0;
  }
  if (!begun) stop_with("nothing was heard");
}

void quiet(const Words& words) {
  const double per_ms = (words.size() > 3 ? number(words[3]) : 24'000) / 1000;
  const auto wanted = static_cast<std::ptrdiff_t>(number(words[2]) * per_ms);
  for (int tries = 0; tries < 1'000; ++tries) {
    const Samples samples = load(words[1]);
    const auto last =
        std::find_if(samples.rbegin(), samples.rend(), [](auto one) { return one != 0; });
    if (last != samples.rend() && last - samples.rbegin() >= wanted) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  stop_with("the recording does not become silent");
}

void barge_in(const Words& words) {
  const auto probe = must(test::TalkProbe::start({.recording = words[1], .directory = "."}));
  double silence = 1e9;
  double error = 1e9;
  for (int i = 0; i < static_cast<int>(number(words[2])); ++i) {
    const test::BargeIn one = must(probe->barge_in(std::chrono::milliseconds(500 + 57 * i)));
    std::printf("silent after %.1f ms, heard %.1f ms, said %.0f ms\n", one.silence, one.heard,
                one.said);
    if (one.said > one.heard) stop_with("svc reports more as heard than was played");
    silence = std::min(silence, one.silence);
    error = std::min(error, one.heard - one.said);
  }
  (void)probe->end();
  // On a busy machine a single round may be late.
  if (silence > 30) stop_with("svc takes too long to become silent");
  if (error > 20) stop_with("much more was heard than svc reports");
}

void run_program(const Words& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  stop_with("cannot run " + words[0]);
}

void signal_card(int signal) {
  const char* directory = std::getenv("SOUND");
  if (directory == nullptr) stop_with("no sound card: SOUND is not set");
  std::ifstream file(std::string(directory) + "/pid");
  pid_t pid = 0;
  file >> pid;
  if (pid <= 1 || ::kill(pid, signal) != 0) stop_with("the sound card is already gone");
}

}  // namespace

int main(int count, char** arguments) {
  const Words words(arguments + 1, arguments + count);
  const std::string what = words.empty() ? "" : words[0];
  const auto has = [&](const char* name, std::size_t least) {
    return what == name && words.size() >= least;
  };
  if (has("say", 4)) {
    say(words);
  } else if (has("noise", 4) || has("tone", 5)) {
    make(words);
  } else if (has("side", 4)) {
    side(words);
  } else if (has("speak", 2)) {
    (void)::setpriority(PRIO_PROCESS, 0, -11);  // as sound_card.cpp does
    run_program({"paplay", "--latency-msec=20", "--device=vmic", words[1]});
  } else if (has("heard", 3)) {
    heard(words);
  } else if (has("not-heard", 3)) {
    if (missing(words).empty()) stop_with(words[2] + " was heard");
  } else if (has("gap", 3)) {
    gap(words);
  } else if (has("quiet", 3)) {
    quiet(words);
  } else if (has("barge-in", 3)) {
    barge_in(words);
  } else if (has("kill", 1)) {
    signal_card(SIGKILL);
  } else if (has("freeze", 1)) {
    signal_card(SIGSTOP);
  } else if (has("thaw", 1)) {
    signal_card(SIGCONT);
  } else if (has("suspend", 1) || has("resume", 1)) {
    run_program({"pactl", "suspend-sink", "vmic", what == "suspend" ? "1" : "0"});
  } else {
    stop_with("unknown command; see tests/sound_main.cpp");
  }
  return 0;
}
