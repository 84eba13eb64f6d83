#include "operation/media_names.h"

#include <doctest/doctest.h>

using namespace svc::cli;

namespace {

std::string path_of(const char* output, std::size_t number, std::size_t count) {
  return media_path(plan_media(output, false, true, false), number, count);
}

}  // namespace

TEST_CASE("meanings of --output for results that are files") {
  const auto place = [](std::optional<std::string> output, bool document, bool tty,
                        bool directory) {
    return plan_media(output, document, tty, directory).place;
  };
  CHECK(place(std::nullopt, false, true, false) == MediaPlace::Chosen);
  CHECK(place(std::nullopt, false, false, false) == MediaPlace::Stdout);
  CHECK(place(std::nullopt, true, true, false) == MediaPlace::None);
  CHECK(place(std::nullopt, true, false, false) == MediaPlace::None);
  CHECK(place("-", false, true, false) == MediaPlace::Stdout);
  CHECK(place("-", true, false, false) == MediaPlace::None);
  CHECK(place("out/", false, false, false) == MediaPlace::Directory);
  CHECK(place("out", false, false, true) == MediaPlace::Directory);
  CHECK(place("out", false, false, false) == MediaPlace::File);
  CHECK(place("a-%d.png", true, false, false) == MediaPlace::Pattern);
  CHECK(plan_media("out", false, false, true).path == "out/");
  CHECK(plan_media("out/", false, false, true).path == "out/");
  CHECK(plan_media("a-%d.png", false, false, false).path == "a-%d.png");
  CHECK(plan_media("out", false, false, false).path == "out");
  CHECK(place("a-%d/", false, false, false) == MediaPlace::Directory);
  CHECK(place("-", false, false, true) == MediaPlace::Stdout);
}

TEST_CASE("several results with one name are numbered before the extension") {
  CHECK(path_of("cat.png", 1, 1) == "cat.png");
  CHECK(path_of("cat.png", 2, 3) == "cat-2.png");
  CHECK(path_of("a.b/cat", 2, 3) == "a.b/cat-2");
  CHECK(path_of(".hidden", 1, 2) == ".hidden-1");
  CHECK(path_of("x/.hidden.png", 1, 2) == "x/.hidden-1.png");
  CHECK(path_of("x/.hidden", 1, 2) == "x/.hidden-1");
  CHECK(path_of("a.tar.gz", 1, 2) == "a.tar-1.gz");
  CHECK(path_of("a.", 1, 2) == "a-1.");
  CHECK(path_of("cat.png", 1, 2) == "cat-1.png");
  CHECK(path_of("cat.png", 10, 10) == "cat-10.png");
}

TEST_CASE("a pattern has exactly one number") {
  CHECK(path_of("cat-%d.png", 7, 10) == "cat-7.png");
  CHECK(path_of("cat-%d.png", 1, 1) == "cat-1.png");
  CHECK(path_of("%03d.png", 7, 10) == "007.png");
  CHECK(path_of("%03d.png", 1234, 2000) == "1234.png");
  CHECK(path_of("100%%-%d.png", 2, 2) == "100%-2.png");
  CHECK_FALSE(is_pattern("100%.png"));
  CHECK_FALSE(is_pattern("%s.png"));
  CHECK_FALSE(is_pattern("%n%n.png"));
  CHECK_FALSE(is_pattern("%d-%d.png"));
  CHECK_FALSE(is_pattern("%0d.png"));
  CHECK_FALSE(is_pattern("%012d.png"));
  CHECK_FALSE(is_pattern("%%d.png"));
  CHECK_FALSE(is_pattern("%"));
  // Anything else is a literal name.
  CHECK(path_of("100%.png", 1, 1) == "100%.png");
  CHECK(path_of("%%d.png", 1, 1) == "%%d.png");
  // With its folders, and with a width of one digit.
  CHECK(path_of("%d/a.png", 3, 5) == "3/a.png");
  CHECK(path_of("%d", 3, 5) == "3");
  CHECK(path_of("%01d.png", 3, 5) == "3.png");
  CHECK(path_of("%09d", 3, 5) == "000000003");
  CHECK(path_of("%%%d%%", 3, 5) == "%3%");
  CHECK(path_of("a%d%%", 3, 5) == "a3%");
  CHECK(path_of("%%%%-%d", 3, 5) == "%%-3");
  for (const char* literal : {"", "%%", "a%", "%d%", "%0", "%01", "%01s", "%1d", "%D", "%d%%%d",
                              "%0:d", "%0/d", "%d%s", "% d"}) {
    CAPTURE(literal);
    CHECK_FALSE(is_pattern(literal));
  }
}

TEST_CASE("extensions and types") {
  using Pair = std::pair<std::string, std::string>;
  for (const auto& [extension, type] :
       {Pair{"jpg", "image/jpeg"}, Pair{"png", "image/png"}, Pair{"webp", "image/webp"},
        Pair{"gif", "image/gif"}, Pair{"heic", "image/heic"}, Pair{"avif", "image/avif"},
        Pair{"mp4", "video/mp4"}, Pair{"mov", "video/quicktime"}}) {
    CHECK(extension_of(type) == extension);
    CHECK(type_of_ending("a/b." + extension) == type);
  }
  CHECK(extension_of("x/y") == "bin");
  CHECK(extension_of("") == "bin");
  CHECK(type_of_ending("a/b.JPEG") == "image/jpeg");
  CHECK(type_of_ending("a.png/b").empty());
  CHECK(type_of_ending(".png").empty());
  CHECK(type_of_ending("cat.xyz").empty());
  CHECK(type_of_ending("cat.").empty());
  CHECK(type_of_ending("png").empty());
  CHECK(type_of_ending("a.gif.png") == "image/png");
  CHECK(type_of_ending("a/.png").empty());
  CHECK(type_of_ending("").empty());
}
