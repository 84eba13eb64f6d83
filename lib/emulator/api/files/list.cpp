// GET /v1/files.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/files/handlers.h"
#include "emulator/api/files/json.h"
#include "emulator/api/filter/filter.h"
#include "emulator/handler/address.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/page_token.h"

namespace svc::emulator::files {
namespace {

using filter::Filter;
using filter::Match;
using text::refuse_argument;

constexpr std::int64_t k_most = 100;  // larger limits are cut

constexpr std::array k_fields = {
    filter::Field{"name", Match::Fuzzy},           filter::Field{"file_name", Match::Fuzzy},
    filter::Field{"file_id", Match::Exact},        filter::Field{"size_bytes", Match::Integer},
    filter::Field{"content_type", Match::Part},    filter::Field{"created_at", Match::Time},
    filter::Field{"expires_at", Match::Time},      filter::Field{"upload_status", Match::Exact},
    filter::Field{"user_defined_id", Match::Exact}};

filter::Value value_of(const StoredFile& file, sv field) {
  if (field == "name" || field == "file_name") return file.filename;
  if (field == "file_id") return file.id;
  if (field == "size_bytes") return file.bytes;
  if (field == "content_type") return file.content_type;
  if (field == "created_at") return file.created_at;
  if (field == "upload_status") return file.upload_status;
  if (field == "expires_at" && file.expires_at) return *file.expires_at;
  return {};  // user_defined_id: no operation sets one
}

/// What an order goes by. `seq` makes it total: files come numbered as they come.
struct Place {
  std::string text{};
  std::int64_t number = 0;
  std::int64_t seq = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Wish {
  std::size_t limit = 0;
  bool descending = true;  // the REST specification's default
  std::string sort_by{"created_at"};
  std::string token{};
  std::optional<Place> after{};
  std::optional<Filter> filter{};

  [[nodiscard]] std::string token_kind() const {
    return fmt::format("files by {} {}", sort_by, descending ? "desc" : "asc");
  }
};

Place place_of(const StoredFile& file, const std::string& sort_by) {
  if (sort_by == "filename") return {file.filename, 0, file.seq};
  return {{}, sort_by == "size" ? file.bytes : file.created_at, file.seq};
}

std::optional<std::string> read_order(const Call& call, Wish& wish) {
  const std::string order = call.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return "Invalid value for order: it must be asc or desc.";
  wish.descending = order == "desc";
  wish.sort_by = call.query_value("sort_by").value_or("created_at");
  if (wish.sort_by == "created_at" || wish.sort_by == "filename" || wish.sort_by == "size") {
    return std::nullopt;
  }
  return "Invalid value for sort_by: it must be created_at, filename or size.";
}

std::optional<std::string> read_token(const Call& call, Wish& wish) {
  wish.token = call.query_value("pagination_token").value_or("");
  if (wish.token.empty()) return std::nullopt;
  const auto values = read_page_token(wish.token_kind(), wish.token, 3);
  if (!values) {
    return "Invalid pagination_token: it is not one of a list with this order and sort_by.";
  }
  const auto number = parse_integer((*values)[1]);
  const auto seq = parse_integer((*values)[2]);
  if (number && seq) wish.after = Place{(*values)[0], *number, *seq};
  return std::nullopt;
}

std::optional<std::string> read_wish(const Call& call, Wish& wish) {
  const auto limit = parse_integer(call.query_value("limit").value_or(std::to_string(k_most)));
  if (!limit || *limit < 1) return "Invalid value for limit: it must be a whole number above 0.";
  wish.limit = static_cast<std::size_t>(std::min(*limit, k_most));
  if (auto fault = read_order(call, wish)) return fault;
  if (auto fault = read_token(call, wish)) return fault;
  auto parsed = Filter::parse(call.query_value("filter").value_or(""), k_fields);
  if (!parsed) return parsed.error().message;
  wish.filter = std::move(*parsed);
  return std::nullopt;
}

struct Entry {
  Place place{};
  StoredFile file{};
};

// What matches and comes after the token, in order, at most `limit`.
Result<std::vector<Entry>> find_page(const Call& call, const Wish& wish) {
  const auto before = [&](const Place& a, const Place& b) {
    return wish.descending ? b < a : a < b;
  };
  std::vector<Entry> entries;
  SVC_CHECK(each_file(*call.state, call.key.team_id, [&](const StoredFile& file) {
    Place place = place_of(file, wish.sort_by);
    const auto lookup = [&](sv field) { return value_of(file, field); };
    const bool later = !wish.after || before(*wish.after, place);
    if (later && wish.filter->matches(lookup)) entries.push_back({std::move(place), file});
    return true;
  }));
  const auto middle =
      entries.begin() + static_cast<std::ptrdiff_t>(std::min(wish.limit, entries.size()));
  std::partial_sort(entries.begin(), middle, entries.end(),
                    [&](const Entry& a, const Entry& b) { return before(a.place, b.place); });
  entries.erase(middle, entries.end());
  return entries;
}

// Always one, also behind the last page: what is stored later continues there.
std::string next_token(const Wish& wish, const std::vector<Entry>& entries) {
  if (entries.empty()) {
    return wish.token.empty() ? make_page_token(wish.token_kind(), {"", "", ""}) : wish.token;
  }
  const Place& last = entries.back().place;
  return make_page_token(wish.token_kind(),
                         {last.text, std::to_string(last.number), std::to_string(last.seq)});
}

}  // namespace

Answer list(const Call& call) {
  Wish wish;
  if (const auto fault = read_wish(call, wish)) return refuse_argument(*fault);
  const auto entries = find_page(call, wish);
  if (!entries) return refuse_internal(entries.error());
  text::Json data = text::Json::array();
  for (const Entry& entry : *entries) {
    data.push_back(file_object(entry.file, own_address(call), call.state->now_ms() / 1000));
  }
  return json_answer(
      text::Json{{"data", std::move(data)}, {"pagination_token", next_token(wish, *entries)}});
}

}  // namespace svc::emulator::files
