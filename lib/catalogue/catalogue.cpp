#include "catalogue/catalogue.h"

#include <array>

#include "catalogue/groups.h"

namespace svc {

std::span<const Group> groups() {
  using namespace catalogue;
  static const std::array all = {
      Group{"chat", "Ask a model and print its answer.", chat_operations()},
      Group{"responses",
            "Ask a model that may use tools on the service; keep and continue conversations.",
            responses_operations()},
      Group{"images", "Make and edit images.", images_operations()},
      Group{"videos", "Make, edit and extend videos.", videos_operations()},
      Group{"tts", "Turn text into speech.", tts_operations()},
      Group{"stt", "Turn speech into text.", stt_operations()},
      Group{"realtime", "Talk with a model, by voice or message by message.",
            realtime_operations()},
      Group{"phone", "Phone numbers, and the calls that reach them.", phone_operations()},
      Group{"batches", "Hand in many requests at once, at a reduced price, and fetch the results.",
            batches_operations()},
      Group{"files", "Store files that requests can refer to.", files_operations()},
      Group{"tokenize", "Cut a text into a model's tokens.", tokenize_operations()},
      Group{"legacy", "Text operations that the service has deprecated.", legacy_operations()},
      Group{"docs", "Search and read the service's documentation.", docs_operations()},
      Group{"models", "List the team's models with prices and limits.", models_operations()},
      Group{"keys", "Work with API keys.", keys_operations()},
      Group{"collections", "Keep documents in collections and search them.",
            collections_operations()},
      Group{"billing", "Credit, invoices, limits and payment methods of the team.",
            billing_operations()},
      Group{"history", "Read, search and delete the conversations kept on this machine.",
            history_operations()},
      Group{"api", "Send any request, with the right host and key.", api_operations()},
      Group{"operations", "List every operation, for people, scripts and agents.",
            operations_operations()},
      Group{"auth", "Store, remove and explain API keys.", auth_operations()},
      Group{"config", "Read and change the configuration.", config_operations()},
      Group{"completion", "Print the completion script of a shell.", completion_operations()},
      Group{"emulator", "Run a local stand-in for the service.", emulator_operations()},
      Group{"doctor", "Check what is configured, from where, and whether it works.",
            doctor_operations()},
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

std::string command_name(const Operation& operation, bool brief) {
  std::string name(operation.group);
  if (!operation.name.empty() && !(brief && operation.is_default)) {
    name += ' ';
    name += operation.name;
  }
  return name;
}

}  // namespace svc
