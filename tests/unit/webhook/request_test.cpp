// Requests in pieces: how they are split makes no difference.
#include <string>
#include <string_view>
#include <utility>

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

TEST_CASE("a header may be as long as its limit, also if that is large") {
  for (const std::size_t size : {16'384U, 16'385U}) {
    const std::string begin = "POST /x HTTP/1.1\r\nx: ";
    RequestReader reader({.header = 16'384, .body = 1});
    const auto progress =
        reader.feed(begin + std::string(size - begin.size() - 4, 'y') + "\r\n\r\n");
    CHECK((progress == RequestReader::Progress::Complete) == (size == 16'384U));
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

TEST_CASE("a body that begins like the end of chunks is read as it arrives") {
  using Progress = RequestReader::Progress;
  RequestReader reader({.header = 2'048, .body = 4'096});
  CHECK(reader.feed("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\n") == Progress::NeedMore);
  CHECK(reader.feed("0") == Progress::NeedMore);
  CHECK(reader.feed("\r\n") == Progress::Complete);
  CHECK(reader.take().body == "0\r\n");
}

TEST_CASE("what follows a request changes nothing, nor does what follows a refusal") {
  using Progress = RequestReader::Progress;
  RequestReader wrong({.header = 2'048, .body = 4'096});
  CHECK(wrong.feed("garbage\r\n\r\n") == Progress::Rejected);
  CHECK(wrong.feed("POST / HTTP/1.1\r\n\r\n") == Progress::Rejected);
  CHECK(wrong.ended() == Progress::Rejected);
  CHECK(wrong.status() == 400);
  RequestReader good({.header = 2'048, .body = 4'096});
  CHECK(good.feed("POST /x?y HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi") == Progress::Complete);
  CHECK(good.feed("garbage\r\n\r\n") == Progress::Complete);
  CHECK(good.ended() == Progress::Complete);
  const auto request = good.take();
  CHECK(request.path == "/x");
  CHECK(request.body == "hi");
  for (const char* begun : {"", "POST", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nh"}) {
    CAPTURE(begun);
    RequestReader cut({.header = 2'048, .body = 4'096});
    CHECK(cut.feed(begun) == Progress::NeedMore);
    CHECK(cut.ended() == Progress::Rejected);
    CHECK(cut.status() == 400);
  }
  // A sender is told once to continue, if that is what it expects.
  for (const auto& [expected, told] :
       {std::pair("100-Continue", Progress::Continue), {"something", Progress::NeedMore}}) {
    RequestReader asks({.header = 2'048, .body = 4'096});
    CHECK(asks.feed("POST / HTTP/1.1\r\nExpect: " + std::string(expected) +
                    "\r\nContent-Length: 3\r\n\r\n") == told);
    CHECK(asks.feed("a") == Progress::NeedMore);
    CHECK(asks.feed("bc") == Progress::Complete);
  }
}
