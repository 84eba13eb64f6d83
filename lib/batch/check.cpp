#include "batch/check.h"

#include <fmt/format.h>

#include "base/text.h"
#include "client/api_client.h"

namespace svc::batch {
namespace {

class Check {
 public:
  Check(Input& input, Journal& journal, const Shard& shard)
      : m_input(input), m_journal(journal), m_shard(shard) {}

  Result<CheckReport> run(const CancelToken& cancel,
                          const std::function<void(std::uint64_t)>& tell) {
    Item item;
    while (true) {
      SVC_TRY(any, m_input.next(item));
      if (!any) break;
      ++m_report.lines;
      if (item.faults.empty()) SVC_CHECK(take(item));
      note(item.faults);
      if (m_report.lines % 256 == 0) {
        if (const auto fault = cancel.requested()) return cancelled(*fault);
        tell(m_input.position());
      }
    }
    if (m_input.file_fault()) note({*m_input.file_fault()});
    SVC_CHECK(m_journal.forget_foreign());
    return std::move(m_report);
  }

 private:
  Result<void> take(Item& item) {
    const bool mine = m_shard.takes(m_report.lines);
    Result<std::optional<std::uint64_t>> other = std::optional<std::uint64_t>();
    if (mine) {
      other = m_journal.add_item(
          {m_report.lines, item.line, item.offset, item.length, item.hash, item.id});
    } else {
      other = m_journal.add_foreign(item.id, item.line);
    }
    if (!other) return std::move(other).error();
    if (*other) {
      const std::string made = item.id_made ? ", which is made from the line's number," : "";
      item.faults.push_back(
          {item.line, 0,
           fmt::format("the id '{}'{} is already used in line {}",
                       visible(excerpt(item.id, 80), Lines::Escape), made, **other)});
      return mine ? m_journal.drop_item(m_report.lines) : Result<void>();
    }
    if (mine) {
      ++m_report.items;
      m_report.made_ids += item.id_made ? 1 : 0;
      m_report.bytes += item.json.size();
    }
    return {};
  }

  void note(const std::vector<LineFault>& faults) {
    if (!faults.empty()) ++m_report.bad_lines;
    for (const LineFault& fault : faults) {
      if (m_report.faults.size() < k_told_faults) m_report.faults.push_back(fault);
    }
  }

  Input& m_input;
  Journal& m_journal;
  const Shard& m_shard;
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
                                const CancelToken& cancel,
                                const std::function<void(std::uint64_t)>& tell) {
  return Check(input, journal, shard).run(cancel, tell);
}

}  // namespace svc::batch
