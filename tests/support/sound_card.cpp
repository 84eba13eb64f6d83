#include "support/sound_card.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numbers>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "support/case_fd.h"
#include "support/case_process.h"

#if defined(SVC_FINDS_LEAKS)
#include <sanitizer/lsan_interface.h>
#endif

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr Milliseconds k_patience{10'000};
constexpr int k_card_priority = -11;  // PulseAudio's default

Result<std::string> find_program(const std::string& name) {
  for (const char* directory : {"/usr/bin/", "/usr/local/bin/", "/bin/"}) {
    if (std::error_code failed; fs::exists(directory + name, failed)) return directory + name;
  }
  return Error{Fault::Local, name + " is missing: apt install pulseaudio pulseaudio-utils"};
}

bool answers(const fs::path& socket_path) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket_path.string();
  if (path.size() >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

/// Named devices, in addition to `default` and `pulse`.
constexpr const char* k_alsa = R"(</usr/share/alsa/alsa.conf>
pcm.fake_mic { type pulse device "vmic.monitor" hint { show on description "fake mic" } }
pcm.fake_speaker { type pulse device "spk" hint { show on description "fake speaker" } }
)";

}  // namespace

// ALSA's plug-ins leak memory with every device, and are unloaded before a suppression could
// recognise them.
void forgive_leaks() noexcept {
#if defined(SVC_FINDS_LEAKS)
  __lsan_disable();
#endif
}

void blame_leaks() noexcept {
#if defined(SVC_FINDS_LEAKS)
  __lsan_enable();
#endif
}

SoundCard::SoundCard(const SoundCardOptions& options, fs::path directory)
    : m_options(options), m_directory(std::move(directory)) {
  const std::string root = m_directory.string();
  m_environment = {{"SOUND", root},
                   {"XDG_RUNTIME_DIR", root},
                   {"PULSE_SERVER", "unix:" + root + "/native"},
                   {"PULSE_COOKIE", root + "/cookie"},
                   {"PULSE_SINK", "spk"},
                   {"PULSE_SOURCE", "vmic.monitor"},
                   {"ALSA_CONFIG_PATH", root + "/alsa.conf"},
                   {"PULSE_CONFIG", root + "/daemon.conf"},
                   {"JACK_NO_START_SERVER", "1"}};
}

