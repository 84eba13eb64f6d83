// The group collections.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace collections {

constexpr std::array<sv, 9> k_strategies = {"chars",       "tokens",          "ast",
                                            "table",       "markdown-tokens", "markdown-chars",
                                            "code-tokens", "code-chars",      "bytes"};
constexpr std::array<sv, 4> k_metrics = {"HNSW_METRIC_UNKNOWN", "HNSW_METRIC_COSINE",
                                         "HNSW_METRIC_EUCLIDEAN", "HNSW_METRIC_INNER_PRODUCT"};
constexpr std::array<sv, 3> k_orders = {"ORDERING_UNKNOWN", "ORDERING_ASCENDING",
                                        "ORDERING_DESCENDING"};
constexpr std::array<sv, 2> k_collection_sorts = {"COLLECTIONS_SORT_BY_NAME",
                                                  "COLLECTIONS_SORT_BY_AGE"};
constexpr std::array<sv, 3> k_document_sorts = {"DOCUMENTS_SORT_BY_NAME", "DOCUMENTS_SORT_BY_SIZE",
                                                "DOCUMENTS_SORT_BY_AGE"};

constexpr Field k_collection_id_field = path_parameter(
    "collection-id", "ID of the collection.",
    example("collection_00000000-0000-0000-0000-000000000000"), completes("collections"));

constexpr Field k_file_id_field =
    path_parameter("file-id", "File ID of the document.",
                   example("file_00000000-0000-0000-0000-000000000000"), completes("files"));

constexpr Field size_field(sv path, sv help, const auto&... properties) {
  return integer(path, help, at_least(1), example("1024"), properties...);
}
constexpr Field overlap_field(sv path, sv help) {
  return integer(path, help, at_least(0), example("128"));
}
constexpr Field encoding_field(sv path, const auto&... properties) {
  return text(path, "The tokenizer's encoding.", example("o200k_base"), properties...);
}

/// The chunking strategy, set by the short flags or by the flags of its fields.
constexpr std::array k_chunk_fields = {
    text("chunk-strategy", "How to split documents into chunks.", composed, common,
         choices(k_strategies), fallback("bytes, 4000 with an overlap of 800")),
    integer("chunk-size", "Maximum chunk size, in --chunk-strategy units.", composed, common,
            at_least(1)),
    integer("chunk-overlap", "Overlap between adjacent chunks, in the same unit.", composed, common,
            at_least(0)),
    text("chunk-encoding", "The tokenizer's encoding, for a strategy that counts tokens.",
         composed),
    size_field("chunk_configuration.chars_configuration.max_chunk_size_chars",
               "Maximum chunk size, in characters."),
    overlap_field("chunk_configuration.chars_configuration.chunk_overlap_chars",
                  "Chunk overlap, in characters."),
    size_field("chunk_configuration.tokens_configuration.max_chunk_size_tokens",
               "Maximum chunk size, in tokens."),
    overlap_field("chunk_configuration.tokens_configuration.chunk_overlap_tokens",
                  "Chunk overlap, in tokens."),
    encoding_field("chunk_configuration.tokens_configuration.encoding_name"),
    size_field("chunk_configuration.ast_configuration.max_chunk_size_tokens",
               "Code by syntax: maximum chunk size; use code tokens or code characters.",
               deprecated),
    encoding_field("chunk_configuration.ast_configuration.encoding_name", deprecated),
    size_field("chunk_configuration.table_configuration.max_chunk_size_tokens",
               "Tables: maximum chunk size, in tokens."),
    encoding_field("chunk_configuration.table_configuration.encoding_name"),
    size_field("chunk_configuration.markdown_tokens_configuration.max_chunk_size_tokens",
               "Markdown: maximum chunk size, in tokens."),
    overlap_field("chunk_configuration.markdown_tokens_configuration.chunk_overlap_tokens",
                  "Markdown: chunk overlap, in tokens."),
    encoding_field("chunk_configuration.markdown_tokens_configuration.encoding_name"),
    size_field("chunk_configuration.markdown_chars_configuration.max_chunk_size_chars",
               "Markdown: maximum chunk size, in characters."),
    overlap_field("chunk_configuration.markdown_chars_configuration.chunk_overlap_chars",
                  "Markdown: chunk overlap, in characters."),
    size_field("chunk_configuration.code_tokens_configuration.max_chunk_size_tokens",
               "Code: maximum chunk size, in tokens."),
    overlap_field("chunk_configuration.code_tokens_configuration.chunk_overlap_tokens",
                  "Code: chunk overlap, in tokens."),
    encoding_field("chunk_configuration.code_tokens_configuration.encoding_name"),
    size_field("chunk_configuration.code_chars_configuration.max_chunk_size_chars",
               "Code: maximum chunk size, in characters."),
    overlap_field("chunk_configuration.code_chars_configuration.chunk_overlap_chars",
                  "Code: chunk overlap, in characters."),
    size_field("chunk_configuration.bytes_configuration.max_chunk_size_bytes",
               "Maximum chunk size, in bytes."),
    overlap_field("chunk_configuration.bytes_configuration.chunk_overlap_bytes",
                  "Chunk overlap, in bytes."),
    boolean("chunk_configuration.strip_whitespace", "Trim whitespace around chunks.",
            fallback("true")),
    boolean("chunk_configuration.inject_name_into_chunks", "Add the document name to each chunk.",
            fallback("false")),
    boolean("strip-whitespace", "Trim whitespace around chunks.",
            alias("chunk_configuration.strip_whitespace"), common),
    boolean("inject-name", "Add the document name to each chunk.",
            alias("chunk_configuration.inject_name_into_chunks"), common),
};

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
  std::array<Rule, count + 3> rules{};
  std::size_t at = 0;
  for (const sv flag : {sv("chunk-size"), sv("chunk-overlap"), sv("chunk-encoding")}) {
    rules[at++] = needs(flag, "chunk-strategy", "The strategy determines the unit.");
  }
  each_strategy_pair([&](sv one, sv other) {
    rules[at++] = excludes(one, other, "A collection has exactly one chunking strategy.");
  });
  return rules;
}
constexpr auto k_chunk_rules = strategy_rules();

