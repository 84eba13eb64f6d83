#include "print/model_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/money.h"
#include "base/text.h"

namespace svc::print {
namespace {

using Source = OrderedJson;
using nlohmann::json;

const Source* member(const Source& object, sv name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(name));
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// Returns a field that is an array; an empty one if it is not.
const Source& list_at(const Source& object, sv name) {
  static const Source none = Source::array();
  const Source* value = member(object, name);
  return value != nullptr && value->is_array() ? *value : none;
}

/// Returns a string or number as text; "" for anything else.
std::string text_of(const Source& object, sv name) {
  const Source* value = member(object, name);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  return value->is_number() ? compact_json(*value) : std::string();
}

std::string price(const Source& object, sv name, MoneyUnit unit) {
  const std::string digits = text_of(object, name);
  return format_money(digits, unit).value_or(digits);
}

/// Returns the words of an enum name: "2K" for "IMAGE_RESOLUTION_2K".
std::string last_word(const std::string& name) {
  return name.substr(name.rfind('_') + 1);
}

/// "480P $0.05, 720P $0.07".
std::string by_resolution(const Source& model, sv price_name) {
  std::string all;
  for (const Source& one : list_at(model, "resolutionPricing")) {
    const std::string amount = price(one, price_name, MoneyUnit::Tick);
    if (amount.empty()) continue;
    const std::string resolution = text_of(one, "resolution");
    const bool unnamed = resolution.empty() || resolution.ends_with("_UNSPECIFIED");
    all += fmt::format("{}{}{}{}", all.empty() ? "" : ", ", unnamed ? "" : last_word(resolution),
                       unnamed ? "" : " ", amount);
  }
  return all;
}

std::string limits(const Source& model) {
  struct Limit {
    sv name;
    sv unit;
  };
  constexpr std::array all = {Limit{"rps", "/s"}, Limit{"rpm", "/min"}, Limit{"rph", "/h"},
                              Limit{"rpd", "/day"}, Limit{"tpm", " tokens/min"}};
  std::string text;
  for (const Limit& limit : all) {
    const std::string count = text_of(model, limit.name);
    // Zero means no limit.
    if (count.empty() || count == "0") continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", count, limit.unit);
  }
  return text;
}

json lower_words(const Source& model, sv name) {
  json words = json::array();
  for (const Source& word : list_at(model, name)) {
    if (word.is_string()) words.push_back(to_lower(word.get<std::string>()));
  }
  return words;
}

/// "function calling" of {"functionCalling": true}.
json features(const Source& model) {
  json words = json::array();
  const Source* all = member(model, "features");
  if (all == nullptr || !all->is_object()) return words;
  for (const auto& [name, has] : all->items()) {
    if (has == Source(true)) words.push_back(replace_all(kebab_case(name), "-", " "));
  }
  return words;
}

/// "query base rate 10" of {"queryBaseRate": "10"}; zero values are omitted.
json rate_limits(const Source& model) {
  json words = json::array();
  const Source* all = member(model, "rateLimits");
  if (all == nullptr || !all->is_object()) return words;
  for (const auto& [name, value] : all->items()) {
    const std::string count = text_of(*all, name);
    if (count.empty() || count == "0") continue;
    words.push_back(fmt::format("{} {}", replace_all(kebab_case(name), "-", " "), count));
  }
  return words;
}

/// "default (Any program.)".
json clients(const Source& model) {
  json words = json::array();
  for (const Source& client : list_at(model, "supportedClients")) {
    const std::string name = text_of(client, "clientName");
    const std::string description = text_of(client, "description");
    words.push_back(description.empty() ? name : fmt::format("{} ({})", name, description));
  }
  return words;
}

json model_row(const ModelEntry& entry) {
  const Source& model = *entry.model;
  const auto first = [](std::string one, std::string other) {
    return one.empty() ? std::move(other) : std::move(one);
  };
  const auto tokens = [&](sv name) { return price(model, name, MoneyUnit::TokenPrice); };
  const std::string cluster = first(entry.cluster, text_of(model, "cluster"));
  return json{
      {"name", text_of(model, "name")},
      {"kind", entry.kind},
      {"clusters", cluster.empty() ? json::array() : json::array({cluster})},
      {"version", text_of(model, "version")},
      {"aliases", json(list_at(model, "aliases"))},
      {"takes", lower_words(model, "inputModalities")},
      {"gives", lower_words(model, "outputModalities")},
      {"context", text_of(model, "maxPromptLength")},
      // Language models and audio models use different field names for prices.
      {"input_price", first(tokens("promptTextTokenPrice"), tokens("promptTokenPrice"))},
      {"output_price", first(tokens("completionTextTokenPrice"), tokens("completionTokenPrice"))},
      {"cached_price", tokens("cachedPromptTokenPrice")},
      {"image_token_price", tokens("promptImageTokenPrice")},
      {"long_from", text_of(model, "longContextThreshold")},
      {"long_input_price", tokens("promptTextTokenPriceLongContext")},
      {"long_output_price", tokens("completionTokenPriceLongContext")},
      // The older field is used only if the newer one is missing.
      {"image_price",
       first(by_resolution(model, "pricePerImage"), price(model, "imagePrice", MoneyUnit::Tick))},
      {"second_price", by_resolution(model, "pricePerSecond")},
      {"input_image_price", price(model, "pricePerInputImage", MoneyUnit::Tick)},
      {"input_second_price", price(model, "pricePerInputVideoSecond", MoneyUnit::Tick)},
      {"limits", limits(model)},
      {"search_price", text_of(model, "searchPrice")},
      {"features", features(model)},
      {"algorithm", text_of(model, "algorithm")},
      {"rate_limits", rate_limits(model)},
      {"clients", clients(model)},
  };
}

/// One text if the clusters agree; otherwise each text with its clusters: "10/s (us, ap); 20/s
/// (eu)".
std::string join_texts(const std::vector<json>& rows, const std::string& name) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const json& row : rows) {
    const auto& text = row.at(name).get_ref<const std::string&>();
    const json& clusters = row.at("clusters");
    const std::string cluster = clusters.empty() ? "" : clusters.front().get<std::string>();
    const auto same = std::find_if(texts.begin(), texts.end(),
                                   [&](const auto& known) { return known.first == text; });
    if (same == texts.end()) {
      texts.emplace_back(text, cluster);
    } else {
      same->second += (same->second.empty() ? "" : ", ") + cluster;
    }
  }
  if (texts.size() == 1) return texts.front().first;
  std::string all;
  for (const auto& [text, clusters] : texts) {
    if (!text.empty()) all += fmt::format("{}{} ({})", all.empty() ? "" : "; ", text, clusters);
  }
  return all;
}

