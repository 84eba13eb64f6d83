// A batch input file: is split into the same lines however it is read, and each line in every
// format gives a JSON request or an error with a position within the line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "batch/csv.h"
#include "batch/line_reader.h"
#include "batch/record.h"
#include "batch/request_line.h"
#include "json/text.h"

namespace {

using namespace svc::batch;

void check_faults(const std::vector<LineError>& errors, std::string_view line) {
  for (const LineError& fault : errors) {
    if (fault.column > line.size() + 1 || fault.message.empty()) std::abort();
  }
}

void check_entry(std::string_view line, RequestFormat form) {
  const ParsedRequestLine read = read_request_line(line, 1, form);
  check_faults(read.errors, line);
  if (!read.errors.empty()) return;
  if (read.entry.endpoint == nullptr) std::abort();
  std::string sent;
  append_request_line(sent, *read.entry.endpoint, read.entry.id, read.entry.body, "m", form);
  if (svc::check_json(sent)) std::abort();
}

/// The lines of a file read `at_once` bytes at a time.
std::string lines_of(std::string_view file, std::size_t at_once, SplitMode cut) {
  std::size_t at = 0;
  LineReader reader(
      [&](char* buffer, std::size_t size) -> svc::Result<std::size_t> {
        const std::size_t count = file.copy(buffer, std::min(size, at_once), at);
        at += count;
        return count;
      },
      64, cut);
  std::string told;
  Line line;
  while (true) {
    const auto more = reader.next(line);
    if (!more) std::abort();
    if (!*more) return told;
    if (line.offset + line.text.size() > file.size()) std::abort();
    told += std::to_string(line.number) + '@' + std::to_string(line.offset) + '=';
    told += line.too_long ? "too long" : std::string(line.text);
    told += '\n';
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  for (const SplitMode cut : {SplitMode::Lines, SplitMode::Records}) {
    const std::string whole = lines_of(line, size + 1, cut);
    // Few pieces, as each costs a buffer.
    for (const std::size_t at_once : {size / 2 + 1, size / 5 + 1}) {
      if (lines_of(line, at_once, cut) != whole) std::abort();
    }
  }
  check_entry(line, RequestFormat::Added);
  check_entry(line, RequestFormat::File);
  static const auto reader = RecordReader::make(
      {.text = "{} and {a}",
       .frame = {R"({"model":"m","messages":[{"role":"user","content":)", "}]}"}});
  if (!reader) std::abort();
  const ParsedRecord record = reader->read(line, 1);
  check_faults(record.errors, line);
  if (record.errors.empty() && svc::check_json(record.body)) std::abort();
  const CsvRecord csv = parse_csv(line, ',');
  if (csv.fault.empty() && csv.cells.empty()) std::abort();
  return 0;
}
