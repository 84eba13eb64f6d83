#include "emulator/model/tell.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/model/answer.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_longest_echo = 1'000;  // bytes
constexpr std::size_t k_longest_aside = 120;

constexpr std::array<sv, 4> k_endings = {
    "Ask it to `say exactly: …` and it will.", "`Write 50 words` makes it talk longer.",
    "The same question gets the same answer.", "No model was asked for this."};

std::uint32_t hash(sv text, std::uint64_t salt) {
  std::uint32_t value = 2'166'136'261U;  // FNV-1a
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  for (; salt != 0; salt >>= 8U) value = (value ^ static_cast<std::uint8_t>(salt)) * 16'777'619U;
  return value ^ (value >> 15U);
}

std::string counted(std::size_t count, sv what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

const Turn* last_of(const Ask& ask, sv role, std::size_t skip = 0) {
  for (auto turn = ask.turns.rbegin(); turn != ask.turns.rend(); ++turn) {
    if (turn->role != role) continue;
    if (skip == 0) return &*turn;
    --skip;
  }
  return nullptr;
}

// The results that the conversation ends with, in their order.
std::string tell_results(const Ask& ask) {
  auto first = ask.turns.end();
  while (first != ask.turns.begin() && (first - 1)->role == "tool") --first;
  std::string text;
  for (; first != ask.turns.end(); ++first) {
    const std::string who = first->name.empty() ? "The tool" : "The tool " + first->name;
    text += fmt::format("{}{} answered: “{}”.", text.empty() ? "" : " ", who,
                        excerpt(first->text, k_longest_echo));
  }
  return text;
}

// What shows that the file was read: its length and its first line.
std::string tell_attachment(const Attachment& file) {
  if (!file.readable) {
    return fmt::format(" The file {} has {} and no text that can be read.", file.name,
                       counted(file.bytes, "byte"));
  }
  const sv text = file.text;
  return fmt::format(" The file {} has {} and begins “{}”.", file.name,
                     counted(count_code_points(text), "character"),
                     excerpt(text.substr(0, text.find('\n')), k_longest_aside));
}

std::string tell_conversation(const Ask& ask) {
  std::string text;
  if (const Turn* earlier = last_of(ask, "user", 1)) {
    text += fmt::format(" Before that: “{}”.", excerpt(earlier->text, k_longest_aside));
  }
  const Turn* system = last_of(ask, "system");
  if (system == nullptr) system = last_of(ask, "developer");
  if (system != nullptr) {
    text += fmt::format(" The system prompt is “{}”.", excerpt(system->text, k_longest_aside));
  }
  const Turn* user = last_of(ask, "user");
  if (user != nullptr && user->images + user->files > 0) {
    text += " It came with ";
    if (user->images > 0) text += counted(user->images, "image");
    if (user->images > 0 && user->files > 0) text += " and ";
    if (user->files > 0) text += counted(user->files, "file");
    text += ".";
    for (const Attachment& one : user->attachments) text += tell_attachment(one);
  }
  return text + fmt::format(" The conversation has {}.", counted(ask.turns.size(), "message"));
}

}  // namespace

bool answers_tools(const Ask& ask) {
  return !ask.turns.empty() && ask.turns.back().role == "tool";
}

const std::string& last_user_text(const Ask& ask) {
  static const std::string k_nothing;
  const Turn* turn = last_of(ask, "user");
  return turn == nullptr ? k_nothing : turn->text;
}

std::string tell(const Ask& ask, std::size_t choice, std::size_t choices) {
  std::string text;
  if (choices > 1) text += fmt::format("Choice {} of {}: ", choice + 1, choices);
  text += fmt::format("This is the svc emulator (model {}).", ask.model->name);
  if (answers_tools(ask)) {
    text += " " + tell_results(ask);
  } else {
    text += fmt::format(" You said: “{}”.", excerpt(last_user_text(ask), k_longest_echo));
  }
  text += tell_conversation(ask);
  const auto salt = static_cast<std::uint64_t>(ask.seed) + choice;
  return text + " " + std::string(k_endings[hash(last_user_text(ask), salt) % k_endings.size()]);
}

Json tell_as_object(const Ask& ask, std::size_t choice, std::size_t choices) {
  Json object = {{"emulator", true}, {"model", ask.model->name}};
  if (choices > 1) object["choice"] = choice + 1;
  object["you_said"] = excerpt(last_user_text(ask), k_longest_echo);
  if (answers_tools(ask)) object["tools_said"] = tell_results(ask);
  object["messages"] = ask.turns.size();
  return object;
}

std::string think(const Ask& ask) {
  if (!ask.model->reasoning || ask.effort == "none") return {};
  std::string text = fmt::format("The last message has {}.",
                                 counted(tokenize(last_user_text(ask)).size(), "token"));
  if (ask.effort == "low") return text;
  text +=
      fmt::format(" The conversation has {}, and {} may be called.",
                  counted(ask.turns.size(), "message"), counted(ask.functions.size(), "function"));
  if (ask.effort == "medium") return text;
  return text +
         " An emulator cannot know more than that, so it will repeat what it was told and "
         "say plainly that it is an emulator.";
}

}  // namespace svc::emulator::text
