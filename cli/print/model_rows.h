// The models of a team as rows that people can compare: one unit for each price.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "catalogue/model.h"
#include "json/document.h"

namespace svc::print {

/// One model with where it was found.
struct ModelEntry {
  std::string cluster{};
  std::string kind{};  ///< language, embedding, image, audio, video, or what the service calls it
  const OrderedJson* model = nullptr;
};

/// The kind that a member of a cluster holds: "image" for "imageGenerationModels".
[[nodiscard]] std::string model_kind(sv member_name);

/// Every model of the answer, in its order; those of one kind or cluster when it is not empty.
/// Members of a cluster that end in "Models" and are not known count as kinds of that name.
/// `document` must outlive the entries.
[[nodiscard]] std::vector<ModelEntry> model_entries(const OrderedJson& document, sv kind,
                                                    sv cluster);

/// Rows for the columns of `svc models`, one for each model: what its clusters say of it
/// differently stands side by side, each behind its cluster's name; prices as "$2.00" per million
/// tokens, per image, per second, exactly; "1K $0.07, 2K $0.14" where the resolution counts; limits
/// as "10/s, 600/min".
[[nodiscard]] std::vector<nlohmann::json> model_rows(const std::vector<ModelEntry>& entries);

}  // namespace svc::print
