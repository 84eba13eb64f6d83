// The group models.
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 5> k_kinds = {"language", "embedding", "image", "audio", "video"};

constexpr std::array k_list_fields = {
    Field{.flag = "kind",
          .in = In::Local,
          .help = "Show only models of this type.",
          .common = true,
          .choices = k_kinds,
          .example = "language"},
    Field{.flag = "cluster",
          .in = In::Local,
          .help = "Show only models of this inference cluster.",
          .common = true,
          .example = "us-east-1"},
};

/// Of the rows that are made for people; prices are US dollars.
constexpr std::array k_columns = {
    Column{"NAME", "id|name"},  // an id: requests name the model by it
    Column{"KIND", "kind"},
    Column{"CONTEXT", "context", Cell::Count},
    Column{"INPUT/M", "input_price", Cell::Count},
    Column{"OUTPUT/M", "output_price", Cell::Count},
    Column{"CACHED/M", "cached_price", Cell::Count},
    Column{"PER IMAGE", "image_price"},
    Column{"PER SECOND", "second_price"},
    Column{"LIMITS", "limits"},
    Column{"CLUSTERS", "clusters", Cell::List},
    Column{"ALIASES", "aliases", Cell::List},
    Column{"TAKES", "takes", Cell::List},
    Column{"GIVES", "gives", Cell::List},
    Column{"LONG FROM", "long_from", Cell::Count},
    Column{"LONG INPUT/M", "long_input_price", Cell::Count},
    Column{"LONG OUTPUT/M", "long_output_price", Cell::Count},
    Column{"IMAGE INPUT/M", "image_token_price", Cell::Count},
    Column{"INPUT IMAGE", "input_image_price", Cell::Count},
    Column{"INPUT SECOND", "input_second_price", Cell::Count},
    Column{"VERSION", "version"},
    // As the service gives it: no document says its unit.
    Column{"SEARCH PRICE", "search_price", Cell::Count},
    Column{"FEATURES", "features", Cell::List, true},
    Column{"ALGORITHM", "algorithm", Cell::Text, true},
    Column{"RATE LIMITS", "rate_limits", Cell::List, true},
    Column{"CLIENTS", "clients", Cell::List, true},
};

constexpr std::array k_list_examples = {
    Example{"svc models", "Lists what the team can use, with prices in US dollars and limits."},
    Example{"svc models list --kind image --json", "Prints all details of the image models."},
};

constexpr std::array k_operations = {
    Operation{.group = "models",
              .name = "list",
              .method = "GET",
              .path = "/auth/teams/{teamId}/models",
              .summary = "List the team's models with prices and limits.",
              .host = Host::Management,
              .fields = resolved<k_list_fields>,
              .is_default = true,
              .repeat = Repeat::Always,
              .items = "clusterConfigs",
              .columns = k_columns,
              .examples = k_list_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> models_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
