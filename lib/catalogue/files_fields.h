// The members of the files operations: api 1 §2.7, §4; api 4 §6.
#pragma once

#include <array>

#include "catalogue/check.h"
#include "catalogue/model.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue::files {

// Decimal, as the service writes its limits (api 1 §8; api 4 §6.4).
inline constexpr std::uint64_t k_most_at_once = 50'000'000;
inline constexpr std::uint64_t k_most_in_chunk = 5'000'000;

inline constexpr Range k_expiry = {3600, 2592000, "seconds"};

inline constexpr std::array<sv, 3> k_sort_keys = {"created_at", "filename", "size"};
inline constexpr std::array<sv, 2> k_text_formats = {"original", "text"};
inline constexpr std::array<sv, 1> k_anchors = {"created_at"};

inline constexpr sv k_some_id = "file_00000000-0000-0000-0000-000000000000";

inline constexpr Field k_id_field = {.flag = "file-id",
                                     .path = "file_id",
                                     .in = In::Path,
                                     .help = "The file's id.",
                                     .required = true,
                                     .positional = true,
                                     .common = true,
                                     .example = k_some_id,
                                     .completes = "files"};

inline constexpr Field k_ids_field = {.flag = "file-id",
                                      .path = "file_id",
                                      .in = In::Path,
                                      .help = "The file's id; several may be given.",
                                      .required = true,
                                      .repeated = true,
                                      .positional = true,
                                      .common = true,
                                      .example = k_some_id,
                                      .completes = "files"};

// The service reads the form once, so what says something about the file stands before it.
inline constexpr std::array k_upload_fields = {
    Field{.flag = "expires-after",
          .path = "expires_after",
          .kind = Kind::Duration,
          .in = In::Form,
          .help = "Delete the file this long after the upload, such as 30d; a number is seconds.",
          .common = true,
          .range = k_expiry,
          .unit_ms = 1000,
          .fallback = "never",
          .example = "86400"},
    Field{.flag = "expires-after-anchor",
          .path = "expires_after[anchor]",
          .in = In::Form,
          .help = "From when --expires-after-seconds counts.",
          .choices = k_anchors,
          .example = "created_at"},
    Field{.flag = "expires-after-seconds",
          .path = "expires_after[seconds]",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "The same as --expires-after, in another API's form.",
          .range = k_expiry,
          .example = "86400"},
    Field{.flag = "purpose",
          .path = "purpose",
          .in = In::Form,
          .help = "What the file is for, in another API's words.",
          .example = "assistants",
          .status = Status::Ignored},
    Field{.flag = "name",
          .path = "",
          .in = In::Local,
          .help = "Store the file under this name; needed for standard input.",
          .common = true,
          .max_length = 255,
          .example = "notes.txt"},
    Field{.flag = "content-type",
          .path = "",
          .in = In::Local,
          .help = "Say what the file holds; by itself its bytes and its name tell.",
          .example = "text/csv"},
    Field{.flag = "chunked",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help =
              "Send in pieces, up to 512 MB in all (observed, not documented); an upload that was "
              "cut goes on when the same command is given again.",
          .common = true},
    Field{
        .flag = "file",
        .path = "file",
        .kind = Kind::File,
        .in = In::Form,
        .help = "The file to upload, at most 50 MB, or - for standard input; several may be given.",
        .required = true,
        .repeated = true,
        .positional = true,
        .common = true,
        .max_bytes = k_most_at_once,
        .example = "report.pdf"},
};

inline constexpr std::array k_upload_rules = {
    Rule{RuleKind::Excludes, "expires-after", "expires-after-anchor",
         "Both say when the file expires."},
    Rule{RuleKind::Excludes, "expires-after", "expires-after-seconds",
         "Both say when the file expires."},
    Rule{RuleKind::Requires, "expires-after-anchor", "expires-after-seconds",
         "The time is said by both together."},
    Rule{RuleKind::Requires, "expires-after-seconds", "expires-after-anchor",
         "The time is said by both together."},
    Rule{RuleKind::Excludes, "expires-after", "chunked",
         "The service takes no expiry for a file that comes in pieces."},
    Rule{RuleKind::Excludes, "expires-after-seconds", "chunked",
         "The service takes no expiry for a file that comes in pieces."},
    Rule{RuleKind::Excludes, "purpose", "chunked",
         "The service takes no purpose for a file that comes in pieces."},
};

