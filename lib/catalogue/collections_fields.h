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

inline constexpr Field k_collection_id_field{
    .flag = "collection-id",
    .in = In::Path,
    .help = "ID of the collection.",
    .required = true,
    .positional = true,
    .example = "collection_00000000-0000-0000-0000-000000000000",
    .completes = "collections"};

inline constexpr Field k_file_id_field{.flag = "file-id",
                                       .in = In::Path,
                                       .help = "File ID of the document.",
                                       .required = true,
                                       .positional = true,
                                       .example = "file_00000000-0000-0000-0000-000000000000",
                                       .completes = "files"};

constexpr Field several(Field field, sv help) {
  field.repeated = true;
  field.help = help;
  return field;
}

constexpr Field or_file(Field field) {
  field.kind = Kind::File;
  return field;
}

constexpr Field size_field(sv flag, sv path, sv help, Status status = Status::Current) {
  return Field{.flag = flag,
               .path = path,
               .kind = Kind::Integer,
               .help = help,
               .range = Range{1, k_no_max},
               .example = "1024",
               .status = status};
}

constexpr Field overlap_field(sv flag, sv path, sv help) {
  return Field{.flag = flag,
               .path = path,
               .kind = Kind::Integer,
               .help = help,
               .range = Range{0, k_no_max},
               .example = "128"};
}

constexpr Field encoding_field(sv flag, sv path, Status status = Status::Current) {
  return Field{.flag = flag,
               .path = path,
               .help = "The tokenizer's encoding.",
               .example = "o200k_base",
               .status = status};
}

/// Exactly one strategy, by its short flags or by those of its members.
inline constexpr std::array k_chunk_fields = {
    Field{.flag = "chunk-strategy",
          .in = In::Compose,
          .help = "How to split documents into chunks.",
          .common = true,
          .choices = k_strategies,
          .fallback = "bytes, 4000 with an overlap of 800"},
    Field{.flag = "chunk-size",
          .kind = Kind::Integer,
          .in = In::Compose,
          .help = "Maximum chunk size, in --chunk-strategy units.",
          .common = true,
          .range = Range{1, k_no_max}},
    Field{.flag = "chunk-overlap",
          .kind = Kind::Integer,
          .in = In::Compose,
          .help = "Overlap between adjacent chunks, in the same unit.",
          .common = true,
          .range = Range{0, k_no_max}},
    Field{.flag = "chunk-encoding",
          .in = In::Compose,
          .help = "The tokenizer's encoding, for a strategy that counts tokens."},
    size_field("chunk-configuration-chars-configuration-max-chunk-size-chars",
               "chunk_configuration.chars_configuration.max_chunk_size_chars",
               "Maximum chunk size, in characters."),
    overlap_field("chunk-configuration-chars-configuration-chunk-overlap-chars",
                  "chunk_configuration.chars_configuration.chunk_overlap_chars",
                  "Chunk overlap, in characters."),
    size_field("chunk-configuration-tokens-configuration-max-chunk-size-tokens",
               "chunk_configuration.tokens_configuration.max_chunk_size_tokens",
               "Maximum chunk size, in tokens."),
    overlap_field("chunk-configuration-tokens-configuration-chunk-overlap-tokens",
                  "chunk_configuration.tokens_configuration.chunk_overlap_tokens",
                  "Chunk overlap, in tokens."),
    encoding_field("chunk-configuration-tokens-configuration-encoding-name",
                   "chunk_configuration.tokens_configuration.encoding_name"),
    size_field("chunk-configuration-ast-configuration-max-chunk-size-tokens",
               "chunk_configuration.ast_configuration.max_chunk_size_tokens",
               "Code by syntax: maximum chunk size; use code tokens or code characters.",
               Status::Deprecated),
    encoding_field("chunk-configuration-ast-configuration-encoding-name",
                   "chunk_configuration.ast_configuration.encoding_name", Status::Deprecated),
    size_field("chunk-configuration-table-configuration-max-chunk-size-tokens",
               "chunk_configuration.table_configuration.max_chunk_size_tokens",
               "Tables: maximum chunk size, in tokens."),
    encoding_field("chunk-configuration-table-configuration-encoding-name",
                   "chunk_configuration.table_configuration.encoding_name"),
    size_field("chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens",
               "chunk_configuration.markdown_tokens_configuration.max_chunk_size_tokens",
               "Markdown: maximum chunk size, in tokens."),
    overlap_field("chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens",
                  "chunk_configuration.markdown_tokens_configuration.chunk_overlap_tokens",
                  "Markdown: chunk overlap, in tokens."),
    encoding_field("chunk-configuration-markdown-tokens-configuration-encoding-name",
                   "chunk_configuration.markdown_tokens_configuration.encoding_name"),
    size_field("chunk-configuration-markdown-chars-configuration-max-chunk-size-chars",
               "chunk_configuration.markdown_chars_configuration.max_chunk_size_chars",
               "Markdown: maximum chunk size, in characters."),
    overlap_field("chunk-configuration-markdown-chars-configuration-chunk-overlap-chars",
                  "chunk_configuration.markdown_chars_configuration.chunk_overlap_chars",
                  "Markdown: chunk overlap, in characters."),
    size_field("chunk-configuration-code-tokens-configuration-max-chunk-size-tokens",
               "chunk_configuration.code_tokens_configuration.max_chunk_size_tokens",
               "Code: maximum chunk size, in tokens."),
    overlap_field("chunk-configuration-code-tokens-configuration-chunk-overlap-tokens",
                  "chunk_configuration.code_tokens_configuration.chunk_overlap_tokens",
                  "Code: chunk overlap, in tokens."),
    encoding_field("chunk-configuration-code-tokens-configuration-encoding-name",
                   "chunk_configuration.code_tokens_configuration.encoding_name"),
    size_field("chunk-configuration-code-chars-configuration-max-chunk-size-chars",
               "chunk_configuration.code_chars_configuration.max_chunk_size_chars",
               "Code: maximum chunk size, in characters."),
    overlap_field("chunk-configuration-code-chars-configuration-chunk-overlap-chars",
                  "chunk_configuration.code_chars_configuration.chunk_overlap_chars",
                  "Code: chunk overlap, in characters."),
    size_field("chunk-configuration-bytes-configuration-max-chunk-size-bytes",
               "chunk_configuration.bytes_configuration.max_chunk_size_bytes",
               "Maximum chunk size, in bytes."),
    overlap_field("chunk-configuration-bytes-configuration-chunk-overlap-bytes",
                  "chunk_configuration.bytes_configuration.chunk_overlap_bytes",
                  "Chunk overlap, in bytes."),
    Field{.flag = "chunk-configuration-strip-whitespace",
          .path = "chunk_configuration.strip_whitespace",
          .kind = Kind::Boolean,
          .help = "Trim whitespace around chunks.",
          .fallback = "true"},
    Field{.flag = "chunk-configuration-inject-name-into-chunks",
          .path = "chunk_configuration.inject_name_into_chunks",
          .kind = Kind::Boolean,
          .help = "Add the document name to each chunk.",
          .fallback = "false"},
    Field{.flag = "strip-whitespace",
          .path = "chunk_configuration.strip_whitespace",
          .kind = Kind::Boolean,
          .help = "Trim whitespace around chunks.",
          .common = true,
          .alias = true},
    Field{.flag = "inject-name",
          .path = "chunk_configuration.inject_name_into_chunks",
          .kind = Kind::Boolean,
          .help = "Add the document name to each chunk.",
          .common = true,
          .alias = true},
};