constexpr Field k_description_field =
    text("collection-description", "Description of the collection.", common, file_text,
         example("Manuals of all machines"));

constexpr Field k_ordering_field =
    text("order", "Sort direction.", query, choices(k_orders), fallback("ORDERING_DESCENDING"),
         example("ORDERING_ASCENDING"));

// search ------------------------------------------------------------------------------------------

constexpr std::array<sv, 3> k_modes = {"hybrid", "semantic", "keyword"};
constexpr std::array<sv, 2> k_rerankers = {"reranker_model", "rrf"};
constexpr std::array<sv, 2> k_pipelines = {"chroma_db", "es"};
constexpr std::array<sv, 3> k_ranking_metrics = {
    "RANKING_METRIC_UNKNOWN", "RANKING_METRIC_L2_DISTANCE", "RANKING_METRIC_COSINE_SIMILARITY"};

constexpr std::array k_search_members = {
    text("query", "Search query.", required, positional, file_text,
         example("How is the filter changed?")),
    text("source.collection_ids", "ID of a collection to search.", required, repeated,
         example("collection_00000000-0000-0000-0000-000000000000"), completes("collections")),
    text("collection", "Alias of --source-collection-ids.", alias("source.collection_ids"),
         repeated, common, completes("collections")),
    text("source.rag_pipeline", "Store to search.", choices(k_pipelines), example("es")),
    text("rag-pipeline", "Alias of --source-rag-pipeline.", alias("source.rag_pipeline"),
         choices(k_pipelines)),
    text("filter", "Filter by metadata, such as year >= 2020 AND author = \"Ann\".", common,
         example("year:2019..2021")),
    integer("limit", "Return at most N chunks.", common, letter('n'), at_least(1, "chunks"),
            fallback("10"), example("5")),
    text("instructions", "Instructions added to the query.", file_text, fallback("generic ones"),
         example("Prefer newer manuals.")),
    text("group_by.keys", "Return the best chunks for each value of this metadata key.", repeated,
         example("author")),
    json("group_by.aggregate",
         "Chunks to return per group: {\"min_k\":{\"keys\":[…],\"k\":N}} or max_k.",
         fallback("the best chunk by score"), example(R"({"min_k":{"keys":["#score"],"k":2}})")),
    text("retrieval_mode.type", "Search mode: semantic, keyword or hybrid.", choices(k_modes),
         fallback("hybrid"), example("hybrid")),
    text("mode", "Alias of --retrieval-mode-type.", alias("retrieval_mode.type"), common,
         choices(k_modes)),
    integer("retrieval_mode.search_multiplier",
            "Candidates to examine per returned chunk; for hybrid.", range(1, 100), example("10")),
    text("retrieval_mode.reranker.type", "Reranker; for hybrid.", choices(k_rerankers),
         example("rrf")),
    text("retrieval_mode.reranker.model", "The reranker's model.", example("svc-rerank")),
    text("retrieval_mode.reranker.instructions", "Instructions for the reranker's model.",
         example("Prefer newer manuals.")),
    integer("retrieval_mode.reranker.k", "The constant of reciprocal rank fusion.", at_least(1),
            fallback("60"), example("60")),
    number("retrieval_mode.reranker.embedding_weight", "Semantic weight in the fusion.",
           range(0, 1), fallback("0.5"), example("0.7")),
    number("retrieval_mode.reranker.text_weight", "Keyword weight in the fusion.", range(0, 1),
           fallback("0.5"), example("0.3")),
    text("ranking-metric", "Distance metric.", deprecated, choices(k_ranking_metrics),
         example("RANKING_METRIC_COSINE_SIMILARITY")),
};

constexpr std::array k_add_fields = concat(
    std::array{
        k_collection_id_field,
        with(k_file_id_field, repeated, Property{&Field::kind, Kind::File},
             says("File IDs, or local paths to upload first.")),
        json("fields", "Metadata values, as a JSON object.", example(R"({"author":"Ann"})")),
        text("field-value", "One metadata value, as key=value.", local, repeated, common,
             example("author=Ann")),
        file("manifest",
             "CSV with header, or JSONL: path or file_id identifies the document, other columns "
             "are metadata.",
             local, common, example("documents.csv")),
        boolean("recursive", "Add a directory's files, except hidden ones.", local, common),
        integer("jobs", "Number of concurrent uploads.", local, common, range(1, 32), fallback("4"),
                example("8")),
    },
    k_wait_fields);

constexpr std::array k_upload_fields = {
    k_collection_id_field,
    text("name", "Name of the document.", form_part, required, example("pump.md")),
    text("content-type", "Content type of the file.", form_part, example("text/markdown")),
    json("fields", "Metadata values, as a JSON object.", form_part, example(R"({"author":"Ann"})")),
    file("data", "The file.", form_part, required, example("notes.txt")),
};

constexpr std::array k_documents_list_fields = concat(
    std::array{
        k_collection_id_field,
        text("filter",
             "Filter by expression, such as status:DOCUMENT_STATUS_FAILED AND fields.author:Ann.",
             query, common, example("status:DOCUMENT_STATUS_FAILED")),
        text("name", "Filter by name; use --filter name:VALUE.", query, deprecated,
             example("pump.md")),
        k_ordering_field,
        text("sort-by", "Sort key.", query, choices(k_document_sorts),
             fallback("DOCUMENTS_SORT_BY_NAME"), example("DOCUMENTS_SORT_BY_AGE")),
    },
    paging_fields());

constexpr std::array k_document_columns = {
    Column{"FILE", "file_metadata.file_id"},
    Column{"NAME", "file_metadata.name"},
    Column{"STATUS", "status"},
    Column{"SIZE", "file_metadata.size_bytes", Cell::Bytes},
    Column{"CHUNKS", "chunk_count", Cell::Count},
    Column{"TYPE", "file_metadata.content_type"},
    Column{"FIELDS", "fields"},
    Column{"INDEXED", "last_indexed_at", Cell::UnixTime},
    Column{"ERROR", "error_message|file_metadata.upload_error_message"},
    Column{"CREATED", "file_metadata.created_at", Cell::UnixTime, true},
    Column{"EXPIRES", "file_metadata.expires_at", Cell::UnixTime, true},
    Column{"UPLOAD", "file_metadata.upload_status", Cell::Text, true},
    Column{"PROCESSING", "file_metadata.processing_status", Cell::Text, true},
    Column{"FOLDER", "file_metadata.file_path", Cell::Text, true},
    Column{"CHUNKS DONE", "chunks_processed_count", Cell::Count, true},
    Column{"HASH", "file_metadata.hash", Cell::Text, true},
};

constexpr std::array k_document_get_fields =
    concat(std::array{k_collection_id_field, k_file_id_field}, k_wait_fields);
constexpr std::array k_document_fields = {k_collection_id_field, k_file_id_field};
constexpr std::array k_document_remove_fields = {
    k_collection_id_field,
    with(k_file_id_field, repeated, says("File IDs of the documents.")),
};
constexpr std::array k_batch_get_fields = {
    k_collection_id_field,
    text("file-ids", "File IDs of the documents.", query, required, positional, repeated,
         example("file_00000000-0000-0000-0000-000000000000"), completes("files")),
};

constexpr std::array k_match_columns = {
    Column{"SCORE", "score"},
    Column{"FILE", "file_id"},
    Column{"PAGE", "page_number", Cell::Count},
    Column{"TEXT", "chunk_content"},
};

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
            "Lists failed documents."},
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
    // An update takes no team.
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
    // Idempotent: a document has its file's ID.
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
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace collections

constinit const std::span<const Operation> k_collections_operations = collections::k_operations;

}  // namespace svc::catalogue
