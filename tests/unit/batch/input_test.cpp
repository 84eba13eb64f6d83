// The input: lines, records, both request formats, prompts, and errors.
#include "batch/input.h"

#include <algorithm>
#include <array>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "batch/csv.h"
#include "batch/request_line.h"
#include "unit/client/temp_directory.h"

using namespace svc;
using namespace svc::batch;
using namespace std::string_literals;

namespace {

ItemLocation place_of(const Item& item) {
  return {.line = item.line, .offset = item.offset, .length = item.length, .hash = item.hash};
}

std::vector<Line> read_lines(const std::string& text, std::size_t at_once, std::uint64_t max,
                             std::vector<std::string>& texts, SplitMode cut = SplitMode::Lines) {
  std::size_t at = 0;
  LineReader reader(
      [&](char* buffer, std::size_t size) -> Result<std::size_t> {
        const std::size_t count = text.copy(buffer, std::min(size, at_once), at);
        at += count;
        return count;
      },
      max, cut);
  std::vector<Line> lines;
  Line line;
  while (*reader.next(line)) {
    lines.push_back(line);
    texts.emplace_back(line.text);
  }
  return lines;
}

struct Checked {
  std::vector<Item> items{};
  std::optional<LineError> file_error{};
  std::string error{};
};

Checked read_input(const std::string& text, const std::string& name, InputOptions options = {}) {
  test::TempDirectory directory;
  options.format = format_of_file(name);
  if (options.max_item == 0) options.max_item = 25'000'000;
  auto input = Input::open(directory.write(name, text).string(), options);
  Checked checked;
  if (!input) {
    checked.error = input.error().message;
    return checked;
  }
  Item item;
  while (*input->next(item)) {
    if (item.errors.empty()) {
      const auto again = input->reread(place_of(item));
      REQUIRE(again);
      CHECK(again->json == item.json);
      CHECK(again->id == item.id);
    }
    checked.items.push_back(item);
  }
  checked.file_error = input->file_error();
  return checked;
}

std::string only_fault(const std::string& line) {
  const Checked checked = read_input(line, "x.jsonl");
  if (checked.file_error) return describe(*checked.file_error);
  REQUIRE(checked.items.size() == 1);
  if (checked.items[0].errors.size() != 1) return "none or many";
  return describe(checked.items[0].errors[0]);
}

}  // namespace

TEST_CASE("a record that is too long ends at the same place however the file is read") {
  const std::string text = "a,\"" + std::string(40, 'x') + "\n\ny\n\"\"z\",b\nnext,\"one\n\"\nlast";
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    CAPTURE(at_once);
    std::vector<std::string> texts;
    const auto lines = read_lines(text, at_once, 30, texts, SplitMode::Records);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].too_long);
    CHECK(texts[1] == "next,\"one\n\"");
    CHECK(lines[1].number == 5);
    CHECK(lines[1].offset == text.find("next"));
    CHECK(lines[2].number == 7);
  }
}

TEST_CASE("the lines of a record that is too long are counted from its beginning") {
  const std::string text =
      "s,t\na,\"" + std::string(40, 'x') + "\n\ny\n\"\"z\",b\nnext,1\n\"op\nen";
  for (const std::size_t at_once : {std::size_t{3}, std::size_t{52}, std::size_t{1000}}) {
    CAPTURE(at_once);
    std::vector<std::string> texts;
    const auto lines = read_lines(text, at_once, 30, texts, SplitMode::Records);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].number == 1);
    CHECK(lines[1].number == 2);
    CHECK(lines[1].offset == 4);
    CHECK(lines[1].too_long);
    CHECK(lines[2].number == 6);
    CHECK(lines[2].offset == text.find("next"));
    CHECK(texts[2] == "next,1");
    CHECK(lines[3].number == 7);
    CHECK(texts[3] == "\"op\nen");
  }
}

