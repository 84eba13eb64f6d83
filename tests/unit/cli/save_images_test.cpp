// Images that an answer contains, as files.
#include <algorithm>

#include <doctest/doctest.h>

#include "operation/save_media.h"
#include "unit/cli/session_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

/// The starts of a PNG and of a GIF, and a text, in base64.
const std::string k_png = R"({"b64_json":"iVBORw0KGgo="})";
const std::string k_gif = R"({"b64_json":"R0lGODlhAQABAA=="})";
const std::string k_text = R"({"b64_json":"SGVsbG8sIHRoaXMgaXMgdGV4dA=="})";

/// What is printed, said and saved of these images, in order of the names, and the outcome. "DIR"
/// stands for the directory, "|" for line ends.
std::string saved(const std::string& output, const std::string& data,
                  const std::vector<std::string>& flags = {}) {
  const StateHere state;
  const test::TemporaryDirectory directory;
  std::vector<std::string> words = {"images", "Hi", "--no-stdin"};
  if (!output.empty()) {
    words.insert(words.end(), {"-o", output == "-" ? output : directory.file(output)});
  }
  words.insert(words.end(), flags.begin(), flags.end());
  SessionStage stage(words);
  const auto done = save_images(stage.session(), *stage.session().invocation().operation,
                                R"({"data":[)" + data + "]}");
  std::string all = stage.out() + "-- " + stage.err() + "--";
  std::vector<std::string> names = directory.names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) all += " " + name;
  all += done ? ""
              : std::string(" -- ") + std::string(fault_name(done.error().fault)) + ": " +
                    done.error().message + " / " + done.error().hint;
  return replace_all(replace_all(all, directory.path().string(), "DIR"), "\n", "|");
}

}  // namespace

TEST_CASE("images are saved under the name, the names of a pattern, or free names") {
  CHECK(saved("a.png", k_png) == "-- -- a.png");
  CHECK(saved("a.png", k_gif) ==
        "-- svc: warning: DIR/a.png contains GIF, but its extension is for PNG|-- a.png");
  CHECK(saved("a", k_gif) == "-- -- a");
  CHECK(saved("a.png", k_png + "," + k_png) == "DIR/a-1.png|DIR/a-2.png|-- -- a-1.png a-2.png");
  CHECK(saved("a-%02d.png", k_png + "," + k_gif) ==
        "DIR/a-01.png|DIR/a-02.png|-- svc: warning: DIR/a-02.png contains GIF, but its extension "
        "is for PNG|-- a-01.png a-02.png");
  CHECK(saved("", k_png, {"--json"}).ends_with("-- --"));
  CHECK(saved("a.png", k_png, {"--format", "jsonl"}).ends_with("-- -- a.png"));
  CHECK(saved("./", k_png + "," + k_gif) ==
        "DIR/./image-1.png|DIR/./image-1.gif|-- -- image-1.gif image-1.png");
}

TEST_CASE("an image that was refused, is missing or is none is told, and the others are saved") {
  CHECK(saved("a.png", "{}") ==
        "-- -- -- remote_job: the image was missing from the response / Inspect the response with "
        "--json.");
  CHECK(saved("a.png", R"({"respect_moderation":false})") ==
        "-- -- -- remote_job: the image was refused / Blocked by the service's moderation; change "
        "the prompt.");
  CHECK(saved("a.png", "{}," + k_png) ==
        "DIR/a-2.png|-- svc: warning: image 1 was missing from the response|-- a-2.png -- "
        "remote_job: 1 of 2 images were missing from the response / Inspect the response with "
        "--json.");
  CHECK(saved("a.png", "{},{}") ==
        "-- svc: warning: image 1 was missing from the response|svc: warning: image 2 was missing "
        "from the response|-- -- remote_job: all images were missing from the response / Inspect "
        "the response with --json.");
  CHECK(saved("a.png", R"({"respect_moderation":false},{},)" + k_png) ==
        "DIR/a-3.png|-- svc: warning: image 1 was blocked by the service's moderation|svc: "
        "warning: image 2 was missing from the response|-- a-3.png -- remote_job: 1 of 3 images "
        "were refused / Blocked by the service's moderation; change the prompt.");
  CHECK(saved("a.png", k_text) ==
        "-- -- -- network: expected an image, got text: Hello, this is text / ");
  CHECK(saved("a.png", R"({"b64_json":"*"})") ==
        "-- -- -- network: the image data is not valid base64 / ");
  CHECK(saved("a.png", k_text + "," + k_png) ==
        "DIR/a-2.png|-- svc: warning: image 1 was not saved: expected an image, got text: Hello, "
        "this is text|-- a-2.png -- network: expected an image, got text: Hello, this is text / ");
}

}  // namespace svc::cli
