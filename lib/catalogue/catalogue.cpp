#include "catalogue/catalogue.h"

#include <algorithm>
#include <array>

#include "catalogue/groups.h"

namespace svc {

/// The first row that fits, or null.
static const auto* first_of(const auto& rows, auto fits) {
  const auto found = std::find_if(rows.begin(), rows.end(), fits);
  return found == rows.end() ? nullptr : &*found;
}

std::span<const Group> groups() {
  using namespace catalogue;
  static const std::array all = {
      Group{"chat", "Ask a model and print its answer.", k_chat_operations},
      Group{"responses", "Ask a model with server-side tools; store and continue conversations.",
            k_responses_operations},
      Group{"images", "Generate and edit images.", k_images_operations},
      Group{"videos", "Generate, edit and extend videos.", k_videos_operations},
      Group{"tts", "Turn text into speech.", k_tts_operations},
      Group{"stt", "Turn speech into text.", k_stt_operations},
      Group{"realtime", "Talk to a model by voice or with raw events.", k_realtime_operations},
      Group{"phone", "Manage phone numbers and answer calls.", k_phone_operations},
      Group{"batches", "Send many requests at once at a reduced price, and fetch the results.",
            k_batches_operations},
      Group{"files", "Manage files for use in requests.", k_files_operations},
      Group{"tokenize", "Split text into tokens.", k_tokenize_operations},
      Group{"legacy", "Deprecated text operations.", k_legacy_operations},
      Group{"docs", "Search and read the service's documentation.", k_docs_operations},
      Group{"models", "List the team's models with prices and limits.", k_models_operations},
      Group{"keys", "Manage API keys.", k_keys_operations},
      Group{"collections", "Manage and search document collections.", k_collections_operations},
      Group{"billing", "Manage credit, invoices, limits and payment methods.",
            k_billing_operations},
      Group{"history", "Read, search and delete conversations saved on this machine.",
            k_history_operations},
      Group{"expiring", "List what ends soon, and how to save or renew it.", k_expiring_operations},
      Group{"mcp", "Use MCP servers' tools, and serve svc's own to other programs.",
            k_mcp_operations},
      Group{"api", "Send an authenticated request to any path.", k_api_operations},
      Group{"operations", "List every operation and its flags.", k_operations_operations},
      Group{"auth", "Store, remove and inspect API keys.", k_auth_operations},
      Group{"config", "Read and change the configuration.", k_config_operations},
      Group{"templates", "Save prompts, system prompts and flags for reuse.",
            k_templates_operations},
      Group{"alias", "Give commands names of your own.", k_alias_operations},
      Group{"completion", "Print the completion script of a shell.", k_completion_operations},
      Group{"emulator", "Run a local emulator of the service.", k_emulator_operations},
      Group{"sound", "List and test microphones and speakers.", k_sound_operations},
      Group{"doctor", "Check configuration, keys and connectivity.", k_doctor_operations},
  };
  return all;
}

const Group* find_group(sv name) {
  return first_of(groups(), [&](const Group& group) { return group.name == name; });
}

const Operation* find_operation(sv group_name, sv name) {
  const Group* group = find_group(group_name);
  if (group == nullptr) return nullptr;
  return first_of(group->operations, [&](const Operation& one) { return one.name == name; });
}

const Operation* default_operation(const Group& group) {
  return first_of(group.operations, [](const Operation& one) { return one.is_default; });
}

const Field* find_field(const Operation& operation, sv flag) {
  return first_of(operation.fields, [&](const Field& field) { return field.flag == flag; });
}

const Field& preferred_field(const Operation& operation, const Field& field) {
  const Field* alias = first_of(operation.fields, [&](const Field& other) {
    return other.alias && other.common && other.path == field.path;
  });
  return alias == nullptr ? field : *alias;
}

std::string command_line_help(const Field& field) {
  return std::string(field.help.substr(0, field.help.size() - 1)).append(field.typed) + ".";
}

bool prints_list(const Operation& operation) {
  if (!operation.printed.empty()) return true;
  if (operation.host == Host::Local) return !operation.answer.empty() && !operation.document;
  return !operation.items.empty() && operation.tool.empty();
}

bool prints_array(const Operation& operation) {
  return prints_list(operation) && (operation.host != Host::Local || operation.items.empty());
}

std::span<const Member> printed_members(const Operation& operation) {
  return operation.printed.empty() ? operation.answer : operation.printed;
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
