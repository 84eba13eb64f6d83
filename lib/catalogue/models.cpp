// The group models.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/models_fields.h"

namespace svc::catalogue {
namespace models {

/// The columns of text output; prices are in US dollars.
constexpr std::array k_columns = {
    Column{"NAME", "id|name"},  // requests use it as the model
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
    Column{"INPUTS", "takes", Cell::List},
    Column{"OUTPUTS", "gives", Cell::List},
    Column{"LONG CONTEXT FROM", "long_from", Cell::Count},
    Column{"LONG INPUT/M", "long_input_price", Cell::Count},
    Column{"LONG OUTPUT/M", "long_output_price", Cell::Count},
    Column{"IMAGE INPUT/M", "image_token_price", Cell::Count},
    Column{"INPUT IMAGE", "input_image_price", Cell::Count},
    Column{"INPUT SECOND", "input_second_price", Cell::Count},
    Column{"VERSION", "version"},
    // As sent by the service; the unit is undocumented.
    Column{"SEARCH PRICE", "search_price", Cell::Count},
    Column{"FEATURES", "features", Cell::List, true},
    Column{"ALGORITHM", "algorithm", Cell::Text, true},
    Column{"RATE LIMITS", "rate_limits", Cell::List, true},
    Column{"CLIENTS", "clients", Cell::List, true},
};

constexpr std::array k_examples = {
    Example{"svc models",
            "Lists the models available to the team, with prices in US dollars and "
            "limits."},
    Example{"svc models list --kind image --json", "Prints all details of the image models."},
};

constexpr std::array k_rows = {
    get("models list", "/auth/teams/{teamId}/models",
        "List the team's models with prices and limits.", management, default_verb,
        fields<k_list_fields>, items("clusterConfigs"), columns(k_columns)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace models

constinit const std::span<const Operation> k_models_operations = models::k_operations;

}  // namespace svc::catalogue
