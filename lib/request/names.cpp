#include "request/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "request/flags.h"

namespace svc::request {
namespace {

sv without_dashes(sv word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// The second words of the verbs that begin with `word`: "add" for "documents".
std::vector<sv> second_words(const Group& group, sv word) {
  std::vector<sv> seconds;
  for (const Operation& operation : group.operations) {
    const sv name = operation.name;
    if (name.starts_with(word) && name.substr(word.size()).starts_with(' ')) {
      seconds.push_back(name.substr(word.size() + 1));
    }
  }
  return seconds;
}

Error too_often(sv flag, std::size_t times) {
  return usage_error(fmt::format("--{} was given {} times", flag, times));
}

/// A literal value for a place where @ would read a file.
std::string escaped(sv text) {
  return text.starts_with('@') || text.starts_with("\\@") ? fmt::format("\\{}", text)
                                                          : std::string(text);
}

/// Takes "body", "set" and "header"; false for another name.
Result<bool> take_general(Inputs& inputs, const NamedValue& given) {
  if (given.name == k_global_flag<"header">) {
    inputs.headers.emplace_back(given.value);
  } else if (given.name == k_global_flag<"set">) {
    const std::size_t equals = std::min(given.value.find('='), given.value.size() - 1);
    inputs.sets.push_back(given.value.empty()
                              ? std::string()
                              : fmt::format("{}{}", given.value.substr(0, equals + 1),
                                            escaped(given.value.substr(equals + 1))));
  } else if (given.name == k_global_flag<"body">) {
    if (inputs.body) return too_often("body", 2);
    if (!trim(given.value).starts_with('{')) {
      return usage_error(fmt::format("--body must be a JSON object, not '{}'", shown(given.value)));
    }
    inputs.body = std::string(trim(given.value));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Error unknown_group(sv word) {
  return usage_error(fmt::format("unknown command '{}'", shown(word)),
                     did_you_mean(nearest(word, names_of(groups())),
                                  fmt::format("Commands: {}.", join(names_of(groups()), ", "))));
}

Error unknown_verb(const Group& group, sv word, std::string hint) {
  const std::vector<sv> names = names_of(group.operations);
  const std::string list = join(names, ", ");
  const std::string explained = fmt::format("`svc {} --help` explains them.", group.name);
  if (word.empty()) {
    return usage_error(fmt::format("'svc {}' needs a verb: {}", group.name, list), explained);
  }
  if (const std::vector<sv> seconds = second_words(group, word); !seconds.empty()) {
    return usage_error(
        fmt::format("'svc {} {}' needs a verb: {}", group.name, word, join(seconds, ", ")),
        explained);
  }
  sv near = nearest(word, names);
  // Where the verb is another one, it is what the group is for.
  if (const Operation* main = default_operation(group);
      near.empty() && word == "create" && main != nullptr) {
    near = main->name;
  }
  if (hint.empty() && !near.empty()) {
    hint = fmt::format("Did you mean `svc {} {}`?", group.name, near);
  }
  return usage_error(
      fmt::format("'svc {}' has no verb '{}'; verbs: {}", group.name, shown(word), list),
      std::move(hint));
}

std::string nearest_flag(const Operation* operation, sv word) {
  const sv bare = word.substr(0, word.find('='));
  const bool negated = bare.starts_with("--no-");
  std::vector<sv> names;
  for (const Field& field : operation != nullptr ? operation->fields : Fields()) {
    if (!negated || (field.kind == Kind::Boolean && field.stands_for.empty())) {
      names.push_back(field.flag);
    }
  }
  sv near = nearest(negated ? bare.substr(5) : without_dashes(bare), names);
  if (!near.empty()) return fmt::format("--{}{}", negated ? "no-" : "", near);
  near = nearest(without_dashes(bare), names_of(k_global_flags));
  return near.empty() ? std::string() : fmt::format("--{}", near);
}

Error unknown_flag(const Operation* operation, sv word) {
  const std::string command =
      operation == nullptr ? "svc" : fmt::format("svc {}", command_name(*operation, true));
  return usage_error(
      fmt::format("'{}' has no flag '{}'", command, shown(word.substr(0, word.find('=')))),
      did_you_mean(nearest_flag(operation, word),
                   fmt::format("`{} --help-all` lists all flags.", command)));
}

Result<const Operation*> find_by_name(sv name) {
  std::string words;
  for (const sv word : split(name, ' ')) {
    if (!word.empty()) words += fmt::format("{}{}", words.empty() ? "" : " ", word);
  }
  const std::size_t space = std::min(words.find(' '), words.size());
  const sv group_name = sv(words).substr(0, space);
  const sv verb = sv(words).substr(std::min(space + 1, words.size()));
  const Group* group = find_group(group_name);
  if (group == nullptr) return unknown_group(group_name);
  const Operation* found =
      verb.empty() ? default_operation(*group) : find_operation(group->name, verb);
  if (found == nullptr && verb.empty()) found = find_operation(group->name, "");
  if (found == nullptr) return unknown_verb(*group, verb);
  return found;
}

Result<Inputs> inputs_by_name(const Operation& operation, std::span<const NamedValue> values,
                              std::span<const sv> local) {
  Inputs inputs;
  for (const NamedValue& given : values) {
    const std::string name = replace_all(std::string(without_dashes(given.name)), "_", "-");
    const Field* field = find_field(operation, name);
    if (field == nullptr) {
      SVC_TRY(taken, take_general(inputs, {name, given.value}));
      if (!taken) return unknown_flag(&operation, fmt::format("--{}", name));
      continue;
    }
    if (field->in == In::Local && std::ranges::find(local, sv(name)) == local.end()) {
      return usage_error(
          fmt::format("--{} is only for the program: it changes nothing in the "
                      "request of 'svc {}'",
                      name, command_name(operation, true)));
    }
    if (field->kind == Kind::Boolean && given.value != "true" && given.value != "false") {
      return usage_error(
          fmt::format("--{} must be true or false, not '{}'", name, shown(given.value)));
    }
    inputs.given.push_back({.field = field, .text = std::string(given.value), .literal = true});
  }
  for (const Given& given : inputs.given) {
    const std::size_t times = all_given(inputs, given.field->flag).size();
    if (times > 1 && !given.field->repeated) return too_often(given.field->flag, times);
  }
  return inputs;
}

}  // namespace svc::request
