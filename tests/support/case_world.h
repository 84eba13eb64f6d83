// Where a case runs: its own directories, a clean environment and a server.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "support/case_companion.h"
#include "support/case_file.h"
#include "support/case_process.h"
#include "support/fault_server.h"
#include "support/sound_card.h"

namespace svc::test {

/// The programs under test, and a directory for PATH.
struct Programs {
  std::string svc{};
  std::string emulator{};
  std::string sound{};    ///< svc-sound
  std::string preload{};  ///< directory of the libraries for LD_PRELOAD
  std::string bin{};
  std::string source{};  ///< the source tree
};

class World {
 public:
  /// Creates the directories and files, starts the servers and sets the variables.
  [[nodiscard]] static Result<std::unique_ptr<World>> build(const Case& which,
                                                            const Programs& programs);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  [[nodiscard]] const Variables& variables() const noexcept { return m_variables; }
  [[nodiscard]] std::vector<std::string> environment() const;
  [[nodiscard]] const std::filesystem::path& root() const noexcept { return m_root; }
  [[nodiscard]] std::filesystem::path work() const { return m_root / "work"; }

  /// Resolves a section's path: absolute, or relative to the working directory.
  [[nodiscard]] std::filesystem::path resolve(const std::string& path) const;

  /// The server with that name ("" is the main one), or null.
  [[nodiscard]] const FaultServer* server(const std::string& name) const;

  /// Waits for processes left by the command; false if they had to be killed.
  [[nodiscard]] bool all_gone() const;

  /// Compares what the emulator answered with the catalogue's rows. Returns the differences, or an
  /// empty string if there are none or the emulator does not tell, as it has ended or wants a
  /// token.
  [[nodiscard]] std::string compare_answers() const;

  /// Stops the emulator; returns its failure, or an empty string.
  [[nodiscard]] std::string stop_emulator();

  /// Keeps the directories when this is destroyed.
  void keep() noexcept { m_keep = true; }

 private:
  explicit World(const Case& which) : m_case(which) {}
  Result<void> make_directories();
  Result<void> make_files();
  Result<void> start_sound();
  Result<void> start_servers();
  Result<void> start_server(const CaseSection& section);
  Result<void> start_emulator(const Programs& programs);
  void point_at(const std::string& url);
  void set_environment(const Programs& programs);

  const Case& m_case;
  std::filesystem::path m_root{};
  bool m_keep = false;
  Variables m_variables{};
  std::map<std::string, std::string> m_environment{};
  std::map<std::string, std::unique_ptr<FaultServer>> m_servers{};
  std::unique_ptr<Companion> m_emulator{};
  std::unique_ptr<SoundCard> m_sound{};
};

/// The whole content of a file, or an empty string if it cannot be read.
[[nodiscard]] std::string slurp(const std::filesystem::path& path);

}  // namespace svc::test
