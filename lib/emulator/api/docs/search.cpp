#include "emulator/api/docs/search.h"

#include <mutex>
#include <optional>

#include "base/text.h"
#include "database/database.h"
#include "emulator/api/docs/pages.h"

namespace svc::emulator::docs {
namespace {

constexpr const char* k_table =
    "CREATE VIRTUAL TABLE sections USING fts5("
    "slug UNINDEXED, title, heading, text, tokenize = 'porter unicode61')";
// A word in a heading counts three times. The better a section, the lower its rank.
constexpr const char* k_search =
    "SELECT slug, title, heading, snippet(sections, 3, '', '', '…', 40),"
    " bm25(sections, 0, 1, 3, 1) AS rank"
    " FROM sections WHERE sections MATCH ? ORDER BY rank LIMIT ?";

Result<void> add_page(Database& database, const Page& page) {
  std::string heading;
  std::string text;
  const auto add = [&]() -> Result<void> {
    SVC_TRY(changed, database.change("INSERT INTO sections VALUES (?,?,?,?)", page.slug, page.title,
                                     heading, text));
    (void)changed;
    return {};
  };
  for (const sv line : split(page.markdown, '\n')) {
    if (line.starts_with("## ") || line.starts_with("### ")) {
      SVC_CHECK(add());
      heading = line.substr(line.find(' ') + 1);
      text.clear();
    } else if (line != "```") {
      text.append(line).append("\n");
    }
  }
  return add();
}

Result<Database> make_index() {
  SVC_TRY(database, Database::open(":memory:", "the index of the documentation"));
  SVC_CHECK(database.run(k_table));
  for (const Page& page : pages()) SVC_CHECK(add_page(database, page));
  return std::move(database);
}

// Any of the words; each is quoted, so that nothing in it is an operator.
std::string any_of(sv query) {
  std::string wanted;
  for (const sv word : split(query, ' ')) {
    if (word.empty()) continue;
    if (!wanted.empty()) wanted += " OR ";
    wanted += '"' + replace_all(std::string(word), "\"", "\"\"") + '"';
  }
  return wanted;
}

Result<std::vector<Hit>> find(Database& database, const std::string& wanted, std::size_t most) {
  std::vector<Hit> hits;
  SVC_TRY(row, database.query(k_search, wanted, static_cast<std::int64_t>(most)));
  for (;;) {
    SVC_TRY(found, row.step());
    if (!found) return hits;
    hits.push_back({row.text(0), row.text(1), row.text(2),
                    std::string(trim(replace_all(row.text(3), "\n", " "))), -row.number(4)});
  }
}

}  // namespace

std::vector<Hit> search_pages(std::string_view query, std::size_t most) {
  static std::mutex mutex;
  static Result<Database> database = make_index();
  const std::string wanted = any_of(query);
  const std::lock_guard lock(mutex);
  if (wanted.empty() || !database) return {};
  auto hits = find(*database, wanted, most);
  return hits ? std::move(*hits) : std::vector<Hit>{};
}

}  // namespace svc::emulator::docs
