// Images over HTTP: requests, responses, errors, URLs.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "emulator/handler/handler.h"
#include "emulator/picture/picture.h"
#include "emulator/state/state.h"
#include "json/text.h"
#include "unit/emulator/media_support.h"

namespace svc::test {
namespace {

using emulator::Response;
using emulator::media::Image;

constexpr const char* k_images_generate = "/v1/images/generations";
constexpr const char* k_images_edit = "/v1/images/edits";

std::string image_prompt(std::string_view words, std::string_view members = {}) {
  return fmt::format(R"({{"prompt":{}{}{}}})", json_quote(words), members.empty() ? "" : ",",
                     members);
}

Image decode(const std::string& bytes) {
  auto decoded = emulator::media::decode_image(bytes);
  REQUIRE(decoded.has_value());
  return *std::move(decoded);
}

Image small(emulator::media::Color color) {
  return {{60, 40}, color, color};
}

std::string image(const std::string& url) {
  return fmt::format(R"("image":{{"url":{}}})", json_quote(url));
}

}  // namespace

TEST_CASE("a generated image is a JPEG at a temporary URL") {
  MediaApi api;
  const Response response =
      api.post(k_images_generate, image_prompt("a fox", R"("aspect_ratio":"16:9")"));
  CHECK(header_value(response, "x-request-id").size() == 36);
  const Json body = json_of(response);
  REQUIRE(body["data"].size() == 1);
  const Json& item = body["data"][0];
  CHECK(item["mime_type"] == "image/jpeg");
  CHECK(!item.contains("b64_json"));
  CHECK(!item.contains("file_output"));
  CHECK(body["usage"]["cost_in_usd_ticks"] == 200'000'000);
  const std::string url = item["url"];
  CHECK(url.ends_with(".jpeg"));
  const Response file = api.fetch(url);
  CHECK(file.status == 200);
  CHECK(file.content_type == "image/jpeg");
  const Image decoded = decode(file.body);
  CHECK(decoded.size().width == 1360);
  CHECK(decoded.size().height == 768);
  api.now_ms += 3'599'000;
  CHECK(api.fetch(url).status == 200);
  api.now_ms += 2'000;
  CHECK(api.fetch(url).status == 404);
}

TEST_CASE("the media host rejects a key") {
  MediaApi api;
  const Json body = json_of(api.post(k_images_generate, image_prompt("a fox")));
  const Response response =
      api.fetch(body["data"][0]["url"], {{"authorization", "Bearer svc-demo-key"}});
  CHECK(response.status == 403);
  CHECK(!mentions(response.body, "svc-demo-key"));
}

TEST_CASE("downloads can be resumed") {
  MediaApi api;
  const std::string url =
      json_of(api.post(k_images_generate, image_prompt("a fox")))["data"][0]["url"];
  const Response whole = api.fetch(url);
  const std::string etag = header_value(whole, "ETag");
  const std::string size = std::to_string(whole.body.size());
  CHECK(etag.size() == 38);
  CHECK(header_value(whole, "Accept-Ranges") == "bytes");
  CHECK(header_value(whole, "Last-Modified") == "Fri, 15 Jan 2027 08:00:00 GMT");
  CHECK(api.fetch(url, {}, "HEAD").body == whole.body);  // the session omits it

  const auto part = [&](const char* range, std::vector<Header> more = {}) {
    more.push_back({"Range", range});
    return api.fetch(url, more);
  };
  const Response rest = part("bytes=1000-");
  CHECK(rest.status == 206);
  CHECK(rest.content_type == "image/jpeg");
  CHECK(header_value(rest, "ETag") == etag);
  CHECK(header_value(rest, "Content-Range") ==
        fmt::format("bytes 1000-{}/{}", whole.body.size() - 1, size));
  CHECK(whole.body.substr(0, 1000) + rest.body == whole.body);
  CHECK(part("bytes=0-0").body == whole.body.substr(0, 1));
  CHECK(part("bytes=5-9").body == whole.body.substr(5, 5));
  CHECK(part("bytes=-7").body == whole.body.substr(whole.body.size() - 7));
  CHECK(part("bytes=3-99999999").body == whole.body.substr(3));

  CHECK(part("bytes=1000-", {{"If-Range", etag}}).status == 206);
  CHECK(part("bytes=1000-", {{"If-Range", "Fri, 15 Jan 2027 08:00:00 GMT"}}).status == 206);
  const Response changed = part("bytes=1000-", {{"If-Range", "\"another\""}});
  CHECK(changed.status == 200);
  CHECK(changed.body == whole.body);

  for (const char* odd :
       {"bytes=9-5", "bytes=a-", "bytes=-", "lines=1-2", "bytes=0-1,4-5", "5-9"}) {
    CHECK_MESSAGE(part(odd).status == 200, odd);
  }
  const Response beyond = part(("bytes=" + size + "-").c_str());
  CHECK(beyond.status == 416);
  CHECK(header_value(beyond, "Content-Range") == "bytes */" + size);
}

TEST_CASE("several images differ, and base64 is the image itself") {
  MediaApi api;
  const Json body = json_of(
      api.post(k_images_generate,
               image_prompt("cats", R"("n":3,"response_format":"b64_json","aspect_ratio":"2:1")")));
  REQUIRE(body["data"].size() == 3);
  CHECK(body["usage"]["cost_in_usd_ticks"] == 600'000'000);
  std::vector<std::string> all;
  for (const Json& item : body["data"]) {
    CHECK(!item.contains("url"));
    all.push_back(item["b64_json"]);
  }
  CHECK(all[0] != all[1]);
  CHECK(all[1] != all[2]);
  const Image decoded = decode(*base64_decode(all[0]));
  CHECK(decoded.size().width == 1456);
  CHECK(decoded.size().height == 720);
  const Json again = json_of(
      api.post(k_images_generate,
               image_prompt("cats", R"("n":3,"response_format":"b64_json","aspect_ratio":"2:1")")));
  CHECK(again["data"] == body["data"]);
}

TEST_CASE("resolution and model determine the price") {
  MediaApi api;
  const auto cost = [&](const char* members) {
    const Json body = json_of(api.post(k_images_generate, image_prompt("x", members)));
    return body["usage"]["cost_in_usd_ticks"].get<std::int64_t>();
  };
  CHECK(cost(R"("resolution":"2k")") == 400'000'000);
  CHECK(cost(R"("resolution":"1.5k","aspect_ratio":"5:2")") == 300'000'000);
  CHECK(cost(R"("quality":"low","aspect_ratio":"21:9")") == 100'000'000);
  CHECK(cost(R"("model":"svc-imagine-image-quality","aspect_ratio":"auto")") == 500'000'000);
}

TEST_CASE("invalid image requests") {
  MediaApi api;
  const auto error = [&](const std::string& body, int status,
                         const char* path = k_images_generate) {
    return json_of(api.post(path, body), status)["error"].get<std::string>();
  };
  CHECK(mentions(error("{}", 400), "prompt"));
  CHECK(mentions(error(image_prompt(" "), 400), "prompt"));
  CHECK(mentions(error(image_prompt("x", R"("n":0)"), 400), "between 1 and 10"));
  CHECK(mentions(error(image_prompt("x", R"("n":11)"), 400), "between 1 and 10"));
  CHECK(mentions(error(image_prompt("x", R"("response_format":"png")"), 400), "b64_json"));
  const std::string unknown = error(image_prompt("x", R"("model":"svc-9")"), 404);
  CHECK(mentions(unknown, "svc-9"));
  CHECK(mentions(unknown, emulator::k_demo_team_id));
  CHECK(mentions(error(image_prompt("x", R"("model":"svc-imagine-video")"), 404),
                 "svc-imagine-video"));
  CHECK(mentions(
      error(image_prompt("x", R"("storage_options":{"filename":"a","expires_after":2592001})"),
            400),
      "2592000"));
  CHECK(mentions(error(image_prompt("x"), 400, k_images_edit), "image"));
  for (const char* members : {R"("aspect_ratio":"7:5")", R"("resolution":"4k")", R"("n":"two")",
                              R"("image":{})", R"("storage_options":{})"}) {
    const Response response = api.post(k_images_edit, image_prompt("x", members));
    CHECK_MESSAGE(response.status == 422, members);
    CHECK(response.content_type.starts_with("text/plain"));
  }
  CHECK(api.post(k_images_edit, image_prompt("x", R"("image":{})")).body ==
        "Failed to deserialize the JSON body into the target type: image: missing field `url`: "
        "give url or file_id at line 1 column 24");
}

TEST_CASE("an edit accepts data URLs, its own URLs and files") {
  MediaApi api;
  const std::string url = json_of(api.post(
      k_images_generate,
      image_prompt("a fox", R"("storage_options":{"filename":"fox.jpg"})")))["data"][0]["url"];
  const auto edit = [&](const std::string& members) {
    return json_of(api.post(k_images_edit, image_prompt("with <IMAGE_0>", members)));
  };
  const std::string red = data_url(small({255, 0, 0}));
  const Json one = edit(image(red) + R"(,"response_format":"b64_json")");
  const Image decoded = decode(*base64_decode(one["data"][0]["b64_json"].get<std::string>()));
  // It has the input's ratio of 3:2, and shows the input.
  CHECK(decoded.size().width == 1248);
  CHECK(decoded.size().height == 832);
  const auto shown = decoded.at(624, 260);
  CHECK(shown.red > 220);
  CHECK(shown.green < 40);

  edit(image(url));
  edit(fmt::format(R"("images":[{{"url":{0}}},{{"image_url":{0},"type":"image_url"}}])",
                   json_quote(red)));
  const Json stored = json_of(api.post(
      k_images_generate, image_prompt("x", R"("storage_options":{"filename":"fox.jpg"})")));
  const std::string id = stored["data"][0]["file_output"]["file_id"];
  edit(fmt::format(R"("image":{{"file_id":"{}"}})", id));
  const Json shared = json_of(api.post(
      k_images_generate,
      image_prompt(
          "x", R"("storage_options":{"filename":"fox.jpg","public_url":{"expires_after":3600}})")));
  const Json& output = shared["data"][0]["file_output"];
  CHECK(output["public_url_expires_at"] == api.now_ms / 1000 + 3600);
  edit(image(output["public_url"]));
}

TEST_CASE("unusable inputs are rejected before anything is drawn") {
  MediaApi api;
  const std::string red = data_url(small({255, 0, 0}));
  const auto expect_error = [&](const std::string& members, int status = 400) {
    return json_of(api.post(k_images_edit, image_prompt("x", members)), status);
  };
  const std::string twice = image(red) + fmt::format(R"(,"images":[{{"url":"{}"}}])", red);
  CHECK(mentions(expect_error(twice)["error"], "exclude each other"));
  CHECK(mentions(expect_error(R"("image":{"url":"data:,x","file_id":"file_1"})")["error"],
                 "exclude"));
  CHECK(mentions(expect_error(R"("image":{"file_id":"file_1"})", 404)["error"], "file_1"));
  CHECK(mentions(expect_error(R"("images":[])")["error"], "image"));

  const std::string payload = red.substr(red.find(',') + 1);
  CHECK(expect_error(image("data:image/png;base64," + payload)) ==
        Json{{"code", "invalid_image"}, {"error", "Invalid PNG image."}});
  CHECK(expect_error(image("data:image/gif;base64," + payload))["code"] == "invalid_image");
  CHECK(expect_error(image(red.substr(0, red.size() / 2 / 4 * 4 + 3)))["error"].is_string());
  CHECK(expect_error(image("data:image/jpeg;base64,aGVsbG8="))["error"] == "Invalid JPEG image.");

  CHECK(mentions(expect_error(image("http://example.org/a.png"))["error"], "on this machine only"));
  CHECK(
      mentions(expect_error(image("https://127.0.0.1:9/a.png"))["error"], "on this machine only"));
  CHECK(mentions(expect_error(image("http://127.0.0.1.example.org/a"))["error"],
                 "on this machine only"));
  CHECK(mentions(expect_error(image("http://[::1]:1/a.png"))["error"], "could not be reached"));
  CHECK(mentions(expect_error(image("http://127.0.0.1:9/_media/none.jpeg"))["error"], "expired"));
  std::string many = R"("images":[)";
  for (int i = 0; i < 6; ++i) many += fmt::format(R"({}{{"url":"{}"}})", i == 0 ? "" : ",", red);
  CHECK(mentions(expect_error(many + "]")["error"], "at most 5"));
}

TEST_CASE("a prompt can request moderation and a failure") {
  MediaApi api;
  const Json blocked =
      json_of(api.post(k_images_generate, image_prompt("Refuse: not nice", R"("n":2)")));
  REQUIRE(blocked["data"].size() == 2);
  CHECK(blocked["data"][0] == Json{{"respect_moderation", false}});
  CHECK(blocked["usage"]["cost_in_usd_ticks"] == 0);
  const Json failed =
      json_of(api.post(k_images_generate, image_prompt("Fail with: no capacity")), 503);
  CHECK(failed["error"] == "no capacity");
}

TEST_CASE("deferred images are available later, to their team") {
  MediaApi api;
  const Response submitted =
      api.post(k_images_generate, image_prompt("later", R"("deferred":true)"));
  const std::string id = json_of(submitted)["request_id"];
  CHECK(header_value(submitted, "x-request-id") == id);
  CHECK(json_of(api.get("/v1/images/" + id), 202) ==
        Json{{"request_id", id}, {"status", "pending"}});
  api.now_ms += 1000;
  for (int i = 0; i < 2; ++i) {
    const Json done = json_of(api.get("/v1/images/" + id));
    CHECK(done["status"] == "done");
    CHECK(done["request_id"] == id);
    CHECK(api.fetch(done["data"][0]["url"]).status == 200);
    CHECK(done["usage"]["cost_in_usd_ticks"] == 200'000'000);
  }
  const std::string bad = json_of(api.post(
      k_images_generate, image_prompt("Fail with: tired", R"("deferred":true)")))["request_id"];
  api.now_ms += 1000;
  CHECK(json_of(api.get("/v1/images/" + bad))["error"] ==
        Json{{"code", "service_unavailable"}, {"message", "tired"}});
  CHECK(api.get("/v1/images/00000000-0000-4000-8000-000000000000").status == 404);
  emulator::KeyRecord other;
  other.id = "k2";
  other.team_id = "another-team";
  other.acls = {"api-key:endpoint:*", "api-key:model:*"};
  REQUIRE(api.state().add_key(other, "svc-other"));
  api.secret = "svc-other";
  CHECK(api.get("/v1/images/" + id).status == 404);
}

TEST_CASE("drawing does not block the threads that serve connections") {
  int drawing = 0;
  for (const emulator::Route& route : emulator::all_routes()) {
    if (!route.path.starts_with("/v1/images/") && !route.path.starts_with("/v1/videos/")) continue;
    CHECK_MESSAGE(route.run == emulator::RunOn::Worker, route.path);
    ++drawing;
  }
  CHECK(drawing == 7);
}

TEST_CASE("image and video models are listed") {
  MediaApi api;
  const Json images = json_of(api.get("/v1/image-generation-models"));
  CHECK(images["models"].size() == 4);
  CHECK(images["models"][0]["id"] == "svc-imagine-image");
  CHECK(images["models"][0]["output_modalities"] == Json::array({"image"}));
  const Json videos = json_of(api.get("/v1/video-generation-models"));
  CHECK(videos["models"].size() == 2);
  CHECK(json_of(api.get("/v1/image-generation-models/svc-imagine-image"))["object"] == "model");
  CHECK(api.get("/v1/image-generation-models/svc-imagine-video").status == 404);
  CHECK(json_of(api.get("/v1/models/svc-imagine-video-1.5"))["id"] == "svc-imagine-video-1.5");
  bool listed = false;
  const Json all = json_of(api.get("/v1/models"));
  for (const Json& model : all["data"]) {
    listed = listed || model["id"] == "svc-imagine-image-2.0";
  }
  CHECK(listed);
}

}  // namespace svc::test
