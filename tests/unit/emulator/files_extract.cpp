#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

#include "emulator/api/files/extract.h"
#include "emulator/api/files/multipart.h"

using namespace svc;
using namespace svc::emulator;

namespace {

std::string pdf_with(const std::string& content, bool deflated) {
  std::string data = content;
  if (deflated) {
    uLongf size = compressBound(static_cast<uLong>(content.size()));
    data.resize(size);
    REQUIRE(compress(reinterpret_cast<Bytef*>(data.data()), &size,
                     reinterpret_cast<const Bytef*>(content.data()),
                     static_cast<uLong>(content.size())) == Z_OK);
    data.resize(size);
  }
  return fmt::format("%PDF-1.4\n4 0 obj\n<< /Length {}{} >>\nstream\n{}\nendstream\nendobj\n",
                     data.size(), deflated ? " /Filter /FlateDecode" : "", data);
}

std::string extracted(std::string_view type, std::string_view data) {
  const auto text = extract_text(type, data);
  REQUIRE_MESSAGE(text.has_value(), (text ? "" : text.error().message));
  return *text;
}

}  // namespace

TEST_CASE("text is what it is, whatever its type says") {
  CHECK(extracted("text/plain", "a\nb") == "a\nb");
  CHECK(extracted("application/octet-stream", "caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(extracted("text/csv",
                  "\xEF\xBB\xBF"
                  "a,b") == "a,b");
  CHECK(!extract_text("text/plain", std::string_view("a\0b", 3)).has_value());
  const auto binary = extract_text("image/png", "\x89PNG\r\n");
  REQUIRE(!binary.has_value());
  CHECK(binary.error().message.find("type image/png") != std::string::npos);
}

TEST_CASE("HTML loses its markup") {
  CHECK(html_text("<h1>Head</h1><p>One <b>two</b>\n three</p>") == "Head\nOne two three\n");
  CHECK(html_text("a<script>x < y</script>b<!-- c > d -->e<STYLE>f</style>g") == "abeg\n");
  CHECK(html_text("1 &lt; 2 &amp; 3 &#65;&#x42; &unknown; &") == "1 < 2 & 3 AB &unknown; &\n");
  CHECK(html_text("<a title=\"x>y\">link</a> 3 < 4") == "link 3 < 4\n");
  CHECK(html_text("<script>never ends").empty());
  CHECK(html_text("").empty());
}

TEST_CASE("the strings that a PDF shows are its text") {
  const std::string content =
      "BT /F1 12 Tf 72 700 Td (Hello \\(PDF\\)) Tj T* [(wor) -20 (ld) -300 (two)] TJ ET\n"
      "BT <414243> Tj (caf\\351) ' ET";
  const std::string wanted = "Hello (PDF)\nworld two\nABC\ncaf\xC3\xA9\n";
  CHECK(extracted("application/pdf", pdf_with(content, false)) == wanted);
  CHECK(extracted("application/pdf", pdf_with(content, true)) == wanted);
  const auto none = extract_text("application/pdf", "%PDF-1.4\nnothing");
  REQUIRE(!none.has_value());
  CHECK(none.error().message.find("PDF") != std::string::npos);
  CHECK(!pdf_text(pdf_with("BT <0102030405> Tj ET", false)).has_value());
}

TEST_CASE("a form is read part by part") {
  const auto parts = parse_form(
      "--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nx\r\n"
      "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a \\\"b%22c;.txt\"\r\n"
      "Content-Type: text/csv\r\n\r\n1\r\n--bogus\r\n\r\n--b--\r\n",
      "b");
  REQUIRE(parts.has_value());
  REQUIRE(parts->size() == 2);
  CHECK((*parts)[0].name == "purpose");
  CHECK(!(*parts)[0].filename);
  CHECK((*parts)[0].data == "x");
  CHECK((*parts)[1].filename == "a \"b\"c;.txt");
  CHECK((*parts)[1].content_type == "text/csv");
}

TEST_CASE("an empty part is empty, and a cut form is refused") {
  const auto empty =
      parse_form("--b\r\nContent-Disposition: form-data; name=f\r\n\r\n\r\n--b--", "b");
  REQUIRE(empty.has_value());
  CHECK(empty->at(0).data.empty());
  CHECK(!parse_form("", "b").has_value());
  CHECK(!parse_form("--b\r\nContent-Disposition: form-data; name=f\r\n\r\nhalf", "b").has_value());
  CHECK(!parse_form("--b\r\nContent-Type: x\r\n\r\n\r\n--b--", "b").has_value());
}

TEST_CASE("only multipart/form-data has a form's boundary") {
  CHECK(form_boundary("multipart/form-data; boundary=\"a b\"") == "a b");
  CHECK(form_boundary("Multipart/Form-Data;charset=utf-8;boundary=xyz") == "xyz");
  CHECK(!form_boundary("multipart/form-data"));
  CHECK(!form_boundary("application/json; boundary=x"));
}
