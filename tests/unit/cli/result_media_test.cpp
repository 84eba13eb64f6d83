// Images and videos of a batch's results as files.
#include "operation/result_media.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/files.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

/// A result with these images.
std::string images(const std::string& data) {
  return R"({"batch_request_id":"a","batch_result":{"response":{"image_generation":{"data":[)" +
         data + "]}}}}";
}

/// The text "hi".
std::string hi(const std::string& more = "") {
  return R"({"b64_json":"aGk=")" + more + "}";
}

/// Where results are saved, and what was said.
struct MediaStage {
  explicit MediaStage(std::vector<std::string> flags = {})
      : stage([&] {
          std::vector<std::string> words = {"batches", "results", "b", "--output-dir",
                                            directory.file("new/out")};
          words.insert(words.end(), flags.begin(), flags.end());
          return words;
        }()) {
    REQUIRE(media.open());
  }
  /// The paths below the directory.
  std::string save(const std::string& id, const std::string& result) {
    return replace_all(media.save(id, result), directory.file("new/out") + "/", "");
  }
  std::string err() { return replace_all(stage.err(), directory.file("new/out"), "DIR"); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return directory.file("new/out/" + name);
  }

  test::TemporaryDirectory directory{};
  SessionStage stage;
  ResultMedia media{stage.session()};
};

}  // namespace

TEST_CASE("a result's images are named after its ID, their number and their type") {
  MediaStage stage;
  CHECK(stage.save("a-1_b.c", images(hi())) == "a-1_b.c.jpg");
  CHECK(read_file(stage.path("a-1_b.c.jpg"), 10).value() == "hi");
  CHECK(stage.save("b", images(hi(R"(,"mime_type":"image/png")"))) == "b.png");
  CHECK(stage.save("b", images(hi(R"(,"mime_type":"x/y")"))) == "b.bin");
  CHECK(stage.save("c", images(hi() + "," + hi(R"(,"url":"https://x/a.gif?b.png")"))) ==
        "c-1.jpg c-2.gif");
  CHECK(stage.save("d", images(R"({"b64_json":""},{},)" + hi())) == "d.jpg");
  CHECK(stage.save("e", images("")).empty());
  CHECK(stage.save("e", R"({"batch_result":{"error":"no"}})").empty());
  const auto hashed = [](const std::string& name, const std::string& id) {
    return name + "-" + sha256(id).substr(0, 8) + ".jpg";
  };
  for (const auto& [id, name] : {std::pair<std::string, std::string>{"x/y", "x_y"},
                                 {".x", "_x"},
                                 {"@[`{/:", "______"},
                                 {"ä", "__"}}) {
    CHECK(stage.save(id, images(hi())) == hashed(name, id));
  }
  const std::string most(100, 'x');
  CHECK(stage.save("azAZ09", images(hi())) == "azAZ09.jpg");
  CHECK(stage.save(most, images(hi())) == most + ".jpg");
  CHECK(stage.save(most + "y", images(hi())) == hashed(most, most + "y"));
  CHECK(stage.err().empty());
  CHECK_FALSE(stage.media.failure());
}

TEST_CASE("an image that cannot be saved is told, and the others are saved") {
  MediaStage stage;
  CHECK(stage.save("a", images(R"({"b64_json":"*"},)" + hi())) == "a-2.jpg");
  CHECK(stage.err() ==
        "svc: warning: 'DIR/a-1.jpg' was not saved: the image data is not valid base64\n");
  REQUIRE(stage.media.failure());
  CHECK(stage.media.failure()->message == "the image data is not valid base64");
  CHECK_FALSE(std::filesystem::exists(stage.path("a-1.jpg")));
  CHECK(stage.save("a", images(R"({},)" + hi())) == "a.jpg");
  CHECK(stage.save("a", images(hi(R"(,"url":"https://x/a.jpg")"))).empty());
  CHECK(stage.err() ==
        "svc: warning: 'DIR/a.jpg' was not saved: 'DIR/a.jpg' already exists; it is at "
        "https://x/a.jpg\n");
  // The first failure is that of all.
  CHECK(stage.media.failure()->message == "the image data is not valid base64");
  MediaStage over({"--force"});
  REQUIRE(write_file(over.path("a.jpg"), "old", Replace::Yes, 0600));
  CHECK(over.save("a", images(hi())) == "a.jpg");
  CHECK(read_file(over.path("a.jpg"), 10).value() == "hi");
}

TEST_CASE("without a directory no result is saved, and one that is a file is refused") {
  SessionStage none({"batches", "results", "b"});
  ResultMedia media(none.session());
  CHECK(media.open());
  CHECK(media.save("a", images(hi())).empty());
  const test::TemporaryDirectory directory;
  REQUIRE(write_file(directory.file("f"), "", Replace::Yes, 0600));
  SessionStage stage({"batches", "results", "b", "--output-dir", directory.file("f/d")});
  const auto opened = ResultMedia(stage.session()).open();
  REQUIRE_FALSE(opened);
  CHECK(opened.error().fault == Fault::Local);
  CHECK(opened.error().message ==
        "cannot create directory '" + directory.file("f/d/") + "': Not a directory");
}

}  // namespace svc::cli
