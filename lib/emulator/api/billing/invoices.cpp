// GET /v1/billing/teams/{team_id}/invoices.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/account/management.h"
#include "emulator/api/billing/bill.h"
#include "emulator/api/billing/handlers.h"
#include "emulator/state/state.h"

namespace svc::emulator::billing {
namespace {

using sv = std::string_view;

struct Filter {
  std::optional<Cycle> cycle{};
  std::optional<Cycle> since{};
  std::vector<std::string> ids{};

  [[nodiscard]] bool takes(const Invoice& invoice) const {
    if (cycle) return invoice.cycle == cycle;
    if (since) return invoice.created_s >= since->begin_s();
    return ids.empty() || std::ranges::find(ids, invoice.id) != ids.end();
  }
};

// `<name>.year` and `<name>.month`, which come together or not at all.
std::optional<Cycle> read_cycle(const Call& call, const std::string& name,
                                std::optional<Answer>& refusal) {
  const auto year = management::query_number(call, name + ".year", 1970, 9999, refusal);
  const auto month = management::query_number(call, name + ".month", 1, 12, refusal);
  if (refusal || (!year && !month)) return std::nullopt;
  if (!year || !month) {
    refusal = management::refuse_empty(name + (year ? ".month" : ".year"));
    return std::nullopt;
  }
  return Cycle{*year, static_cast<int>(*month)};
}

Filter read_filter(const Call& call, std::optional<Answer>& refusal) {
  Filter filter{read_cycle(call, "billingCycle", refusal), read_cycle(call, "since", refusal), {}};
  for (const Header& pair : call.query) {
    if (pair.name == "invoiceIds.invoiceIds" && !pair.value.empty()) {
      filter.ids.push_back(pair.value);
    }
  }
  const int given =
      int{filter.cycle.has_value()} + int{filter.since.has_value()} + int{!filter.ids.empty()};
  if (!refusal && given > 1) {
    refusal = management::refuse(management::Code::InvalidArgument,
                                 "Only one of billingCycle, since and invoiceIds may be given.",
                                 "form-invalid:one-of:filter");
  }
  return filter;
}

}  // namespace

Answer list_invoices(const Call& call) {
  std::optional<Answer> refusal;
  const Filter filter = read_filter(call, refusal);
  if (refusal) return *refusal;
  const auto books = call.state->change([&](Database& database) {
    return open_books(database, call.key.team_id, call.state->now_ms());
  });
  if (!books) return management::refuse_internal(books.error());
  Answer answer;
  for (const Invoice& invoice : invoices_of(*books)) {
    if (!filter.takes(invoice)) continue;
    answer.body += answer.body.empty() ? "" : ",";
    answer.body += invoice.json;
  }
  answer.body = fmt::format(R"({{"invoices":[{}]}})", answer.body);
  return answer;
}

}  // namespace svc::emulator::billing
