// Requests in pieces: how they are split makes no difference.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "webhook/receiver.h"

using namespace svc::webhook;

TEST_CASE("the header limit is the same however it is split") {
  using Progress = RequestReader::Progress;
  const auto header = [](std::size_t size) {
    const std::string begin = "POST /x HTTP/1.1\r\nContent-Length: 2\r\nx: ";
    return begin + std::string(size - begin.size() - 4, 'y') + "\r\n\r\n";
  };
  for (const std::size_t step : {1U, 7U, 100U, 4'096U}) {
    CAPTURE(step);
    for (const std::size_t size : {2'047U, 2'048U, 2'049U, 2'052U, 4'000U}) {
      CAPTURE(size);
      const std::string text = header(size) + "{}";
      RequestReader reader({.header = 2'048, .body = 4'096});
      Progress progress = Progress::NeedMore;
      for (std::size_t at = 0; at < text.size() && progress != Progress::Rejected; at += step) {
        progress = reader.feed(std::string_view(text).substr(at, step));
      }
      CHECK((progress == Progress::Complete) == (size <= 2'048));
      if (progress == Progress::Rejected) CHECK(reader.status() == 431);
    }
  }
}

TEST_CASE("a chunked body and its end are read however they are split") {
  using Progress = RequestReader::Progress;
  for (const std::string_view body :
       {"0\r\n\r\n", "0\r\na: b\r\n\r\n", "2\r\nhi\r\n0\r\n\r\n", "1\r\n0\r\n0\r\nx: y\r\n\r\n"}) {
    CAPTURE(body);
    const std::string text =
        "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body);
    for (std::size_t step = 1; step <= text.size(); ++step) {
      CAPTURE(step);
      RequestReader reader({.header = 2'048, .body = 4'096});
      Progress progress = Progress::NeedMore;
      for (std::size_t at = 0; at < text.size(); at += step) {
        progress = reader.feed(std::string_view(text).substr(at, step));
      }
      REQUIRE(progress == Progress::Complete);
      const std::string_view wanted = body.starts_with('2')   ? "hi"
                                      : body.starts_with('1') ? "0"
                                                              : "";
      CHECK(reader.take().body == wanted);
    }
  }
}
