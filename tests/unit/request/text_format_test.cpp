// Forms of texts, and what svc suggests for a text that has another one.
#include "request/text_format.h"

#include <initializer_list>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::request;

namespace {

void check_forms(TextFormat form, std::initializer_list<const char*> right,
                 std::initializer_list<const char*> wrong) {
  for (const char* text : right) CHECK_MESSAGE(matches_format(form, text), text);
  for (const char* text : wrong) CHECK_MESSAGE(!matches_format(form, text), text);
}

}  // namespace

TEST_CASE("forms of numbers, addresses and ranges") {
  check_forms(TextFormat::PhoneNumber, {"+1234567", "+123456789012345"},
              {"+123456", "+1234567890123456", "+0123456", "1234567", "+", "", "+12a4567"});
  check_forms(TextFormat::AddressRange,
              {"1.2.3.4/0", "1.2.3.4/32", "::/0", "2001:db8::/48", "::/128"},
              {"1.2.3.4/33", "::/129", "1.2.3.4/", "1.2.3.4", "1.2.3.4/032", "1.2.3.4/0032",
               "1.2.3.4/x", "x/8", "/8", "1.2.3/8", ""});
  CHECK_FALSE(matches_format(TextFormat::AddressRange, sv("1.2.3.4\0x/8", 11)));
  check_forms(TextFormat::AreaCode, {"200", "415", "999"}, {"199", "20", "2000", "2a0", ""});
  check_forms(TextFormat::WebUrl,
              {"http://h", "https://h", "https://h:1/x?y#z", "https://h?x", "https://h#x",
               "https://h:65535", "https://[::1]/x"},
              {"https://", "http:///x", "ftp://h", "h", "https://h:0", "https://h:65536",
               "https://h:", "https://h x", "https://h/\xc3\xa4", "https://h/\x7f", ""});
}

TEST_CASE("forms of call targets") {
  check_forms(TextFormat::CallTarget,
              {"tel:+14155550100", "sip:a@h", "sip:a@h:1", "sip:a@h:65535", "sip:a@h;transport=tls",
               "sip:a@h:5060;x", "sip:a@[::1]", "sip:a@[::1]:5", "sip:a@h_-.Zz09"},
              {"tel:4155550100", "tel:", "sips:a@h", "sip:@h", "sip:a@", "sip:a", "sip:",
               "sip:a@b@h", "sip:a b@h", "sip:a@h:0", "sip:a@h:65536", "sip:a@h:", "sip:a@h:x",
               "sip:a@[::1", "sip:a@[::1]x", "sip:a@[1.2.3.4]", "sip:a@h~", "sip:a@h/x", ""});
}

TEST_CASE("forms of days, countries, permissions and names") {
  check_forms(TextFormat::Day, {"2024-02-29", "2026-01-31"},
              {"2023-02-29", "2024-2-29", "2024-02-290", "2024/02/29", "2024-02x29", "202a-02-29",
               "2024-00-01", "x024-02-29", " 2024-02-29", "2024-02-29 ", "2024-02-29T00:00:00",
               "2024-02-29T", "2024-02-2", ""});
  check_forms(TextFormat::Country, {"AD", "NO", "XK", "ZW"},
              {"no", "XX", "N", "NOR", "D ", " A", "AA", ""});
  check_forms(TextFormat::Permission,
              {"api-key:endpoint:chat", "api-key:endpoint:*", "api-key:model:svc-4.5"},
              {"api-key:endpoint:", "api-key:model:", "api-key:model:a,b", "api-key:model:a b",
               "api-key:x:y", "chat", ""});
  check_forms(TextFormat::NotAFile, {"/etc", "/no/such/file", ""}, {"/etc/passwd"});
  check_forms(TextFormat::Any, {"", "x"}, {});
  CHECK(describe_format(TextFormat::Any) == "a text");
  const std::pair<TextFormat, const char*> words[] = {
      {TextFormat::PhoneNumber, "a phone number with its country's code, such as +14155550100"},
      {TextFormat::AddressRange, "a range of addresses such as 203.0.113.0/24 or 2001:db8::/48"},
      {TextFormat::AreaCode, "an area code of the USA, three digits such as 415"},
      {TextFormat::CallTarget, "tel:+NUMBER, such as tel:+14155550100, or sip:USER@HOST"},
      {TextFormat::WebUrl, "an address that begins with https:// or http://"},
      {TextFormat::Day, "a day of the calendar as YYYY-MM-DD, such as 2026-01-31"},
      {TextFormat::Country, "the two letters of a country (ISO 3166-1), such as NO for Norway"},
      {TextFormat::Permission,
       "a permission: api-key:endpoint:NAME or api-key:model:NAME, with * for all names"},
      {TextFormat::NotAFile,
       "a name that no file here has (`svc batches run FILE` sends a file's requests)"},
  };
  for (const auto& [form, text] : words) CHECK(describe_format(form) == text);
}

TEST_CASE("a country is also found in lower case") {
  CHECK(normalize_format(TextFormat::Country, "no") == "NO");
  CHECK(normalize_format(TextFormat::Country, "xx") == "xx");
  CHECK(normalize_format(TextFormat::Any, "no") == "no");
}

TEST_CASE("the text that was probably meant") {
  struct Row {
    TextFormat form;
    const char* text;
    const char* meant;
  };
  for (const Row& row : {Row{TextFormat::PhoneNumber, "+1 (415) 555-0100", "+14155550100"},
                         Row{TextFormat::PhoneNumber, "0047 22.33/44 55", "+4722334455"},
                         Row{TextFormat::PhoneNumber, "4155550100", ""},
                         Row{TextFormat::AddressRange, "1.2.3.4", "1.2.3.4/32"},
                         Row{TextFormat::AddressRange, "::1", "::1/128"},
                         Row{TextFormat::AddressRange, "x", ""},
                         Row{TextFormat::CallTarget, "+14155550100", "tel:+14155550100"},
                         Row{TextFormat::CallTarget, "tel:+1 415-555-0100", "tel:+14155550100"},
                         Row{TextFormat::CallTarget, "sips:a@h", "sip:a@h"},
                         Row{TextFormat::CallTarget, "a@h", "sip:a@h"},
                         Row{TextFormat::WebUrl, "h.example/x", "https://h.example/x"},
                         Row{TextFormat::WebUrl, "ftp://h", ""},
                         Row{TextFormat::Permission, "chat", "api-key:endpoint:chat"},
                         Row{TextFormat::Permission, "model:chat", "api-key:endpoint:chat"},
                         Row{TextFormat::Permission, "svc-4.5", "api-key:model:svc-4.5"},
                         Row{TextFormat::Country, "uk", "GB"},
                         Row{TextFormat::Country, "xx", ""},
                         Row{TextFormat::Day, "2026-01-31T10:00:00Z", "2026-01-31"},
                         Row{TextFormat::Day, "2026-01-31", ""},
                         Row{TextFormat::Any, "x", ""}}) {
    CAPTURE(row.text);
    CHECK(suggest_format(row.form, row.text) == row.meant);
  }
}
