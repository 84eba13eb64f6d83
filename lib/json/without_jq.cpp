// In place of pattern.cpp, if jq, whose library Oniguruma is, is left out of the build.
#include "base/shared_library.h"
#include "json/pattern.h"

namespace svc {

void Pattern::Deleter::operator()(void* /*expression*/) const noexcept {}

Result<Pattern> Pattern::compile(std::string_view /*text*/) {
  return built_without("the patterns of JSON Schemas", "SVC_JQ");
}

Pattern::Match Pattern::find_in(std::string_view /*text*/,
                                std::vector<std::string>* /*groups*/) const {
  return Match::No;
}

}  // namespace svc