Result<std::unique_ptr<SoundCard>> SoundCard::start(const SoundCardOptions& options,
                                                    const fs::path& parent) {
  std::string pattern = (parent / "svc-sound-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return system_error("cannot create a directory", errno);
  std::unique_ptr<SoundCard> card(new SoundCard(options, pattern));
  SVC_CHECK(card->start_daemon());
  SVC_CHECK(card->start_recorder());
  return card;
}

SoundCard::~SoundCard() {
  if (m_applied) blame_leaks();
  for (const auto& [name, value] : m_environment) {
    if (!m_applied) break;
    if (m_before.contains(name)) {
      ::setenv(name.c_str(), m_before[name].c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }
  m_speaker.reset();
  m_recorder.reset();
  m_daemon.reset();
  std::error_code ignored;
  fs::remove_all(m_directory, ignored);
}

Result<pid_t> SoundCard::run(const std::vector<std::string>& argv, int out) const {
  SVC_TRY(program, find_program(argv.front()));
  SpawnPlan plan;
  plan.argv = argv;
  plan.argv.front() = program;
  plan.env = {"HOME=" + m_directory.string(), "PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  for (const auto& [name, value] : m_environment) plan.env.push_back(name + "=" + value);
  plan.directory = m_directory.string();
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd log(
      ::open((m_directory / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  plan.in = null.get();
  plan.out = out >= 0 ? out : null.get();
  plan.err = log.get();
  SVC_TRY(pid, spawn(plan));
  // A real card is not slowed down by a busy machine. May fail without privileges.
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), k_card_priority);
  return pid;
}

Result<void> SoundCard::start_daemon() {
  // ALSA reads its usual configuration too.
  std::ofstream(m_directory / "alsa.conf") << k_alsa;
  // The kernel kills a daemon whose real-time thread works for 200 ms without a pause, as it does
  // after the machine stalled.
  std::ofstream(m_directory / "daemon.conf") << "rlimit-rttime = -1\n";
  const std::string format =
      " rate=" + std::to_string(m_options.rate) + " channels=1 format=s16le norewinds=1";
  std::vector<std::string> argv = {"pulseaudio",
                                   "-n",
                                   "--daemonize=no",
                                   "--use-pid-file=no",
                                   "--exit-idle-time=-1",
                                   "--disallow-exit=yes",
                                   "--log-target=stderr",
                                   "--log-level=error",
                                   "-L",
                                   "module-null-sink sink_name=spk" + format,
                                   "-L",
                                   "module-null-sink sink_name=vmic" + format};
  if (m_options.echo.count() > 0) {
    argv.insert(argv.end(), {"-L", "module-loopback source=spk.monitor sink=vmic latency_msec=" +
                                       std::to_string(m_options.echo.count()) + " adjust_time=0"});
  }
  argv.insert(argv.end(), {"-L", "module-native-protocol-unix socket=" +
                                     (m_directory / "native").string() + " auth-anonymous=1"});
  SVC_TRY(pid, run(argv, -1));
  m_daemon = std::make_unique<Companion>(pid);
  std::ofstream(m_directory / "pid") << pid << '\n';
  const auto start = Clock::now();
  while (!answers(m_directory / "native")) {
    const bool ended = ::waitpid(pid, nullptr, WNOHANG) != 0;
    if (ended || Clock::now() - start > k_patience) {
      std::string log;
      std::getline(std::ifstream(m_directory / "log"), log, '\0');
      return Error{Fault::Local, "the sound card did not start: " + log};
    }
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return {};
}

Result<void> SoundCard::start_recorder() {
  const Fd out(::open((m_directory / "speaker.raw").c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  SVC_TRY(pid, run({"parec", "--latency-msec=20", "--device=spk.monitor",
                    "--rate=" + std::to_string(m_options.rate), "--channels=1", "--format=s16le",
                    "--raw"},
                   out.get()));
  m_recorder = std::make_unique<Companion>(pid);
  // Recording has started once silence arrives.
  const auto start = Clock::now();
  while (heard().empty()) {
    if (Clock::now() - start > k_patience) {
      return Error{Fault::Local, "cannot record the sound card's speaker"};
    }
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return {};
}

void SoundCard::apply() {
  for (const auto& [name, value] : m_environment) {
    if (const char* before = std::getenv(name.c_str())) m_before[name] = before;
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  m_applied = true;
  forgive_leaks();
}

Result<void> SoundCard::speak(std::span<const std::int16_t> samples) {
  wait_spoken();
  const fs::path path = m_directory / "speech.raw";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(samples.data()),
             static_cast<std::streamsize>(samples.size_bytes()));
  file.close();
  SVC_TRY(pid, run({"paplay", "--raw", "--latency-msec=20", "--device=vmic",
                    "--rate=" + std::to_string(m_options.rate), "--channels=1", "--format=s16le",
                    path.string()},
                   -1));
  m_speaker = std::make_unique<Companion>(pid);
  return {};
}

void SoundCard::wait_spoken() {
  if (!m_speaker) return;
  const auto start = Clock::now();
  siginfo_t ended{};
  while (Clock::now() - start < k_patience) {
    ended.si_pid = 0;
    ::waitid(P_PID, static_cast<id_t>(m_speaker->pid()), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid != 0) break;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  m_speaker.reset();
}

std::vector<std::int16_t> SoundCard::heard() const {
  std::ifstream file(m_directory / "speaker.raw", std::ios::binary | std::ios::ate);
  const auto bytes = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  std::vector<std::int16_t> samples(bytes / 2);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(samples.data()),
            static_cast<std::streamsize>(samples.size() * 2));
  return samples;
}

void SoundCard::kill() {
  if (m_daemon) ::kill(m_daemon->pid(), SIGKILL);
}

Result<void> SoundCard::suspend_microphone(bool suspend) {
  SVC_TRY(pid, run({"pactl", "suspend-sink", "vmic", suspend ? "1" : "0"}, -1));
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (status != 0) return Error{Fault::Local, "pactl failed"};
  return {};
}

std::ptrdiff_t find_sound(std::span<const std::int16_t> whole, std::span<const std::int16_t> part) {
  const auto loud = [](std::int16_t sample) { return sample != 0; };
  const auto first = std::ranges::find_if(part, loud);
  const auto last = std::find_if(part.rbegin(), part.rend(), loud).base();
  if (first == part.end()) return 0;
  const auto found = std::search(whole.begin(), whole.end(), first, last);
  return found == whole.end() ? -1 : found - whole.begin();
}

std::vector<std::int16_t> test_noise(std::size_t samples, std::uint32_t seed, double amplitude) {
  std::vector<std::int16_t> noise(samples);
  std::uint32_t state = seed * 2'654'435'761U + 1U;
  for (std::int16_t& sample : noise) {
    state = state * 1'664'525U + 1'013'904'223U;
    const double value = static_cast<double>(state >> 8U) / 8'388'608.0 - 1.0;
    sample = static_cast<std::int16_t>(std::lround(value * amplitude * 32'767.0));
  }
  return noise;
}

std::vector<std::int16_t> test_tone(std::size_t samples, int rate, double hertz, double amplitude) {
  std::vector<std::int16_t> tone(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double phase = 2 * std::numbers::pi * hertz * static_cast<double>(i) / rate;
    tone[i] = static_cast<std::int16_t>(std::lround(std::sin(phase) * amplitude * 32'767.0));
  }
  return tone;
}

}  // namespace svc::test
