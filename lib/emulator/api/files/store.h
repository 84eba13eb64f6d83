// Stored files, each visible only to its team; not to anybody once deleted or expired.
#pragma once

#include "emulator/state/state.h"

namespace svc::emulator {

/// Values of `upload_status`. Only complete files can be read and referred to.
inline constexpr sv k_upload_initializing = "Initializing";
inline constexpr sv k_upload_uploading = "Uploading";
inline constexpr sv k_upload_complete = "Complete";

/// The largest file for a single upload.
inline constexpr std::size_t k_max_file = 50'000'000;

struct StoredFile {
  std::int64_t seq = 0;  ///< its number: later files have higher ones
  std::string id{};      ///< "file_<uuid>"
  std::string team_id{}, filename{}, content_type{};
  std::int64_t bytes = 0;
  std::int64_t created_at = 0;               ///< Unix seconds
  std::optional<std::int64_t> expires_at{};  ///< Unix seconds; nothing: never
  std::string purpose{};
  std::string upload_status{k_upload_complete};
  std::string hash{};          ///< SHA-256 in hexadecimal; empty until the upload is complete
  std::string public_token{};  ///< of the active public URL; empty if there is none
  std::optional<std::int64_t> public_expires_at{};  ///< separate expiry of the public URL

  [[nodiscard]] bool complete() const { return upload_status == k_upload_complete; }
  /// Whether it has a public URL that has not expired.
  [[nodiscard]] bool is_public(std::int64_t now_s) const {
    return !public_token.empty() && (!public_expires_at || *public_expires_at > now_s);
  }
};

struct NewFile {
  std::string filename{};
  std::string content_type{};  ///< empty: guessed from the name
  sv data{};
  std::optional<std::int64_t> expires_after{};  ///< seconds
  std::string purpose{};
  bool public_url = false;
  std::optional<std::int64_t> public_expires_after{};  ///< seconds; for the public URL only
};

/// A file's metadata and bytes.
struct FileContent {
  StoredFile file{};
  std::string data{};
};

/// Stores a whole file.
[[nodiscard]] Result<StoredFile> store_file(State& state, sv team_id, const NewFile& file);

/// Returns the metadata of a file that exists, whatever its upload_status.
[[nodiscard]] Result<std::optional<StoredFile>> find_file(State& state, sv team_id, sv id);

/// Returns a file with its bytes; nothing if it is missing, deleted, expired or incomplete.
[[nodiscard]] Result<std::optional<FileContent>> read_file(State& state, sv team_id, sv id);

/// Returns false if there was none.
[[nodiscard]] Result<bool> delete_file(State& state, sv team_id, sv id);

// --- used only by the file operations ----------------------------------------------------------

/// Creates an empty file, to be filled by append_chunk().
[[nodiscard]] Result<StoredFile> begin_upload(State& state, sv team_id, const NewFile& file);

/// Appends to a file of at most `limit` bytes, otherwise Usage. Nothing if there is no such file.
[[nodiscard]] Result<std::optional<StoredFile>> append_chunk(State& state, sv team_id, sv id,
                                                             sv chunk, std::int64_t limit);

struct FileChange {
  std::optional<std::string> filename{};
  std::optional<std::string> content_type{};
  std::optional<sv> data{};
};
[[nodiscard]] Result<std::optional<StoredFile>> update_file(State& state, sv team_id, sv id,
                                                            const FileChange& change);

/// Returns the files of the team, oldest first.
[[nodiscard]] Result<std::vector<StoredFile>> all_files(State& state, sv team_id);

/// Creates a public URL, or sets its expiry. Nothing if the file does not exist.
[[nodiscard]] Result<std::optional<StoredFile>> publish_file(
    State& state, sv team_id, sv id, std::optional<std::int64_t> expires_after);

/// Nothing if the file does not exist.
[[nodiscard]] Result<std::optional<StoredFile>> unpublish_file(State& state, sv team_id, sv id);

/// Returns the number of the team's active public URLs.
[[nodiscard]] Result<std::int64_t> count_public_files(State& state, sv team_id);

/// Returns the file of an active public URL.
[[nodiscard]] Result<std::optional<FileContent>> read_public_file(State& state, sv token);

/// Returns "text/csv" for "big.csv"; "application/octet-stream" if unknown.
[[nodiscard]] sv guess_content_type(sv filename);

// --- a stored file as the wire shows it ---------------------------------------------------------

/// Returns the file object, without a public URL that has expired at `now_s`.
[[nodiscard]] text::Json file_object(const StoredFile& file, const std::string& address,
                                     std::int64_t now_s);

/// Returns the file metadata of chunked uploads and of documents in collections.
[[nodiscard]] text::Json file_metadata(const StoredFile& file);

// --- the formats of uploads: multipart bodies, and documents whose text is read ---

struct FormPart {
  std::string name{};
  std::optional<std::string> filename{};  ///< of a file; a plain field has none
  std::string content_type{};
  sv data{};  ///< within the parsed body
};

/// Returns the boundary of a Content-Type header for multipart/form-data.
[[nodiscard]] std::optional<std::string> form_boundary(sv content_type);

/// Returns the parts of `body`, which must outlive them; Usage if it is malformed or incomplete.
[[nodiscard]] Result<std::vector<FormPart>> parse_form(sv body, sv boundary);

/// Returns the parts of `body`, which belongs to `request`; otherwise the 415 or 400.
[[nodiscard]] Checked<std::vector<FormPart>> form_parts(const Request& request, sv body);

// Extracts text from files, as far as the emulator can read them.

/// Returns the text of plain text, HTML or PDF; Usage, with the reason, for anything else.
[[nodiscard]] Result<std::string> extract_text(sv content_type, sv data);

}  // namespace svc::emulator