TEST_CASE("lines are the same however the bytes arrive") {
  const std::string text = "\xEF\xBB\xBF"s + "one\r\n\ntwo\nthree";
  for (const std::size_t at_once : {1UL, 2UL, 3UL, 5UL, 1000UL}) {
    std::vector<std::string> texts;
    const auto lines = read_lines(text, at_once, 100, texts);
    REQUIRE(texts == std::vector<std::string>{"one", "", "two", "three"});
    CHECK(lines[0].offset == 3);
    CHECK(lines[2].offset == 9);
    CHECK(lines[3].number == 4);
  }
}

TEST_CASE("a line that is too long is skipped, and the next one is read correctly") {
  const std::string text = "a\n" + std::string(600'000, 'x') + "\nb\n" + std::string(700'000, 'y');
  for (const std::size_t at_once : {7000UL, 1'000'000UL}) {
    std::vector<std::string> texts;
    const auto lines = read_lines(text, at_once, 1000, texts);
    REQUIRE(lines.size() == 4);
    CHECK(lines[1].too_long);
    CHECK(texts[1] == std::string(200, 'x'));
    CHECK(texts[2] == "b");
    CHECK(lines[2].number == 3);
    CHECK(lines[2].offset == 600'003);
    CHECK(lines[3].too_long);
  }
}

TEST_CASE("records of a table end outside of quotes") {
  const std::string text = "a,b\n1,\"two\nlines, \"\"quoted\"\"\"\r\n3,4";
  for (const std::size_t at_once : {1UL, 4UL, 100UL}) {
    std::vector<std::string> texts;
    const auto lines = read_lines(text, at_once, 100, texts, SplitMode::Records);
    REQUIRE(lines.size() == 3);
    CHECK(lines[2].number == 4);
    const CsvRecord record = parse_csv(texts[1], ',');
    CHECK(record.cells == std::vector<std::string>{"1", "two\nlines, \"quoted\""});
  }
  CHECK(parse_csv("", ',').cells == std::vector<std::string>{""});
  CHECK(parse_csv("a,,", ',').cells == std::vector<std::string>{"a", "", ""});
  const auto fault = [](const char* record_text, std::size_t column) {
    const CsvRecord record = parse_csv(record_text, ',');
    CHECK(record.column == column);
    return record.fault;
  };
  CHECK(fault("\"a", 1) == "unterminated double quote in a cell");
  CHECK(fault("x,\"a\"b", 6) == "text after a closing quote");
  CHECK(fault("x,a\"b", 4) == "double quote inside an unquoted cell");
}

TEST_CASE("both request formats") {
  const Checked checked = read_input(
      R"({"batch_request_id":"a","batch_request":{"responses":{"input":"x", "n":1.0}}})"
      "\n\n"
      R"({"custom_id":"b","method":"POST","url":"/v1/chat/completions","body":{"messages":[{"role":"user","content":"x"}]}})"
      "\r\n"
      R"({"batch_request_id":null,"batch_request":{"image_generation":{"prompt":"x"}}})",
      "x.jsonl", {.model = "svc-4.3"});
  REQUIRE(checked.items.size() == 3);
  CHECK(
      checked.items[0].json ==
      R"({"batch_request_id":"a","batch_request":{"responses":{"model":"svc-4.3","input":"x", "n":1.0}}})");
  CHECK(
      checked.items[1].json ==
      R"({"batch_request_id":"b","batch_request":{"chat_get_completion":{"model":"svc-4.3","messages":[{"role":"user","content":"x"}]}}})");
  CHECK(checked.items[2].id == "line-4");
  CHECK(checked.items[2].id_generated);
  const Checked filed =
      read_input(R"({"batch_request_id":"a","batch_request":{"responses":{"input":"x"}}})",
                 "x.jsonl", {.sent_as = RequestFormat::File});
  CHECK(filed.items[0].json ==
        R"({"custom_id":"a","method":"POST","url":"/v1/responses","body":{"input":"x"}})");
}

TEST_CASE("an error in a line is reported with its column") {
  CHECK(only_fault("{\"a\":}") == "line 1, column 6: expected a value, found '}'");
  CHECK(only_fault("[]").find("not a JSON object") != std::string::npos);
  CHECK(only_fault("{}").find("not a request") != std::string::npos);
  CHECK(only_fault(R"({"costum_id":"x"})").find("did you mean 'custom_id'?") != std::string::npos);
  CHECK(only_fault(R"({"custom_id":7,"url":"/v1/responses","body":{"input":"x"}})") ==
        "line 1, column 14: the ID must be a string in double quotes");
  CHECK(only_fault(R"({"custom_id":"x","url":"/v1/responses"})") == "line 1: 'body' is missing");
  CHECK(only_fault(R"({"custom_id":"x","url":"/v1/other","body":{}})")
            .find("unknown URL '/v1/other'") != std::string::npos);
  CHECK(only_fault(R"({"custom_id":"x","url":"","body":{}})").find("unknown URL '';") !=
        std::string::npos);
  CHECK(only_fault(R"({"url":"/v1/responses","body":{"model":"m"}})").find("'input' is missing") !=
        std::string::npos);
  CHECK(only_fault(R"({"url":"/v1/responses","body":{"input":"m","model":1}})") ==
        "line 1, column 52: 'model' must be a string");
  CHECK(only_fault(R"({"batch_request":{"responses":{"input":"x"},"image_edit":{}}})")
            .find("exactly one of") != std::string::npos);
  CHECK(only_fault(R"({"batch_request":{"response":{"input":"x"}}})").find("unknown request") !=
        std::string::npos);
  CHECK(only_fault(R"({"url":"/v1/videos/edits","body":{"prompt":"x"}})").find("--via-file") !=
        std::string::npos);
  CHECK(only_fault("{\"a\0\":1}"s) == "line 1, column 4: a NUL byte, which is not valid in text");
  CHECK(only_fault(R"({"url":"/v1/responses","url":"/v1/responses","body":{"input":"x"}})") ==
        "line 1, column 25: 'url' is given twice");
}

TEST_CASE("other encodings are detected and named") {
  CHECK(only_fault("\xFF\xFE{\0}\0"s).find("UTF-16, not UTF-8; convert it with: iconv") !=
        std::string::npos);
  CHECK(only_fault("\0{\0}\0\n"s).find("UTF-16") != std::string::npos);
  CHECK(only_fault("{\"a\":\"\xFF\"}").find("column 7") != std::string::npos);
  const Checked table = read_input(
      "\xFF\xFE"
      "a\0,\0b\0\n\0"s,
      "x.csv", {.model = "m"});
  REQUIRE(table.file_error);
}

TEST_CASE("prompts become chat requests") {
  const Checked plain = read_input("Hi \"you\"\n\n  \nsecond\n", "x.txt",
                                   {.model = "svc-4.3", .system = "Be brief."});
  REQUIRE(plain.items.size() == 2);
  CHECK(
      plain.items[0].json ==
      R"({"batch_request_id":"line-1","batch_request":{"chat_get_completion":{"model":"svc-4.3","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi \"you\""}]}}})");
  CHECK(plain.items[1].id == "line-4");
  const Checked table =
      read_input("key,text,to\nk1,\"good, day\",French\nk2,,German\nk3,x\n", "x.csv",
                 {.model = "m",
                  .text = "{{To {to}}}: {}",
                  .column = "text",
                  .id_column = "key",
                  .base_body = R"({"temperature":0})"});
  REQUIRE(table.items.size() == 3);
  CHECK(
      table.items[0].json ==
      R"({"batch_request_id":"k1","batch_request":{"chat_get_completion":{"temperature":0,"model":"m","messages":[{"role":"user","content":"{To French}: good, day"}]}}})");
  CHECK(describe(table.items[1].errors.at(0)) == "line 3: the prompt is empty");
  CHECK(describe(table.items[2].errors.at(0)) == "line 4: 2 cells in this row, 3 in the header");
  CHECK(read_input("a,b\n", "x.csv", {.model = "m", .column = "c"}).error ==
        "--column: unknown column 'c'; columns: a, b");
  // Plain lines have one.
  CHECK(read_input("a\n", "x.txt", {.model = "m", .column = "prompt"}).items.size() == 1);
  CHECK(read_input("a\n", "x.txt", {.model = "m", .column = "c"}).error ==
        "--column: unknown column 'c'; columns: prompt");
  CHECK(read_input("a,b\n", "x.csv", {.model = "m", .text = "{d}"})
            .error.starts_with("the template"));
  CHECK(read_input("", "x.csv", {.model = "m"}).error.find("is not a valid header") !=
        std::string::npos);
}

