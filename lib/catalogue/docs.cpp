// The group docs.
// arguments.
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

constexpr std::array k_search_fields = {
    Field{.flag = "query",
          .help = "Search query; omit or use - for standard input.",
          .required = true,
          .positional = true,
          .common = true,
          .file_text = true,
          .example = "batch limits"},
    Field{.flag = "max-results",
          .kind = Kind::Integer,
          .help = "Show at most N results.",
          .common = true,
          .range = Range{1, k_no_max, "results"},
          .example = "5"},
};
constexpr std::array k_get_fields = {
    Field{.flag = "slug",
          .help = "Page name, from search or list.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "batches"},
};

constexpr std::array k_search_examples = {
    Example{"svc docs 'batch limits'", "Searches the documentation."},
    Example{"svc docs 'rate limits' --max-results 3", "Shows the three best results."},
};
constexpr std::array k_list_examples = {
    Example{"svc docs list", "Lists the pages."},
};
constexpr std::array k_get_examples = {
    Example{"svc docs get batches", "Prints a page as Markdown."},
};

constexpr std::array k_operations = {
    Operation{.group = "docs",
              .name = "search",
              .method = "POST",
              .path = "/api/mcp",
              .summary = "Search the service's documentation.",
              .host = Host::Docs,
              .fields = resolved<k_search_fields>,
              .is_default = true,
              .repeat = Repeat::Always,
              .tool = "search_docs",
              .items = "content",
              .examples = k_search_examples},
    Operation{.group = "docs",
              .name = "list",
              .method = "POST",
              .path = "/api/mcp",
              .summary = "List the pages of the service's documentation.",
              .host = Host::Docs,
              .repeat = Repeat::Always,
              .tool = "list_doc_pages",
              .items = "content",
              .examples = k_list_examples},
    Operation{.group = "docs",
              .name = "get",
              .method = "POST",
              .path = "/api/mcp",
              .summary = "Print a page of the service's documentation.",
              .host = Host::Docs,
              .fields = resolved<k_get_fields>,
              .repeat = Repeat::Always,
              .tool = "get_doc_page",
              .examples = k_get_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> docs_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
