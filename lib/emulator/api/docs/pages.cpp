#include "emulator/api/docs/pages.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/text.h"
#include "database/database.h"
#include "database/rows.h"

namespace svc::emulator::docs {
namespace {

// Removes roff escapes from a line.
std::string plain(sv text) {
  constexpr std::array<std::pair<sv, sv>, 10> k_escapes = {{{"fB", ""},
                                                            {"fI", ""},
                                                            {"fR", ""},
                                                            {"fP", ""},
                                                            {"(aq", "'"},
                                                            {"(ga", "`"},
                                                            {"(ti", "~"},
                                                            {"(ha", "^"},
                                                            {"&", ""},
                                                            {"e", "\\"}}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const sv rest = text.substr(i + 1);
    const auto known = std::ranges::find_if(
        k_escapes, [&](const auto& escape) { return rest.starts_with(escape.first); });
    if (known != k_escapes.end()) {
      out += known->second;
      i += known->first.size();
    } else if (!rest.empty()) {
      out += rest.front();  // \- and \\ are the characters themselves
      i += 1;
    }
  }
  return out;
}

// Returns a macro's argument without quotes.
std::string argument(sv line) {
  const auto space = line.find(' ');
  if (space == sv::npos) return {};
  sv rest = trim(line.substr(space));
  if (rest.size() >= 2 && rest.starts_with('"') && rest.ends_with('"')) {
    rest = rest.substr(1, rest.size() - 2);
  }
  return plain(rest);
}

/// Converts a page line by line.
class Converter {
 public:
  std::string convert(sv roff) {
    for (const sv line : split(roff, '\n')) take(line);
    end_code();
    return std::move(m_out);
  }

 private:
  void take(sv line) {
    if (line.starts_with(".\\\"")) return;
    if (!line.starts_with('.')) {
      take_text(line);
      return;
    }
    const sv macro = line.substr(0, line.find(' '));
    if (macro == ".SH" || macro == ".SS") {
      start_block();
      m_out += (macro == ".SH" ? "## " : "### ") + argument(line) + "\n\n";
    } else if (macro == ".TP") {
      start_block();
      m_tag = true;
    } else if (macro == ".PP" || macro == ".IP" || macro == ".sp") {
      if (!m_code) start_block();
    } else if (macro == ".nf") {
      start_block();
      m_out += "```\n";
      m_code = true;
    } else if (macro == ".fi") {
      end_code();
    }
  }

  void take_text(sv line) {
    if (m_code) {
      m_out += plain(line) + "\n";
    } else if (m_tag) {
      m_out += "- `" + plain(line) + "`: ";
      m_tag = false;
    } else if (!line.empty()) {
      if (!m_out.empty() && m_out.back() != '\n' && m_out.back() != ' ') m_out += ' ';
      m_out += plain(line);
    }
  }

  void start_block() {
    end_code();
    while (m_out.ends_with(' ')) m_out.pop_back();
    if (!m_out.empty() && !m_out.ends_with("\n\n")) m_out += m_out.ends_with('\n') ? "\n" : "\n\n";
  }

  void end_code() {
    if (m_code) m_out += "```\n\n";
    m_code = false;
  }

  std::string m_out{};
  bool m_code = false;
  bool m_tag = false;  ///< the next line is the tag of a list item
};

// The line below NAME: "svc-chat - ask a model and print its answer".
std::string title_of(const std::string& markdown, sv slug) {
  constexpr sv k_heading = "## NAME\n\n";
  const auto at = markdown.find(k_heading);
  if (at == std::string::npos) return std::string(slug);
  const auto begin = at + k_heading.size();
  return replace_all(markdown.substr(begin, markdown.find('\n', begin) - begin), " - ", ": ");
}

std::vector<Page> make_pages() {
  std::vector<Page> made;
  for (const Source& source : sources()) {
    Page page{.slug = std::string(source.slug)};
    const std::string text = to_markdown(source.roff);
    page.title = title_of(text, source.slug);
    page.markdown = "# " + page.title + "\n\n" + text;
    made.push_back(std::move(page));
  }
  return made;
}

constexpr const char* k_table =
    "CREATE VIRTUAL TABLE sections USING fts5("
    "slug UNINDEXED, title, heading, text, tokenize = 'porter unicode61')";
// A match in a heading counts three times. A better section has a lower rank.
constexpr const char* k_search =
    "SELECT slug, title, heading, snippet(sections, 3, '', '', '…', 40),"
    " bm25(sections, 0, 1, 3, 1) AS rank"
    " FROM sections WHERE sections MATCH ? ORDER BY rank LIMIT ?";

Result<void> add_page(Database& database, const Page& page) {
  std::string heading;
  std::string text;
  const auto add = [&]() -> Result<void> {
    return run_sql(database, "INSERT INTO sections VALUES (?,?,?,?)", page.slug, page.title,
                   heading, text);
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

// Matches any of the words; each is quoted, so that it contains no operator.
std::string any_of(sv query) {
  std::string wanted;
  for (const sv word : split(query, ' ')) {
    if (word.empty()) continue;
    if (!wanted.empty()) wanted += " OR ";
    wanted += '"' + replace_all(std::string(word), "\"", "\"\"") + '"';
  }
  return wanted;
}

}  // namespace

std::string to_markdown(std::string_view roff) {
  return Converter().convert(roff);
}

const std::vector<Page>& pages() {
  static const std::vector<Page> k_pages = make_pages();
  return k_pages;
}

const Page* find_page(std::string_view slug) {
  const auto is_it = [&](const Page& page) {
    return page.slug == slug || (page.slug.starts_with("svc-") && sv(page.slug).substr(4) == slug);
  };
  const auto found = std::ranges::find_if(pages(), is_it);
  return found == pages().end() ? nullptr : &*found;
}

std::vector<Hit> search_pages(std::string_view query, std::size_t limit) {
  static std::mutex mutex;
  static Result<Database> database = make_index();
  const std::string wanted = any_of(query);
  const std::lock_guard lock(mutex);
  if (wanted.empty() || !database) return {};
  auto hits = all_rows(
      *database,
      [](const Statement& row) {
        return Hit{row.text(0), row.text(1), row.text(2),
                   std::string(trim(replace_all(row.text(3), "\n", " "))), -row.number(4)};
      },
      k_search, wanted, static_cast<std::int64_t>(limit));
  return hits ? std::move(*hits) : std::vector<Hit>{};
}

}  // namespace svc::emulator::docs
