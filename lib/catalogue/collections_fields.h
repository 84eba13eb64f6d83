// The fields of the group collections.
#pragma once

#include <array>

#include "catalogue/shared_fields.h"

namespace svc::catalogue::collections {

inline constexpr std::array<sv, 9> k_strategies = {
    "chars",          "tokens",      "ast",        "table", "markdown-tokens",
    "markdown-chars", "code-tokens", "code-chars", "bytes"};
inline constexpr std::array<sv, 4> k_metrics = {"HNSW_METRIC_UNKNOWN", "HNSW_METRIC_COSINE",
                                                "HNSW_METRIC_EUCLIDEAN",
                                                "HNSW_METRIC_INNER_PRODUCT"};
inline constexpr std::array<sv, 3> k_orders = {"ORDERING_UNKNOWN", "ORDERING_ASCENDING",
                                               "ORDERING_DESCENDING"};
inline constexpr std::array<sv, 2> k_collection_sorts = {"COLLECTIONS_SORT_BY_NAME",
                                                         "COLLECTIONS_SORT_BY_AGE"};
inline constexpr std::array<sv, 3> k_document_sorts = {
    "DOCUMENTS_SORT_BY_NAME", "DOCUMENTS_SORT_BY_SIZE", "DOCUMENTS_SORT_BY_AGE"};

inline constexpr Field k_collection_id_field = path_parameter(
    "collection-id", "ID or name of the collection.",
    example("collection_00000000-0000-0000-0000-000000000000"), completes("collections"));

inline constexpr Field k_file_id_field =
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
inline constexpr std::array k_chunk_fields = {
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

inline constexpr Field k_description_field =
    text("collection-description", "Description of the collection.", common, file_text,
         example("Manuals of all machines"));

inline constexpr Field k_ordering_field =
    text("order", "Sort direction.", query, choices(k_orders), fallback("ORDERING_DESCENDING"),
         example("ORDERING_ASCENDING"));

// search ------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 3> k_modes = {"hybrid", "semantic", "keyword"};
inline constexpr std::array<sv, 2> k_rerankers = {"reranker_model", "rrf"};
inline constexpr std::array<sv, 2> k_pipelines = {"chroma_db", "es"};
inline constexpr std::array<sv, 3> k_ranking_metrics = {
    "RANKING_METRIC_UNKNOWN", "RANKING_METRIC_L2_DISTANCE", "RANKING_METRIC_COSINE_SIMILARITY"};

inline constexpr std::array k_search_members = {
    text("query", "Search query.", required, positional, file_text,
         example("How is the filter changed?")),
    text("source.collection_ids", "ID or name of a collection to search.", required, repeated,
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
    text("group_by.keys", "Return the best chunks for each value of this metadata key.", demanded,
         repeated, example("author")),
    json("group_by.aggregate",
         "Chunks to return per group: {\"min_k\":{\"keys\":[…],\"k\":N}} or max_k.",
         needs_member("min_k|max_k"), fallback("the best chunk by score"),
         example(R"({"min_k":{"keys":["#score"],"k":2}})")),
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

inline constexpr std::array k_add_fields = concat(
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
        boolean("recursive", "Add a directory's files, except hidden ones.", local, plain_switch,
                common),
        integer("jobs", "Number of concurrent uploads.", local, common, range(1, 32), fallback("4"),
                example("8")),
    },
    waiting_fields("Wait until searches find the documents."));

inline constexpr std::array k_upload_fields = {
    k_collection_id_field,
    text("name", "Name of the document.", form_part, required, example("pump.md")),
    text("content-type", "Content type of the file.", form_part, example("text/markdown")),
    json("fields", "Metadata values, as a JSON object.", form_part, example(R"({"author":"Ann"})")),
    file("data", "The file.", form_part, required, example("notes.txt")),
};

inline constexpr std::array k_documents_list_fields = concat(
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

inline constexpr std::array k_document_get_fields =
    concat(std::array{k_collection_id_field, k_file_id_field}, k_wait_fields);
inline constexpr std::array k_document_fields = {k_collection_id_field, k_file_id_field};
inline constexpr std::array k_document_remove_fields = {
    k_collection_id_field,
    with(k_file_id_field, repeated, says("File IDs of the documents.")),
};
inline constexpr std::array k_batch_get_fields = {
    k_collection_id_field,
    text("file-ids", "File IDs of the documents.", query, required, positional, repeated,
         example("file_00000000-0000-0000-0000-000000000000"), completes("files")),
};

// collections -------------------------------------------------------------------------------------

inline constexpr sv k_field_help =
    "Metadata field, as key[:required][:unique][:inject] or a JSON object.";

inline constexpr std::array k_create_fields = concat(
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
             needs_member("key"), example(R"({"key":"author","required":true})")),
        integer("version", "Internal to the service.", ignored, example("1")),
    },
    k_chunk_fields);

inline constexpr std::array k_update_fields = concat(
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
             repeated, needs_member("field_definition.key"),
             example(R"({"field_definition":{"key":"year"},"operation":"FIELD_DEFINITION_ADD"})")),
    },
    k_chunk_fields);

inline constexpr std::array k_list_fields = concat(
    std::array{
        text("filter",
             "Filter by expression, such as collection_name:manual AND documents_count:5.", query,
             common, example("collection_name:manual")),
        k_ordering_field,
        text("sort-by", "Sort key.", query, choices(k_collection_sorts),
             fallback("COLLECTIONS_SORT_BY_NAME"), example("COLLECTIONS_SORT_BY_AGE")),
    },
    paging_fields());

inline constexpr std::array k_collection_id_fields = {k_collection_id_field};

}  // namespace svc::catalogue::collections
