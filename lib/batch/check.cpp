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

// The size of a stretch, which becomes items at once while calls are in flight; small enough to be
// quick.
constexpr std::int64_t k_stretch_lines = 1000;
constexpr std::uint64_t k_stretch_bytes = 8'000'000;
/// How many bytes after the first invalid line are searched for more, and after how many they are
/// only counted.
constexpr std::uint64_t k_searched = 256'000'000;
constexpr std::uint64_t k_counted = 16'000'000;

class Check {
 public:
  Check(Input& input, Journal& journal, const Shard& shard, bool skip_invalid)
      : m_input(input), m_journal(journal), m_shard(shard), m_skips(skip_invalid) {}

  Result<CheckReport> run(const CancelToken& cancel,
                          const std::function<void(std::uint64_t)>& tell) {
    Item item;
    while (true) {
      SVC_TRY(any, m_input.next(item));
      if (!any) break;
      ++m_report.lines;
      SVC_CHECK(take(item));
      if (m_report.lines % 256 == 0) {
        if (const auto fault = cancel.requested()) return cancelled(*fault);
        tell(m_input.position());
      }
    }
    SVC_CHECK(end_stretch());
    m_report.complete = !m_input.ended_soon();
    if (m_input.file_fault()) note(*m_input.file_fault());
    SVC_CHECK(m_ids.each_same([this](auto places) { return same_hash(places); }));
    tell_doubles();
    return std::move(m_report);
  }

 private:
  Result<void> take(const Item& item) {
    if (m_stretch.lines == 0) {
      m_stretch = {.ordinal = m_report.lines, .offset = item.offset, .line = item.line};
    }
    m_stretch.hash = joined_hash(m_stretch.hash, item.hash);
    ++m_stretch.lines;
    if (!item.faults.empty()) {
      ++m_report.bad_lines;
      for (const LineFault& fault : item.faults) tell(fault);
      const bool more_is_told = m_report.faults.size() < k_told_faults;
      if (!m_skips) m_input.end_within(more_is_told ? k_searched : k_counted);
    } else {
      SVC_CHECK(m_ids.add({line_hash(item.id) | 1U << 31U, m_report.lines, item.line, item.offset,
                           item.length, item.hash}));
      if (m_shard.takes(m_report.lines)) count(item, 1);
    }
    const bool room = m_stretch.lines < k_stretch_lines &&
                      item.offset + item.length - m_stretch.offset < k_stretch_bytes;
    return room ? Result<void>() : end_stretch();
  }

  void count(const Item& item, int by) {
    m_stretch.items += by;
    m_report.items += by;
    m_report.made_ids += item.id_made ? by : 0;
    m_report.bytes += by < 0 ? -item.json.size() : item.json.size();
  }

  Result<void> end_stretch() {
    const Stretch ended = std::exchange(m_stretch, {});
    return ended.items > 0 ? m_journal.add_stretch(ended) : Result<void>();
  }

  void note(const LineFault& fault) {
    ++m_report.bad_lines;
    tell(fault);
  }

  void tell(const LineFault& fault) {
    if (m_report.faults.size() < k_told_faults) m_report.faults.push_back(fault);
  }

  /// Different IDs may have the same hash, so compare the lines.
  Result<void> same_hash(std::span<const IdPlace> places) {
    std::vector<std::pair<std::string, std::uint64_t>> known;
    for (const IdPlace& place : places) {
      SVC_TRY(item, m_input.read_again(
                        {place.ordinal, place.line, place.offset, place.length, place.hash}));
      const auto first =
          std::ranges::find(known, item.id, &std::pair<std::string, std::uint64_t>::first);
      if (first == known.end()) {
        known.emplace_back(item.id, place.line);
      } else {
        SVC_CHECK(take_double(item, place.ordinal, first->second));
      }
    }
    return {};
  }

  Result<void> take_double(const Item& item, std::int64_t ordinal, std::uint64_t other) {
    ++m_report.bad_lines;
    if (m_skips && m_shard.takes(ordinal)) {
      count(item, -1);
      SVC_CHECK(m_journal.leave_out(ordinal));
    }
    if (m_doubles.size() == k_told_faults && m_doubles.rbegin()->first < item.line) return {};
    const std::string made = item.id_made ? " (generated from the line number)" : "";
    m_doubles.emplace(item.line, LineFault{item.line, 0,
                                           fmt::format("the ID '{}'{} is already used in line {}",
                                                       shown(item.id, 80), made, other)});
    if (m_doubles.size() > k_told_faults) m_doubles.erase(std::prev(m_doubles.end()));
    return {};
  }

  void tell_doubles() {
    auto& faults = m_report.faults;
    for (auto& [line, fault] : m_doubles) faults.push_back(std::move(fault));
    std::ranges::stable_sort(faults, {}, &LineFault::line);
    if (faults.size() > k_told_faults) faults.resize(k_told_faults);
  }

  Input& m_input;
  Journal& m_journal;
  const Shard& m_shard;
  bool m_skips;
  Stretch m_stretch{};
  IdIndex m_ids{};
  std::map<std::uint64_t, LineFault> m_doubles{};  // the first ones
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
                                const std::function<void(std::uint64_t)>& tell) {
  return Check(input, journal, shard, skip_invalid).run(cancel, tell);
}

Result<bool> fill_next(Input& input, Journal& journal, const Shard& shard) {
  SVC_TRY(stretch, journal.next_stretch());
  if (!stretch) return false;
  input.go_to(stretch->offset, stretch->line);
  std::vector<ItemPlace> places;
  std::uint64_t hash = 0;
  Item item;
  for (std::int64_t i = 0; i < stretch->lines; ++i) {
    SVC_TRY(any, input.next(item));
    if (!any) break;
    hash = joined_hash(hash, item.hash);
    if (!item.faults.empty() || !shard.takes(stretch->ordinal + i)) continue;
    places.push_back(
        {stretch->ordinal + i, item.line, item.offset, item.length, item.hash, std::move(item.id)});
  }
  if (hash != stretch->hash) {
    return input_changed(input.name(), stretch->line);
  }
  SVC_CHECK(journal.fill(*stretch, places));
  return true;
}

}  // namespace svc::batch
