// The group collections.
#include "catalogue/collections_documents.h"
#include "catalogue/collections_fields.h"
#include "catalogue/groups.h"
#include "catalogue/paging.h"

namespace svc::catalogue {
namespace {

using namespace collections;

// collections -------------------------------------------------------------------------------------

constexpr sv k_field_help = "Metadata field, as key[:required][:unique][:inject] or a JSON object.";

constexpr std::array k_create_fields = concat(
    std::array{
        Field{.flag = "collection-name",
              .help = "Name of the collection.",
              .required = true,
              .positional = true,
              .example = "manuals"},
        k_description_field,
        Field{.flag = "field",
              .in = In::Compose,
              .help = k_field_help,
              .repeated = true,
              .common = true},
        Field{.flag = "index-configuration-model-name",
              .path = "index_configuration.model_name",
              .help = "The embedding model.",
              .fallback = "svc-embedding-small",
              .example = "svc-embedding-small",
              .completes = "models"},
        Field{.flag = "metric-space",
              .help = "Distance metric of the index.",
              .choices = k_metrics,
              .example = "HNSW_METRIC_COSINE"},
        Field{.flag = "field-definitions",
              .kind = Kind::Json,
              .help = "Metadata field: key, required, unique, inject_into_chunk, description.",
              .repeated = true,
              .example = R"({"key":"author","required":true})"},
        Field{.flag = "version",
              .kind = Kind::Integer,
              .help = "Internal to the service.",
              .example = "1",
              .status = Status::Ignored},
    },
    k_chunk_fields);

constexpr std::array k_update_fields = concat(
    std::array{
        k_collection_id_field,
        Field{.flag = "collection-name",
              .help = "New name of the collection.",
              .common = true,
              .example = "manuals 2"},
        k_description_field,
        Field{.flag = "add-field",
              .in = In::Compose,
              .help = "Add or replace a metadata field, as key[:unique][:inject] or a JSON object; "
                      "it cannot be required.",
              .repeated = true,
              .common = true},
        Field{.flag = "delete-field",
              .in = In::Compose,
              .help = "Remove a metadata field, and its value from all documents.",
              .repeated = true,
              .common = true},
        Field{
            .flag = "field-definition-updates",
            .kind = Kind::Json,
            .help = "Metadata field change: field_definition and operation.",
            .repeated = true,
            .example = R"({"field_definition":{"key":"year"},"operation":"FIELD_DEFINITION_ADD"})"},
    },
    k_chunk_fields);

constexpr std::array k_list_fields = concat(
    std::array{
        Field{.flag = "filter",
              .in = In::Query,
              .help = "Filter by expression, such as collection_name:manual AND documents_count:5.",
              .common = true,
              .example = "collection_name:manual"},
        k_ordering_field,
        Field{.flag = "sort-by",
              .in = In::Query,
              .help = "Sort key.",
              .choices = k_collection_sorts,
              .fallback = "COLLECTIONS_SORT_BY_NAME",
              .example = "COLLECTIONS_SORT_BY_AGE"},
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

constexpr std::array k_create_examples = {
    Example{"svc collections create manuals --field author:required --field year",
            "Creates a collection with a required author and an optional year."},
    Example{"svc collections create code --chunk-strategy code-tokens --chunk-size 512 "
            "--chunk-overlap 64",
            "Splits documents as code."}};
constexpr std::array k_list_examples = {
    Example{"svc collections list --filter collection_name:manual", "Finds collections by name."}};
constexpr std::array k_get_examples = {
    Example{"svc collections get collection_0001", "Shows a collection's settings."}};
constexpr std::array k_update_examples = {
    Example{"svc collections update collection_0001 --add-field year --delete-field draft",
            "Adds one metadata field and removes another, with its values, after asking."}};
constexpr std::array k_delete_examples = {
    Example{"svc collections delete collection_0001", "Deletes a collection, after asking."}};
constexpr std::array k_add_examples = {
    Example{"svc collections documents add collection_0001 file_0001 --field-value author=Ann",
            "Adds an uploaded file."},
    Example{"svc collections documents add collection_0001 file_0001 file_0002 --wait",
            "Adds two files and waits until they are indexed."}};
constexpr std::array k_upload_examples = {
    Example{"svc collections documents upload collection_0001 --name hostname --data /etc/hostname",
            "Uploads and adds a file in one step."}};
constexpr std::array k_documents_list_examples = {
    Example{"svc collections documents list collection_0001 --filter "
            "status:DOCUMENT_STATUS_FAILED",
            "Lists the documents that failed."}};
constexpr std::array k_document_get_examples = {
    Example{"svc collections documents get collection_0001 file_0001 --wait",
            "Waits until a document is indexed."}};
constexpr std::array k_batch_get_examples = {
    Example{"svc collections documents batch-get collection_0001 file_0001 file_0002",
            "Shows two documents."}};
constexpr std::array k_reindex_examples = {Example{
    "svc collections documents reindex collection_0001 file_0001", "Reindexes a document."}};
constexpr std::array k_remove_examples = {
    Example{"svc collections documents remove collection_0001 file_0001",
            "Removes a document, after asking; keeps the file."}};
constexpr std::array k_search_examples = {
    Example{"svc collections search 'How is the filter changed?' --collection collection_0001",
            "Prints the best matching passages."},
    Example{"svc collections search filter --collection collection_0001 --mode keyword --limit 3 "
            "--json",
            "Searches for a keyword."}};

// rows --------------------------------------------------------------------------------------------

/// One that does not name the team.
constexpr Operation bare_row(sv name, sv method, sv path, sv summary) {
  return Operation{
      .group = "collections",
      .name = name,
      .method = method,
      .path = path,
      .summary = summary,
      .host = Host::Management,
  };
}

constexpr Operation row(sv name, sv method, sv path, sv summary) {
  Operation o = bare_row(name, method, path, summary);
  o.team = method == "POST" || method == "PUT" ? In::Body : In::Query;
  return o;
}

constexpr Operation reading(Operation o) {
  o.repeat = Repeat::Always;
  return o;
}

constexpr Operation observed(Operation o) {
  o.source = Source::Observed;
  return o;
}

constexpr Operation with(Operation o, std::span<const Field> fields,
                         std::span<const Example> examples) {
  o.fields = fields;
  o.examples = examples;
  return o;
}

constexpr Operation reads_as(Operation o, std::span<const Column> columns) {
  o.columns = columns;
  return o;
}

constexpr Operation listing(Operation o, sv items, std::span<const Column> columns, bool paged) {
  o.items = items;
  o.columns = columns;
  if (paged) o.paging = token_pages();
  return o;
}

constexpr Operation create() {
  Operation o = with(row("create", "POST", "/v1/collections", "Create a collection."),
                     resolved<k_create_fields>, k_create_examples);
  o.columns = k_collection_columns;
  o.composer = Composer::Collection;
  o.rules = k_chunk_rules;
  return o;
}

constexpr Operation update() {
  // The team is no member of the update.
  Operation o = with(observed(bare_row("update", "PUT", "/v1/collections/{collection_id}",
                                       "Change a collection: name, chunks, metadata fields.")),
                     resolved<k_update_fields>, k_update_examples);
  o.columns = k_collection_columns;
  o.repeat = Repeat::Always;
  o.changes = true;
  o.composer = Composer::Collection;
  o.rules = k_chunk_rules;
  return o;
}

constexpr Operation destructive(Operation o) {
  o.reply = Reply::Nothing;
  o.repeat = Repeat::WhenRefused;
  o.destructive = true;
  return o;
}

constexpr Operation upload() {
  Operation o = with(
      observed(bare_row("documents upload", "POST", "/v1/collections/{collection_id}/documents",
                        "Upload a file and add it, in one step.")),
      resolved<k_upload_fields>, k_upload_examples);
  o.columns = k_document_columns;
  return o;
}

constexpr Operation add() {
  Operation o =
      with(row("documents add", "POST", "/v1/collections/{collection_id}/documents/{file_id}",
               "Add files to a collection: file IDs or local paths."),
           resolved<k_add_fields>, k_add_examples);
  o.reply = Reply::Nothing;
  o.repeat = Repeat::Always;  // a document has its file's id: twice is once
  return o;
}

constexpr Operation reindex() {
  Operation o = with(observed(bare_row("documents reindex", "PATCH",
                                       "/v1/collections/{collection_id}/documents/{file_id}",
                                       "Reindex a document.")),
                     resolved<k_document_fields>, k_reindex_examples);
  o.columns = k_document_columns;
  o.reply = Reply::Nothing;
  o.repeat = Repeat::Always;
  return o;
}

constexpr Operation search() {
  Operation o = with(bare_row("search", "POST", "/v1/documents/search",
                              "Search collections for matching passages."),
                     resolved<k_search_members>, k_search_examples);
  o.host = Host::Inference;
  o.repeat = Repeat::Always;
  return listing(o, "matches", k_match_columns, false);
}

constexpr std::array k_operations = {
    create(),
    listing(with(reading(row("list", "GET", "/v1/collections", "List collections.")),
                 resolved<k_list_fields>, k_list_examples),
            "collections", k_collection_columns, true),
    reads_as(
        with(reading(row("get", "GET", "/v1/collections/{collection_id}", "Show a collection.")),
             resolved<k_collection_id_fields>, k_get_examples),
        k_collection_columns),
    update(),
    with(destructive(observed(row("delete", "DELETE", "/v1/collections/{collection_id}",
                                  "Delete a collection and its documents; keep files."))),
         resolved<k_collection_id_fields>, k_delete_examples),
    search(),
    add(),
    upload(),
    listing(with(reading(row("documents list", "GET", "/v1/collections/{collection_id}/documents",
                             "List a collection's documents.")),
                 resolved<k_documents_list_fields>, k_documents_list_examples),
            "documents", k_document_columns, true),
    reads_as(with(reading(row("documents get", "GET",
                              "/v1/collections/{collection_id}/documents/{file_id}",
                              "Show a document and its status.")),
                  resolved<k_document_get_fields>, k_document_get_examples),
             k_document_columns),
    listing(with(reading(observed(row("documents batch-get", "GET",
                                      "/v1/collections/{collection_id}/documents:batchGet",
                                      "Show several documents."))),
                 resolved<k_batch_get_fields>, k_batch_get_examples),
            "documents", k_document_columns, false),
    reindex(),
    with(destructive(observed(row("documents remove", "DELETE",
                                  "/v1/collections/{collection_id}/documents/{file_id}",
                                  "Remove documents from a collection, not the files."))),
         resolved<k_document_remove_fields>, k_remove_examples),
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> collections_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
