// The members of the operations on collections and their documents. Only for collections.cpp.
#pragma once

#include "catalogue/check.h"
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
    "collection-id", "ID of the collection.",
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

/// Exactly one strategy, by its short flags or by those of its members.
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

/// The strategy that a member belongs to: "chars_configuration"; "" for the others.
constexpr sv strategy_of(const Field& field) {
  constexpr sv parent = "chunk_configuration.";
  if (field.in != In::Body || !field.path.starts_with(parent)) return {};
  const sv rest = field.path.substr(parent.size());
  const std::size_t dot = rest.find('.');
  return dot == sv::npos ? sv() : rest.substr(0, dot);
}

/// Calls `use` with each two members of different strategies.
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

/// Members of two strategies exclude one another.
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
inline constexpr auto k_chunk_rules = strategy_rules();

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
    text("group_by.keys", "Return the best chunks of each value of this metadata key.", repeated,
         example("author")),
    json("group_by.aggregate",
         "Which chunks of a group: {\"min_k\":{\"keys\":[…],\"k\":N}} or max_k.",
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

}  // namespace svc::catalogue::collections
