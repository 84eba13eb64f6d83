#include "support/jack_card.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "support/case_fd.h"
#include "support/case_process.h"
#include "support/sound_card.h"

namespace svc::test {

Result<std::unique_ptr<JackCard>> JackCard::start(int rate) {
  std::string pattern = (std::filesystem::temp_directory_path() / "svc-jack-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return system_error("cannot create a directory", errno);
  const std::string name = "svc-test-" + std::to_string(::getpid());
  std::unique_ptr<JackCard> card(new JackCard(name, pattern));
  const std::string log = pattern + "/log";
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd out(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  SpawnPlan plan;
  plan.argv = {"/usr/bin/jackd",
               "--no-realtime",
               "--name",
               name,
               "-d",
               "dummy",
               "-r",
               std::to_string(rate),
               "-p",
               "1024"};
  plan.env = {"HOME=" + pattern, "PATH=/usr/bin:/bin", "JACK_NO_AUDIO_RESERVATION=1"};
  plan.directory = pattern;
  plan.in = null.get();
  plan.out = plan.err = out.get();
  SVC_TRY(pid, spawn(plan));
  card->m_server = std::make_unique<Companion>(pid);
  for (int tries = 0; tries < 500; ++tries) {
    // The socket where clients find it.
    const std::string socket = "/dev/shm/jack_" + name + "_" + std::to_string(::getuid()) + "_0";
    if (std::filesystem::exists(socket)) return card;
    std::this_thread::sleep_for(Milliseconds(10));
  }
  std::ifstream file(log);
  return Error{Fault::Local,
               "jackd did not start: " + std::string(std::istreambuf_iterator<char>(file), {})};
}

JackCard::~JackCard() {
  if (m_applied) {
    ::unsetenv("JACK_DEFAULT_SERVER");
    blame_leaks();
  }
  m_server.reset();
  std::error_code ignored;
  std::filesystem::remove_all(m_directory, ignored);
}

void JackCard::apply() {
  ::setenv("JACK_DEFAULT_SERVER", m_name.c_str(), 1);
  m_applied = true;
  forgive_leaks();
}

}  // namespace svc::test
