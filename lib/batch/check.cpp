#include "batch/check.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "batch/id_index.h"
#include "client/api_client.h"

namespace svc::batch {
namespace {

// The size of a range, which becomes items at once while calls are in flight; small enough to be
// quick.
constexpr std::int64_t k_range_lines = 1000;
constexpr std::uint64_t k_range_bytes = 8'000'000;
/// How many bytes after the first invalid line are searched for more, and after how many they are
/// only counted.
constexpr std::uint64_t k_searched = 256'000'000;
constexpr std::uint64_t k_counted = 16'000'000;

class Check {
 public:
  Check(Input& input, Journal& journal, const Shard& shard, bool skip_invalid)
      : m_input(input), m_journal(journal), m_shard(shard), m_skip_invalid(skip_invalid) {}

  Result<CheckReport> run(const CancelToken& cancel,
                          const std::function<void(std::uint64_t)>& report) {
    Item item;
    while (true) {
      SVC_TRY(any, m_input.next(item));
      if (!any) break;
      ++m_report.lines;
      SVC_CHECK(check(item));
      if (m_report.lines % 256 == 0) {
        if (const auto fault = cancel.requested()) return canceled(*fault);
        report(m_input.position());
      }
    }
    SVC_CHECK(end_range());
    m_report.complete = !m_input.stopped_early();
    if (m_input.file_error()) note(*m_input.file_error());
    SVC_CHECK(m_ids.for_each_duplicate([this](auto locations) { return same_hash(locations); }));
    report_duplicates();
    return std::move(m_report);
  }

 private:
  Result<void> check(const Item& item) {
    if (m_range.lines == 0) {
      m_range = {.ordinal = m_report.lines, .offset = item.offset, .line = item.line};
    }
    m_range.hash = combine_hash(m_range.hash, item.hash);
    ++m_range.lines;
    if (!item.errors.empty()) {
      ++m_report.invalid_lines;
      for (const LineError& fault : item.errors) report(fault);
      const bool more_reported = m_report.errors.size() < k_max_reported_errors;
      if (!m_skip_invalid) m_input.stop_within(more_reported ? k_searched : k_counted);
    } else {
      SVC_CHECK(m_ids.add({hash_line(item.id) | 1U << 31U, m_report.lines, item.line, item.offset,
                           item.length, item.hash}));
      if (m_shard.contains(m_report.lines)) count(item, 1);
    }
    const bool room =
        m_range.lines < k_range_lines && item.offset + item.length - m_range.offset < k_range_bytes;
    return room ? Result<void>() : end_range();
  }

  void count(const Item& item, int by) {
    m_range.items += by;
    m_report.items += by;
    m_report.generated_ids += item.id_generated ? by : 0;
    m_report.bytes += by < 0 ? -item.json.size() : item.json.size();
  }

  Result<void> end_range() {
    const LineRange ended = std::exchange(m_range, {});
    return ended.items > 0 ? m_journal.add_range(ended) : Result<void>();
  }

  void note(const LineError& fault) {
    ++m_report.invalid_lines;
    report(fault);
  }

  void report(const LineError& fault) {
    if (m_report.errors.size() < k_max_reported_errors) m_report.errors.push_back(fault);
  }

  /// Different IDs may have the same hash, so compare the lines.
  Result<void> same_hash(std::span<const IdLocation> locations) {
    std::vector<std::pair<std::string, std::uint64_t>> known;
    for (const IdLocation& location : locations) {
      SVC_TRY(item, m_input.reread({location.ordinal, location.line, location.offset,
                                    location.length, location.hash}));
      const auto first =
          std::ranges::find(known, item.id, &std::pair<std::string, std::uint64_t>::first);
      if (first == known.end()) {
        known.emplace_back(item.id, location.line);
      } else {
        SVC_CHECK(add_duplicate(item, location.ordinal, first->second));
      }
    }
    return {};
  }

  Result<void> add_duplicate(const Item& item, std::int64_t ordinal, std::uint64_t other) {
    ++m_report.invalid_lines;
    if (m_skip_invalid && m_shard.contains(ordinal)) {
      count(item, -1);
      SVC_CHECK(m_journal.exclude(ordinal));
    }
    if (m_duplicates.size() == k_max_reported_errors && m_duplicates.rbegin()->first < item.line)
      return {};
    const std::string made = item.id_generated ? " (generated from the line number)" : "";
    m_duplicates.emplace(
        item.line, LineError{item.line, 0,
                             fmt::format("the ID '{}'{} is already used in line {}", shown(item.id),
                                         made, other)});
    if (m_duplicates.size() > k_max_reported_errors)
      m_duplicates.erase(std::prev(m_duplicates.end()));
    return {};
  }

  void report_duplicates() {
    auto& errors = m_report.errors;
    for (auto& [line, fault] : m_duplicates) errors.push_back(std::move(fault));
    std::ranges::stable_sort(errors, {}, &LineError::line);
    if (errors.size() > k_max_reported_errors) errors.resize(k_max_reported_errors);
  }

  Input& m_input;
  Journal& m_journal;
  const Shard& m_shard;
  bool m_skip_invalid;
  LineRange m_range{};
  IdIndex m_ids{};
  std::map<std::uint64_t, LineError> m_duplicates{};  // the first ones
  CheckReport m_report{};
};

}  // namespace

std::optional<Shard> parse_shard(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = parse_integer(text.substr(0, slash));
  const auto count = parse_integer(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *count < 1 || *index > *count || *count > 1'000'000) {
    return std::nullopt;
  }
  return Shard{*index, *count};
}

Result<CheckReport> check_input(Input& input, Journal& journal, const Shard& shard,
                                bool skip_invalid, const CancelToken& cancel,
                                const std::function<void(std::uint64_t)>& report) {
  return Check(input, journal, shard, skip_invalid).run(cancel, report);
}

Result<bool> fill_next(Input& input, Journal& journal, const Shard& shard) {
  SVC_TRY(range, journal.next_range());
  if (!range) return false;
  input.seek(range->offset, range->line);
  std::vector<ItemLocation> locations;
  std::uint64_t hash = 0;
  Item item;
  for (std::int64_t i = 0; i < range->lines; ++i) {
    SVC_TRY(any, input.next(item));
    if (!any) break;
    hash = combine_hash(hash, item.hash);
    if (!item.errors.empty() || !shard.contains(range->ordinal + i)) continue;
    locations.push_back(
        {range->ordinal + i, item.line, item.offset, item.length, item.hash, std::move(item.id)});
  }
  if (hash != range->hash) return input_changed(input.name(), range->line);
  SVC_CHECK(journal.fill(*range, locations));
  return true;
}

}  // namespace svc::batch
