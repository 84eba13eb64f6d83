// The answers of the group collections.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::collections {

// Collections -------------------------------------------------------------------------------------

inline constexpr std::array k_chunk_members = {
    integer("chars_configuration.max_chunk_size_chars"),
    integer("chars_configuration.chunk_overlap_chars"),
    integer("tokens_configuration.max_chunk_size_tokens"),
    integer("tokens_configuration.chunk_overlap_tokens"),
    text("tokens_configuration.encoding_name"),
    integer("ast_configuration.max_chunk_size_tokens"),
    text("ast_configuration.encoding_name"),
    integer("table_configuration.max_chunk_size_tokens"),
    text("table_configuration.encoding_name"),
    integer("markdown_tokens_configuration.max_chunk_size_tokens"),
    integer("markdown_tokens_configuration.chunk_overlap_tokens"),
    text("markdown_tokens_configuration.encoding_name"),
    integer("markdown_chars_configuration.max_chunk_size_chars"),
    integer("markdown_chars_configuration.chunk_overlap_chars"),
    integer("code_tokens_configuration.max_chunk_size_tokens"),
    integer("code_tokens_configuration.chunk_overlap_tokens"),
    text("code_tokens_configuration.encoding_name"),
    integer("code_chars_configuration.max_chunk_size_chars"),
    integer("code_chars_configuration.chunk_overlap_chars"),
    integer("bytes_configuration.max_chunk_size_bytes"),
    integer("bytes_configuration.chunk_overlap_bytes"),
    boolean("strip_whitespace", "Whether white space around a chunk is removed."),
    boolean("inject_name_into_chunks", "Whether chunks contain the document's name."),
};
inline constexpr Shape k_chunks{"ChunkConfiguration", k_chunk_members};

inline constexpr sv k_in_get = "Tables show only the names; `svc collections get` shows all.";
inline constexpr std::array k_field_members = {
    text("key", "Name of the field.", label("Fields"), required),
    boolean("required", "Whether every document must have it.", hidden(k_in_get)),
    boolean("unique", "Whether no two documents may have the same value.", hidden(k_in_get)),
    boolean("inject_into_chunk", "Whether chunks begin with the value.", hidden(k_in_get)),
    text("description", hidden(k_in_get)),
};
inline constexpr Shape k_field{"FieldDefinition", k_field_members};

inline constexpr std::array<sv, 4> k_metrics = {"HNSW_METRIC_UNKNOWN", "HNSW_METRIC_COSINE",
                                                "HNSW_METRIC_EUCLIDEAN",
                                                "HNSW_METRIC_INNER_PRODUCT"};
inline constexpr std::array k_members = {
    text("collection_id", label("ID")),
    text("collection_name", label("Name")),
    count("documents_count", "Number of documents.", label("Documents")),
    text_bytes("total_file_size", "Size of all files.", label("Size")),
    time("created_at", "Time of creation.", label("Created")),
    text("index_configuration.model_name", "Embedding model.", label("Model")),
    text("collection_description", label("Description")),
    view("Chunks", "chunk_configuration", Unit::None, details),
    object("chunk_configuration", k_chunks, hidden("Tables show it in one column.")),
    list("field_definitions[]", k_field, details),
    text("metric_space", "Distance between vectors.", label("Metric"), choices(k_metrics), details),
    text("collection_type", label("Type"), details),
    integer("version", "For internal use.", details),
    boolean("disable_rag_lookup", "Whether models cannot search the collection.",
            label("Not searched"), details),
};
inline constexpr Shape k_collection{"Collection", k_members};

inline constexpr sv k_pages = "svc fetches the pages itself.";
inline constexpr std::array k_list = {
    list("collections[]", k_collection),
    text("pagination_token", "Token of the next page.", hidden(k_pages)),
};

// Documents ---------------------------------------------------------------------------------------

inline constexpr std::array<sv, 7> k_document_states = {
    "DOCUMENT_STATUS_UNKNOWN",   "DOCUMENT_STATUS_PROCESSING", "DOCUMENT_STATUS_CHUNKED",
    "DOCUMENT_STATUS_EMBEDDING", "DOCUMENT_STATUS_WRITING",    "DOCUMENT_STATUS_PROCESSED",
    "DOCUMENT_STATUS_FAILED"};
inline constexpr std::array<sv, 5> k_processing_states = {"pending", "processing", "complete",
                                                          "failed", "skipped"};
inline constexpr sv k_in_error = "Text shows it as the error.";
inline constexpr std::array k_document_members = {
    text("file_metadata.file_id", label("File")),
    text("file_metadata.name"),
    text("status", choices(k_document_states)),
    text_bytes("file_metadata.size_bytes", "Size of the file.", label("Size")),
    count("chunk_count", "Number of chunks.", label("Chunks")),
    text("file_metadata.content_type", label("Type")),
    json("fields", "Values of the collection's fields."),
    time("last_indexed_at", "Time of the last indexing.", label("Indexed"), nullable),
    view("Error", "error_message|file_metadata.upload_error_message"),
    text("error_message", "Why the document could not be processed.", hidden(k_in_error)),
    text("file_metadata.upload_error_message", "Why the file could not be uploaded.",
         hidden(k_in_error)),
    time("file_metadata.created_at", "Time of the upload.", label("Created"), details),
    time("file_metadata.expires_at", "Time at which the file expires.", label("Expires"), nullable,
         details),
    text("file_metadata.upload_status", label("Upload"), details),
    text("file_metadata.processing_status", "In small letters or with a capital.",
         label("Processing"), choices(k_processing_states), details),
    text("file_metadata.file_path", "Directory of the file, below the team's.", label("Directory"),
         details),
    text_count("chunks_processed_count", "Number of chunks that are indexed.", label("Chunks done"),
               details),
    text("file_metadata.hash", details),
};
inline constexpr Shape k_document{"Document", k_document_members};

inline constexpr std::array k_documents = {
    list("documents[]", k_document),
    text("pagination_token", "Token of the next page.", hidden(k_pages)),
};

// Search ------------------------------------------------------------------------------------------

inline constexpr std::array k_match_members = {
    number("score", "How well the passage matches.", required),
    text("file_id", "File of the passage.", label("File"), required),
    count("page_number", "Page of most of the passage; 0 in a document of one page.",
          label("Page")),
    text("chunk_content", "The passage.", label("Text"), required),
    text("chunk_id", label("Chunk"), required, details),
    text("collection_ids[]", label("Collections"), required, details),
    json("fields", "Values of the collection's fields for the document.", required, details),
};
inline constexpr Shape k_match{"SearchMatch", k_match_members};
inline constexpr std::array k_search = {list("matches[]", k_match, required)};

inline constexpr std::array<sv, 3> k_outcomes = {"added", "already added", "failed"};
/// What svc lists of each file that it adds: the service answers nothing.
inline constexpr std::array k_added = {
    text("file_id", label("File"), required),
    text("path", "Path on this machine; empty for a file ID.", required),
    text("outcome", choices(k_outcomes), required),
};

}  // namespace svc::catalogue::answer::collections
