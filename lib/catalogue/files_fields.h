// The members of the files operations.
#pragma once

#include <array>

#include "catalogue/check.h"
#include "catalogue/model.h"
#include "catalogue/paging.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue::files {

// Decimal, as the service writes its limits.
inline constexpr std::uint64_t k_most_at_once = 50'000'000;
inline constexpr std::uint64_t k_most_in_chunk = 5'000'000;

inline constexpr Range k_expiry = {3600, 2592000, "seconds"};

inline constexpr std::array<sv, 3> k_sort_keys = {"created_at", "filename", "size"};
inline constexpr std::array<sv, 2> k_text_formats = {"original", "text"};
inline constexpr std::array<sv, 1> k_anchors = {"created_at"};

inline constexpr sv k_some_id = "file_00000000-0000-0000-0000-000000000000";

inline constexpr Field k_id_field = {.flag = "file-id",
                                     .in = In::Path,
                                     .help = "ID of the file.",
                                     .required = true,
                                     .positional = true,
                                     .common = true,
                                     .example = k_some_id,
                                     .completes = "files"};

inline constexpr Field k_ids_field = {.flag = "file-id",
                                      .in = In::Path,
                                      .help = "File IDs.",
                                      .required = true,
                                      .repeated = true,
                                      .positional = true,
                                      .common = true,
                                      .example = k_some_id,
                                      .completes = "files"};

// The service reads the form once, so what says something about the file stands before it.
inline constexpr std::array k_upload_fields = {
    Field{.flag = "expires-after",
          .kind = Kind::Duration,
          .in = In::Form,
          .help = "Delete the file this long after the upload, such as 30d, or seconds.",
          .common = true,
          .range = k_expiry,
          .unit_ms = 1000,
          .fallback = "never",
          .example = "86400"},
    Field{.flag = "expires-after-anchor",
          .path = "expires_after[anchor]",
          .in = In::Form,
          .help = "Start of --expires-after-seconds.",
          .choices = k_anchors,
          .example = "created_at"},
    Field{.flag = "expires-after-seconds",
          .path = "expires_after[seconds]",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "Another API's form of --expires-after.",
          .range = k_expiry,
          .example = "86400"},
    Field{.flag = "purpose",
          .in = In::Form,
          .help = "Another API's purpose of the file.",
          .example = "assistants",
          .status = Status::Ignored},
    Field{.flag = "name",
          .in = In::Local,
          .help = "Store the file under this name; needed for standard input.",
          .common = true,
          .max_length = 255,
          .example = "notes.txt"},
    Field{.flag = "content-type",
          .in = In::Local,
          .help = "Content type (default: detected from content and name).",
          .example = "text/csv"},
    Field{.flag = "chunked",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Upload in chunks, up to 512 MB (observed, not documented); rerun the command to "
                  "resume an interrupted upload.",
          .common = true},
    Field{.flag = "file",
          .kind = Kind::File,
          .in = In::Form,
          .help = "Files to upload, at most 50 MB each, or - for standard input.",
          .required = true,
          .repeated = true,
          .positional = true,
          .common = true,
          .max_bytes = k_most_at_once,
          .example = "report.pdf"},
};

inline constexpr std::array k_upload_rules = {
    Rule{RuleKind::Excludes, "expires-after", "expires-after-anchor", "Both set the expiry."},
    Rule{RuleKind::Excludes, "expires-after", "expires-after-seconds", "Both set the expiry."},
    Rule{RuleKind::Requires, "expires-after-anchor", "expires-after-seconds",
         "Both together set the time."},
    Rule{RuleKind::Requires, "expires-after-seconds", "expires-after-anchor",
         "Both together set the time."},
    Rule{RuleKind::Excludes, "expires-after", "chunked", "Chunked uploads cannot expire."},
    Rule{RuleKind::Excludes, "expires-after-seconds", "chunked", "Chunked uploads cannot expire."},
    Rule{RuleKind::Excludes, "purpose", "chunked", "Chunked uploads have no purpose."},
};

