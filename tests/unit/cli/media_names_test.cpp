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
}

TEST_CASE("several results with one name are numbered before the extension") {
  CHECK(path_of("cat.png", 1, 1) == "cat.png");
  CHECK(path_of("cat.png", 2, 3) == "cat-2.png");
  CHECK(path_of("a.b/cat", 2, 3) == "a.b/cat-2");
  CHECK(path_of(".hidden", 1, 2) == ".hidden-1");
  CHECK(path_of("x/.hidden.png", 1, 2) == "x/.hidden-1.png");
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
}

TEST_CASE("extensions and types") {
  CHECK(extension_of("image/jpeg") == "jpg");
  CHECK(extension_of("image/png") == "png");
  CHECK(extension_of("video/mp4") == "mp4");
  CHECK(extension_of("x/y") == "bin");
  CHECK(type_of_ending("a/b.JPEG") == "image/jpeg");
  CHECK(type_of_ending("a.png/b").empty());
  CHECK(type_of_ending(".png").empty());
  CHECK(type_of_ending("cat.xyz").empty());
}