TEST_CASE("a NUL byte in a prompt is an error, a tilde is not") {
  const Checked checked = read_input("a~b\nc\0d\n"s, "x.txt", {.model = "m"});
  REQUIRE(checked.items.size() == 2);
  CHECK(checked.items[0].errors.empty());
  CHECK(describe(checked.items[1].errors.at(0)) ==
        "line 2, column 2: a NUL byte, which is not valid in text");
}

TEST_CASE("options that differ have different signatures, whatever a name contains") {
  const InputOptions lines{.model = "m", .id_column = "k\n--body and --set: {}"};
  const InputOptions body{.model = "m", .id_column = "k", .base_body = "{}"};
  CHECK(std::ranges::count(lines.signature(), '\n') == std::ranges::count(body.signature(), '\n'));
  CHECK(lines.signature() != body.signature());
}

TEST_CASE("the default model is added to any object") {
  const auto with_model = [](std::string_view body) {
    std::string line;
    append_request_line(line, chat_endpoint(), "r1", body, "m", RequestFormat::Added);
    return line;
  };
  const std::string begin = R"({"batch_request_id":"r1","batch_request":{"chat_get_completion":)";
  CHECK(with_model("{}") == begin + R"({"model":"m"}}})");
  CHECK(with_model("{ }") == begin + R"({"model":"m" }}})");
  CHECK(with_model(R"({"n":1})") == begin + R"({"model":"m","n":1}}})");
  CHECK(with_model(R"({"model":"x"})") == begin + R"({"model":"x"}}})");
}