inline constexpr std::array k_list_own = {
    Field{.flag = "order",
          .in = In::Query,
          .help = "Sort direction; always sent, as the service's default is unknown.",
          .common = true,
          .choices = k_orders,
          .fallback = "desc",
          .always = "desc",
          .example = "asc"},
    Field{.flag = "sort-by",
          .in = In::Query,
          .help = "Sort key.",
          .common = true,
          .choices = k_sort_keys,
          .fallback = "created_at",
          .example = "size"},
    Field{.flag = "filter",
          .in = In::Query,
          .help = "Filter by AIP-160 expression over name, file_id, size_bytes, content_type, "
                  "created_at, expires_at, upload_status and user_defined_id.",
          .common = true,
          .example = "content_type = \"pdf\" AND size_bytes > 1000000"},
    Field{.flag = "after",
          .in = In::Query,
          .help = "Another API's page token; use --pagination-token.",
          .example = k_some_id,
          .status = Status::Ignored},
};
inline constexpr auto k_list_fields = concat(k_list_own, paging_fields());

inline constexpr std::array k_list_columns = {
    Column{"ID", "id"},
    Column{"SIZE", "bytes", Cell::Bytes},
    Column{"CREATED", "created_at", Cell::UnixTime},
    Column{"EXPIRES", "expires_at", Cell::UnixTime},
    Column{"NAME", "filename"},
    Column{"PUBLIC URL", "public_url", Cell::Text, true},
    Column{"PUBLIC UNTIL", "public_url_expires_at", Cell::UnixTime, true},
    Column{"PURPOSE", "purpose", Cell::Text, true},
};

/// Of one file, as either of the two kinds of answer names its members.
inline constexpr std::array k_file_columns = {
    Column{"SIZE", "bytes|size_bytes", Cell::Bytes},
    Column{"CREATED", "created_at", Cell::UnixTime},
    Column{"EXPIRES", "expires_at", Cell::UnixTime},
    Column{"PUBLIC UNTIL", "public_url_expires_at", Cell::UnixTime},
};

inline constexpr std::array k_id_fields = {k_id_field};
inline constexpr std::array k_ids_fields = {k_ids_field};

inline constexpr std::array k_update_fields = {
    k_id_field,
    Field{
        .flag = "name", .help = "New name of the file.", .common = true, .example = "report-2.pdf"},
    Field{.flag = "content-type",
          .help = "New content type of the file.",
          .common = true,
          .example = "application/pdf"},
    Field{.flag = "data",
          .kind = Kind::File,
          .help = "New content: a local file, or - for standard input.",
          .common = true,
          .max_bytes = k_most_at_once,
          .example = "report.pdf"},
};

inline constexpr std::array k_initialize_fields = {
    Field{.flag = "name",
          .help = "Name of the file to upload.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "data.csv"},
    Field{.flag = "content-type",
          .help = "Content type of the file.",
          .required = true,
          .common = true,
          .example = "text/csv"},
};

inline constexpr std::array k_chunk_fields = {
    Field{.flag = "file-id",
          .help = "Upload ID, from `svc files initialize`.",
          .required = true,
          .positional = true,
          .common = true,
          .example = k_some_id,
          .completes = "files"},
    Field{.flag = "chunk",
          .kind = Kind::File,
          .help = "Next chunk, at most 5 MB: a file, or - for standard input.",
          .required = true,
          .positional = true,
          .common = true,
          .max_bytes = k_most_in_chunk,
          .example = "report.pdf"},
};

inline constexpr std::array k_download_fields = {
    Field{.flag = "content-format",
          .path = "format",
          .in = In::Query,
          .help = "Fetch the original file, or its extracted text.",
          .choices = k_text_formats,
          .fallback = "original",
          .example = "text"},
    Field{.flag = "format-text",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Fetch the extracted text; short for --content-format text.",
          .common = true},
    k_ids_field,
};

inline constexpr std::array k_download_rules = {
    Rule{RuleKind::Excludes, "format-text", "content-format", "Both select the content."},
};

inline constexpr std::array k_publish_fields = {
    k_id_field,
    Field{.flag = "expires-after",
          .kind = Kind::Duration,
          .help = "Expire the public URL after this time, such as 7d, or seconds.",
          .common = true,
          .range = k_expiry,
          .unit_ms = 1000,
          .fallback = "never",
          .example = "86400"},
};

}  // namespace svc::catalogue::files
