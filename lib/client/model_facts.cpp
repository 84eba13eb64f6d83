#include "client/model_facts.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/money.h"
#include "base/text.h"
#include "json/document.h"

namespace svc {
namespace {

using nlohmann::json;

constexpr std::int64_t k_million = 1'000'000;

constexpr std::array<PriceRow, k_prices> k_price_rows = {{
    {Price::Input, "input_per_million", k_million, "Input tokens.", {"prompt-text-token-price"}},
    {Price::InputPicture,
     "image_input_per_million",
     k_million,
     "Input tokens of images.",
     {"prompt-image-token-price"}},
    {Price::Cached,
     "cached_per_million",
     k_million,
     "Cached input tokens.",
     {"cached-prompt-text-token-price", "cached-prompt-token-price"}},
    {Price::Output,
     "output_per_million",
     k_million,
     "Output tokens.",
     {"completion-text-token-price"}},
    {Price::LongInput,
     "long_input_per_million",
     k_million,
     "Input tokens of a long request.",
     {"prompt-text-token-price-long-context"}},
    {Price::LongOutput,
     "long_output_per_million",
     k_million,
     "Output tokens of a long request.",
     {"completion-token-price-long-context", "completion-text-token-price-long-context"}},
    {Price::Source, "search_per_source", 1, "Sources of searches.", {"search-price"}},
    {Price::Image, "image", 1, "Images.", {"image-price"}},
    {Price::InputImage, "input_image", 1, "Images to change.", {"price-per-input-image"}},
    {Price::VideoSecond, "video_per_second", 1, "Videos.", {"video-price-per-second"}},
    {Price::InputSecond,
     "input_video_per_second",
     1,
     "Videos to change.",
     {"price-per-input-video-second"}},
    {Price::Character, "tts_per_million_characters", k_million, "Spoken text.", {}},
    {Price::SoundSecond, "stt_per_hour", 3600, "Transcribed sound.", {}},
    {Price::TalkSecond, "realtime_per_minute", 60, "Realtime conversations.", {}},
}};

/// Larger values are not prices, and could not be multiplied.
constexpr std::int64_t k_max_price = 1'000'000 * k_ticks_per_dollar;

/// A whole number, as a number or a string.
std::optional<std::int64_t> whole(const json& value) {
  std::optional<std::int64_t> number;
  if (value.is_number_integer()) number = value.get<std::int64_t>();
  if (value.is_string()) number = parse_integer(value.get_ref<const std::string&>());
  return number && *number >= 0 && *number <= k_max_price ? number : std::nullopt;
}

/// "promptTextTokenPrice" and "prompt_text_token_price" are "prompt-text-token-price".
std::string plain_name(const std::string& member) {
  return kebab_case(replace_all(member, "_", "-"));
}

/// "IMAGE_RESOLUTION_2K" is "2k".
std::string size_name(const std::string& resolution) {
  return to_lower(resolution.substr(resolution.rfind('_') + 1));
}

/// What a resolution counts, to compare sizes: 2 for "2k", 720 for "720p".
double size_of(sv resolution) {
  double size = 0;
  (void)read_double(resolution, size);
  return size;
}

void read_sizes(const json& list, ModelFacts& facts) {
  for (const json& one : list) {
    if (!one.is_object()) continue;
    ModelFacts::Sized sized;
    std::optional<std::int64_t> ticks;
    for (const auto& [name, value] : one.items()) {
      const std::string plain = plain_name(name);
      if (plain == "resolution" && value.is_string()) sized.resolution = size_name(value);
      if (plain == "price-per-image" || plain == "price-per-second") ticks = whole(value);
    }
    sized.ticks = ticks.value_or(0);
    if (ticks && size_of(sized.resolution) > 0) facts.sizes.push_back(std::move(sized));
  }
  std::ranges::stable_sort(facts.sizes, {},
                           [](const auto& one) { return size_of(one.resolution); });
}

void read_count(sv name, const json& value, ModelFacts& facts) {
  struct Count {
    sv name;
    std::int64_t ModelFacts::*member;
  };
  constexpr std::array k_counts = {Count{"max-prompt-length", &ModelFacts::max_prompt},
                                   Count{"context-length", &ModelFacts::max_prompt},
                                   Count{"long-context-threshold", &ModelFacts::long_from},
                                   Count{"rps", &ModelFacts::requests_per_second},
                                   Count{"rpm", &ModelFacts::requests_per_minute},
                                   Count{"tpm", &ModelFacts::tokens_per_minute}};
  for (const Count& count : k_counts) {
    if (count.name == name) facts.*count.member = whole(value).value_or(0);
  }
}

ModelFacts read_model(const json& model) {
  ModelFacts facts{.name = text_member(model, model.contains("id") ? "id" : "name")};
  for (const auto& [name, value] : model.items()) {
    const std::string plain = plain_name(name);
    if (plain == "aliases" && value.is_array()) {
      for (const json& alias : value) {
        if (alias.is_string()) facts.aliases.push_back(alias);
      }
    }
    if (plain == "resolution-pricing" && value.is_array()) read_sizes(value, facts);
    for (const PriceRow& row : k_price_rows) {
      const bool found = std::ranges::find(row.members, plain) != row.members.end();
      if (found) facts.prices[static_cast<std::size_t>(row.price)] = whole(value);
    }
    if (plain == "features" && value.is_object()) {
      const json& reasoning = member(value, "reasoning");
      if (reasoning.is_boolean()) facts.reasons = reasoning.get<bool>();
    }
    read_count(plain, value, facts);
  }
  return facts;
}

}  // namespace

std::span<const PriceRow> price_rows() noexcept {
  return k_price_rows;
}

Result<std::int64_t> read_price(const PriceRow& row, std::string_view dollars) {
  const auto ticks = parse_ticks(dollars);
  if (ticks && *ticks <= k_max_price) return (*ticks + row.scale - 1) / row.scale;
  return usage_error(
      fmt::format("the price {} must be an amount in US dollars with at most ten decimals, such as "
                  "2.50, not '{}'",
                  row.setting, shown(std::string(dollars))));
}

bool ModelFacts::is_named(std::string_view model) const {
  return name == model || std::ranges::find(aliases, model) != aliases.end();
}

std::optional<std::int64_t> ModelFacts::sized_price(std::string_view resolution) const {
  const std::string wanted = to_lower(resolution);
  for (const Sized& one : sizes) {
    if (size_of(one.resolution) >= size_of(wanted)) return one.ticks;
  }
  if (!sizes.empty()) return std::nullopt;
  // A price without a resolution is that of the smallest.
  if (!resolution.empty()) return std::nullopt;
  return price(Price::Image) ? price(Price::Image) : price(Price::VideoSecond);
}

std::optional<std::int64_t> ModelFacts::cache_savings(std::int64_t tokens,
                                                      std::int64_t cached) const {
  const auto full = price(Price::Input);
  const auto less = price(Price::Cached);
  if (!full || !less || *less > *full || is_long(tokens)) return std::nullopt;
  const std::int64_t each = *full - *less;
  return each == 0 || cached <= k_max_price / each ? std::optional(cached * each) : std::nullopt;
}

std::vector<ModelFacts> read_model_facts(std::string_view document) {
  std::vector<ModelFacts> all;
  const auto add = [&all](const json& list) {
    for (const json& model : list) {
      if (model.is_object()) all.push_back(read_model(model));
    }
  };
  const json parsed = parse_reply(document);
  if (!parsed.is_object()) return all;
  if (const auto models = parsed.find("models"); models != parsed.end()) add(*models);
  const auto clusters = parsed.find("clusterConfigs");
  if (clusters == parsed.end()) return all;
  for (const json& cluster : *clusters) {
    if (!cluster.is_object()) continue;
    for (const auto& [name, list] : cluster.items()) {
      if (sv(name).ends_with("Models") && list.is_array()) add(list);
    }
  }
  return all;
}

const ModelFacts* find_facts(std::span<const ModelFacts> all, std::string_view model) {
  for (const ModelFacts& one : all) {
    if (one.is_named(model)) return &one;
  }
  return nullptr;
}

}  // namespace svc
