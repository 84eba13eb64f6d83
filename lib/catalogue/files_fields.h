// The fields of the group files.
#pragma once

#include <array>

#include "catalogue/shared_fields.h"

namespace svc::catalogue::files {

// Decimal, as the service writes its limits.
inline constexpr std::uint64_t k_max_at_once = 50'000'000;
inline constexpr std::uint64_t k_max_in_chunk = 5'000'000;

inline constexpr auto k_expiry = range(3600, 2592000, "seconds");

inline constexpr std::array<sv, 3> k_sort_keys = {"created_at", "filename", "size"};
inline constexpr std::array<sv, 2> k_text_formats = {"original", "text"};
inline constexpr std::array<sv, 1> k_anchors = {"created_at"};

inline constexpr sv k_some_id = "file_00000000-0000-0000-0000-000000000000";

inline constexpr Field k_id_field =
    path_parameter("file-id", "ID of the file.", common, example(k_some_id), completes("files"));
inline constexpr Field k_ids_field = with(k_id_field, repeated, says("File IDs."));

// The service reads the form as a stream, so fields about the file must precede it.
inline constexpr std::array k_upload_fields = {
    duration("expires-after",
             "Delete the file this long after the upload, such as 30d, or seconds.", form_part,
             common, k_expiry, unit_ms(1000), fallback("never"), example("86400")),
    text("expires-after-anchor", "Start of --expires-after-seconds.", at("expires_after[anchor]"),
         form_part, choices(k_anchors), example("created_at")),
    integer("expires-after-seconds", "Alias for compatibility; use --expires-after.",
            at("expires_after[seconds]"), form_part, k_expiry, example("86400")),
    text("purpose", "Ignored; accepted for compatibility with another API.", form_part, ignored,
         example("assistants")),
    text("name", "Store the file under this name; needed for standard input.", local, common,
         max_length(255), example("notes.txt")),
    text("content-type", "Content type (default: detected from content and name).", local,
         example("text/csv")),
    boolean("chunked",
            "Upload in chunks, up to 512 MB †; rerun the command to "
            "resume an interrupted upload.",
            local, common),
    file("file", "Files to upload, at most 50 MB each.", typed(", or - for standard input"),
         form_part, required, positional, repeated, common, max_bytes(k_max_at_once),
         example("report.pdf")),
};

inline constexpr std::array k_list_own = {
    text("order", "Sort direction.", query, common, choices(k_orders), fallback("desc"),
         always("desc"), example("asc")),
    text("sort-by", "Sort key.", query, common, choices(k_sort_keys), fallback("created_at"),
         example("size")),
    text("filter",
         "Filter by AIP-160 expression over name, file_id, size_bytes, content_type, created_at, "
         "expires_at, upload_status and user_defined_id.",
         query, common, example("content_type = \"pdf\" AND size_bytes > 1000000")),
    text("after", "Alias for compatibility; use --pagination-token.", query, ignored,
         example(k_some_id)),
};
inline constexpr auto k_list_fields = concat(k_list_own, paging_fields());

inline constexpr std::array k_id_fields = {k_id_field};
inline constexpr std::array k_ids_fields = {k_ids_field};

inline constexpr std::array k_update_fields = {
    k_id_field,
    text("name", "New name of the file.", common, example("report-2.pdf")),
    text("content-type", "New content type of the file.", common, example("application/pdf")),
    file("data", "New content: a local file.", typed(", or - for standard input"), common,
         max_bytes(k_max_at_once), example("report.pdf")),
};

inline constexpr std::array k_initialize_fields = {
    text("name", "Name of the file to upload.", required, positional, common, example("data.csv")),
    text("content-type", "Content type of the file.", required, common, example("text/csv")),
};

inline constexpr std::array k_chunk_fields = {
    text("file-id", "Upload ID, from `svc files initialize`.", required, positional, common,
         example(k_some_id), completes("files")),
    file("chunk", "Next chunk, at most 5 MB: a file.", typed(", or - for standard input"), required,
         positional, common, max_bytes(k_max_in_chunk), example("report.pdf")),
};

inline constexpr std::array k_download_fields = {
    text("content-format", "Fetch the original file, or its extracted text.", at("format"), query,
         choices(k_text_formats), fallback("original"), example("text")),
    boolean("format-text", "Fetch the extracted text; short for --content-format text.", local,
            plain_switch, common),
    k_ids_field,
};

inline constexpr std::array k_publish_fields = {
    k_id_field,
    duration("expires-after", "Expire the public URL after this time, such as 7d, or seconds.",
             common, k_expiry, unit_ms(1000), fallback("never"), example("86400")),
};

}  // namespace svc::catalogue::files
