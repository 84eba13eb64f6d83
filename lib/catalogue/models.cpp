// The group models.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/models_answers.h"
#include "catalogue/models_fields.h"

namespace svc::catalogue {
namespace models {

constexpr std::array k_examples = {
    Example{"svc models",
            "Lists the models available to the team, with prices in US dollars and "
            "limits."},
    Example{"svc models list --kind image --json", "Prints all details of the image models."},
};

constexpr std::array k_rows = {
    get("models list", "/auth/teams/{teamId}/models",
        "List the team's models with prices and limits.", management, default_verb,
        fields<k_list_fields>, items("clusterConfigs"), answers(answer::models::k_list)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace models

constinit const std::span<const Operation> k_models_operations = models::k_operations;

}  // namespace svc::catalogue
