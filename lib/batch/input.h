// The input of a bulk run: a file of requests or prompts, read twice: once to check every line,
// once to send what it holds.
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

/// Records: JSON Lines of texts, of objects whose members fill the template, and of chat requests.
enum class InputForm : std::uint8_t { Jsonl, Prompts, Csv, Tsv, Records };

/// By the end of the file's name: .txt, .csv, .tsv; else JSON Lines.
[[nodiscard]] InputForm form_of_name(std::string_view path);

struct InputOptions {
  InputForm form = InputForm::Jsonl;
  Form sent_as = Form::Added;
  std::string model{};      ///< for prompts, and for requests that name none; "" adds none to those
  std::string system{};     ///< for prompts
  std::string text{};       ///< the template; empty: the prompt alone
  std::string column{};     ///< of the prompt in CSV; empty: the first one
  std::string id_column{};  ///< of the id in CSV; empty: ids are made
  std::string base_body{};  ///< a JSON object; empty: none
  std::optional<BodyFrame> frame{};  ///< of prompts, instead of model, system and base_body
  std::uint64_t max_item = 0;        ///< bytes of a request as it is sent

  /// One line per option that decides what is sent: two runs with the same text send the same.
  [[nodiscard]] std::string signature() const;
};

/// One request, or why the line holds none.
struct Item {
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< of the line, without its end
  std::uint64_t hash = 0;    ///< of the line
  std::string id{};          ///< never empty without faults
  bool id_made = false;
  std::string json{};  ///< as it is sent
  std::vector<LineFault> faults{};
};

class Input {
 public:
  /// Opens a regular file. Usage when it is missing, a folder, unreadable, or when the options do
  /// not fit its header. `name` is what errors call it; else the path.
  [[nodiscard]] static Result<Input> open(const std::string& path, InputOptions options,
                                          std::string name = {});

  /// The next line that is not blank; false at the end.
  [[nodiscard]] Result<bool> next(Item& item);

  /// The item of a line that next() found in this file before. Local when other bytes stand there
  /// now.
  [[nodiscard]] Result<Item> read_again(const ItemPlace& place) const;

  /// next() begins again at line `line`, which begins at `offset`.
  void go_to(std::uint64_t offset, std::uint64_t line);
  /// next() stops at most `bytes` bytes after what it has read: to report what is wrong with a
  /// large file that holds no requests, its beginning is enough.
  void end_within(std::uint64_t bytes);
  /// Whether next() came to that end.
  [[nodiscard]] bool ended_soon() const noexcept { return m_reader->stopped(); }

  /// Everything that is wrong with the file as a whole: another encoding.
  [[nodiscard]] const std::optional<LineFault>& file_fault() const noexcept { return m_file_fault; }

  /// Bytes read by next() so far, and in all.
  [[nodiscard]] std::uint64_t position() const noexcept { return m_position; }
  [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }
  /// As errors call it.
  [[nodiscard]] const std::string& name() const noexcept { return m_name; }

  /// A hash of all its bytes, in hexadecimal: tells another input.
  [[nodiscard]] Result<std::string> digest() const;

 private:
  Input(std::string name, FileDescriptor file, InputOptions options);
  [[nodiscard]] std::uint64_t max_line() const;
  [[nodiscard]] Cut cut() const;
  [[nodiscard]] Result<void> read_header();
  void examine_encoding();
  void convert(std::string_view text, Item& item) const;
  void convert_entry(std::string_view text, Item& item) const;
  void convert_prompt(std::string_view text, Item& item) const;
  void convert_record(std::string_view text, Item& item) const;
  void make_chat(std::string id, std::string_view body, Item& item) const;
  void check_size(Item& item) const;

  std::string m_name;
  FileDescriptor m_file;
  InputOptions m_options;
  std::unique_ptr<LineReader> m_reader{};
  std::uint64_t m_end = UINT64_MAX;
  bool m_is_text = true;  ///< as far as the last line that is too long tells
  std::uint64_t m_size = 0;
  std::uint64_t m_position = 0;
  std::optional<LineFault> m_file_fault{};
  std::size_t m_columns = 1;
  std::size_t m_column = 0;
  std::optional<std::size_t> m_id_column{};
  std::optional<Template> m_template{};
  std::optional<ChatBody> m_chat{};
  std::optional<RecordReader> m_records{};
};

/// Tells a changed line, proves nothing.
[[nodiscard]] std::uint64_t line_hash(std::string_view text) noexcept;
/// The hash of several, in their order, with one more.
[[nodiscard]] std::uint64_t joined_hash(std::uint64_t hashes, std::uint64_t hash) noexcept;

/// The input is another than it was, in this line or a thousand lines from there.
[[nodiscard]] Error input_changed(std::string_view name, std::uint64_t line);

/// What stands at a place of the input `file`. Local when it is something else by now.
[[nodiscard]] Result<std::string> read_place(const FileDescriptor& file, std::string_view name,
                                             const ItemPlace& place);

}  // namespace svc::batch