TEST_CASE("a request too large for any call is rejected") {
  const Checked checked =
      read_input(std::string(5000, 'x') + "\nok\n", "x.txt", {.model = "m", .max_item = 1000});
  REQUIRE(checked.items.size() == 2);
  CHECK(checked.items[0].errors.at(0).message.find("1 kB") != std::string::npos);
  CHECK(checked.items[1].errors.empty());
}

TEST_CASE("a line that changes during the run is detected") {
  test::TempDirectory directory;
  const std::string path = directory.write("x.txt", "one\ntwo\n").string();
  auto input = Input::open(path, {.format = InputFormat::Prompts, .model = "m", .max_item = 1000});
  REQUIRE(input);
  Item item;
  REQUIRE(*input->next(item));
  std::ofstream(path) << "One\ntwo\n";
  CHECK_FALSE(input->reread(place_of(item)));
}

TEST_CASE("the ending of a name tells the format") {
  const std::tuple<const char*, InputFormat, bool> rows[] = {
      {"a.TXT", InputFormat::Prompts, true},      {"a.csv", InputFormat::Csv, true},
      {"a.tsv", InputFormat::Tsv, true},          {"a.jsonl", InputFormat::Jsonl, true},
      {"a.NDJSON", InputFormat::Jsonl, true},     {"a.json", InputFormat::Jsonl, true},
      {"a.txt.gz", InputFormat::Jsonl, false},    {"txt", InputFormat::Jsonl, false},
      {"a.jsonl.bak", InputFormat::Jsonl, false},
  };
  for (const auto& [name, format, named] : rows) {
    CAPTURE(name);
    CHECK(format_of_file(name) == format);
    CHECK(names_format(name) == named);
  }
}

