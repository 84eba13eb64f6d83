#include "history/ledger_lines.h"

#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"

namespace svc::history {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view k_begin = R"({"time":)";

// The file may hold anything: a value of another type counts as absent.
std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::int64_t> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

}  // namespace

std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string line_of(const Entry& entry) {
  return fmt::format(
      R"({{"time":{},"profile":{},"emulated":{},"command":{},"model":{},"input_tokens":{},)"
      R"("output_tokens":{},"cached_tokens":{},"reasoning_tokens":{},"ticks":{},"request_id":{},)"
      R"("key":{}}})"
      "\n",
      entry.time, json_text(entry.profile), entry.emulated, json_text(entry.command),
      json_text(entry.model), entry.input_tokens, entry.output_tokens, entry.cached_tokens,
      entry.reasoning_tokens, entry.ticks ? std::to_string(*entry.ticks) : "null",
      json_text(entry.request_id), json_text(entry.key));
}

std::optional<Entry> read_entry(std::string_view line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || text_in(object, "command").empty()) return std::nullopt;
  const auto emulated = object.find("emulated");
  return Entry{.time = number_in(object, "time").value_or(0),
               .profile = text_in(object, "profile"),
               .emulated = emulated != object.end() && *emulated == true,
               .command = text_in(object, "command"),
               .model = text_in(object, "model"),
               .input_tokens = number_in(object, "input_tokens").value_or(0),
               .output_tokens = number_in(object, "output_tokens").value_or(0),
               .cached_tokens = number_in(object, "cached_tokens").value_or(0),
               .reasoning_tokens = number_in(object, "reasoning_tokens").value_or(0),
               .ticks = number_in(object, "ticks"),
               .request_id = text_in(object, "request_id"),
               .key = text_in(object, "key")};
}

std::optional<std::int64_t> time_of(std::string_view line) {
  if (!line.starts_with(k_begin)) return std::nullopt;
  std::int64_t time = 0;
  const auto [end, error] =
      std::from_chars(line.data() + k_begin.size(), line.data() + line.size(), time);
  const bool whole = error == std::errc() && end != line.data() + line.size() && *end == ',';
  return whole ? std::optional(time) : std::nullopt;
}

Result<void> each_line(const std::string& path, std::uint64_t& offset,
                       const std::function<void(std::string_view)>& sink) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return errno == ENOENT ? Result<void>()
                           : system_error("cannot read " + shown_path(path), errno);
  }
  std::string text;
  std::string piece(64U << 10U, '\0');
  while (true) {
    const ssize_t count =
        ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(offset + text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read " + shown_path(path), errno);
    if (count == 0) return {};  // what is left was cut off, or is being written
    text.append(piece, 0, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      sink(std::string_view(text).substr(begin, end - begin));
    }
    text.erase(0, begin);
    offset += begin;
  }
}

}  // namespace svc::history
