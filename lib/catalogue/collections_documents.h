// The members of the operations on a collection's documents, and of what search finds. Only for
// collections.cpp.
#pragma once

#include "catalogue/collections_fields.h"
#include "catalogue/paging.h"

namespace svc::catalogue::collections {

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
        boolean("recursive", "Add a directory's files, except hidden ones.", local, common),
        integer("jobs", "Number of concurrent uploads.", local, common, range(1, 32), fallback("4"),
                example("8")),
    },
    k_wait_fields);

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

inline constexpr std::array k_document_columns = {
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

inline constexpr std::array k_match_columns = {
    Column{"SCORE", "score"},
    Column{"FILE", "file_id"},
    Column{"PAGE", "page_number", Cell::Count},
    Column{"TEXT", "chunk_content"},
};

}  // namespace svc::catalogue::collections