TEST_CASE("a file looks like JSON if its first line with anything on it does") {
  const test::TempDirectory directory;
  const std::pair<const char*, bool> rows[] = {
      {"{\"a\":1}\n", true}, {"\n  \n {\n", true}, {"[\n1]", true},         {"[1]\nx", true},
      {"[1\n2]", false},     {"\"a\"\n", true},    {"\"a\" said\n", false}, {"text\n{}", false},
      {"7\n", false},        {"", false},          {"\n\n", false},
  };
  for (const auto& [text, is_json] : rows) {
    CAPTURE(text);
    CHECK(is_json_lines(directory.write("some", text).string()) == is_json);
  }
  CHECK_FALSE(is_json_lines(directory.path().string()));
  CHECK_FALSE(is_json_lines((directory.path() / "none").string()));
}

TEST_CASE("each wide encoding is told by its mark, or by its zeros") {
  const auto named = [](const std::string& text) {
    const Checked checked = read_input(text, "x.jsonl");
    return checked.file_error ? describe(*checked.file_error) : std::string();
  };
  const auto wide = [](const std::string& name) {
    return "line 1: the file is " + name + ", not UTF-8; convert it with: iconv -f " + name +
           " -t UTF-8";
  };
  CHECK(named("\xFF\xFE\0\0{\0\0\0"s) == wide("UTF-32"));
  CHECK(named("\0\0\xFE\xFF\0\0\0{"s) == wide("UTF-32"));
  CHECK(named("\xFF\xFE{\0"s) == wide("UTF-16"));
  CHECK(named("\xFE\xFF\0{"s) == wide("UTF-16"));
  CHECK(named("{\0}\0"s) == wide("UTF-16"));
  CHECK(named("\0{\0}"s) == wide("UTF-16"));
  // Zeros elsewhere are bytes that no text has, but not another encoding.
  for (const std::string& other : {"{\0}"s, "{\0}x"s, "{}\0\0"s, "\0\0{}"s, "\0{}\0"s, "{}x\0"s,
                                   "\0\0\0\0"s, "{\0\0\0"s, "\0{\0\0"s, "\0\0\0}"s, "\0\0{\0"s}) {
    CAPTURE(other);
    CHECK(named(other).empty());
  }
}

TEST_CASE("a name that cannot be opened is wrong use") {
  const test::TempDirectory directory;
  const auto refused = [](const std::string& path, const std::string& name = {}) {
    auto input = Input::open(path, {.max_item = 1000}, name);
    REQUIRE_FALSE(input);
    CHECK(input.error().fault == Fault::Usage);
    CHECK(input.error().hint == (input.error().message.ends_with(" is not a regular file")
                                     ? "Pass a file, or - for standard input."
                                     : ""));
    return input.error().message;
  };
  const std::string none = (directory.path() / "none").string();
  CHECK(refused(none) == "'" + none + "' cannot be read: No such file or directory");
  CHECK(refused(none, "the list") == "the list cannot be read: No such file or directory");
  CHECK(refused(directory.path().string(), "it") == "it is not a regular file");
  CHECK(refused("a\0b"s, "it") == "it is not a valid file name");
}

TEST_CASE("a descriptor is read from an offset on, or told by its name") {
  const test::TempDirectory directory;
  const std::string path = directory.write("x.txt", "0123456789").string();
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto read = read_descriptor(file.get(), "the input", 3);
  std::array<char, 4> bytes{};
  for (const std::string_view expected : {"3456", "789", ""}) {
    const auto count = read(bytes.data(), bytes.size());
    REQUIRE(count);
    CHECK(std::string_view(bytes.data(), *count) == expected);
  }
  const auto closed = read_descriptor(-1, "the input", 0)(bytes.data(), bytes.size());
  REQUIRE_FALSE(closed);
  CHECK(closed.error().message == "the input cannot be read: Bad file descriptor");
}