inline constexpr std::array k_list_own = {
    Field{
        .flag = "order",
        .path = "order",
        .in = In::Query,
        .help = "The direction of the list; always sent, because the service's own is not certain.",
        .common = true,
        .choices = k_orders,
        .fallback = "desc",
        .always = "desc",
        .example = "asc"},
    Field{.flag = "sort-by",
          .path = "sort_by",
          .in = In::Query,
          .help = "What the list is sorted by.",
          .common = true,
          .choices = k_sort_keys,
          .fallback = "created_at",
          .example = "size"},
    Field{.flag = "filter",
          .path = "filter",
          .in = In::Query,
          .help =
              "Only files that this AIP-160 expression matches, over name, file_id, size_bytes, "
              "content_type, created_at, expires_at, upload_status and user_defined_id.",
          .common = true,
          .example = "content_type = \"pdf\" AND size_bytes > 1000000"},
    Field{.flag = "after",
          .path = "after",
          .in = In::Query,
          .help = "The page mark of another API; use --pagination-token.",
          .example = k_some_id,
          .status = Status::Ignored},
};
inline constexpr auto k_list_fields = concat(k_list_own, k_paging_fields);

inline constexpr std::array k_list_columns = {
    Column{"ID", "id"},
    Column{"SIZE", "bytes", Cell::Bytes},
    Column{"CREATED", "created_at", Cell::UnixTime},
    Column{"EXPIRES", "expires_at", Cell::UnixTime},
    Column{"NAME", "filename"},
};

inline constexpr std::array k_id_fields = {k_id_field};
inline constexpr std::array k_ids_fields = {k_ids_field};

inline constexpr std::array k_update_fields = {
    k_id_field,
    Field{.flag = "name",
          .path = "name",
          .help = "The file's new name.",
          .common = true,
          .example = "report-2.pdf"},
    Field{.flag = "content-type",
          .path = "content_type",
          .help = "The file's new content type.",
          .common = true,
          .example = "application/pdf"},
    Field{.flag = "data",
          .path = "data",
          .kind = Kind::File,
          .help = "A local file, or - for standard input, that becomes the new content.",
          .common = true,
          .max_bytes = k_most_at_once,
          .example = "report.pdf"},
};

inline constexpr std::array k_initialize_fields = {
    Field{.flag = "name",
          .path = "name",
          .help = "The name of the file that is to be sent in pieces.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "data.csv"},
    Field{.flag = "content-type",
          .path = "content_type",
          .help = "What the file holds.",
          .required = true,
          .common = true,
          .example = "text/csv"},
};

inline constexpr std::array k_chunk_fields = {
    Field{.flag = "file-id",
          .path = "file_id",
          .help = "The id that `svc files initialize` printed.",
          .required = true,
          .positional = true,
          .common = true,
          .example = k_some_id,
          .completes = "files"},
    Field{.flag = "chunk",
          .path = "chunk",
          .kind = Kind::File,
          .help = "A local file with the next piece, at most 5 MB, or - for standard input.",
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
          .help = "What to fetch: the file as it is, or the text in it.",
          .choices = k_text_formats,
          .fallback = "original",
          .example = "text"},
    Field{.flag = "format-text",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help =
              "Fetch the text that the service found in the file; short for --content-format text.",
          .common = true},
    k_ids_field,
};

inline constexpr std::array k_download_rules = {
    Rule{RuleKind::Excludes, "format-text", "content-format", "Both say what to fetch."},
};

inline constexpr std::array k_publish_fields = {
    k_id_field,
    Field{.flag = "expires-after",
          .path = "expires_after",
          .kind = Kind::Duration,
          .help = "Take the public address away after this time, such as 7d; a number is seconds.",
          .common = true,
          .range = k_expiry,
          .unit_ms = 1000,
          .fallback = "never",
          .example = "86400"},
};

}  // namespace svc::catalogue::files
