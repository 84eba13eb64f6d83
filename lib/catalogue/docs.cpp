// The group docs.
#include "catalogue/check.h"
#include "catalogue/docs_answers.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace docs {

constexpr std::array k_search_fields = {
    text("query", "Search query.", typed("; omit or use - for standard input"), required,
         positional, common, file_text, example("batch limits")),
    integer("max-results", "Show at most N results.", common, letter('n'), at_least(1, "results"),
            example("5")),
};
constexpr std::array k_get_fields = {
    text("slug", "Page name, from search or list.", required, positional, common,
         example("batches")),
};

constexpr std::array k_examples = {
    Example{"svc docs 'batch limits'", "Searches the documentation."},
    Example{"svc docs 'rate limits' --max-results 3", "Shows the three best results."},
    Example{"svc docs list", "Lists the pages."},
    Example{"svc docs get batches", "Prints a page as Markdown."},
};

constexpr std::array k_rows = {
    post("docs search", "/api/mcp", "Search the service's documentation.", documentation,
         default_verb, repeatable, fields<k_search_fields>, tool("search_docs"),
         noun("result", "results"), items("content"), answers(answer::docs::k_members)),
    post("docs list", "/api/mcp", "List the pages of the service's documentation.", documentation,
         repeatable, tool("list_doc_pages"), items("content"), answers(answer::docs::k_members)),
    post("docs get", "/api/mcp", "Print a page of the service's documentation.", documentation,
         repeatable, fields<k_get_fields>, tool("get_doc_page"), answers(answer::docs::k_members)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"page", "pages"});

}  // namespace docs

constinit const std::span<const Operation> k_docs_operations = docs::k_operations;

}  // namespace svc::catalogue
