// The group collections.
#include "catalogue/check.h"
#include "catalogue/collections_answers.h"
#include "catalogue/collections_fields.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace collections {

/// The strategy that a field belongs to: "chars_configuration"; "" if none.
constexpr sv strategy_of(const Field& field) {
  constexpr sv parent = "chunk_configuration.";
  if (field.in != In::Body || !field.path.starts_with(parent)) return {};
  const sv rest = field.path.substr(parent.size());
  const std::size_t dot = rest.find('.');
  return dot == sv::npos ? sv() : rest.substr(0, dot);
}

/// Calls `use` for each pair of fields of different strategies.
constexpr void each_strategy_pair(const auto& use) {
  constexpr std::span<const Field> members = resolved<k_chunk_fields>;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      const sv one = strategy_of(members[i]);
      const sv other = strategy_of(members[j]);
      if (!one.empty() && !other.empty() && one != other) use(members[i].flag, members[j].flag);
    }
  }
}

/// The rules that fields of different strategies cannot be combined.
consteval auto strategy_rules() {
  constexpr std::size_t count = [] {
    std::size_t pairs = 0;
    each_strategy_pair([&](sv, sv) { ++pairs; });
    return pairs;
  }();
  std::array<Rule, count + 4> rules{};
  std::size_t at = 0;
  rules[at++] = warns("chunk-strategy=ast", "chunk-strategy",
                      "deprecated by the service; use code-tokens or code-chars.");
  for (const sv flag : {sv("chunk-size"), sv("chunk-overlap"), sv("chunk-encoding")}) {
    rules[at++] = needs(flag, "chunk-strategy", "The strategy determines the unit.");
  }
  each_strategy_pair([&](sv one, sv other) {
    rules[at++] = excludes(one, other, "A collection has exactly one chunking strategy.");
  });
  return rules;
}
constexpr auto k_chunk_rules = strategy_rules();

constexpr std::array k_examples = {
    Example{"svc collections create manuals --field author:required --field year",
            "Creates a collection with a required author and an optional year."},
    Example{"svc collections create code --chunk-strategy code-tokens --chunk-size 512 "
            "--chunk-overlap 64",
            "Splits documents as code."},
    Example{"svc collections list --filter collection_name:manual", "Finds collections by name."},
    Example{"svc collections get collection_0001", "Shows a collection's settings."},
    Example{"svc collections update collection_0001 --add-field year --delete-field draft",
            "Adds one metadata field and removes another, with its values, after asking."},
    Example{"svc collections delete collection_0001", "Deletes a collection, after asking."},
    Example{"svc collections search 'How is the filter changed?' --collection collection_0001",
            "Prints the best matching passages."},
    Example{"svc collections search filter --collection collection_0001 --mode keyword --limit 3 "
            "--json",
            "Searches for a keyword."},
    Example{"svc collections documents add collection_0001 file_0001 --field-value author=Ann",
            "Adds an uploaded file."},
    Example{"svc collections documents add collection_0001 file_0001 file_0002 --no-wait",
            "Adds two files without waiting until they are indexed."},
    Example{"svc collections documents upload collection_0001 --name hostname --data /etc/hostname",
            "Uploads and adds a file in one step."},
    Example{"svc collections documents list collection_0001 --filter status:DOCUMENT_STATUS_FAILED",
            "Lists failed documents."},
    Example{"svc collections documents get collection_0001 file_0001 --wait",
            "Waits until a document is indexed."},
    Example{"svc collections documents batch-get collection_0001 file_0001 file_0002",
            "Shows two documents."},
    Example{"svc collections documents reindex collection_0001 file_0001", "Reindexes a document."},
    Example{"svc collections documents remove collection_0001 file_0001",
            "Removes a document, after asking; keeps the file."},
};

constexpr Property k_of_documents = noun("document", "documents");
constexpr std::array k_rows = {
    post("collections create", "/v1/collections", "Create a collection.", management,
         team(In::Body), fields<k_create_fields>, composer(Composer::Collection),
         rules(k_chunk_rules), answers(answer::collections::k_members)),
    get("collections list", "/v1/collections", "List collections.", management, team(In::Query),
        fields<k_list_fields>, items("collections"), paging(token_pages()),
        answers(answer::collections::k_list)),
    get("collections get", "/v1/collections/{collection_id}", "Show a collection.", management,
        team(In::Query), fields<k_collection_id_fields>, answers(answer::collections::k_members)),
    // An update takes no team.
    operation("collections update", "PUT", "/v1/collections/{collection_id}",
              "Change a collection: name, chunks, metadata fields.", management, observed,
              repeatable, replaces_all, fields<k_update_fields>, composer(Composer::Collection),
              rules(k_chunk_rules), answers(answer::collections::k_members)),
    operation("collections delete", "DELETE", "/v1/collections/{collection_id}",
              "Delete a collection and its documents; keep files.", management, team(In::Query),
              observed, repeatable_when_refused, answers_nothing,
              ends("A deleted collection cannot be restored; its files remain."),
              fields<k_collection_id_fields>),
    post("collections search", "/v1/documents/search", "Search collections for matching passages.",
         runs(Handler::CollectionsSearch), repeatable, fields<k_search_members>, items("matches"),
         noun("passage", "passages"), answers(answer::collections::k_search)),
    // Idempotent: a document has its file's ID.
    post("collections documents add", "/v1/collections/{collection_id}/documents/{file_id}",
         "Add files to a collection: file IDs or local paths.", k_of_documents,
         runs(Handler::CollectionsDocumentsAdd), management, team(In::Body), repeatable,
         answers_nothing, prints(answer::collections::k_added), fields<k_add_fields>),
    post("collections documents upload", "/v1/collections/{collection_id}/documents",
         "Upload a file and add it, in one step.", k_of_documents, management, observed,
         fields<k_upload_fields>, answers(answer::collections::k_document_members)),
    get("collections documents list", "/v1/collections/{collection_id}/documents",
        "List a collection's documents.", k_of_documents, management, team(In::Query),
        fields<k_documents_list_fields>, items("documents"), paging(token_pages()),
        answers(answer::collections::k_documents)),
    get("collections documents get", "/v1/collections/{collection_id}/documents/{file_id}",
        "Show a document and its status.", k_of_documents, runs(Handler::CollectionsDocumentsGet),
        management, team(In::Query), fields<k_document_get_fields>,
        answers(answer::collections::k_document_members)),
    get("collections documents batch-get", "/v1/collections/{collection_id}/documents:batchGet",
        "Show several documents.", k_of_documents, management, team(In::Query), observed,
        fields<k_batch_get_fields>, items("documents"), answers(answer::collections::k_documents)),
    operation("collections documents reindex", "PATCH",
              "/v1/collections/{collection_id}/documents/{file_id}", "Reindex a document.",
              k_of_documents, management, observed, repeatable, answers_nothing,
              fields<k_document_fields>, answers(answer::collections::k_document_members)),
    operation("collections documents remove", "DELETE",
              "/v1/collections/{collection_id}/documents/{file_id}",
              "Remove documents from a collection, not the files.", k_of_documents, management,
              team(In::Query), observed, repeatable_when_refused, answers_nothing,
              ends("Searches no longer find what is removed; files remain."),
              fields<k_document_remove_fields>),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"collection", "collections"});

}  // namespace collections

constinit const std::span<const Operation> k_collections_operations = collections::k_operations;

}  // namespace svc::catalogue
