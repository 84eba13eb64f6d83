// The members of the operations on a collection's documents, and of what search finds. Only for
// collections.cpp.
#pragma once

#include "catalogue/collections_fields.h"
#include "catalogue/paging.h"

namespace svc::catalogue::collections {

inline constexpr std::array k_add_fields = concat(
    std::array{
        k_collection_id_field,
        or_file(several(k_file_id_field, "File IDs, or local paths to upload first.")),
        Field{.flag = "fields",
              .kind = Kind::Json,
              .help = "Metadata values, as a JSON object.",
              .example = R"({"author":"Ann"})"},
        Field{.flag = "field-value",
              .in = In::Local,
              .help = "One metadata value, as key=value.",
              .repeated = true,
              .common = true,
              .example = "author=Ann"},
        Field{.flag = "manifest",
              .kind = Kind::File,
              .in = In::Local,
              .help = "CSV with header, or JSONL: path or file_id identifies the document, other "
                      "columns are metadata.",
              .common = true,
              .example = "documents.csv"},
        Field{.flag = "recursive",
              .kind = Kind::Boolean,
              .in = In::Local,
              .help = "Add a directory's files, except hidden ones.",
              .common = true},
        Field{.flag = "jobs",
              .kind = Kind::Integer,
              .in = In::Local,
              .help = "Number of concurrent uploads.",
              .common = true,
              .range = Range{1, 32},
              .fallback = "4",
              .example = "8"},
    },
    k_wait_fields);

inline constexpr std::array k_upload_fields = {
    k_collection_id_field,
    Field{.flag = "name",
          .in = In::Form,
          .help = "Name of the document.",
          .required = true,
          .example = "pump.md"},
    Field{.flag = "content-type",
          .in = In::Form,
          .help = "Content type of the file.",
          .example = "text/markdown"},
    Field{.flag = "fields",
          .kind = Kind::Json,
          .in = In::Form,
          .help = "Metadata values, as a JSON object.",
          .example = R"({"author":"Ann"})"},
    Field{.flag = "data",
          .kind = Kind::File,
          .in = In::Form,
          .help = "The file.",
          .required = true,
          .example = "notes.txt"},
};

inline constexpr std::array k_documents_list_fields = concat(
    std::array{
        k_collection_id_field,
        Field{.flag = "filter",
              .in = In::Query,
              .help = "Filter by expression, such as status:DOCUMENT_STATUS_FAILED AND "
                      "fields.author:Ann.",
              .common = true,
              .example = "status:DOCUMENT_STATUS_FAILED"},
        Field{.flag = "name",
              .in = In::Query,
              .help = "Filter by name; use --filter name:VALUE.",
              .example = "pump.md",
              .status = Status::Deprecated},
        k_ordering_field,
        Field{.flag = "sort-by",
              .in = In::Query,
              .help = "Sort key.",
              .choices = k_document_sorts,
              .fallback = "DOCUMENTS_SORT_BY_NAME",
              .example = "DOCUMENTS_SORT_BY_AGE"},
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
    several(k_file_id_field, "File IDs of the documents."),
};
inline constexpr std::array k_batch_get_fields = {
    k_collection_id_field,
    Field{.flag = "file-ids",
          .in = In::Query,
          .help = "File IDs of the documents.",
          .required = true,
          .repeated = true,
          .positional = true,
          .example = "file_00000000-0000-0000-0000-000000000000",
          .completes = "files"},
};

inline constexpr std::array k_match_columns = {
    Column{"SCORE", "score"},
    Column{"FILE", "file_id"},
    Column{"PAGE", "page_number", Cell::Count},
    Column{"TEXT", "chunk_content"},
};

}  // namespace svc::catalogue::collections
