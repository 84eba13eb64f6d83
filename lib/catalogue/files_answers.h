// The answers of the group files.
#pragma once

#include "catalogue/shared_answers.h"

namespace svc::catalogue::answer::files {

inline constexpr std::array k_members = {
    text("id", "File ID.", required),
    text("object", "Always file.", hidden("It is the same for every file.")),
    bytes("bytes", "Size of the file.", label("Size"), required),
    unix_time("created_at", "Time of the upload.", label("Created"), required),
    unix_time("expires_at", "Time at which the service deletes the file.", label("Expires"),
              nullable),
    text("filename", "Name of the file.", label("Name"), required),
    url("public_url", "Public URL, if there is one.", nullable, details),
    unix_time("public_url_expires_at", "Time at which the public URL expires.",
              label("Public until"), nullable, details),
    text("purpose", "Another API's purpose of the file.", details),
    text("status", "Another API's state of the file.", details),
};
inline constexpr Shape k_file{"File", k_members};

inline constexpr std::array k_list = {list("data[]", k_file, "Files, a page at a time.", required),
                                      k_page_token};

inline constexpr std::array k_deleted = {
    text("id", "ID of what was deleted.", required),
    boolean("deleted", "Whether it was deleted.", required,
            hidden("The IDs are those of the deleted files.")),
    text("object", "Always file.", hidden("It is the same for every file.")),
};

/// The file, or the metadata of a chunked upload.
inline constexpr std::array k_either = {
    text("id", "File ID."),
    text("object", "Always file.", hidden("It is the same for every file.")),
    bytes("bytes", "Size of the file."),
    text("filename", "Name of the file."),
    any_time("created_at", "Time of the upload."),
    any_time("expires_at", "Time at which the service deletes the file.", nullable),
    url("public_url", "Public URL, if there is one.", nullable),
    unix_time("public_url_expires_at", "Time at which the public URL expires.", nullable),
    text("purpose", "Another API's purpose of the file."),
    text("status", "Another API's state of the file."),
    text("file_id", "File ID."),
    text("name", "Name of the file."),
    bytes("size_bytes", "Size of the file."),
    text("content_type", "Content type of the file."),
    text("hash", "SHA-256 in hexadecimal."),
    text("upload_status", "How far the upload is.", choices(k_upload_states)),
    text("upload_error_message", "Why the upload failed.", nullable),
    text("processing_status", "How far the processing is.", choices(k_processing_states)),
    text("file_path", "Directory that the file was uploaded with."),
};

inline constexpr std::array k_initialized = {
    text("file_id", "ID to upload the chunks with.", required),
    object("metadata", k_file_metadata, "What is known of the file so far."),
};

inline constexpr std::array k_published = {
    url("public_url", "URL at which anyone can read the file.", required),
    unix_time("expires_at", "Time at which the URL expires.", nullable),
};

inline constexpr std::array k_unpublished = {
    text("id", "File ID.", required),
    boolean("revoked", "Whether the file had a public URL.", required),
    url("public_url", "Always null.", nullable),
};

}  // namespace svc::catalogue::answer::files
