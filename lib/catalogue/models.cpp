// The group models.
#include "catalogue/catalogue.h"
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
        "List the team's models with prices and limits.", runs(Handler::ModelsList), management,
        default_verb, fields<k_list_fields>, items("clusterConfigs"),
        answers(answer::models::k_list), prints(answer::models::k_listed)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"model", "models"});

}  // namespace models

constinit const std::span<const Operation> k_models_operations = models::k_operations;

}  // namespace svc::catalogue

namespace svc {

using catalogue::get;
using catalogue::observed;

constinit const Operation k_plain_models =
    get("models names", "/v1/models", "List models.", observed);
constinit const Operation k_language_models =
    get("models names", "/v1/language-models", "List models with text output.", observed);

}  // namespace svc
