#include "support/case_world.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "support/answer_check.h"
#include "support/case_fd.h"
#include "support/case_process.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;

Error wrong(const CaseSection& section, const std::string& what) {
  return usage_error("section '" + section.name + "' in line " + std::to_string(section.line) +
                     ": " + what);
}

std::string upper_suffix(const std::string& name) {
  return name.empty() ? std::string{} : "_" + name;
}

Result<Tls> tls_kind(const CaseSection& section, sv word) {
  if (word == "good") return Tls::Good;
  if (word == "wrong-host") return Tls::WrongHost;
  if (word == "expired") return Tls::Expired;
  if (word == "tls11") return Tls::Tls11;
  return wrong(section, "unknown kind of TLS");
}

Result<void> write_section(const CaseSection& section, const fs::path& path,
                           const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) return wrong(section, failed.message());
  if (section.words.size() > 1) {
    const auto rights = static_cast<mode_t>(std::strtoul(section.words[1].c_str(), nullptr, 8));
    return write_program(path.string(), text, rights);
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return wrong(section, "cannot write " + path.string());
  return {};
}

/// The body of the answer to a GET request to this machine; empty if there is none.
std::string http_get(const std::string& port, sv path) {
  const Fd link(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(port.c_str(), nullptr, 10)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(link.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  const std::string request = fmt::format("GET {} HTTP/1.0\r\nHost: localhost\r\n\r\n", path);
  if (::send(link.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
  std::string answer;
  std::array<char, 65536> some{};
  for (ssize_t size = 0; (size = ::read(link.get(), some.data(), some.size())) > 0;) {
    answer.append(some.data(), static_cast<std::size_t>(size));
  }
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

}  // namespace

std::string slurp(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Result<std::unique_ptr<World>> World::build(const Case& which, const Programs& programs) {
  std::unique_ptr<World> world(new World(which));
  SVC_CHECK(world->make_directories());
  world->set_environment(programs);
  SVC_CHECK(world->start_sound());
  SVC_CHECK(world->start_servers());
  if (which.target == CaseTarget::Emulator) SVC_CHECK(world->start_emulator(programs));
  SVC_CHECK(world->make_files());
  return world;
}

World::~World() {
  m_sound.reset();
  m_emulator.reset();
  m_servers.clear();
  if (m_keep || m_root.empty()) return;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(
           m_root, fs::directory_options::skip_permission_denied, ignored)) {
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) {
      fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(m_root, ignored);
}

Result<void> World::make_directories() {
  std::string pattern = (fs::temp_directory_path() / "svc-case-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return system_error("cannot create a directory", errno);
  m_root = pattern;
  for (const char* name : {"work", "home", "tmp", "home/.config", "home/.local/state"}) {
    std::error_code failed;
    fs::create_directories(m_root / name, failed);
    if (failed) return usage_error("cannot create a directory: " + failed.message());
  }
  return {};
}

void World::set_environment(const Programs& programs) {
  const std::string root = m_root.string();
  m_variables = {{"HOME", root + "/home"},
                 {"WORK", root + "/work"},
                 {"TMP", root + "/tmp"},
                 {"CONFIG", root + "/home/.config/svc"},
                 {"STATE", root + "/home/.local/state/svc"},
                 {"PRELOAD", programs.preload},
                 {"SOURCE", programs.source},
                 {"KEY", m_case.key}};
  const std::string log = "log_path=" + root + "/sanitizer:exitcode=86";
  // The caller chooses what to look for, such as leaks.
  const char* chosen = std::getenv("ASAN_OPTIONS");
  const std::string memory = (chosen == nullptr ? "" : chosen + std::string(":")) + log;
  m_environment = {
      {"PATH", programs.bin + ":/usr/local/bin:/usr/bin:/bin"},
      {"XDG_CONFIG_HOME", root + "/home/.config"},
      {"XDG_STATE_HOME", root + "/home/.local/state"},
      {"TMPDIR", root + "/tmp"},
      {"LANG", "C.UTF-8"},
      {"TERM", "xterm-256color"},
      {"TZ", "UTC"},
      {"SVC_API_KEY", m_case.key},
      // GCC 12's leak checker guesses where a library loaded at run time has its
      // thread-local data, and may read arbitrary memory.
      {"ASAN_OPTIONS", memory + ":allocator_may_return_null=1:intercept_tls_get_addr=0"},
      {"UBSAN_OPTIONS", log + ":print_stacktrace=1"},
      {"TSAN_OPTIONS", log}};
  // For tests/mutants: which mutant is on, and where to note those that this case reaches.
  if (const char* on = std::getenv("MUTANT")) m_environment["MUTANT"] = on;
  if (const char* logs = std::getenv("MUTANT_LOGS")) {
    m_environment["MUTANT_LOG"] = std::string(logs) + "/" + replace_all(m_case.name, "/", "+");
  }
}

Result<void> World::make_files() {
  for (const CaseSection& section : m_case.sections) {
    if (section.name != "file") continue;
    if (section.words.empty()) return wrong(section, "PATH is missing");
    SVC_CHECK(
        write_section(section, resolve(section.words[0]), section_text(section, m_variables)));
  }
  return {};
}

Result<void> World::start_sound() {
  if (!m_case.sound) return {};
  SVC_TRY(card, SoundCard::start(*m_case.sound, m_root));
  m_sound = std::move(card);
  for (const auto& [name, value] : m_sound->environment()) m_environment[name] = value;
  m_variables["SOUND"] = m_environment["SOUND"];
  m_environment["ASAN_OPTIONS"] += ":detect_leaks=0";  // see forgive_leaks()
  return {};
}

Result<void> World::start_server(const CaseSection& section) {
  ServerOptions options;
  // A small limit, since the peak memory of a command includes that of the runner, its parent.
  options.keep_body_bytes = 1U << 20U;
  std::string name;
  for (const std::string& word : section.words) {
    if (word == "h2") {
      options.h2 = true;
    } else if (word == "black-hole") {
      options.black_hole = true;
    } else if (word.starts_with("tls=")) {
      SVC_TRY(kind, tls_kind(section, sv(word).substr(4)));
      options.tls = kind;
    } else {
      name = word;
    }
  }
  auto script = parse_script(expand(section.text, m_variables));
  if (!script) return wrong(section, script.error().message);
  SVC_TRY(server, FaultServer::start(std::move(*script), options));
  m_variables["URL" + upper_suffix(name)] = server->url();
  m_variables["PORT" + upper_suffix(name)] = std::to_string(server->port());
  m_variables["CA" + upper_suffix(name)] = server->ca_file();
  m_servers[name] = std::move(server);
  return {};
}

/// The main server starts last, so that its script can refer to the others.
Result<void> World::start_servers() {
  std::vector<const CaseSection*> mains;
  for (const CaseSection& section : m_case.sections) {
    if (section.name != "server") continue;
    bool named = false;
    for (const std::string& word : section.words) {
      named = named || (word != "h2" && word != "black-hole" && !word.starts_with("tls="));
    }
    if (!named) {
      mains.push_back(&section);
    } else {
      SVC_CHECK(start_server(section));
    }
  }
  for (const CaseSection* section : mains) SVC_CHECK(start_server(*section));
  if (m_variables.contains("URL")) point_at(m_variables["URL"]);
  return {};
}

void World::point_at(const std::string& url) {
  m_environment["SVC_BASE_URL"] = url;
  m_environment["SVC_MANAGEMENT_URL"] = url;
  m_environment["SVC_DOCS_URL"] = url;
}

Result<void> World::start_emulator(const Programs& programs) {
  std::array<int, 2> announce{};
  if (::pipe2(announce.data(), O_CLOEXEC) != 0) return system_error("pipe", errno);
  const Fd heard(announce[0]);
  Fd told(announce[1]);
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::string path = (m_root / "emulator.log").string();
  const Fd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  SpawnPlan plan;
  const std::string command = "exec " + shell_quote(programs.emulator) +
                              " --port 0 --state :memory: --announce-fd 3 " +
                              expand(m_case.emulator_arguments, m_variables);
  plan.argv = {"/bin/sh", "-c", command};
  plan.env = environment();
  plan.directory = m_root.string();
  plan.in = null.get();
  plan.out = plan.err = log.get();
  plan.extra = told.get();
  SVC_TRY(pid, spawn(plan));
  m_emulator = std::make_unique<Companion>(pid);
  told.reset();
  auto line = read_line(heard.get(), Milliseconds(20'000));
  if (!line) return usage_error("the emulator did not start: " + slurp(path));
  const std::size_t from = line->find("http");
  const std::string url =
      from == sv::npos ? *line : line->substr(from, line->find_first_of("\" ,", from) - from);
  m_variables["URL"] = url;
  m_variables["PORT"] = url.substr(url.rfind(':') + 1);
  point_at(url);
  return {};
}

std::vector<std::string> World::environment() const {
  std::map<std::string, std::string> all = m_environment;
  for (const auto& [name, value] : m_variables) all[name] = value;
  for (const std::string& setting : m_case.env) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      all.erase(setting);
    } else {
      all[setting.substr(0, equals)] = expand(setting.substr(equals + 1), m_variables);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

fs::path World::resolve(const std::string& path) const {
  return work() / expand(path, m_variables);
}

const FaultServer* World::server(const std::string& name) const {
  const auto found = m_servers.find(name);
  return found == m_servers.end() ? nullptr : found->second.get();
}

bool World::all_gone() const {
  return wait_for_stragglers("WORK=" + work().string(), m_emulator ? m_emulator->pid() : -1,
                             Milliseconds(10000));
}

std::string World::compare_answers() const {
  if (!m_emulator) return {};
  const auto requests = nlohmann::json::parse(
      http_get(m_variables.at("PORT"), "/_emulator/requests"), nullptr, false);
  if (!requests.is_object()) return {};
  std::string differences;
  for (const auto& request : requests["requests"]) {
    const int status = request["status"].is_null() ? 0 : request["status"].get<int>();
    if (status / 100 != 2 && status != 101) continue;
    if (request["response_cut"] || !request.contains("response")) continue;
    const auto method = request["method"].get<std::string>();
    const auto path = request["path"].get<std::string>();
    for (const auto& problem : check_answer(method, path, request["response"].get<std::string>())) {
      differences += fmt::format("the answer to {} {}: {}\n", method, path, problem);
    }
  }
  return differences;
}

std::string World::stop_emulator() {
  if (!m_emulator) return {};
  const int code = m_emulator->stop();
  m_emulator.reset();
  if (code == 0 || code == 143) return {};
  return "the emulator exited with code " + std::to_string(code) + ":\n" +
         slurp(m_root / "emulator.log");
}

}  // namespace svc::test
