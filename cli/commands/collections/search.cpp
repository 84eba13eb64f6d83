// `svc collections search`: prints the matching passages.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/list_items.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "print/table.h"
#include "print/width.h"

namespace svc::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& match, const char* name) {
  return plain_text(member(match, name));
}

/// Four digits of a score are enough to tell passages apart; JSON has all.
std::string score_of(const json& match) {
  const json& score = member(match, "score");
  return score.is_number() ? fmt::format("{:.4g}", score.get<double>()) : text_of(match, "score");
}

/// "1.  0.8312  file_1, page 3  (author: Ann)".
std::string heading(const json& match, std::size_t number) {
  std::string line = fmt::format("{}.  {}  {}", number, score_of(match), text_of(match, "file_id"));
  // The service reports page 0 for documents of a single page.
  const std::string page = text_of(match, "page_number");
  if (!page.empty() && page != "0") line += ", page " + page;
  const json& fields = member(match, "fields");
  std::string values;
  if (fields.is_object()) {
    for (const auto& [name, value] : fields.items()) {
      values +=
          fmt::format("{}{}: {}", values.empty() ? "" : ", ", name, text_of(fields, name.c_str()));
    }
  }
  return values.empty() ? line : fmt::format("{}  ({})", line, values);
}

/// With --verbose, the second line of a passage: its exact origin.
Result<void> print_ids(Session& session, const json& match, std::size_t number) {
  if (!wants_details(session)) return {};
  const print::Column collections{{}, "collection_ids", Unit::List};
  SVC_CHECK(session.out().flush());
  session.notices().aside(fmt::format("{}.  collection {}, chunk {}", number,
                                      print::cell_text(match, collections, print::Reader::Person),
                                      text_of(match, "chunk_id")));
  return {};
}

Result<void> print_passage(Session& session, const json& match, std::size_t number) {
  print::Out& out = session.out();
  const bool person = out.terminal().is_tty;
  const auto shown = [&](const std::string& text, Lines lines) {
    return person ? visible(text, lines) : text;
  };
  constexpr std::size_t k_indent = 4;
  const auto columns = static_cast<std::size_t>(out.terminal().columns);
  const std::string head = replace_all(heading(match, number), "\n", " ");
  SVC_CHECK(out.write((number == 1 ? "" : "\n") + shown(head, Lines::Escape) + "\n"));
  SVC_CHECK(print_ids(session, match, number));
  const std::string content = shown(text_of(match, "chunk_content"), Lines::Keep);
  for (const sv line : split(trim(content), '\n')) {
    const std::size_t room = columns > 2 * k_indent ? columns - k_indent : columns;
    const std::vector<std::string> lines =
        person ? print::wrap(line, room) : std::vector<std::string>{std::string(line)};
    for (const std::string& one : lines) {
      const bool empty = trim(one).empty();
      SVC_CHECK(out.write((empty ? std::string() : std::string(k_indent, ' ') + one) + "\n"));
    }
  }
  return {};
}

}  // namespace

template <>
Result<void> run<Handler::CollectionsSearch>(Session& session) {
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(body, fetch_answer(session, "Searching"));
  if (!body) return {};
  const bool passages = session.format() == Format::Text && !session.globals().columns;
  if (!passages) return print_answer(session, operation, *body);
  SVC_TRY(matches, list_items(operation, *body, session.secrets()));
  if (matches.empty()) session.notices().note("no matches");
  std::size_t number = 0;
  for (const sv item : matches) SVC_CHECK(print_passage(session, parse_reply(item), ++number));
  return {};
}

}  // namespace svc::cli