TEST_CASE("the longest line and the largest request that are taken") {
  // A request is a bit longer than its line, and may have the size of max_item.
  const std::string line =
      R"({"batch_request_id":"a","batch_request":{"responses":{"input":"x"}}})";
  CHECK(read_input(line, "x.jsonl", {.max_item = line.size()}).items.at(0).errors.empty());
  const Checked large = read_input(line, "x.jsonl", {.max_item = line.size() - 1});
  CHECK(describe(large.items.at(0).errors.at(0)) ==
        "line 1: 68 B as a request, but a call can carry at most 67 B");
  // A line may be longer than a request by 4096 bytes.
  const Checked fits =
      read_input(std::string(4106, ' ') + "\n" + std::string(4096, ' ') + "x.......xx", "x.txt",
                 {.model = "m", .max_item = 10});
  REQUIRE(fits.items.size() == 1);
  CHECK(fits.items[0].errors.at(0).message.find("as a request") != std::string::npos);
  const Checked longer =
      read_input("x" + std::string(4106, ' ') + "\n", "x.txt", {.model = "m", .max_item = 10});
  CHECK(describe(longer.items.at(0).errors.at(0)) ==
        "line 1: longer than 10 B, the most one call carries");
  const Checked binary =
      read_input("x\0"s + std::string(5000, 'x') + "\n", "x.txt", {.model = "m", .max_item = 10});
  CHECK(describe(binary.items.at(0).errors.at(0)) ==
        "line 1, column 2: a NUL byte, which is not valid in text");
}

TEST_CASE("a table has a header, and columns by name or number") {
  const auto error = [](const std::string& text, InputOptions options = {}) {
    options.model = "m";
    return read_input(text, "x.csv", std::move(options)).error;
  };
  for (const char* text : {"", "\n", "  \na,b\n", "a\xFF,b\n"}) {
    CAPTURE(text);
    CHECK(error(text).ends_with(": the first line is not a valid header"));
  }
  CHECK(error("a,\"b\n").ends_with(
      ": the first line is not a valid header: unterminated double quote in a cell"));
  CHECK(error("a,b\n", {.id_column = "c"}) == "--id-column: unknown column 'c'; columns: a, b");

  const Checked tabs = read_input("a\tb,c\n1\t\"2\"x\n3\t4\n", "x.tsv",
                                  {.model = "m", .column = "2", .id_column = "1"});
  REQUIRE(tabs.items.size() == 2);
  CHECK(describe(tabs.items[0].errors.at(0)) == "line 2, column 6: text after a closing quote");
  CHECK(tabs.items[1].id == "3");
  CHECK_FALSE(tabs.items[1].id_generated);
  CHECK(tabs.items[1].json.find(R"("content":"4")") != std::string::npos);

  test::TempDirectory directory;
  const std::string path = directory.write("x.csv", "a,b\n1,2\n").string();
  const auto prompt_column = [&](const std::string& text, const std::string& column) {
    auto input = Input::open(path, {.format = InputFormat::Csv,
                                    .model = "m",
                                    .text = text,
                                    .column = column,
                                    .max_item = 1000});
    REQUIRE(input);
    CHECK(input->size() == 8);
    return input->prompt_column();
  };
  CHECK(prompt_column("", "") == "a");
  CHECK(prompt_column("", "b") == "b");
  CHECK(prompt_column("Say {}", "b") == "b");
  CHECK(prompt_column("Say {b}", "").empty());
}

TEST_CASE("an empty ID is made from the line's number") {
  const Checked table = read_input("key,text\n  ,one\n k ,two\n", "x.csv",
                                   {.model = "m", .column = "2", .id_column = "key"});
  REQUIRE(table.items.size() == 2);
  CHECK(table.items[0].id == "line-2");
  CHECK(table.items[0].id_generated);
  CHECK(table.items[1].id == "k");
}

TEST_CASE("a frame goes around each prompt") {
  const Checked checked =
      read_input("Hi\n", "x.txt", {.frame = BodyFrame{R"({"p":)", R"(,"q":1})"}});
  REQUIRE(checked.items.size() == 1);
  CHECK(
      checked.items[0].json ==
      R"({"batch_request_id":"line-1","batch_request":{"chat_get_completion":{"p":"Hi","q":1}}})");
}

