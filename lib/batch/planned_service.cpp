#include "batch/planned_service.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"

namespace svc::batch {

Result<void> PlannedService::add_with(request::Step step, const Known& known) {
  if (!known.name.empty()) request::put_variable(step.request, known.placeholder, known.name);
  return m_add(std::move(step));
}

Result<std::string> PlannedService::create(const std::string& name,
                                           const std::string& input_file_id) {
  m_batches.push_back(
      {request::placeholder_id("batch"), fmt::format("BATCH_{}", m_batches.size() + 1)});
  request::Step step{.request = m_requests.create(name, input_file_id),
                     .result = request::StepResult{m_batches.back().name, ".batch_id // .id"}};
  if (!input_file_id.empty()) {
    SVC_CHECK(add_with(std::move(step), m_files.back()));
  } else {
    SVC_CHECK(m_add(std::move(step)));
  }
  return m_batches.back().placeholder;
}

Result<void> PlannedService::add_many(const NextAddition& next, const CancelToken* /*drain*/) {
  while (auto addition = next()) {
    const auto batch = std::ranges::find(m_batches, addition->batch, &Known::placeholder);
    SVC_CHECK(add_with({.request = m_requests.add(addition->batch, std::move(addition->body))},
                       batch != m_batches.end() ? *batch : Known()));
    addition->done({}, false);
  }
  return {};
}

Result<std::string> PlannedService::upload(const std::string& path, std::uint64_t size) {
  // The file is removed before anybody could read it.
  SVC_TRY(text, read_file(path, size));
  m_files.push_back({request::placeholder_id("file"), fmt::format("FILE_{}", m_files.size() + 1)});
  SVC_CHECK(m_add({.request = m_requests.upload(std::move(text)),
                   .result = request::StepResult{m_files.back().name, ".id // .file_id"}}));
  return m_files.back().placeholder;
}

Result<void> PlannedService::finish(const std::vector<std::string>& begun) {
  std::vector<Known> batches;
  for (const std::string& id : begun) batches.push_back({.placeholder = id});
  batches.insert(batches.end(), m_batches.begin(), m_batches.end());
  for (const Known& batch : batches) {
    SVC_CHECK(add_with(
        {.request = m_requests.get(batch.placeholder), .repeats = "until the batch is done"},
        batch));
    SVC_CHECK(add_with({.request = m_requests.page("results", batch.placeholder, {}, k_result_page),
                        .repeats = "with the pagination_token of each answer until the list ends"},
                       batch));
  }
  return {};
}

Result<BatchState> PlannedService::get(const std::string& id) {
  BatchState state;
  state.id = id;
  return state;
}

Result<void> PlannedService::cancel(const std::string& /*id*/) {
  return {};
}

Result<Page> PlannedService::list(const std::string& /*token*/) {
  return Page();
}

Result<Page> PlannedService::requests(const std::string& /*id*/, const std::string& /*token*/) {
  return Page();
}

Result<Page> PlannedService::results(const std::string& /*id*/, const std::string& /*token*/) {
  return Page();
}

}  // namespace svc::batch
