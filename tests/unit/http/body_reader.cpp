#include "http/body_reader.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/text.h"

using namespace svc;
using svc::http::BodyReader;

namespace {

struct TempFile {
  FileSource source;
  explicit TempFile(const std::string& content)
      : source{(std::filesystem::temp_directory_path() / random_uuid()).string(), content.size()} {
    std::ofstream(source.path, std::ios::binary) << content;
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::remove(source.path.c_str()); }
};

std::string bytes_of(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i * 31 + i / 253);
  return bytes;
}

std::string read_all(BodyReader& reader, std::size_t at_a_time) {
  std::string all;
  std::string buffer(at_a_time, '\0');
  while (true) {
    const auto count = reader.read(buffer.data(), buffer.size());
    REQUIRE(count.has_value());
    if (*count == 0) return all;
    all.append(buffer, 0, *count);
  }
}

}  // namespace

TEST_CASE("text, files and base64 follow one another, however they are read") {
  const std::string big = bytes_of(150'001);
  const std::string small = bytes_of(1);
  const TempFile one(big);
  const TempFile other(small);
  const std::string whole =
      "{\"a\":\"" + base64_encode(big) + "\",\"b\":\"" + base64_encode(small) + "\"}" + big;
  const std::vector<BodySection> pieces = {std::string("{\"a\":\""),   Base64Source{one.source},
                                           std::string("\",\"b\":\""), Base64Source{other.source},
                                           std::string("\"}"),         one.source};
  for (const std::size_t step : {1UL, 7UL, 4096UL, 65'536UL, 1'000'000UL}) {
    auto reader = BodyReader::open(pieces);
    REQUIRE(reader.has_value());
    CHECK(reader->size() == whole.size());
    CHECK(read_all(*reader, step) == whole);
  }
}

TEST_CASE("reading can continue anywhere, and restart") {
  const std::string bytes = bytes_of(100'000);
  const TempFile file(bytes);
  const std::string whole = "<<" + base64_encode(bytes) + ">>";
  auto reader = BodyReader::open({std::string("<<"), Base64Source{file.source}, std::string(">>")});
  REQUIRE(reader.has_value());
  for (const std::size_t offset : {0UL, 1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 65'537UL, 65'538UL, 133'337UL,
                                   whole.size() - 3, whole.size() - 1, whole.size(), 0UL}) {
    CAPTURE(offset);
    REQUIRE(reader->seek(offset));
    CHECK(read_all(*reader, 10'000) == whole.substr(offset));
  }
  CHECK_FALSE(reader->seek(whole.size() + 1));
}

TEST_CASE("a file that changes is an error") {
  const TempFile file("abcdef");
  auto reader = BodyReader::open({Base64Source{file.source}});
  REQUIRE(reader.has_value());
  std::ofstream(file.source.path, std::ios::binary | std::ios::app) << "more";
  std::string buffer(100, '\0');
  const auto read = reader->read(buffer.data(), buffer.size());
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().fault == Fault::Local);
  CHECK(read.error().message ==
        file.source.path + " changed while it was being sent: it had 6 bytes and now has 10");
  const auto opened = BodyReader::open({Base64Source{{file.source.path + "x", 1}}});
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().fault == Fault::Local);
  CHECK(opened.error().message ==
        file.source.path + "x is no longer readable: No such file or directory");
  const auto late = BodyReader::open({file.source});
  REQUIRE_FALSE(late.has_value());
  CHECK(late.error().message ==
        file.source.path + " changed while it was being sent: it had 6 bytes and now has 10");
  const auto folder = BodyReader::open({FileSource{"/", 1}});
  REQUIRE_FALSE(folder.has_value());
  CHECK(folder.error().message == "/ is no longer a regular file");
}

TEST_CASE("a file that gets shorter, or disappears, while it is sent is an error") {
  const TempFile shorter(bytes_of(100));
  auto reader = BodyReader::open({shorter.source});
  REQUIRE(reader.has_value());
  std::string buffer(40, '\0');
  CHECK(*reader->read(buffer.data(), buffer.size()) == 40);
  std::filesystem::resize_file(shorter.source.path, 40);
  const auto cut = reader->read(buffer.data(), buffer.size());
  REQUIRE_FALSE(cut.has_value());
  CHECK(cut.error().message ==
        shorter.source.path + " changed while it was being sent: it had 100 bytes and now has 40");
  // With a size that is not that of its content, where the system has such a file.
  const FileSource odd{"/sys/devices/system/cpu/online", 4096};
  std::ifstream content(odd.path);
  const std::string text(std::istreambuf_iterator<char>(content), {});
  if (auto attribute = BodyReader::open({odd}); attribute.has_value()) {
    const auto end = attribute->read(buffer.data(), buffer.size());
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().message ==
          odd.path + " changed while it was being sent: it had 4096 bytes and now has " +
              std::to_string(text.size()));
  }
  const TempFile gone("abcdef");
  auto other = BodyReader::open({gone.source});
  REQUIRE(other.has_value());
  std::filesystem::remove(gone.source.path);
  const auto deleted = other->read(buffer.data(), buffer.size());
  REQUIRE_FALSE(deleted.has_value());
  CHECK(deleted.error().message ==
        gone.source.path + " (6 bytes) was deleted or replaced while it was being sent");
}
