#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "emulator/api/files/store.h"

using namespace svc;
using namespace svc::emulator;

namespace {

// A one-page document, as PDF writers produce it.
std::string pdf_with(const std::string& content) {
  // The font has its own ligature at code 1, with the text it represents.
  const std::string map =
      "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> "
      "endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange 2 beginbfchar <01> <00660069> "
      "<E9> <00E9> endbfchar endcmap end";
  const std::array<std::string, 6> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
      " /Resources << /Font << /F1 5 0 R >> >> >>",
      fmt::format("<< /Length {} >>\nstream\n{}\nendstream", content.size(), content),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R"
      " /Encoding << /Type /Encoding /Differences [1 /fi 233 /eacute] >> >>",
      fmt::format("<< /Length {} >>\nstream\n{}\nendstream", map.size(), map)};
  std::string pdf = "%PDF-1.4\n";
  std::string table = fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    table += fmt::format("{:010} 00000 n \n", pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  return fmt::format("{}{}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", pdf, table,
                     objects.size() + 1, pdf.size());
}

std::string extracted(std::string_view type, std::string_view data) {
  const auto text = extract_text(type, data);
  REQUIRE_MESSAGE(text.has_value(), (text ? "" : text.error().message));
  return *text;
}

}  // namespace

TEST_CASE("text is recognised by its content, whatever its type says") {
  CHECK(extracted("text/plain", "a\nb") == "a\nb");
  CHECK(extracted("application/octet-stream", "caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(extracted("text/csv",
                  "\xEF\xBB\xBF"
                  "a,b") == "a,b");
  CHECK(!extract_text("text/plain", std::string_view("a\0b", 3)).has_value());
  const auto binary = extract_text("image/png", "\x89PNG\r\n");
  REQUIRE(!binary.has_value());
  CHECK(binary.error().message ==
        "No text can be extracted from this file of type image/png: this emulator reads UTF-8 "
        "text, HTML and PDF documents.");
  for (const char* type : {"", " ; charset=utf-8"}) {
    const auto unknown = extract_text(type, "\xFF");
    REQUIRE(!unknown.has_value());
    CHECK(unknown.error().message.find("of type unknown: ") != std::string::npos);
  }
}

TEST_CASE("HTML loses its markup") {
  const auto html_text = [](std::string_view html) { return extracted("text/html", html); };
  for (const char* type : {"text/html; charset=utf-8", "TEXT/HTML", " application/xhtml+xml ;x"}) {
    CHECK_MESSAGE(extracted(type, "\xEF\xBB\xBF<p>a</p>") == "a\n", type);
  }
  CHECK(extracted("text/plain", "<p>a</p>") == "<p>a</p>");
  CHECK(html_text("<h1>Head</h1><p>One <b>two</b>\n three</p>") == "Head\nOne two three\n");
  CHECK(html_text("a<script>x < y</script>b<!-- c > d -->e<STYLE>f</style>g") == "abeg\n");
  CHECK(html_text("1 &lt; 2 &amp; 3 &#65;&#x42; &unknown; &") == "1 < 2 & 3 AB &unknown; &\n");
  CHECK(html_text("<p>na&iuml;ve \xC3\xA9 &rarr; &#x1F98A;") ==
        "na\xC3\xAFve \xC3\xA9 \xE2\x86\x92 \xF0\x9F\xA6\x8A\n");
  CHECK(html_text("<a title=\"x>y\">link</a> 3 < 4") == "link 3 < 4\n");
  CHECK(html_text("<title>T</title><ul><li>a<li>b</ul><table><tr><td>1</td> <td>2</td></table>") ==
        "T\na\nb\n1 2\n");
  for (const std::string block : {"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section",
                                  "article", "header", "footer", "ul", "ol", "li"}) {
    const std::string element = "<" + block + ">y</" + block + ">";
    CHECK_MESSAGE(html_text("<div>x" + element + "z</div>") == "x\ny\nz\n", block);
  }
  CHECK(html_text("<div>x<br>y<hr>z</div>") == "x\ny\nz\n");
  CHECK(html_text("<meta charset=iso-8859-1>\xC3\xA9") == "\xC3\xA9\n");
  CHECK(html_text("<script>never ends").empty());
  CHECK(html_text("").empty());
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<b>";
  CHECK(html_text(deep + "x").size() < 3);
}

TEST_CASE("a PDF's text is its visible strings, including ligatures") {
  const std::string content =
      "BT /F1 12 Tf 72 700 Td (Hello \\(PDF\\)) Tj 0 -20 Td [(wor) -20 (ld) -900 (two)] TJ ET\n"
      "BT /F1 12 Tf 72 600 Td <414243> Tj 0 -20 Td (caf\\351 \\001nds e\\001cient) Tj ET";
  const std::string whole = pdf_with(content);
  const std::string text = extracted("application/pdf", whole);
  CHECK(text.find("Hello (PDF)\nworld two\n") != std::string::npos);
  CHECK(text.find("ABC\ncaf\xC3\xA9 finds eficient") != std::string::npos);
  for (const std::string& bad :
       {std::string("%PDF-1.4\nnothing"), whole.substr(0, 60), pdf_with("BT ET")}) {
    const auto none = extract_text("application/pdf", bad);
    REQUIRE(!none.has_value());
    CHECK(none.error().message ==
          "No text can be extracted from this PDF: it is damaged or encrypted, or contains no "
          "text.");
  }
  for (std::size_t at = 9; at < whole.size(); at += 7) {
    std::string broken = whole;
    broken[at] = static_cast<char>(~broken[at]);
    (void)extract_text("application/pdf", broken);
  }
}

TEST_CASE("a form is parsed part by part") {
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

TEST_CASE("an empty part is empty, and a truncated form is rejected") {
  const auto empty =
      parse_form("--b\r\nContent-Disposition: form-data; name=f\r\n\r\n\r\n--b--", "b");
  REQUIRE(empty.has_value());
  CHECK(empty->at(0).data.empty());
  CHECK(!parse_form("", "b").has_value());
  CHECK(!parse_form("--b\r\nContent-Disposition: form-data; name=f\r\n\r\nhalf", "b").has_value());
  CHECK(!parse_form("--b\r\nContent-Type: x\r\n\r\n\r\n--b--", "b").has_value());
}

TEST_CASE("only multipart/form-data has a form boundary") {
  CHECK(form_boundary("multipart/form-data; boundary=\"a b\"") == "a b");
  CHECK(form_boundary("Multipart/Form-Data;charset=utf-8;boundary=xyz") == "xyz");
  CHECK(!form_boundary("multipart/form-data"));
  CHECK(!form_boundary("application/json; boundary=x"));
}
