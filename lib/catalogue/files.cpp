// The group files.
#include "catalogue/check.h"
#include "catalogue/files_fields.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

using namespace files;

constexpr std::array k_upload_examples = {
    Example{"svc files upload report.pdf", "Uploads a file and prints its metadata."},
    Example{"svc files upload report.pdf data.csv --expires-after 1d",
            "Uploads two files that expire after a day."},
    Example{"svc files upload report.pdf --json --jq .id", "Prints only the new file's ID."},
    Example{"svc files upload - --name notes.txt", "Uploads standard input under a name."},
    Example{"svc files upload --chunked data.csv",
            "Uploads in chunks, for files above 50 MB; resumes after an interruption."},
};
constexpr std::array k_list_examples = {
    Example{"svc files list", "Shows the newest hundred files."},
    Example{"svc files list --filter 'content_type = \"pdf\"' --sort-by size --all",
            "Shows all PDF files, the largest first."},
    Example{"svc files list --all --json --jq '.[].id'", "Prints every ID."},
};
constexpr std::array k_get_examples = {
    Example{"svc files get file_00000000-0000-0000-0000-000000000000",
            "Shows name, size and dates of a file."}};
constexpr std::array k_update_examples = {
    Example{"svc files update file_00000000-0000-0000-0000-000000000000 --name report-2.pdf",
            "Renames a file."},
    Example{"svc files update file_00000000-0000-0000-0000-000000000000 --data report.pdf",
            "Replaces a file's content."}};
constexpr std::array k_delete_examples = {
    Example{"svc files delete file_00000000-0000-0000-0000-000000000000 --yes",
            "Deletes a file without asking."},
    Example{"svc files delete --yes file_00000000-0000-0000-0000-000000000000 "
            "file_00000000-0000-0000-0000-000000000001",
            "Deletes two files."}};
constexpr std::array k_initialize_examples = {
    Example{"svc files initialize data.csv --content-type text/csv",
            "Starts a chunked upload; `svc files upload --chunked` does all of it."}};
constexpr std::array k_chunk_examples = {
    Example{"svc files upload-chunk file_00000000-0000-0000-0000-000000000000 report.pdf",
            "Uploads the next chunk."}};
constexpr std::array k_download_examples = {
    Example{"svc files download file_00000000-0000-0000-0000-000000000000 -o report.pdf",
            "Saves a file's content."},
    Example{"svc files download -o reports/ file_00000000-0000-0000-0000-000000000000 "
            "file_00000000-0000-0000-0000-000000000001",
            "Saves two files in an existing directory, under their names on the service."},
    Example{"svc files download file_00000000-0000-0000-0000-000000000000 --format-text",
            "Prints the text extracted from a file."}};
constexpr std::array k_publish_examples = {
    Example{"svc files publish file_00000000-0000-0000-0000-000000000000 --expires-after 1d",
            "Makes a file public to anyone with the URL, for a day."}};
constexpr std::array k_unpublish_examples = {
    Example{"svc files unpublish file_00000000-0000-0000-0000-000000000000",
            "Revokes a file's public URL."}};

constexpr std::array k_operations = {
    Operation{.group = "files",
              .name = "upload",
              .method = "POST",
              .path = "/v1/files",
              .summary = "Upload files.",
              .fields = resolved<k_upload_fields>,
              .free = true,
              .rules = k_upload_rules,
              .columns = k_file_columns,
              .examples = k_upload_examples},
    Operation{.group = "files",
              .name = "list",
              .method = "GET",
              .path = "/v1/files",
              .summary = "List the team's files.",
              .fields = resolved<k_list_fields>,
              .repeat = Repeat::Always,
              .items = "data",
              .paging = Paging{.limit_param = "limit",
                               .token_param = "pagination_token",
                               .token_path = "pagination_token",
                               .max_page = 100,
                               .short_page_ends = true},
              .columns = k_list_columns,
              .examples = k_list_examples},
    Operation{.group = "files",
              .name = "get",
              .method = "GET",
              .path = "/v1/files/{file_id}",
              .summary = "Show a file's metadata.",
              .fields = resolved<k_id_fields>,
              .repeat = Repeat::Always,
              .columns = k_file_columns,
              .examples = k_get_examples},
    Operation{.group = "files",
              .name = "update",
              .method = "PUT",
              .path = "/v1/files/{file_id}",
              .summary = "Change a file's name, type or content (--set for other fields).",
              .fields = resolved<k_update_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::Always,
              .changes = true,
              .columns = k_file_columns,
              .examples = k_update_examples},
    Operation{.group = "files",
              .name = "delete",
              .method = "DELETE",
              .path = "/v1/files/{file_id}",
              .summary = "Delete files.",
              .fields = resolved<k_ids_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::Always,
              .destructive = true,
              .examples = k_delete_examples},
    Operation{.group = "files",
              .name = "initialize",
              .method = "POST",
              .path = "/v1/files:initialize",
              .summary = "Start a chunked upload.",
              .fields = resolved<k_initialize_fields>,
              .free = true,
              .columns = k_file_columns,
              .examples = k_initialize_examples},
    Operation{.group = "files",
              .name = "upload-chunk",
              .method = "POST",
              .path = "/v1/files:uploadChunks",
              .summary = "Upload the next chunk.",
              .fields = resolved<k_chunk_fields>,
              .reply = Reply::Nothing,
              .free = true,
              .columns = k_file_columns,
              .examples = k_chunk_examples},
    Operation{.group = "files",
              .name = "download",
              .method = "GET",
              .path = "/v1/files/{file_id}/content",
              .summary = "Save or print the content of files.",
              .fields = resolved<k_download_fields>,
              .reply = Reply::Bytes,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .rules = k_download_rules,
              .examples = k_download_examples},
    Operation{.group = "files",
              .name = "publish",
              .method = "POST",
              .path = "/v1/files/{file_id}/public-url",
              .summary = "Give a file a public URL.",
              .fields = resolved<k_publish_fields>,
              .source = Source::Observed,
              .free = true,
              .columns = k_file_columns,
              .examples = k_publish_examples},
    Operation{.group = "files",
              .name = "unpublish",
              .method = "POST",
              .path = "/v1/files/{file_id}/public-url/revoke",
              .summary = "Revoke a file's public URL.",
              .fields = resolved<k_id_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .free = true,
              .examples = k_unpublish_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> files_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
