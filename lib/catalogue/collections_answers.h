// The answers of the group collections.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::collections {

// Collections -------------------------------------------------------------------------------------

inline constexpr std::array k_chunk_members = {
    integer("chars_configuration.max_chunk_size_chars", "Most characters in a chunk."),
    integer("chars_configuration.chunk_overlap_chars",
            "Characters that a chunk shares with the next."),
    integer("tokens_configuration.max_chunk_size_tokens", "Most tokens in a chunk."),
    integer("tokens_configuration.chunk_overlap_tokens",
            "Tokens that a chunk shares with the next."),
    text("tokens_configuration.encoding_name", "Encoding that counts the tokens."),
    integer("ast_configuration.max_chunk_size_tokens", "Most tokens in a chunk of parsed code."),
    text("ast_configuration.encoding_name", "Encoding that counts the tokens."),
    integer("table_configuration.max_chunk_size_tokens", "Most tokens in a chunk of a table."),
    text("table_configuration.encoding_name", "Encoding that counts the tokens."),
    integer("markdown_tokens_configuration.max_chunk_size_tokens",
            "Most tokens in a chunk of Markdown."),
    integer("markdown_tokens_configuration.chunk_overlap_tokens",
            "Tokens that a chunk of Markdown shares with the next."),
    text("markdown_tokens_configuration.encoding_name", "Encoding that counts the tokens."),
    integer("markdown_chars_configuration.max_chunk_size_chars",
            "Most characters in a chunk of Markdown."),
    integer("markdown_chars_configuration.chunk_overlap_chars",
            "Characters that a chunk of Markdown shares with the next."),
    integer("code_tokens_configuration.max_chunk_size_tokens", "Most tokens in a chunk of code."),
    integer("code_tokens_configuration.chunk_overlap_tokens",
            "Tokens that a chunk of code shares with the next."),
    text("code_tokens_configuration.encoding_name", "Encoding that counts the tokens."),
    integer("code_chars_configuration.max_chunk_size_chars", "Most characters in a chunk of code."),
    integer("code_chars_configuration.chunk_overlap_chars",
            "Characters that a chunk of code shares with the next."),
    integer("bytes_configuration.max_chunk_size_bytes", "Most bytes in a chunk."),
    integer("bytes_configuration.chunk_overlap_bytes", "Bytes that a chunk shares with the next."),
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
    text("description", "What the field says, for the model.", hidden(k_in_get)),
};
inline constexpr Shape k_field{"FieldDefinition", k_field_members};

inline constexpr std::array<sv, 4> k_metrics = {"HNSW_METRIC_UNKNOWN", "HNSW_METRIC_COSINE",
                                                "HNSW_METRIC_EUCLIDEAN",
                                                "HNSW_METRIC_INNER_PRODUCT"};
inline constexpr std::array k_members = {
    text("collection_id", "ID of the collection.", label("ID")),
    text("collection_name", "Name of the collection.", label("Name")),
    count("documents_count", "Number of documents.", label("Documents")),
    text_bytes("total_file_size", "Size of all files.", label("Size")),
    time("created_at", "Time of creation.", label("Created")),
    text("index_configuration.model_name", "Embedding model.", label("Model")),
    text("collection_description", "What the collection is for.", label("Description")),
    view("Chunks", "chunk_configuration", Unit::None, details),
    object("chunk_configuration", k_chunks, "How documents are cut into chunks.",
           hidden("Tables show it in one column.")),
    list("field_definitions[]", k_field, "Metadata fields of its documents.", details),
    text("metric_space", "Distance between vectors.", label("Metric"), choices(k_metrics), details),
    text("collection_type", "Kind of the collection.", label("Type"), details),
    integer("version", "For internal use.", details),
    boolean("disable_rag_lookup", "Whether models cannot search the collection.",
            label("Not searched"), details),
};
inline constexpr Shape k_collection{"Collection", k_members};

inline constexpr sv k_pages = "svc fetches the pages itself.";
inline constexpr std::array k_list = {
    list("collections[]", k_collection, "Collections, a page at a time."),
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
    text("file_metadata.file_id", "File ID of the document.", label("File")),
    text("file_metadata.name", "Name of the file."),
    text("status", "How far the document is: whether searches find it.",
         choices(k_document_states)),
    text_bytes("file_metadata.size_bytes", "Size of the file.", label("Size")),
    count("chunk_count", "Number of chunks.", label("Chunks")),
    text("file_metadata.content_type", "Content type of the file.", label("Type")),
    json("fields", "Values of the collection's fields."),
    time("last_indexed_at", "Time of the last indexing.", label("Indexed"), nullable),
    view("Error", "error_message|file_metadata.upload_error_message"),
    text("error_message", "Why the document could not be processed.", hidden(k_in_error)),
    text("file_metadata.upload_error_message", "Why the file could not be uploaded.",
         hidden(k_in_error)),
    time("file_metadata.created_at", "Time of the upload.", label("Created"), details),
    time("file_metadata.expires_at", "Time at which the file expires.", label("Expires"), nullable,
         details),
    text("file_metadata.upload_status", "How far the upload is.", label("Upload"), details),
    text("file_metadata.processing_status", "In small letters or with a capital.",
         label("Processing"), choices(k_processing_states), details),
    text("file_metadata.file_path", "Directory of the file, below the team's.", label("Directory"),
         details),
    text_count("chunks_processed_count", "Number of chunks that are indexed.", label("Chunks done"),
               details),
    text("file_metadata.hash", "SHA-256 of the file in hexadecimal.", details),
};
inline constexpr Shape k_document{"Document", k_document_members};

inline constexpr std::array k_documents = {
    list("documents[]", k_document, "Documents, a page at a time."),
    text("pagination_token", "Token of the next page.", hidden(k_pages)),
};

// Search ------------------------------------------------------------------------------------------

inline constexpr std::array k_match_members = {
    number("score", "How well the passage matches.", required),
    text("file_id", "File of the passage.", label("File"), required),
    count("page_number", "Page of most of the passage; 0 in a document of one page.",
          label("Page")),
    text("chunk_content", "The passage.", label("Text"), required),
    text("chunk_id", "ID of the chunk with the passage.", label("Chunk"), required, details),
    text("collection_ids[]", "Collections that contain the document.", label("Collections"),
         required, details),
    json("fields", "Values of the collection's fields for the document.", required, details),
};
inline constexpr Shape k_match{"SearchMatch", k_match_members};
inline constexpr std::array k_search = {
    list("matches[]", k_match, "Passages found, the best one first.", required)};

inline constexpr std::array<sv, 3> k_outcomes = {"added", "already added", "failed"};
/// What svc lists of each file that it adds: the service answers nothing.
inline constexpr std::array k_added = {
    text("file_id", "File ID of the document.", label("File"), required),
    text("path", "Path on this machine; empty for a file ID.", required),
    text("outcome", "What became of it.", choices(k_outcomes), required),
};

}  // namespace svc::catalogue::answer::collections