/// The strategy that a member belongs to: "chars_configuration"; "" for the others.
constexpr sv strategy_of(const Field& field) {
  constexpr sv parent = "chunk_configuration.";
  if (field.in != In::Body || !field.path.starts_with(parent)) return {};
  const sv rest = field.path.substr(parent.size());
  const std::size_t dot = rest.find('.');
  return dot == sv::npos ? sv() : rest.substr(0, dot);
}

consteval std::size_t count_strategy_pairs() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < k_chunk_fields.size(); ++i) {
    for (std::size_t j = i + 1; j < k_chunk_fields.size(); ++j) {
      const sv one = strategy_of(k_chunk_fields[i]);
      const sv other = strategy_of(k_chunk_fields[j]);
      count += !one.empty() && !other.empty() && one != other ? 1 : 0;
    }
  }
  return count;
}

/// Members of two strategies exclude one another.
consteval auto strategy_rules() {
  std::array<Rule, count_strategy_pairs() + 3> rules{};
  std::size_t at = 0;
  for (const sv flag : {sv("chunk-size"), sv("chunk-overlap"), sv("chunk-encoding")}) {
    rules[at++] =
        Rule{RuleKind::Requires, flag, "chunk-strategy", "The strategy determines the unit."};
  }
  for (std::size_t i = 0; i < k_chunk_fields.size(); ++i) {
    for (std::size_t j = i + 1; j < k_chunk_fields.size(); ++j) {
      const sv one = strategy_of(k_chunk_fields[i]);
      const sv other = strategy_of(k_chunk_fields[j]);
      if (one.empty() || other.empty() || one == other) continue;
      rules[at++] = Rule{RuleKind::Excludes, k_chunk_fields[i].flag, k_chunk_fields[j].flag,
                         "A collection has exactly one chunking strategy."};
    }
  }
  return rules;
}
inline constexpr auto k_chunk_rules = strategy_rules();

inline constexpr Field k_description_field{.flag = "collection-description",
                                           .help = "Description of the collection.",
                                           .common = true,
                                           .file_text = true,
                                           .example = "Manuals of all machines"};

inline constexpr Field k_ordering_field{.flag = "order",
                                        .in = In::Query,
                                        .help = "Sort direction.",
                                        .choices = k_orders,
                                        .fallback = "ORDERING_DESCENDING",
                                        .example = "ORDERING_ASCENDING"};

