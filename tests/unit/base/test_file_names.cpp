#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/files.h"
#include "base/text.h"
#include "base/visible.h"

namespace svc {
namespace {

bool is_safe(sv name) {
  if (name.empty() || name.size() > 200 || first_invalid_utf8(name)) return false;
  if (name.find_first_of("/\\") != sv::npos || visible(name, Lines::Escape) != name) return false;
  if (name.front() == '.' || name.front() == '-' || name.front() == ' ') return false;
  return name.back() != '.' && name.back() != ' ';
}

TEST_CASE("names from a server become safe local names") {  // faults 73
  const struct {
    sv given;
    sv expected;
  } rows[] = {
      {"report.pdf", "report.pdf"},
      {"Grüße 世界.txt", "Grüße 世界.txt"},
      {"../x", "x"},
      {"../../etc/passwd", "passwd"},
      {"/abs", "abs"},
      {"a\\b", "b"},
      {"C:\\dir\\x.txt", "x.txt"},
      {"C:x", "C_x"},
      {"%2e%2e", "%2e%2e"},
      {"%2e%2e%2fx", "%2e%2e%2fx"},
      {"", "fallback.bin"},
      {".", "fallback.bin"},
      {"..", "fallback.bin"},
      {"...", "fallback.bin"},
      {"/", "fallback.bin"},
      {"dir/", "fallback.bin"},
      {"   ", "fallback.bin"},
      {". .", "fallback.bin"},
      {".bashrc", "_.bashrc"},
      {" .bashrc", "_.bashrc"},
      {"-rf", "_-rf"},
      {"--help", "_--help"},
      {"\x1b[2Jx", "_[2Jx"},
      {"a\u202egnp.exe", "a_gnp.exe"},
      {"a\u200bb", "a_b"},
      {"\u009b2J", "_2J"},
      {"a\x7f\x01\nb", "a___b"},
      {"\xff\xfe.txt", "__.txt"},
      {"CON", "_CON"},
      {"con.txt", "_con.txt"},
      {"Aux .txt", "_Aux .txt"},
      {"nul.tar.gz", "_nul.tar.gz"},
      {"COM1", "_COM1"},
      {"lpt9.log", "_lpt9.log"},
      {"COM10", "COM10"},
      {"COM0", "_COM0"},
      {"COM9", "_COM9"},
      {"COM!", "COM!"},
      {"COMA", "COMA"},
      {"LPT", "LPT"},
      {"ACOM1", "ACOM1"},
      {"console", "console"},
      {"name.", "name"},
      {"name. . ", "name"},
      {"what?*<>|\":.txt", "what_______.txt"},
      {"~", "~"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.given);
    const std::string name = safe_file_name(row.given, "fallback.bin");
    CHECK(name == row.expected);
    CHECK(is_safe(name));
  }
  CHECK(safe_file_name(sv("a\0b", 3), "x") == "a_b");
}

TEST_CASE("long names are truncated and keep their extension") {
  const std::string name = safe_file_name(std::string(300, 'a') + ".mp4", "x");
  CHECK(name == std::string(196, 'a') + ".mp4");
  CHECK(safe_file_name(std::string(300, 'a'), "x") == std::string(200, 'a'));
  CHECK(safe_file_name("a." + std::string(300, 'b'), "x").size() == 200);
  CHECK(safe_file_name(std::string(200, 'a'), "x") == std::string(200, 'a'));
  CHECK(safe_file_name(std::string(201, 'a'), "x") == std::string(200, 'a'));
  // An ending of more than fifteen letters is not one.
  CHECK(safe_file_name(std::string(300, 'a') + "." + std::string(15, 'e'), "x") ==
        std::string(184, 'a') + "." + std::string(15, 'e'));
  CHECK(safe_file_name(std::string(300, 'a') + "." + std::string(16, 'e'), "x") ==
        std::string(200, 'a'));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "世";
  const std::string cut = safe_file_name(wide + ".png", "x");
  CHECK(cut.size() == 65 * 3 + 4);
  CHECK(is_safe(cut));
  CHECK(is_safe(safe_file_name(std::string(150, 'a') + std::string(100, '.') + "b", "x")));
  CHECK(is_safe(safe_file_name("-" + std::string(300, ' ') + "b", "x")));
}

TEST_CASE("the fallback is sanitised too") {
  CHECK(safe_file_name("", "../-x") == "_-x");
  CHECK(safe_file_name("", "") == "download");
  CHECK(safe_file_name("..", "/") == "download");
}

TEST_CASE("whatever bytes a server sends, the name is safe") {
  std::mt19937 random(4);  // NOLINT: the same every time
  const sv pieces[] = {".",   "-",    " ",      "/",        "\\", "a",
                       "CON", "\x1b", "\u202e", "\xF0\x9F", "世", "\n"};
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random() % 300, 'x');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    CHECK(is_safe(safe_file_name(bytes, "f")));
    std::string text;
    for (std::size_t k = random() % 12; k > 0; --k) text += pieces[random() % std::size(pieces)];
    CAPTURE(text);
    CHECK(is_safe(safe_file_name(text, "f")));
  }
}

}  // namespace
}  // namespace svc
