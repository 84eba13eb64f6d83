#include "commands.h"

#include <array>

#include "catalogue/catalogue.h"

namespace svc::cli {
namespace {

struct Row {
  sv name;
  Command run;
};

constexpr std::array k_commands = {
    Row{"api", run_api},
    Row{"auth login", run_auth_login},
    Row{"auth logout", run_auth_logout},
    Row{"auth status", run_auth_status},
    Row{"completion", run_completion},
    Row{"config get", run_config_get},
    Row{"config list", run_config_list},
    Row{"config path", run_config_path},
    Row{"config set", run_config_set},
    Row{"doctor", run_doctor},
    Row{"emulator", run_emulator},
    Row{"operations", run_operations},
};

}  // namespace

Command find_command(const Operation& operation) {
  const std::string name = command_name(operation);
  for (const Row& row : k_commands) {
    if (row.name == name) return row.run;
  }
  return nullptr;
}

}  // namespace svc::cli