// search ------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 3> k_modes = {"hybrid", "semantic", "keyword"};
inline constexpr std::array<sv, 2> k_rerankers = {"reranker_model", "rrf"};
inline constexpr std::array<sv, 2> k_pipelines = {"chroma_db", "es"};
inline constexpr std::array<sv, 3> k_ranking_metrics = {
    "RANKING_METRIC_UNKNOWN", "RANKING_METRIC_L2_DISTANCE", "RANKING_METRIC_COSINE_SIMILARITY"};

inline constexpr std::array k_search_members = {
    Field{.flag = "query",
          .help = "Search query.",
          .required = true,
          .positional = true,
          .file_text = true,
          .example = "How is the filter changed?"},
    Field{.flag = "source-collection-ids",
          .path = "source.collection_ids",
          .help = "ID of a collection to search.",
          .required = true,
          .repeated = true,
          .example = "collection_00000000-0000-0000-0000-000000000000",
          .completes = "collections"},
    Field{.flag = "collection",
          .path = "source.collection_ids",
          .help = "Alias of --source-collection-ids.",
          .repeated = true,
          .common = true,
          .completes = "collections",
          .alias = true},
    Field{.flag = "source-rag-pipeline",
          .path = "source.rag_pipeline",
          .help = "Store to search.",
          .choices = k_pipelines,
          .example = "es"},
    Field{.flag = "rag-pipeline",
          .path = "source.rag_pipeline",
          .help = "Alias of --source-rag-pipeline.",
          .choices = k_pipelines,
          .alias = true},
    Field{.flag = "filter",
          .help = "Filter by metadata, such as year >= 2020 AND author = \"Ann\".",
          .common = true,
          .example = "year:2019..2021"},
    Field{.flag = "limit",
          .kind = Kind::Integer,
          .help = "Return at most N chunks.",
          .letter = 'n',
          .common = true,
          .range = Range{1, k_no_max, "chunks"},
          .fallback = "10",
          .example = "5"},
    Field{.flag = "instructions",
          .help = "Instructions added to the query.",
          .file_text = true,
          .fallback = "generic ones",
          .example = "Prefer newer manuals."},
    Field{.flag = "group-by-keys",
          .path = "group_by.keys",
          .help = "Return the best chunks of each value of this metadata key.",
          .repeated = true,
          .example = "author"},
    Field{.flag = "group-by-aggregate",
          .path = "group_by.aggregate",
          .kind = Kind::Json,
          .help = "Which chunks of a group: {\"min_k\":{\"keys\":[…],\"k\":N}} or max_k.",
          .fallback = "the best chunk by score",
          .example = R"({"min_k":{"keys":["#score"],"k":2}})"},
    Field{.flag = "retrieval-mode-type",
          .path = "retrieval_mode.type",
          .help = "Search mode: semantic, keyword or hybrid.",
          .choices = k_modes,
          .fallback = "hybrid",
          .example = "hybrid"},
    Field{.flag = "mode",
          .path = "retrieval_mode.type",
          .help = "Alias of --retrieval-mode-type.",
          .common = true,
          .choices = k_modes,
          .alias = true},
    Field{.flag = "retrieval-mode-search-multiplier",
          .path = "retrieval_mode.search_multiplier",
          .kind = Kind::Integer,
          .help = "Candidates to examine per returned chunk; for hybrid.",
          .range = Range{1, 100},
          .example = "10"},
    Field{.flag = "retrieval-mode-reranker-type",
          .path = "retrieval_mode.reranker.type",
          .help = "Reranker; for hybrid.",
          .choices = k_rerankers,
          .example = "rrf"},
    Field{.flag = "retrieval-mode-reranker-model",
          .path = "retrieval_mode.reranker.model",
          .help = "The reranker's model.",
          .example = "svc-rerank"},
    Field{.flag = "retrieval-mode-reranker-instructions",
          .path = "retrieval_mode.reranker.instructions",
          .help = "Instructions for the reranker's model.",
          .example = "Prefer newer manuals."},
    Field{.flag = "retrieval-mode-reranker-k",
          .path = "retrieval_mode.reranker.k",
          .kind = Kind::Integer,
          .help = "The constant of reciprocal rank fusion.",
          .range = Range{1, k_no_max},
          .fallback = "60",
          .example = "60"},
    Field{.flag = "retrieval-mode-reranker-embedding-weight",
          .path = "retrieval_mode.reranker.embedding_weight",
          .kind = Kind::Number,
          .help = "Semantic weight in the fusion.",
          .range = Range{0, 1},
          .fallback = "0.5",
          .example = "0.7"},
    Field{.flag = "retrieval-mode-reranker-text-weight",
          .path = "retrieval_mode.reranker.text_weight",
          .kind = Kind::Number,
          .help = "Keyword weight in the fusion.",
          .range = Range{0, 1},
          .fallback = "0.5",
          .example = "0.3"},
    Field{.flag = "ranking-metric",
          .help = "Distance metric.",
          .choices = k_ranking_metrics,
          .example = "RANKING_METRIC_COSINE_SIMILARITY",
          .status = Status::Deprecated},
};

}  // namespace svc::catalogue::collections
