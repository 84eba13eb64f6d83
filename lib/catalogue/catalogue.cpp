#include "catalogue/catalogue.h"

#include <array>

#include "catalogue/groups.h"

namespace svc {

std::span<const Group> groups() {
  using namespace catalogue;
  static const std::array all = {
      Group{"chat", "Ask a model and print its answer.", chat_operations()},
      Group{"responses", "Ask a model with server-side tools; store and continue conversations.",
            responses_operations()},
      Group{"images", "Generate and edit images.", images_operations()},
      Group{"videos", "Generate, edit and extend videos.", videos_operations()},
      Group{"tts", "Turn text into speech.", tts_operations()},
      Group{"stt", "Turn speech into text.", stt_operations()},
      Group{"realtime", "Talk to a model by voice or with raw events.", realtime_operations()},
      Group{"phone", "Manage phone numbers and answer calls.", phone_operations()},
      Group{"batches", "Send many requests at once at a reduced price, and fetch the results.",
            batches_operations()},
      Group{"files", "Manage files for use in requests.", files_operations()},
      Group{"tokenize", "Split text into tokens.", tokenize_operations()},
      Group{"legacy", "Deprecated text operations.", legacy_operations()},
      Group{"docs", "Search and read the service's documentation.", docs_operations()},
      Group{"models", "List the team's models with prices and limits.", models_operations()},
      Group{"keys", "Manage API keys.", keys_operations()},
      Group{"collections", "Manage and search document collections.", collections_operations()},
      Group{"billing", "Manage credit, invoices, limits and payment methods.",
            billing_operations()},
      Group{"history", "Read, search and delete conversations saved on this machine.",
            history_operations()},
      Group{"mcp", "Use MCP servers' tools, and serve svc's own to other programs.",
            mcp_operations()},
      Group{"api", "Send an authenticated request to any path.", api_operations()},
      Group{"operations", "List every operation and its flags.", operations_operations()},
      Group{"auth", "Store, remove and inspect API keys.", auth_operations()},
      Group{"config", "Read and change the configuration.", config_operations()},
      Group{"templates", "Save prompts, system prompts and flags for reuse.",
            templates_operations()},
      Group{"completion", "Print the completion script of a shell.", completion_operations()},
      Group{"emulator", "Run a local emulator of the service.", emulator_operations()},
      Group{"sound", "List and test microphones and speakers.", sound_operations()},
      Group{"doctor", "Check configuration, keys and connectivity.", doctor_operations()},
  };
  return all;
}

const Group* find_group(sv name) {
  for (const Group& group : groups()) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

const Operation* find_operation(sv group_name, sv name) {
  const Group* group = find_group(group_name);
  if (group == nullptr) return nullptr;
  for (const Operation& operation : group->operations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

const Operation* default_operation(const Group& group) {
  for (const Operation& operation : group.operations) {
    if (operation.is_default) return &operation;
  }
  return nullptr;
}

const Field* find_field(const Operation& operation, sv flag) {
  for (const Field& field : operation.fields) {
    if (field.flag == flag) return &field;
  }
  return nullptr;
}

const Field& handier_field(const Operation& operation, const Field& field) {
  for (const Field& other : operation.fields) {
    if (other.alias && other.common && other.path == field.path) return other;
  }
  return field;
}

std::string command_name(const Operation& operation, bool brief) {
  std::string name(operation.group);
  if (!operation.name.empty() && !(brief && operation.is_default)) {
    name += ' ';
    name += operation.name;
  }
  return name;
}

}  // namespace svc
