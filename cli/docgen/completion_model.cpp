#include "docgen/completion_model.h"

#include <algorithm>

#include "base/text.h"
#include "catalogue/global_flags.h"
#include "docgen/topics.h"

namespace svc::docgen {
namespace {

std::string without_stop(sv sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return std::string(sentence);
}

CompletionValue value_of(const Field& field) {
  if (!field.completes.empty()) return {Values::Ask, {std::string(field.completes)}};
  const auto& listed = field.choices.empty() ? field.suggests : field.choices;
  if (!listed.empty()) return {Values::SplitArgs, {listed.begin(), listed.end()}};
  switch (field.kind) {
    case Kind::Boolean:
      return {Values::None};
    case Kind::File:
    case Kind::Media:
      return {Values::File};
    case Kind::Json:
    case Kind::TextOrJson:
    case Kind::Secret:
      return {Values::AtFile};
    case Kind::Text:
      return {field.file_text ? Values::AtFile : Values::Free};
    case Kind::Integer:
    case Kind::Number:
    case Kind::Duration:
    case Kind::Time:
    case Kind::Money:
      break;
  }
  return {Values::Free};
}

CompletionValue value_of(const GlobalFlag& flag) {
  if (flag.value.empty()) return {Values::None};
  if (!flag.choices.empty()) {
    const auto words = split(flag.choices, '|');
    return {Values::SplitArgs, {words.begin(), words.end()}};
  }
  if (flag.name == "profile") return {Values::Ask, {"profiles"}};
  if (flag.value == "FILE") return {Values::File};
  return {flag.value.find("@FILE") != sv::npos ? Values::AtFile : Values::Free};
}

void add_field(std::vector<CompletionFlag>& flags, const Field& field) {
  const bool offered = field.status == Status::Current;
  const std::string help = without_stop(field.help);
  const std::string name(field.flag);
  flags.push_back({"--" + name, help, value_of(field), offered});
  if (field.letter != 0) flags.push_back({{'-', field.letter}, help, value_of(field), false});
  if (field.kind == Kind::Boolean && field.stands_for.empty()) {
    flags.push_back({"--no-" + name, "Not: " + help, {Values::None}, offered});
  }
}

CompletionCommand command_of(const Operation& operation) {
  CompletionCommand command{{command_name(operation)}};
  if (operation.is_default && !operation.name.empty()) {
    command.names.emplace_back(operation.group);
  }
  for (const Field& field : operation.fields) {
    add_field(command.flags, field);
    if (!field.positional) continue;
    command.arguments.push_back(value_of(field));
    command.last_repeats = field.repeated;
  }
  return command;
}

/// Verbs of several words nest: "documents add" is a word after the group and one after that.
void add_words(CompletionModel& model, const Operation& operation) {
  std::string after(operation.group);
  const std::vector<sv> verbs = split(operation.name, ' ');
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    const bool last = i + 1 == verbs.size();
    const bool known = std::any_of(
        model.words.begin(), model.words.end(),
        [&](const CompletionWord& word) { return word.after == after && word.word == verbs[i]; });
    if (!known) {
      // Behind those of the same place: the scripts have one list for each.
      const auto before =
          std::find_if(model.words.rbegin(), model.words.rend(),
                       [&](const CompletionWord& word) { return word.after == after; });
      model.words.insert(
          before == model.words.rend() ? model.words.end() : before.base(),
          {after, std::string(verbs[i]), last ? without_stop(operation.summary) : "Further verbs"});
    }
    after.append(" ").append(verbs[i]);
  }
}

/// `svc help` explains groups and topics.
void add_help(CompletionModel& model, std::span<const Group> groups) {
  model.words.push_back({"", "help", "Explain a command or a topic"});
  for (const Group& group : groups) {
    if (find_topic(group.name) != nullptr) continue;  // the topic is what is explained
    model.words.push_back({"help", std::string(group.name), without_stop(group.summary)});
  }
  for (const Topic& topic : topics()) {
    model.words.push_back({"help", std::string(topic.name), without_stop(topic.summary)});
  }
}

}  // namespace

CompletionModel completion_model(std::span<const Group> groups) {
  CompletionModel model;
  for (const Group& group : groups) {
    model.words.push_back({"", std::string(group.name), without_stop(group.summary)});
  }
  add_help(model, groups);
  for (const Group& group : groups) {
    for (const Operation& operation : group.operations) {
      if (!operation.name.empty()) add_words(model, operation);
      model.commands.push_back(command_of(operation));
    }
  }
  for (const GlobalFlag& flag : k_global_flags) {
    const CompletionValue value = value_of(flag);
    const std::string help = without_stop(flag.help);
    model.global_flags.push_back({"--" + std::string(flag.name), help, value});
    if (flag.letter != 0) model.global_flags.push_back({{'-', flag.letter}, help, value, false});
  }
  return model;
}

std::vector<CompletionClass> value_classes(const std::vector<CompletionFlag>& flags,
                                           const CompletionCommand* command) {
  std::vector<CompletionClass> classes;
  const auto add = [&](const CompletionValue& value, const std::string& name) {
    if (value.values == Values::None) return;
    const auto same = std::find_if(classes.begin(), classes.end(),
                                   [&](const CompletionClass& c) { return c.value == value; });
    if (same != classes.end()) {
      same->names.push_back(name);
    } else {
      classes.push_back({value, {name}});
    }
  };
  for (const CompletionFlag& flag : flags) add(flag.value, flag.name);
  if (command == nullptr) return classes;
  const auto& arguments = command->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool repeats = command->last_repeats && i + 1 == arguments.size();
    add(arguments[i], repeats ? "@rest" : "@" + std::to_string(i + 1));
  }
  return classes;
}

}  // namespace svc::docgen
