#include "emulator/handler/serve_bytes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace svc::emulator {
namespace {

/// The bytes from `first` up to `last`, both included.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

enum class Wish : std::uint8_t { Whole, Part, Beyond };

Wish read_range(std::string_view header, std::uint64_t size, Range& range) {
  constexpr std::string_view k_unit = "bytes=";
  if (!header.starts_with(k_unit)) return Wish::Whole;
  header.remove_prefix(k_unit.size());
  const std::size_t dash = header.find('-');
  if (dash == std::string_view::npos) return Wish::Whole;
  const auto from = trim(header.substr(0, dash));
  const auto to = trim(header.substr(dash + 1));
  const auto first = parse_integer(from);
  const auto last = parse_integer(to);
  if ((!first && !from.empty()) || (!last && !to.empty()) || (!first && !last)) return Wish::Whole;
  if ((first && *first < 0) || (last && *last < 0)) return Wish::Whole;
  if (!first) {  // the last so many bytes
    const auto count = std::min(static_cast<std::uint64_t>(*last), size);
    if (count == 0) return Wish::Beyond;
    range = {size - count, size - 1};
    return Wish::Part;
  }
  if (last && *last < *first) return Wish::Whole;
  range.first = static_cast<std::uint64_t>(*first);
  if (range.first >= size) return Wish::Beyond;
  range.last = last ? std::min(static_cast<std::uint64_t>(*last), size - 1) : size - 1;
  return Wish::Part;
}

}  // namespace

Answer serve_bytes(const Call& call, std::string data, std::string content_type,
                   std::string_view etag, std::int64_t modified_s) {
  const std::string modified = format_http_date(modified_s);
  Answer answer;
  answer.content_type = std::move(content_type);
  answer.headers = {
      {"Accept-Ranges", "bytes"}, {"ETag", std::string(etag)}, {"Last-Modified", modified}};
  const auto condition = call.header("If-Range");
  const bool unchanged = !condition || *condition == etag || *condition == modified;
  const auto header = call.header("Range");
  const std::uint64_t size = data.size();
  Range range;
  // HEAD has no body to take a part of.
  const Wish wish =
      header && unchanged && call.method == "GET" ? read_range(*header, size, range) : Wish::Whole;
  switch (wish) {
    case Wish::Whole:
      answer.body = std::move(data);
      break;
    case Wish::Part:
      answer.status = 206;
      answer.body = data.substr(range.first, range.last - range.first + 1);
      answer.headers.push_back(
          {"Content-Range", fmt::format("bytes {}-{}/{}", range.first, range.last, size)});
      break;
    case Wish::Beyond:
      answer.status = 416;
      answer.content_type = "text/plain; charset=utf-8";
      answer.body = "The range lies beyond the end.\n";
      answer.headers.clear();
      answer.headers.push_back({"Content-Range", fmt::format("bytes */{}", size)});
      break;
  }
  return answer;
}

}  // namespace svc::emulator
