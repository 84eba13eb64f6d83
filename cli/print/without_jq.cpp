// In place of jq.cpp, if jq is left out of the build.
#include "base/shared_library.h"
#include "print/jq.h"

namespace svc::print {

struct JqFilter::State {};

JqFilter::JqFilter(std::unique_ptr<State> state) : m_state(std::move(state)) {}
JqFilter::JqFilter(JqFilter&&) noexcept = default;
JqFilter& JqFilter::operator=(JqFilter&&) noexcept = default;
JqFilter::~JqFilter() = default;

Result<JqFilter> JqFilter::compile(sv /*program*/, const CancelToken* /*cancel*/) {
  return built_without("--jq", "SVC_JQ");
}

Result<void> JqFilter::run(sv /*json*/, Out& /*out*/) {
  return built_without("--jq", "SVC_JQ");
}

}  // namespace svc::print
