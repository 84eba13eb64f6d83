// The input of a bulk run: a file of requests or prompts. It is read twice: once to check every
// line, and once to send it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "batch/journal.h"
#include "batch/line_reader.h"
#include "batch/prompt_form.h"
#include "batch/record.h"
#include "batch/request_line.h"

namespace svc::batch {

/// Records: JSON Lines of strings, of objects whose fields fill the template, and of chat requests.
enum class InputFormat : std::uint8_t { Jsonl, Prompts, Csv, Tsv, Records };

/// Derives the format from the file extension: .txt, .csv, .tsv; otherwise JSON Lines.
[[nodiscard]] InputFormat format_of_file(std::string_view path);
/// Whether the file's extension names a format: .jsonl, .ndjson, .json or one of the others.
[[nodiscard]] bool names_format(std::string_view path);
/// Whether the first non-blank line of the file looks like JSON: an object, an array or a string.
/// False if the file cannot be read.
[[nodiscard]] bool is_json_lines(const std::string& path);

/// The names, in a saved signature, of two options that messages call differently.
inline constexpr std::string_view k_saved_template = "--template";
inline constexpr std::string_view k_saved_frame = "each request";

struct InputOptions {
  InputFormat format = InputFormat::Jsonl;
  RequestFormat sent_as = RequestFormat::Added;
  std::string
      model{};  ///< for prompts, and for text requests that name none; "" adds none to those
  std::string system{};              ///< for prompts
  std::string text{};                ///< the template; empty: the prompt alone
  std::string column{};              ///< of the prompt in CSV; empty: the first column
  std::string id_column{};           ///< of the ID in CSV; empty: IDs are generated
  std::string base_body{};           ///< a JSON object; empty: none
  std::optional<BodyFrame> frame{};  ///< for prompts, instead of model, system and base_body
  std::uint64_t max_item = 0;        ///< maximum size of a request in bytes, as sent

  /// One line for each option that affects what is sent: runs with equal signatures send the same
  /// requests.
  [[nodiscard]] std::string signature() const;
};

/// One request, or the errors in its line.
struct Item {
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< of the line, without its end
  std::uint64_t hash = 0;    ///< of the line
  std::string id{};          ///< not empty unless there are errors
  bool id_generated = false;
  std::string json{};  ///< as sent
  std::vector<LineError> errors{};
};

class Input {
 public:
  /// Opens a regular file. Usage if it does not exist, is a directory, cannot be read, or if the
  /// options do not match its header. Errors call it `name`, or by its path if that is empty.
  [[nodiscard]] static Result<Input> open(const std::string& path, InputOptions options,
                                          std::string name = {});

  /// Reads the next non-blank line; false at the end.
  [[nodiscard]] Result<bool> next(Item& item);

  /// Reads the item of a line that next() returned before. Local if the file has changed there.
  [[nodiscard]] Result<Item> reread(const ItemLocation& location) const;

  /// Makes next() continue at line `line`, which starts at `offset`.
  void seek(std::uint64_t offset, std::uint64_t line);
  /// Makes next() stop at most `bytes` bytes after the current position. The start of a large file
  /// without requests is enough to report what is wrong with it.
  void stop_within(std::uint64_t bytes);
  /// Whether next() stopped at the limit of stop_within().
  [[nodiscard]] bool stopped_early() const noexcept { return m_reader->stopped(); }

  /// An error that concerns the whole file: an unsupported encoding.
  [[nodiscard]] const std::optional<LineError>& file_error() const noexcept { return m_file_error; }

  /// Bytes read by next() so far, and in total.
  [[nodiscard]] std::uint64_t position() const noexcept { return m_position; }
  [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }
  /// The column of a table that is the prompt; "" if the template does not use it.
  [[nodiscard]] const std::string& prompt_column() const noexcept { return m_prompt_column; }
  /// Whether each prompt is the same text, since the template has no placeholder.
  [[nodiscard]] bool is_fixed() const noexcept;
  /// The name used in errors.
  [[nodiscard]] const std::string& name() const noexcept { return m_name; }

  /// A hash of the whole file, in hexadecimal, to detect changes.
  [[nodiscard]] Result<std::string> digest() const;
  /// The SHA-256 of the whole file, which journals of format 1 contain instead.
  [[nodiscard]] Result<std::string> sha256() const;
  /// The hash of the text that is there now.
  [[nodiscard]] Result<std::uint64_t> hash_at(const ItemLocation& location) const;

 private:
  Input(std::string name, FileDescriptor file, InputOptions options);
  [[nodiscard]] std::uint64_t max_line() const;
  [[nodiscard]] SplitMode split_mode() const;
  [[nodiscard]] Result<void> read_header();
  void detect_encoding();
  void convert(std::string_view text, Item& item) const;
  void convert_entry(std::string_view text, Item& item) const;
  void convert_prompt(std::string_view text, Item& item) const;
  void convert_record(std::string_view text, Item& item) const;
  void make_chat(std::string id, std::string_view body, Item& item) const;
  [[nodiscard]] Result<void> read_blocks(
      const std::function<void(std::string_view block)>& add) const;
  void check_size(Item& item) const;

  std::string m_name;
  std::string m_prompt_column{};
  FileDescriptor m_file;
  InputOptions m_options;
  std::unique_ptr<LineReader> m_reader{};
  std::uint64_t m_end = UINT64_MAX;
  bool m_is_text = true;  ///< false if the last overlong line contained a NUL byte
  std::uint64_t m_size = 0;
  std::uint64_t m_position = 0;
  std::optional<LineError> m_file_error{};
  std::size_t m_columns = 1;
  std::size_t m_column = 0;
  std::optional<std::size_t> m_id_column{};
  std::optional<Template> m_template{};
  std::optional<ChatBody> m_chat{};
  std::optional<RecordReader> m_records{};
};

/// A non-cryptographic hash to detect changed lines.
[[nodiscard]] std::uint64_t hash_line(std::string_view text) noexcept;
/// Appends a hash to the combined hash of several lines; the order matters.
[[nodiscard]] std::uint64_t combine_hash(std::uint64_t hashes, std::uint64_t hash) noexcept;

/// The error for an input that changed in this line or the thousand lines after it.
[[nodiscard]] Error input_changed(std::string_view name, std::uint64_t line);

/// Reads the text of a place in the input `file`. Local if it has changed.
[[nodiscard]] Result<std::string> read_text_at(const FileDescriptor& file, std::string_view name,
                                               const ItemLocation& location);

}  // namespace svc::batch