TEST_CASE("the signature has a line for each option that changes what is sent") {
  const InputOptions options{.format = InputFormat::Csv,
                             .model = "m",
                             .system = "s\nt",
                             .text = "{a}",
                             .column = "c",
                             .id_column = "k",
                             .base_body = "{}"};
  CHECK(options.signature() ==
        "input form: 2\n--model: m\n--system: s^Jt\n--template: {a}\n--column: c\n"
        "--id-column: k\n--body and --set: {}\n");
  const InputOptions plain{.text = "{}", .frame = BodyFrame{"<", ">"}};
  CHECK(plain.signature() ==
        "input form: 0\n--model: \n--system: \n--template: \n--column: \n--id-column: \n"
        "--body and --set: \neach request: <>\n");
}

TEST_CASE("the ends of lines, and how far a reader goes") {
  std::vector<std::string> texts;
  // Only the return before a newline is part of the end.
  const auto lines = read_lines("1234\n12345\r\n12345\r", 100, 5, texts);
  REQUIRE(lines.size() == 3);
  CHECK_FALSE(lines[0].too_long);
  CHECK(lines[1].too_long);
  CHECK(lines[2].too_long);
  texts.clear();
  CHECK(read_lines("a\r\nb\r", 100, 5, texts).size() == 2);
  CHECK(texts == std::vector<std::string>{"a", "b\r"});
  texts.clear();
  CHECK(read_lines("", 100, 5, texts).empty());
  CHECK(read_lines("\xEF\xBB\xBF", 1, 5, texts).empty());
  CHECK(read_lines("\n", 100, 5, texts).size() == 1);
}

TEST_CASE("records are read with the template, the column and the frame of the options") {
  test::TempDirectory directory;
  auto input =
      Input::open(directory.write("x.jsonl", "\"Hi\"\n{\"key\":7,\"p\":\"Ho\"}\n{}\n").string(),
                  {.format = InputFormat::Records,
                   .text = "{}!",
                   .column = "p",
                   .id_column = "key",
                   .frame = BodyFrame{R"({"messages":[{"role":"user","content":)", "}]}"},
                   .max_item = 1000});
  REQUIRE(input);
  Item item;
  const auto sent = [](const char* id, const char* prompt) {
    return std::string(R"({"batch_request_id":")") + id +
           R"(","batch_request":{"chat_get_completion":{"messages":[{"role":"user","content":")" +
           prompt + R"("}]}}})";
  };
  REQUIRE(*input->next(item));
  CHECK(item.json == sent("line-1", "Hi!"));
  CHECK(item.id_generated);
  CHECK(input->reread(place_of(item))->json == item.json);
  REQUIRE(*input->next(item));
  CHECK(item.json == sent("7", "Ho!"));
  REQUIRE(*input->next(item));
  CHECK(item.errors.size() == 2);
  CHECK_FALSE(*input->next(item));
}

