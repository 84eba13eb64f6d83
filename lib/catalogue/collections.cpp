// The group collections.
#include "catalogue/collections_documents.h"
#include "catalogue/collections_fields.h"
#include "catalogue/groups.h"
#include "catalogue/paging.h"

namespace svc::catalogue {
namespace collections {

// collections -------------------------------------------------------------------------------------

constexpr sv k_field_help = "Metadata field, as key[:required][:unique][:inject] or a JSON object.";

constexpr std::array k_create_fields = concat(
    std::array{
        text("collection-name", "Name of the collection.", required, positional,
             example("manuals")),
        k_description_field,
        text("field", k_field_help, composed, repeated, common),
        text("index_configuration.model_name", "The embedding model.",
             fallback("svc-embedding-small"), example("svc-embedding-small"), completes("models")),
        text("metric-space", "Distance metric of the index.", choices(k_metrics),
             example("HNSW_METRIC_COSINE")),
        json("field-definitions",
             "Metadata field: key, required, unique, inject_into_chunk, description.", repeated,
             example(R"({"key":"author","required":true})")),
        integer("version", "Internal to the service.", ignored, example("1")),
    },
    k_chunk_fields);

constexpr std::array k_update_fields = concat(
    std::array{
        k_collection_id_field,
        text("collection-name", "New name of the collection.", common, example("manuals 2")),
        k_description_field,
        text("add-field",
             "Add or replace a metadata field, as key[:unique][:inject] or a JSON object; it "
             "cannot be required.",
             composed, repeated, common),
        text("delete-field", "Remove a metadata field, and its value from all documents.", composed,
             repeated, common),
        json("field-definition-updates", "Metadata field change: field_definition and operation.",
             repeated,
             example(R"({"field_definition":{"key":"year"},"operation":"FIELD_DEFINITION_ADD"})")),
    },
    k_chunk_fields);

constexpr std::array k_list_fields = concat(
    std::array{
        text("filter",
             "Filter by expression, such as collection_name:manual AND documents_count:5.", query,
             common, example("collection_name:manual")),
        k_ordering_field,
        text("sort-by", "Sort key.", query, choices(k_collection_sorts),
             fallback("COLLECTIONS_SORT_BY_NAME"), example("COLLECTIONS_SORT_BY_AGE")),
    },
    paging_fields());

constexpr std::array k_collection_columns = {
    Column{"ID", "collection_id"},
    Column{"NAME", "collection_name"},
    Column{"DOCUMENTS", "documents_count", Cell::Count},
    Column{"SIZE", "total_file_size", Cell::Bytes},
    Column{"CREATED", "created_at", Cell::UnixTime},
    Column{"MODEL", "index_configuration.model_name"},
    Column{"DESCRIPTION", "collection_description"},
    Column{"CHUNKS", "chunk_configuration", Cell::Text, true},
    Column{"FIELDS", "field_definitions.key", Cell::List, true},
    Column{"METRIC", "metric_space", Cell::Text, true},
    Column{"TYPE", "collection_type", Cell::Text, true},
    Column{"VERSION", "version", Cell::Text, true},
};

constexpr std::array k_collection_id_fields = {k_collection_id_field};

// examples ----------------------------------------------------------------------------------------

// rows --------------------------------------------------------------------------------------------

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
    Example{"svc collections documents add collection_0001 file_0001 file_0002 --wait",
            "Adds two files and waits until they are indexed."},
    Example{"svc collections documents upload collection_0001 --name hostname --data /etc/hostname",
            "Uploads and adds a file in one step."},
    Example{"svc collections documents list collection_0001 --filter status:DOCUMENT_STATUS_FAILED",
            "Lists the documents that failed."},
    Example{"svc collections documents get collection_0001 file_0001 --wait",
            "Waits until a document is indexed."},
    Example{"svc collections documents batch-get collection_0001 file_0001 file_0002",
            "Shows two documents."},
    Example{"svc collections documents reindex collection_0001 file_0001", "Reindexes a document."},
    Example{"svc collections documents remove collection_0001 file_0001",
            "Removes a document, after asking; keeps the file."},
};

constexpr std::array k_rows = {
    post("collections create", "/v1/collections", "Create a collection.", management,
         team(In::Body), fields<k_create_fields>, columns(k_collection_columns),
         composer(Composer::Collection), rules(k_chunk_rules)),
    get("collections list", "/v1/collections", "List collections.", management, team(In::Query),
        fields<k_list_fields>, items("collections"), columns(k_collection_columns),
        paging(token_pages())),
    get("collections get", "/v1/collections/{collection_id}", "Show a collection.", management,
        team(In::Query), fields<k_collection_id_fields>, columns(k_collection_columns)),
    // The team is no member of the update.
    operation("collections update", "PUT", "/v1/collections/{collection_id}",
              "Change a collection: name, chunks, metadata fields.", management, observed,
              repeatable, replaces_all, fields<k_update_fields>, columns(k_collection_columns),
              composer(Composer::Collection), rules(k_chunk_rules)),
    operation("collections delete", "DELETE", "/v1/collections/{collection_id}",
              "Delete a collection and its documents; keep files.", management, team(In::Query),
              observed, repeatable_when_refused, destructive, answers_nothing,
              fields<k_collection_id_fields>),
    post("collections search", "/v1/documents/search", "Search collections for matching passages.",
         repeatable, fields<k_search_members>, items("matches"), columns(k_match_columns)),
    // A document has its file's id: twice is once.
    post("collections documents add", "/v1/collections/{collection_id}/documents/{file_id}",
         "Add files to a collection: file IDs or local paths.", management, team(In::Body),
         repeatable, answers_nothing, fields<k_add_fields>),
    post("collections documents upload", "/v1/collections/{collection_id}/documents",
         "Upload a file and add it, in one step.", management, observed, fields<k_upload_fields>,
         columns(k_document_columns)),
    get("collections documents list", "/v1/collections/{collection_id}/documents",
        "List a collection's documents.", management, team(In::Query),
        fields<k_documents_list_fields>, items("documents"), columns(k_document_columns),
        paging(token_pages())),
    get("collections documents get", "/v1/collections/{collection_id}/documents/{file_id}",
        "Show a document and its status.", management, team(In::Query),
        fields<k_document_get_fields>, columns(k_document_columns)),
    get("collections documents batch-get", "/v1/collections/{collection_id}/documents:batchGet",
        "Show several documents.", management, team(In::Query), observed,
        fields<k_batch_get_fields>, items("documents"), columns(k_document_columns)),
    operation("collections documents reindex", "PATCH",
              "/v1/collections/{collection_id}/documents/{file_id}", "Reindex a document.",
              management, observed, repeatable, answers_nothing, fields<k_document_fields>,
              columns(k_document_columns)),
    operation("collections documents remove", "DELETE",
              "/v1/collections/{collection_id}/documents/{file_id}",
              "Remove documents from a collection, not the files.", management, team(In::Query),
              observed, repeatable_when_refused, destructive, answers_nothing,
              fields<k_document_remove_fields>),
};
constexpr auto k_operations = with_examples(k_rows, k_examples);
static_assert(check_operations(k_operations));

}  // namespace collections

std::span<const Operation> collections_operations() {
  return collections::k_operations;
}

}  // namespace svc::catalogue
