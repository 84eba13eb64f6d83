// The group files.
#include <array>

#include "catalogue/check.h"
#include "catalogue/files_answers.h"
#include "catalogue/files_fields.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace files {

constexpr std::array k_upload_rules = {
    excludes("expires-after", "expires-after-anchor", "Both set the expiry."),
    excludes("expires-after", "expires-after-seconds", "Both set the expiry."),
    needs("expires-after-anchor", "expires-after-seconds", "Both together set the time."),
    needs("expires-after-seconds", "expires-after-anchor", "Both together set the time."),
    excludes("expires-after", "chunked", "Chunked uploads cannot expire."),
    excludes("expires-after-seconds", "chunked", "Chunked uploads cannot expire."),
    excludes("purpose", "chunked", "A chunked upload cannot set a purpose."),
};

constexpr std::array k_download_rules = {
    excludes("format-text", "content-format", "Both select the content."),
};

constexpr std::array k_examples = {
    Example{"svc files upload report.pdf", "Uploads a file and prints its metadata."},
    Example{"svc files upload report.pdf data.csv --expires-after 1d",
            "Uploads two files that expire after a day."},
    Example{"svc files upload report.pdf --json --jq .id", "Prints only the new file's ID."},
    Example{"svc files upload - --name notes.txt", "Uploads standard input under a name."},
    Example{"svc files upload --chunked data.csv",
            "Uploads in chunks, for files above 50 MB; resumes after an interruption."},
    Example{"svc files list", "Shows the newest hundred files."},
    Example{"svc files list --filter 'content_type = \"pdf\"' --sort-by size --all",
            "Shows all PDF files, the largest first."},
    Example{"svc files list --all --json --jq '.[].id'", "Prints every ID."},
    Example{"svc files get file_00000000-0000-0000-0000-000000000000",
            "Shows name, size and dates of a file."},
    Example{"svc files update file_00000000-0000-0000-0000-000000000000 --name report-2.pdf",
            "Renames a file."},
    Example{"svc files update file_00000000-0000-0000-0000-000000000000 --data report.pdf",
            "Replaces a file's content."},
    Example{"svc files delete file_00000000-0000-0000-0000-000000000000 --yes",
            "Deletes a file without asking."},
    Example{"svc files delete --yes file_00000000-0000-0000-0000-000000000000 "
            "file_00000000-0000-0000-0000-000000000001",
            "Deletes two files."},
    Example{"svc files initialize data.csv --content-type text/csv",
            "Starts a chunked upload; `svc files upload --chunked` does every step."},
    Example{"svc files upload-chunk file_00000000-0000-0000-0000-000000000000 report.pdf",
            "Uploads the next chunk."},
    Example{"svc files download file_00000000-0000-0000-0000-000000000000 -o report.pdf",
            "Saves a file's content."},
    Example{"svc files download -o reports/ file_00000000-0000-0000-0000-000000000000 "
            "file_00000000-0000-0000-0000-000000000001",
            "Saves two files in an existing directory, under their names on the service."},
    Example{"svc files download file_00000000-0000-0000-0000-000000000000 --format-text",
            "Prints the text extracted from a file."},
    Example{"svc files publish file_00000000-0000-0000-0000-000000000000 --expires-after 1d",
            "Makes a file public for a day, to anyone with the URL."},
    Example{"svc files unpublish file_00000000-0000-0000-0000-000000000000",
            "Revokes a file's public URL."},
};

constexpr std::array k_rows = {
    post("files upload", "/v1/files", "Upload files.", runs(Handler::FilesUpload), free_of_charge,
         fields<k_upload_fields>, rules(k_upload_rules), answers(answer::files::k_members)),
    get("files list", "/v1/files", "List the team's files.", fields<k_list_fields>, items("data"),
        answers(answer::files::k_list),
        paging(Paging{.limit_param = "limit",
                      .token_param = "pagination_token",
                      .token_path = "pagination_token",
                      .max_page = 100,
                      .short_page_ends = true})),
    get("files get", "/v1/files/{file_id}", "Show a file's metadata.", fields<k_id_fields>,
        answers(answer::files::k_members)),
    operation("files update", "PUT", "/v1/files/{file_id}",
              "Change a file's name, type or content (--set for other fields).", repeatable,
              answers_nothing, replaces_all, fields<k_update_fields>,
              answers(answer::files::k_either)),
    operation("files delete", "DELETE", "/v1/files/{file_id}", "Delete files.", repeatable,
              answers_nothing, ends("Deleted files cannot be restored."), fields<k_ids_fields>,
              answers(answer::files::k_deleted)),
    post("files initialize", "/v1/files:initialize", "Start a chunked upload.", free_of_charge,
         fields<k_initialize_fields>, answers(answer::files::k_initialized)),
    post("files upload-chunk", "/v1/files:uploadChunks", "Upload the next chunk.", answers_nothing,
         free_of_charge, fields<k_chunk_fields>, answers(answer::files::k_either)),
    get("files download", "/v1/files/{file_id}/content", "Save or print the content of files.",
        runs(Handler::FilesDownload), own_output, observed, answers_bytes,
        fields<k_download_fields>, rules(k_download_rules)),
    post("files publish", "/v1/files/{file_id}/public-url", "Give a file a public URL.", observed,
         free_of_charge, fields<k_publish_fields>, answers(answer::files::k_published)),
    post("files unpublish", "/v1/files/{file_id}/public-url/revoke", "Revoke a file's public URL.",
         observed, repeatable, answers_nothing, free_of_charge,
         ends("The URL stops working for everyone."), fields<k_id_fields>,
         answers(answer::files::k_unpublished)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"file", "files"});

}  // namespace files

constinit const std::span<const Operation> k_files_operations = files::k_operations;

}  // namespace svc::catalogue