json join_words(const std::vector<json>& rows, const std::string& name) {
  json all = json::array();
  for (const json& row : rows) {
    for (const json& word : row.at(name)) {
      if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
    }
  }
  return all;
}

}  // namespace

std::string model_kind(sv name) {
  if (name.ends_with("Models")) name.remove_suffix(sv("Models").size());
  if (name.ends_with("Generation")) name.remove_suffix(sv("Generation").size());
  return kebab_case(name);
}

std::vector<ModelEntry> model_entries(const OrderedJson& document, sv kind, sv cluster) {
  std::vector<ModelEntry> entries;
  for (const Source& config : list_at(document, "clusterConfigs")) {
    if (!config.is_object()) continue;
    const std::string name = text_of(config, "clusterName");
    if (!cluster.empty() && name != cluster) continue;
    for (const auto& [list_name, list] : config.items()) {
      if (!sv(list_name).ends_with("Models") || !list.is_array()) continue;
      const std::string found = model_kind(list_name);
      if (!kind.empty() && found != kind) continue;
      for (const Source& model : list) entries.push_back({name, found, &model});
    }
  }
  return entries;
}

std::vector<nlohmann::json> model_rows(const std::vector<ModelEntry>& entries) {
  std::vector<std::vector<json>> models;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const ModelEntry& entry : entries) {
    json row = model_row(entry);
    const auto [place, fresh] =
        places.emplace(std::pair(entry.kind, row.at("name").get<std::string>()), models.size());
    if (fresh) models.emplace_back();
    models[place->second].push_back(std::move(row));
  }
  std::vector<json> rows;
  for (const std::vector<json>& found : models) {
    json row = found.front();
    for (auto& [name, value] : row.items()) {
      value = value.is_array() ? join_words(found, name) : json(join_texts(found, name));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace svc::print