TEST_CASE("the hashes that journals keep do not change") {
  CHECK(hash_line("") == 0x89fbb2f4e0a3314bU);
  CHECK(hash_line("a") == 0x995f5cdf4311d488U);
  CHECK(hash_line("0123456789abcde") == 0x5ebde36beeec8b7bU);
  CHECK(hash_line("0123456789abcdef") == 0x24b84f3807c4606bU);
  CHECK(hash_line("0123456789abcdef0") == 0xed048fc0dae68368U);
  CHECK(hash_line(std::string(40, 'x')) == 0x3e602a833ac793bcU);
  CHECK(combine_hash(0, 1) == 0x9e3779b97f4a7c15U);
  CHECK(combine_hash(1, 0) == 0x1bbcdcbfa53e0a80U);
  CHECK(combine_hash(combine_hash(0, 5), 7) == 0x950a8bb5ac5e1f7cU);
  const test::TempDirectory directory;
  const auto digest = [&](const std::string& text) {
    const auto input =
        Input::open(directory.write("x.txt", text).string(),
                    {.format = InputFormat::Prompts, .model = "m", .max_item = 1'000'000});
    REQUIRE(input);
    return *input->digest() + " " + input->sha256()->substr(0, 8);
  };
  CHECK(digest("abc") == "e9c0b0b8b8ce0e4d ba7816bf");
  // In blocks of 256 KiB.
  CHECK(digest(std::string(300'000, 'x')).starts_with("884033e57b8b21f4 "));
  CHECK(digest(std::string(262'144, 'y')).starts_with("4f273b8dda40bd98 "));
}

TEST_CASE("a cell of a table may have several lines, and a prompt only UTF-8") {
  const Checked table = read_input("key,text\nk1,\"two\nlines\"\nk2,\xC3\xA4\xFFx\n", "x.csv",
                                   {.model = "m", .column = "text", .id_column = "key"});
  REQUIRE(table.items.size() == 2);
  CHECK(table.items[0].id == "k1");
  CHECK(table.items[0].line == 2);
  CHECK(table.items[0].json.find(R"("content":"two\nlines")") != std::string::npos);
  CHECK(describe(table.items[1].errors.at(0)) == "line 4, column 6: the text is not UTF-8");
  const Checked plain = read_input("\"one\nab\xFF\n", "x.txt", {.model = "m"});
  REQUIRE(plain.items.size() == 2);
  CHECK(plain.items[0].id == "line-1");
  CHECK(describe(plain.items[1].errors.at(0)) == "line 2, column 3: the text is not UTF-8");
}

TEST_CASE("an input is read on from any line, and each way of splitting it stays") {
  const test::TempDirectory directory;
  const std::string rows = "key,text\n1,\"a\nb\"\n2,c\n";
  auto input = Input::open(directory.write("x.csv", rows).string(), {.format = InputFormat::Csv,
                                                                     .model = "m",
                                                                     .column = "text",
                                                                     .id_column = "key",
                                                                     .max_item = 1000});
  REQUIRE(input);
  CHECK(input->position() == 8);
  for (int again = 0; again < 2; ++again) {
    input->seek(9, 2);
    CHECK(input->position() == 9);
    Item item;
    REQUIRE(*input->next(item));
    CHECK(item.id == "1");
    CHECK(item.line == 2);
    CHECK(item.offset == 9);
    CHECK(item.length == 7);
    CHECK(input->position() == 16);
    REQUIRE(*input->next(item));
    CHECK(item.id == "2");
    CHECK(item.line == 4);
    CHECK(item.offset == 17);
    CHECK_FALSE(*input->next(item));
  }
}

TEST_CASE("what cannot be read again is named with its line") {
  const test::TempDirectory directory;
  const std::string path = directory.write("x.txt", "one\ntwo\n").string();
  const auto input =
      Input::open(path, {.format = InputFormat::Prompts, .model = "m", .max_item = 1000});
  REQUIRE(input);
  const auto error_at = [&](const ItemLocation& location) {
    const auto read = input->reread(location);
    REQUIRE_FALSE(read);
    CHECK(read.error().fault == Fault::Local);
    return replace_all(read.error().message, path, "in");
  };
  const std::string changed =
      "'in' has changed since it was checked: line 2 or a later line is different";
  CHECK(error_at({.line = 2, .offset = 4, .length = 3, .hash = 1}) == changed);
  // Beyond the end.
  CHECK(error_at({.line = 2, .offset = 4, .length = 5, .hash = hash_line("two\n")}) == changed);
  CHECK(error_at({.line = 7, .offset = 3, .length = 1, .hash = hash_line("\n")}) ==
        "line 7 of 'in' cannot be read again: the prompt is empty");
  CHECK(input->reread({.line = 2, .offset = 4, .length = 3, .hash = hash_line("two")})->id ==
        "line-2");
  CHECK(*input->hash_at({.offset = 4, .length = 3}) == hash_line("two"));
}
