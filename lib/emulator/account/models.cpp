#include "emulator/account/models.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace svc::emulator {
namespace {

using sv = std::string_view;

constexpr std::array<sv, 1> k_svc_47_aliases = {"svc-4-latest"};
constexpr std::array<sv, 1> k_svc_46_aliases = {"svc-4"};
constexpr std::array<sv, 1> k_svc_45_aliases = {"svc-4.5-latest"};
constexpr std::array<sv, 1> k_svc_43_aliases = {"svc-4.3-latest"};
constexpr std::array<sv, 1> k_svc_3_aliases = {"svc-3-latest"};

constexpr std::array k_models = {
    Model{.name = "svc-4.7",
          .version = "1.0.0",
          .aliases = k_svc_47_aliases,
          .created = 1'772'323'200,
          .prompt_price = 30'000,
          .cached_price = 7'500,
          .completion_price = 150'000,
          .source_price = 250'000'000,
          .context_length = 1'000'000,
          .reasoning = true},
    Model{.name = "svc-4.6",
          .version = "1.0.0",
          .aliases = k_svc_46_aliases,
          .created = 1'767'225'600,
          .prompt_price = 30'000,
          .cached_price = 7'500,
          .completion_price = 150'000,
          .source_price = 250'000'000,
          .context_length = 500'000,
          .reasoning = true},
    Model{.name = "svc-4.5",
          .version = "1.0.0",
          .aliases = k_svc_45_aliases,
          .created = 1'764'547'200,
          .prompt_price = 20'000,
          .cached_price = 5'000,
          .completion_price = 100'000,
          .source_price = 250'000'000,
          .context_length = 500'000,
          .batches = false},
    Model{.name = "svc-4.3",
          .version = "1.0.0",
          .aliases = k_svc_43_aliases,
          .created = 1'759'276'800,
          .prompt_price = 12'500,
          .cached_price = 2'000,
          .completion_price = 25'000,
          .source_price = 250'000'000,
          .context_length = 1'000'000,
          .reasoning = true,
          .reasoning_effort = true},
    Model{.name = "svc-4.20",
          .version = "1.0.0",
          .created = 1'756'684'800,
          .prompt_price = 12'500,
          .cached_price = 2'000,
          .completion_price = 25'000,
          .source_price = 250'000'000,
          .context_length = 256'000},
    Model{.name = "svc-3",
          .version = "1.0.0",
          .aliases = k_svc_3_aliases,
          .created = 1'743'724'800,
          .prompt_price = 30'000,
          .cached_price = 7'500,
          .completion_price = 150'000,
          .source_price = 250'000'000,
          .context_length = 131'072,
          .logprobs = true,
          .images = false},
};

}  // namespace

std::span<const Model> models() {
  return k_models;
}

const Model* find_model(sv name) {
  for (const auto& model : k_models) {
    if (model.name == name || std::ranges::find(model.aliases, name) != model.aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

std::int64_t price(const Model& model, const TokenUse& use) {
  return total_ticks(charges_of(model, use));
}

std::vector<Charge> charges_of(const Model& model, const TokenUse& use) {
  const auto cached = std::clamp<std::int64_t>(use.cached, 0, use.prompt);
  std::vector<Charge> charges;
  const auto add = [&](sv what, sv unit, std::int64_t units, std::int64_t ticks) {
    if (units == 0) return;
    charges.push_back({fmt::format("{} {}", model.name, what), std::string(unit), units, ticks});
  };
  add("prompt tokens", "token", use.prompt - cached, model.prompt_price);
  add("cached prompt tokens", "token", cached, model.cached_price);
  add("completion tokens", "token", use.completion + use.reasoning, model.completion_price);
  add("search sources", "source", use.sources, model.source_price);
  return charges;
}

}  // namespace svc::emulator
