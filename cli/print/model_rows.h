// A team's models as comparable rows, with one unit for each price.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "catalogue/model.h"
#include "json/document.h"

namespace svc::print {

/// A model and where it was found.
struct ModelEntry {
  std::string cluster{};
  std::string kind{};  ///< language, embedding, image, audio, video, or the service's own word
  const OrderedJson* model = nullptr;
};

/// Returns the kind of model in a cluster's field: "image" for "imageGenerationModels".
[[nodiscard]] std::string model_kind(sv member_name);

/// Returns every model of the response, in its order, optionally only those of one kind or cluster
/// (empty: all). Unknown fields of a cluster that end in "Models" count as kinds of that name.
/// `document` must outlive the entries.
[[nodiscard]] std::vector<ModelEntry> model_entries(const OrderedJson& document, sv kind,
                                                    sv cluster);

/// Returns one row per model for the columns of `svc models`. Values that differ between clusters
/// are listed, each after its cluster's name. Prices are exact, such as "$2.00" per million tokens,
/// per image or per second, or "1K $0.07, 2K $0.14" where the resolution matters; limits look like
/// "10/s, 600/min".
[[nodiscard]] std::vector<nlohmann::json> model_rows(const std::vector<ModelEntry>& entries);

}  // namespace svc::print
