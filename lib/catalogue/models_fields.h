// The fields of the group models.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue::models {

inline constexpr std::array<sv, 5> k_kinds = {"language", "embedding", "image", "audio", "video"};

inline constexpr std::array k_list_fields = {
    text("kind", "Show only models of this type.", local, common, choices(k_kinds),
         example("language")),
    text("cluster", "Show only models of this inference cluster.", local, common,
         example("us-east-1")),
};

}  // namespace svc::catalogue::models
