#include "emulator/server/serve.h"

#include <cerrno>
#include <csignal>

#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/wait.h"
#include "base/write_target.h"
#include "emulator/api/batches/batches.h"
#include "emulator/server/recorder.h"
#include "emulator/server/server.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator {
namespace {

// Stops at the first error: a reader that is gone or does not read is not a reason to exit or wait.
void print(int fd, sv text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<void> follow_parent() {
  const pid_t parent = ::getppid();
  if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
    return system_error("Cannot follow the parent process", errno);
  }
  // The parent may have exited before the call; then no signal arrives.
  if (::getppid() != parent) ::raise(SIGTERM);
  return {};
}

// Returns a descriptor for the signals that end the program. They remain blocked in all threads.
int open_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

// Waits until a signal arrives or `parent_fd` (-1: none) reaches end of file.
void wait_for_exit(int signal_fd, int parent_fd) {
  std::array<pollfd, 2> watched = {pollfd{signal_fd, POLLIN, 0}, pollfd{parent_fd, POLLIN, 0}};
  std::array<char, 256> ignored{};
  for (;;) {
    if (!wait(watched, {}, NeverCanceled())) return;
    if (watched[0].revents != 0) return;
    if (watched[1].revents == 0) continue;
    const ssize_t bytes_read = ::read(parent_fd, ignored.data(), ignored.size());
    if (bytes_read == 0 || (bytes_read < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

// --state, or else the default file, or else memory.
std::string state_path(const Options& options) {
  if (options.state) return *options.state;
  const auto directory = state_directory();
  const bool writable = !directory.empty() && make_private_directory(directory) &&
                        ::access(directory.c_str(), W_OK) == 0;
  if (writable) return (directory / "emulator.db").string();
  if (!options.quiet) {
    print(STDERR_FILENO,
          fmt::format("svc-emulator: {}, so the state is in memory and lost when this program "
                      "exits.\n",
                      directory.empty() ? "neither XDG_STATE_HOME nor HOME is set"
                                        : quote_path(directory.string()) + " is not writable"));
  }
  return ":memory:";
}

// Uses as many descriptors as the system permits; returns how many connections fit.
std::size_t raise_descriptor_limit() {
  constexpr rlim_t k_reserved = 256;
  constexpr rlim_t k_most = 8'192;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return ServerOptions{}.max_connections;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t room = limit.rlim_cur > 2 * k_reserved ? limit.rlim_cur - k_reserved : k_reserved;
  return static_cast<std::size_t>(std::min(room, k_most));
}

ScopeSetup setup_of(const Options& options) {
  return {.answers = options.answers,
          .faults = options.faults,
          .limits = options.limits,
          .seed = options.seed,
          .clock_s = options.clock_s,
          .strict = options.replay   ? AnswerRuleSet::Strict::All
                    : options.strict ? AnswerRuleSet::Strict::Models
                                     : AnswerRuleSet::Strict::No};
}

Result<std::optional<TlsIdentity>> make_identity(const Options& options) {
  if (!options.tls) return std::optional<TlsIdentity>{};
  SVC_TRY(identity, options.certificate_file.empty()
                        ? TlsIdentity::make()
                        : TlsIdentity::load(options.certificate_file, options.key_file));
  return std::optional(std::move(identity));
}

void announce(const Options& options, const Endpoint& endpoint, sv version, sv state) {
  if (options.announce_fd >= 0) {
    print(options.announce_fd, announce_json(endpoint, state == ":memory:"));
    // Standard streams remain open: another file with their number would receive their output.
    if (options.announce_fd > STDERR_FILENO) ::close(options.announce_fd);
  } else if (!options.quiet) {
    print(STDOUT_FILENO, announce_text(endpoint, version, state));
  }
}

// What a listener beyond loopback opens.
std::string exposure_notice(const Endpoint& endpoint, bool controllable) {
  return fmt::format(
      "svc-emulator: listening on {}: other machines can use the demo keys, which are public, and "
      "read what tests store here. {}\n",
      endpoint.host,
      controllable ? "They can control the emulator with the --control-token."
                   : "Only this machine can use /_emulator; --control-token opens it.");
}

AccessLog access_log(const Options& options) {
  if (options.quiet || options.announce_fd >= 0) return {};
  return [](sv line) { print(STDERR_FILENO, fmt::format("{}\n", line)); };
}

}  // namespace

Result<void> serve(const Options& options, sv version) {
  const FileDescriptor signals(open_signals());
  if (!signals.is_open()) return system_error("Cannot wait for signals", errno);
  if (options.die_with_parent) SVC_CHECK(follow_parent());

  SVC_TRY(identity, make_identity(options));
  std::optional<TemporaryFile> authority;
  if (identity && !identity->authority_pem().empty()) {
    authority.emplace(".pem");
    SVC_CHECK(write_file(authority->path(), identity->authority_pem(), Replace::No, 0600));
  }
  const std::string path = state_path(options);
  SVC_TRY(state, State::open(path, {}, options.clock_s));
  VideoOptions videos;
  if (options.video_time) videos.render_time = *options.video_time;
  const std::vector<Route> routes = all_routes(videos);
  Dispatcher dispatcher(*state, routes, access_log(options));
  SVC_CHECK(dispatcher.set_up(setup_of(options)));
  dispatcher.set_control_token(options.control_token);
  std::unique_ptr<Recorder> recorder;
  if (!options.record_url.empty()) {
    SVC_TRY(upstream, parse_upstream(options.record_url));
    SVC_TRY(opened, Recorder::open(upstream, options.record_file));
    recorder = std::move(opened);
    dispatcher.set_recorder(*recorder);
  }
  if (options.replay) dispatcher.set_replay();
  SVC_TRY(server, Server::start({.host = options.host,
                                 .port = options.port,
                                 .tls = identity,
                                 .max_connections = raise_descriptor_limit()},
                                dispatcher));

  const Endpoint endpoint{options.host, server->port(), options.tls,
                          authority ? authority->path() : ""};
  // Batch requests see the emulator at its public URL.
  const std::string url = endpoint_url(endpoint, "http");
  const std::string host = url.substr(url.find("://") + 3);
  batches::Worker worker(*state, routes, {host, endpoint.tls},
                         path == ":memory:" ? "" : path + ".worker");
  dispatcher.on_new_scope([&](const Scope& scope) {
    worker.add(scope.own, {host, endpoint.tls, scope.name});
  });
  const bool local =
      options.host == "::1" || options.host == "localhost" || options.host.starts_with("127.");
  if (!local && !options.quiet) {
    print(STDERR_FILENO, exposure_notice(endpoint, !options.control_token.empty()));
  }
  announce(options, endpoint, version, path);
  wait_for_exit(signals.get(), options.parent_fd);
  if (recorder) recorder->stop();
  server->stop();
  return {};
}

std::string endpoint_url(const Endpoint& endpoint, sv scheme) {
  std::string host = endpoint.host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("{}{}://{}:{}", scheme, endpoint.tls ? "s" : "", host, endpoint.port);
}

std::string announce_json(const Endpoint& endpoint, bool in_memory) {
  const std::string base = endpoint_url(endpoint, "http");
  nlohmann::ordered_json line = {{"base_url", base},
                                 {"management_url", base},
                                 {"realtime_url", endpoint_url(endpoint, "ws")},
                                 {"docs_url", base},
                                 {"api_key", k_demo_key},
                                 {"management_key", k_demo_management_key},
                                 {"team_id", k_demo_team_id}};
  if (in_memory) line["in_memory"] = true;
  if (!endpoint.ca_file.empty()) line["ca_file"] = endpoint.ca_file;
  return text::dump(line) + "\n";
}

std::string announce_text(const Endpoint& endpoint, sv version, sv state) {
  const std::string base = endpoint_url(endpoint, "http");
  std::string out = fmt::format(fmt::runtime(text::embedded_file("announce.txt")), version, base,
                                visible(state, Lines::Escape), speech_parts(), shell_quote(base),
                                shell_quote(endpoint_url(endpoint, "ws")), k_demo_key,
                                k_demo_management_key, k_demo_team_id);
  if (endpoint.ca_file.empty()) return out;
  // CURL_CA_BUNDLE takes precedence where it is already set.
  return out + fmt::format(
                   "# Its certificate is signed by its own authority, which clients must trust:\n"
                   "export SSL_CERT_FILE={0}\nexport CURL_CA_BUNDLE={0}\n",
                   shell_quote(endpoint.ca_file));
}

std::string speech_parts() {
  std::string text = "Speech: ";
  text += speech::flite_is_built_in() ? "flite speaks" : "built without flite, it does not speak";
  text += speech::recognizer_is_built_in() ? ", pocketsphinx listens"
                                           : ", built without pocketsphinx, it knows no words";
  text += ", libsndfile reads sound files.";
  return text;
}

}  // namespace svc::emulator
