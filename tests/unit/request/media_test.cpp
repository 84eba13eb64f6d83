// Media arguments in request bodies for images and videos.

#include "request/media.h"

#include <unistd.h>

#include "base/base64.h"
#include "base/platform.h"
#include "request/show.h"
#include "support/mentions.h"
#include "try.h"

using namespace svc;
using namespace svc::request;
using nlohmann::json;

namespace {

using Make = test::Attempt;
using test::k_png;
using test::mentions;
using test::TempFile;

}  // namespace

TEST_CASE("one image is an object, several are an array") {
  CHECK(Make("images", "edit", {{"prompt", "x"}, {"image", "https://a.test/1.png"}}).body() ==
        json::parse(R"({"prompt":"x","image":{"url":"https://a.test/1.png"},
                        "model":"svc-imagine-image"})"));
  const json two = Make("images", "edit",
                        {{"prompt", "x"}, {"image", "https://a.test/1.png"}, {"image", "file_7"}})
                       .body();
  CHECK_FALSE(two.contains("image"));
  CHECK(two["images"] == json::parse(R"([{"url":"https://a.test/1.png"},{"file_id":"file_7"}])"));
}

TEST_CASE("reference images are an array, even a single one") {
  const json body =
      Make("videos", "generate", {{"prompt", "x"}, {"reference-image", "file_1"}}).body();
  CHECK(body["reference_images"] == json::parse(R"([{"file_id":"file_1"}])"));
  CHECK(Make("videos", "generate",
             {{"prompt", "x"},
              {"reference-image", "file_1"},
              {"reference-image", "file_2"},
              {"reference-image", "file_3"},
              {"reference-image", "file_4"},
              {"reference-image", "file_5"},
              {"reference-image", "file_6"},
              {"reference-image", "file_7"},
              {"reference-image", "file_8"}})
            .error()
            .message.find("maximum: 7") != std::string::npos);
}

TEST_CASE("a bare voice is wrapped, an object is not") {
  const json body = Make("videos", "generate",
                         {{"prompt", "x"},
                          {"reference-audios", "Eve"},
                          {"reference-audios", R"({"voice_id":"rex"})"}})
                        .body();
  CHECK(body["reference_audios"] == json::parse(R"([{"voice_id":"Eve"},{"voice_id":"rex"}])"));
}

TEST_CASE("the body refers to a file, which is encoded only when sent") {
  const std::string bytes = k_png + std::string(100'000, '\x7f');
  const TempFile one(bytes);
  const TempFile two(k_png);
  const Make make("images", "edit", {{"prompt", "x"}, {"image", one.path}, {"image", two.path}});
  const auto request = make.build();
  REQUIRE(request.has_value());
  const auto* pieces = std::get_if<std::vector<BodySection>>(&request->body);
  REQUIRE(pieces != nullptr);
  std::size_t text = 0;
  std::size_t files = 0;
  for (const BodySection& piece : *pieces) {
    if (const auto* part = std::get_if<std::string>(&piece)) text += part->size();
    files += std::holds_alternative<Base64Source>(piece) ? 1 : 0;
  }
  CHECK(files == 2);
  CHECK(text < 1000);
  CHECK(make.body()["images"][0]["url"] == "data:image/png;base64," + base64_encode(bytes));
  CHECK(make.body()["images"][1]["url"] == "data:image/png;base64," + base64_encode(k_png));
  bool json_type = false;
  for (const Header& header : request->headers) {
    json_type = json_type || (header.name == "Content-Type" && header.value == "application/json");
  }
  CHECK(json_type);
}

TEST_CASE("a file in a body is shown truncated, and complete to programs") {
  const std::string bytes = k_png + std::string(100'000, '\x7f');
  const TempFile file(bytes);
  const auto request = Make("images", "edit", {{"prompt", "x"}, {"image", file.path}}).build();
  REQUIRE(request.has_value());
  const std::string shown = show_request(*request);
  CHECK(shown.find("data:image/png;base64,iVBORw0KGgo") != std::string::npos);
  CHECK(shown.find(std::to_string(base64_length(bytes.size())) + " characters") !=
        std::string::npos);
  CHECK(shown.size() < 2000);
  CHECK(json::parse(show_request_json(*request))["body"]["image"]["url"] ==
        "data:image/png;base64," + base64_encode(bytes));
  CHECK(show_curl(*request).find(base64_encode(bytes)) != std::string::npos);
}

namespace {
std::string told(const Make& make) {
  const Error error = make.error();
  return error.message + " / " + error.hint;
}
}  // namespace

TEST_CASE("missing files and files that are not images are rejected before anything is sent") {
  const auto image = [](const std::string& path) {
    return told(Make("images", "edit", {{"prompt", "x"}, {"image", path}}));
  };
  const TempFile text("hello");
  CHECK(image(text.path) == "--image " + std::filesystem::path(text.path).filename().string() +
                                ": plain text is not accepted here / Accepted: JPEG, PNG and "
                                "WebP.");
  const TempFile empty("");
  CHECK(mentions(image(empty.path), "is empty"));
  CHECK(
      image("/nowhere/at/all.png") ==
      "--image: no such file: '/nowhere/at/all.png' / Check the path; relative paths start at the "
      "current directory.");
  const auto unnamed = resolve_media("--image", "", nullptr);
  REQUIRE_FALSE(unnamed);
  CHECK(unnamed.error().message == "--image is empty");
  CHECK(unnamed.error().hint ==
        "Pass a path, an http(s) URL, a data: URL, a file ID, or - for standard input.");
  CHECK(mentions(image("/tmp"), "directory"));
  const TempFile large(k_png);
  std::filesystem::resize_file(large.path, 50'000'001);
  CHECK(image(large.path) == "--image: " + large.path +
                                 " is too large: 50 MB; the limit for a request is 50 MB / Upload "
                                 "it with `svc files upload`, or use a URL.");
  std::filesystem::resize_file(large.path, 50'000'000);
  CHECK(Make("images", "edit", {{"prompt", "x"}, {"image", large.path}}).build().has_value());
}

TEST_CASE("standard input may be an image") {
  const json body = Make("images", "edit", {{"prompt", "x"}, {"image", "-"}}).piped(k_png).body();
  CHECK(body["image"]["url"].get<std::string>().starts_with("data:image/png;base64,iVBOR"));
  CHECK(told(Make("images", "edit", {{"prompt", "x"}, {"image", "-"}}).piped("hi")) ==
        "--image stdin: plain text is not accepted here / Accepted: JPEG, PNG and WebP.");
  CHECK(told(Make("images", "edit", {{"prompt", "x"}, {"image", "-"}})) ==
        "--image is -, but standard input is empty / ");
}

TEST_CASE("a pipe may be an image, and is read at once") {
  const auto attached = [](const std::string& bytes) {
    auto pipe = make_pipe();
    REQUIRE(pipe);
    REQUIRE(::write(pipe->write.get(), bytes.data(), bytes.size()) == std::ssize(bytes));
    pipe->write.reset();
    const std::string path = "/dev/fd/" + std::to_string(pipe->read.get());
    const auto media = resolve_media("--image", path, nullptr);
    if (!media) {
      CHECK(media.error().fault == Fault::Usage);
      CHECK(media.error().message == "--image: " + path + " is empty");
      return std::string();
    }
    CHECK(media->form == MediaForm::Bytes);
    CHECK(media->file_name == std::to_string(pipe->read.get()));
    return media->type + " " + media->bytes;
  };
  CHECK(attached(k_png) == "image/png " + k_png);
  CHECK(attached("hi") == "text/plain hi");
  CHECK(attached("").empty());
}

TEST_CASE("the whole body of texts and files") {
  const TempFile file("a?b");
  const FileSource source{file.path, 3};
  CHECK(complete_body(std::vector<BodySection>{std::string("<"), source, std::string("|"),
                                               Base64Source{source}, std::string(">")})
            .value() == "<a?b|YT9i>");
  CHECK(complete_body(std::string("text")).value() == "text");
  CHECK(complete_body(std::vector<Part>(1)).value().empty());
  // It has grown since.
  const auto grown = complete_body(std::vector<BodySection>{FileSource{file.path, 2}});
  REQUIRE_FALSE(grown);
  CHECK(grown.error().message == quote_path(file.path) + " is 3 B; the limit is 2 B (2 bytes)");
  const auto gone = complete_body(std::vector<BodySection>{Base64Source{{"/no/such", 2}}});
  REQUIRE_FALSE(gone);
  CHECK(mentions(gone.error().message, "'/no/such'"));
}

TEST_CASE("the content of a data: URL is checked") {
  const auto image = [](const std::string& url) {
    return told(Make("images", "edit", {{"prompt", "x"}, {"image", url}}));
  };
  CHECK(
      Make("images", "edit", {{"prompt", "x"}, {"image", "data:image/png;base64,iVBORw0KGgowMDAw"}})
          .body()["image"]["url"] == "data:image/png;base64,iVBORw0KGgowMDAw");
  // Its start decides.
  const std::string long_url = "data:image/png;base64,iVBORw0KGgow" + std::string(52, 'M') + "!";
  CHECK(Make("images", "edit", {{"prompt", "x"}, {"image", long_url}}).body()["image"]["url"] ==
        long_url);
  CHECK(image("data:image/png;base64,aGVsbG8=") ==
        "--image data: URL: plain text is not accepted here / Accepted: JPEG, PNG and WebP.");
  for (const std::string url :
       {"data:,hi", "data:image/png;base64", "data:image/png,;base64,AAAA"}) {
    CHECK(image(url) == "--image must be a base64 data: URL, not '" + url +
                            "' / For example: data:image/png;base64,iVBORw0…");
  }
  for (const char* url : {"data:image/png;base64,!!!!", "data:image/png;base64,"}) {
    CHECK(image(url) == "--image: the data: URL contains no base64 / ");
  }
  CHECK(told(Make("videos", "edit",
                  {{"prompt", "x"}, {"video", "data:video/mp4;base64,iVBORw0KGgowMDAw"}})) ==
        "--video data: URL: PNG is not accepted here / Accepted: MP4.");
}

TEST_CASE("what is piped, or in a URL, may be no larger than a file") {
  const auto refused = [](const std::string& image, const std::string& piped) {
    const Error error =
        Make("images", "edit", {{"prompt", "x"}, {"image", image}}).piped(piped).error();
    CHECK(error.hint == "Upload it with `svc files upload`, or use a URL.");
    return error.message;
  };
  CHECK(refused("-", k_png + std::string(50'000'001 - k_png.size(), '0')) ==
        "--image stdin: 50 MB is too large; the limit is 50 MB");
  CHECK(refused("data:image/png;base64,iVBORw0KGgow" + std::string(66'666'660, 'A'), "") ==
        "--image data: URL: 50 MB is too large; the limit is 50 MB");
}

TEST_CASE("similar formats are told apart") {
  const auto image = [](const std::string& bytes) {
    return Make("images", "edit", {{"prompt", "x"}, {"image", "-"}}).piped(bytes).error();
  };
  const std::string size("\0\0\0\x18", 4);
  CHECK(mentions(image(size + "ftypheic0000"), "HEIC"));
  CHECK(mentions(image(size + "ftypavif0000"), "AVIF"));
  CHECK(mentions(image("GIF89a0000"), "GIF"));
  CHECK(mentions(image("%PDF-1.7"), "PDF"));
  CHECK(mentions(Make("videos", "edit", {{"prompt", "x"}, {"video", "-"}})
                     .piped(size + "ftypqt  0000")
                     .error(),
                 "QuickTime"));
  const json fine =
      Make("videos", "edit", {{"prompt", "x"}, {"video", "-"}}).piped(size + "ftypisom0000").body();
  CHECK(fine["video"]["url"].get<std::string>().starts_with("data:video/mp4;base64,"));
}

TEST_CASE("a type is recognised by the first bytes, wherever they are") {
  using namespace std::string_literals;
  struct Row {
    std::string bytes;
    const char* type;
  };
  const std::string four("\0\0\0\x18", 4);
  for (const Row& row :
       {Row{"\x89PNG\r\n\x1a\n", "image/png"}, Row{"\xff\xd8\xff", "image/jpeg"},
        Row{"GIF87a", "image/gif"}, Row{"GIF89a", "image/gif"}, Row{"RIFF1234WEBP", "image/webp"},
        Row{"BM", "image/bmp"}, Row{"II*\0"s, "image/tiff"}, Row{"MM\0*"s, "image/tiff"},
        Row{"%PDF-", "application/pdf"}, Row{"PK\x03\x04", "application/zip"},
        Row{"RIFF1234WAVE", "audio/wav"}, Row{"ID3", "audio/mpeg"}, Row{"\xff\xfb", "audio/mpeg"},
        Row{"\xff\xf3", "audio/mpeg"}, Row{"\xff\xf2", "audio/mpeg"}, Row{"\xff\xfa", "audio/mpeg"},
        Row{"\xff\xf1", "audio/aac"}, Row{"\xff\xf9", "audio/aac"}, Row{"OggS", "audio/ogg"},
        Row{"fLaC", "audio/flac"}, Row{four + "ftypheic", "image/heic"},
        Row{four + "ftyphevc", "image/heic"}, Row{four + "ftypmif1", "image/heic"},
        Row{four + "ftypavif", "image/avif"}, Row{four + "ftypM4A ", "audio/mp4"},
        Row{four + "ftypqt  ", "video/quicktime"}, Row{four + "ftypisom", "video/mp4"},
        Row{"\x1a\x45\xdf\xa3", "video/x-matroska"}, Row{"", "text/plain"},
        Row{"a\tb\r\n\f\xc3\xa4", "text/plain"}, Row{"a\x1f", "application/octet-stream"},
        Row{"a\0"s, "application/octet-stream"},
        // A sample may end inside a character.
        Row{"a\xf0\x9f\x98", "text/plain"}, Row{"a\xf0\x9f\x98z", "text/plain"},
        Row{"a\xf0\x9f\x98zz", "application/octet-stream"},
        Row{std::string(65'536, 'a') + '\0', "text/plain"},
        Row{std::string(65'535, 'a') + '\0', "application/octet-stream"}}) {
    CAPTURE(row.bytes.substr(0, 20));
    CHECK(sniff_type(row.bytes) == row.type);
  }
  for (const auto& [type, name] : {std::pair("image/jpeg", "JPEG"),
                                   {"image/png", "PNG"},
                                   {"image/webp", "WebP"},
                                   {"image/gif", "GIF"},
                                   {"image/heic", "HEIC"},
                                   {"image/avif", "AVIF"},
                                   {"image/bmp", "BMP"},
                                   {"image/tiff", "TIFF"},
                                   {"video/mp4", "MP4"},
                                   {"video/quicktime", "QuickTime"},
                                   {"video/x-matroska", "Matroska"},
                                   {"application/pdf", "PDF"},
                                   {"text/plain", "plain text"},
                                   {"application/octet-stream", "an unknown format"}}) {
    CHECK(type_name(type) == name);
  }
  CHECK(type_name("a/b") == "a/b");
}

TEST_CASE("what a media argument is: a URL, data, an ID, or a path") {
  CHECK(form_of("https://h") == MediaForm::Url);
  CHECK(form_of("http://h") == MediaForm::Url);
  CHECK(form_of("data:x") == MediaForm::DataUrl);
  CHECK(form_of("file_a1") == MediaForm::FileId);
  CHECK(form_of("file_a.png") == MediaForm::File);
  CHECK(form_of("file_/a") == MediaForm::File);
  CHECK(form_of("a.png") == MediaForm::File);
  const auto message = [](const char* text) {
    const auto media = resolve_media("--image", text, nullptr);
    return media ? std::string() : media.error().message;
  };
  CHECK(message("https://h").empty());
  for (const char* url : {"https://", "http:///x", "https://?x", "https://#x"}) {
    CHECK(message(url) == "--image: the URL '" + std::string(url) + "' has no host");
  }
  CHECK(message("") == "--image is empty");
  CHECK(message("\xff") == "--image is not valid UTF-8");
  CHECK(message("-") == "--image is -, but standard input is empty");
  const std::string nothing;
  CHECK(resolve_media("--image", "-", &nothing).error().message ==
        "--image: standard input is empty");
}

TEST_CASE("only one way to specify the image at a time") {
  for (const char* other : {"image-url", "image-file-id", "image-image-url", "image-type"}) {
    CAPTURE(other);
    CHECK(mentions(
        Make("images", "edit", {{"prompt", "x"}, {"image", "file_1"}, {other, "x"}}).error(),
        "cannot be combined"));
  }
  CHECK(mentions(Make("images", "edit",
                      {{"prompt", "x"}, {"image", "file_1"}, {"images", R"({"file_id":"a"})"}})
                     .error(),
                 "cannot be combined"));
  CHECK(mentions(
      Make("images", "edit", {{"prompt", "x"}, {"image-url", "a"}, {"image-file-id", "b"}}).error(),
      "cannot be combined"));
  CHECK(Make("images", "edit", {{"prompt", "x"}, {"image-url", "https://a.test/"}})
            .body()["image"]["url"] == "https://a.test/");
}

TEST_CASE("the flag overrides the body, in both fields") {
  const json body = Make("images", "edit", {{"prompt", "x"}, {"image", "file_1"}})
                        .with_body(R"({"images":[{"url":"https://old.test/"}],"n":3})")
                        .body();
  CHECK_FALSE(body.contains("images"));
  CHECK(body["image"] == json::parse(R"({"file_id":"file_1"})"));
  CHECK(body["n"] == 3);
  const json several =
      Make("images", "edit", {{"prompt", "x"}, {"image", "file_1"}, {"image", "file_2"}})
          .with_body(R"({"image":{"url":"https://old.test/"}})")
          .body();
  CHECK_FALSE(several.contains("image"));
  CHECK(several["images"].size() == 2);
  CHECK(Make("images", "edit", {{"prompt", "x"}})
            .with_body(R"({"images":[{"url":"https://a.test/"}]})")
            .body()["images"]
            .size() == 1);
}

TEST_CASE("an edit, an extension and a new video require their inputs") {
  CHECK(mentions(Make("images", "edit", {{"prompt", "x"}}).error(), "--image is required"));
  CHECK(mentions(Make("videos", "extend", {{"prompt", "x"}}).error(), "--video is required"));
  CHECK(mentions(Make("videos", "generate").error(), "--prompt or --image"));
  CHECK(Make("videos", "generate", {{"image", "file_1"}}).body()["image"]["file_id"] == "file_1");
  CHECK(mentions(
      Make("videos", "generate", {{"image", "file_1"}, {"reference-audios", "eve"}}).error(),
      "--reference-audios requires --prompt"));
}

TEST_CASE("a profile's model applies only to text") {
  Make make("images", "generate", {{"prompt", "x"}});
  make.context.model = "svc-4.3";
  CHECK(make.body()["model"] == "svc-imagine-image");
}

TEST_CASE("documented limits are checked before anything is sent") {
  const auto image = [](const char* flag, const char* value) {
    return Make("images", "generate", {{"prompt", "x"}, {flag, value}}).error();
  };
  CHECK(mentions(image("n", "0"), "1 to 10"));
  CHECK(mentions(image("n", "11"), "1 to 10"));
  CHECK(mentions(image("aspect-ratio", "16x9"), "16:9"));
  CHECK(mentions(image("resolution", "4k"), "2k"));
  CHECK(mentions(image("response-format", "b64"), "b64_json"));
  CHECK(mentions(image("storage-options-expires-after", "60"), "storage-options-filename"));
  const auto video = [](const char* flag, const char* value) {
    return Make("videos", "generate", {{"prompt", "x"}, {flag, value}}).error();
  };
  CHECK(mentions(video("duration", "16"), "1 to 15"));
  CHECK(mentions(video("resolution", "4k"), "1080p"));
  CHECK(mentions(
      Make("videos", "extend", {{"prompt", "x"}, {"video", "file_1"}, {"duration", "11"}}).error(),
      "2 to 10"));
}
