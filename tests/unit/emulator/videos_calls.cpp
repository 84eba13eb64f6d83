// Videos over HTTP: submission, states, the four outcomes, errors.
#include <array>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "emulator/account/ledger.h"
#include "emulator/api/videos/videos.h"
#include "emulator/picture/picture.h"
#include "emulator/state/state.h"
#include "json/text.h"
#include "unit/emulator/core_support.h"
#include "unit/emulator/media_support.h"

namespace svc::test {
namespace {

using emulator::Response;
using emulator::media::Size;
using emulator::videos::Mp4Track;

constexpr const char* k_videos_generate = "/v1/videos/generations";
constexpr const char* k_videos_edit = "/v1/videos/edits";
constexpr const char* k_extend = "/v1/videos/extensions";

std::string video_prompt(std::string_view words, std::string_view members = {}) {
  return fmt::format(R"({{"prompt":{}{}{}}})", json_quote(words), members.empty() ? "" : ",",
                     members);
}

std::string submit(MediaApi& api, const std::string& body, const char* path = k_videos_generate) {
  const Response response = api.post(path, body);
  const std::string id = json_of(response)["request_id"];
  CHECK(header_value(response, "x-request-id") == id);
  return id;
}

Json poll(MediaApi& api, const std::string& id, int status = 200) {
  return json_of(api.get("/v1/videos/" + id), status);
}

// The result of a request, once it is due.
Json result_of(MediaApi& api, const std::string& body, const char* path = k_videos_generate) {
  const std::string id = submit(api, body, path);
  api.now_ms += 3000;
  return poll(api, id);
}

Mp4Track track_of(MediaApi& api, const Json& result) {
  const Response file = api.fetch(result["video"]["url"].get<std::string>());
  CHECK(file.status == 200);
  CHECK(file.content_type == "video/mp4");
  const auto track = emulator::videos::read_mp4(file.body);
  REQUIRE(track.has_value());
  return *track;
}

std::string video_url(MediaApi& api, int seconds) {
  const Json result = result_of(
      api, video_prompt("source", fmt::format(R"("duration":{},"aspect_ratio":"1:1")", seconds)));
  return result["video"]["url"];
}

std::string video(const std::string& url) {
  return fmt::format(R"("video":{{"url":"{}"}})", url);
}

std::string small_image() {
  return data_url(emulator::media::Image({60, 40}, {255, 0, 0}, {255, 0, 0}));
}

// "{"url":"data:…"}" repeated `count` times, with commas.
std::string images(int count) {
  const std::string one = fmt::format(R"({{"url":"{}"}})", small_image());
  std::string all;
  for (int i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + one;
  return all;
}

/// The team's spending on videos, in ticks.
std::int64_t used(MediaApi& api) {
  const auto lines = api.state().with([&](Database& database) {
    return emulator::billing::usage_of(database, std::string(emulator::k_demo_team_id),
                                       {.begin_s = 0, .end_s = api.now_ms / 1000 + 7200});
  });
  REQUIRE(lines.has_value());
  std::int64_t ticks = 0;
  for (const auto& line : *lines) ticks += line.charge.units * line.charge.unit_ticks;
  return ticks;
}

std::string error_of(MediaApi& api, const std::string& body, const char* path = k_videos_generate,
                     int status = 400) {
  return json_of(api.post(path, body), status)["error"];
}

}  // namespace

TEST_CASE("a video is pending, makes progress, and is done") {
  MediaApi api;
  const std::string id = submit(api, video_prompt("a fox", R"("duration":2)"));
  CHECK(poll(api, id, 202) == Json{{"status", "pending"}, {"progress", 0}});
  api.now_ms += 1500;
  CHECK(poll(api, id, 202) == Json{{"status", "pending"}, {"progress", 50}});
  api.now_ms += 1499;
  CHECK(poll(api, id, 202)["progress"] == 99);
  api.now_ms += 1;
  const Json done = poll(api, id);
  CHECK(done["status"] == "done");
  CHECK(done["progress"] == 100);
  CHECK(done["model"] == "svc-imagine-video");
  CHECK(done["usage"]["cost_in_usd_ticks"] == 1'000'000'000);
  CHECK(done["video"]["duration"] == 2);
  CHECK(done["video"]["respect_moderation"] == true);
  CHECK(poll(api, id) == done);
  CHECK(used(api) == 1'000'000'000);
  const Mp4Track track = track_of(api, done);
  CHECK(track.duration_s == doctest::Approx(2));
  CHECK(track.size == Size{854, 480});
  CHECK(poll(api, to_upper(id)) == done);
  constexpr std::int64_t k_day_ms = 24 * 3'600'000;
  api.now_ms += k_day_ms - 3'001;  // 3 s have passed
  CHECK(poll(api, id) == done);
  api.now_ms += 1;
  CHECK(poll(api, id) == Json{{"status", "expired"}});
  api.now_ms += k_day_ms - 1;
  CHECK(poll(api, id) == Json{{"status", "expired"}});
  api.now_ms += 1;
  CHECK(api.get("/v1/videos/" + id).status == 404);
}

TEST_CASE("each outcome can be requested") {
  MediaApi api;
  const Json blocked = result_of(api, video_prompt("Refuse: not nice"));
  CHECK(blocked["status"] == "done");
  CHECK(blocked["video"] == Json{{"url", ""}, {"duration", 8}, {"respect_moderation", false}});
  CHECK(result_of(api, video_prompt("Expire: soon")) == Json{{"status", "expired"}});
  const Json failed = result_of(api, video_prompt("Fail with: permission_denied: not for you"));
  CHECK(failed["status"] == "failed");
  CHECK(failed["error"] == Json{{"code", "permission_denied"}, {"message", "not for you"}});
  CHECK(failed["video"] == Json{{"url", ""}, {"duration", 0}, {"respect_moderation", true}});
  CHECK(failed["progress"] == 0);
  CHECK(!failed.contains("model"));
  CHECK(result_of(api, video_prompt("fail with: engine on fire"))["error"] ==
        Json{{"code", "internal_error"}, {"message", "engine on fire"}});
  const auto error = [&](const char* prompt) {
    return result_of(api, video_prompt(prompt))["error"];
  };
  CHECK(error("Fail with:") ==
        Json{{"code", "internal_error"}, {"message", "The video could not be made."}});
  CHECK(error("Fail with: service_unavailable") ==
        Json{{"code", "service_unavailable"}, {"message", "The prompt asked for this failure."}});
  CHECK(error("Fail with: invalid_argument : too odd") ==
        Json{{"code", "invalid_argument"}, {"message", "too odd"}});
  CHECK(result_of(api, video_prompt(" EXPIRE: now")) == Json{{"status", "expired"}});
  // What the prompt asks for comes before what is wrong with an image.
  const char* image = R"("image":{"url":"http://127.0.0.1:1/a.png"})";
  CHECK(result_of(api, video_prompt("Refuse: x", image))["status"] == "done");
  CHECK(result_of(api, video_prompt("Fail with: tired", image))["error"]["message"] == "tired");
}

TEST_CASE("a video belongs to its team, and survives a restart") {
  const TemporaryDirectory directory;
  std::string id;
  {
    MediaApi api(directory.file("state.db"));
    id = submit(api, video_prompt("a fox", fmt::format(R"("duration":1,"image":{})", images(1))));
    emulator::KeyRecord other;
    other.id = "k2";
    other.team_id = "another-team";
    other.acls = {"api-key:endpoint:*", "api-key:model:*"};
    REQUIRE(api.state().add_key(other, "svc-other"));
    api.secret = "svc-other";
    CHECK(api.get("/v1/videos/" + id).status == 404);
  }
  MediaApi api(directory.file("state.db"));
  api.now_ms += 3000;
  const Json done = poll(api, id);
  CHECK(done["status"] == "done");
  CHECK(track_of(api, done).size.width == 720);  // the image's ratio of 3:2
  CHECK(api.get("/v1/videos/00000000-0000-4000-8000-000000000000").status == 404);
}

TEST_CASE("of many concurrent requests one creates the video, and all see the same") {
  MediaApi api;
  const std::string id = submit(
      api, video_prompt("a fox", R"("duration":1,"storage_options":{"filename":"fox.mp4"})"));
  api.now_ms += 3000;
  std::array<std::thread, 4> threads;
  for (auto& thread : threads) {
    thread = std::thread([&] {
      for (int i = 0; i < 50 && api.get("/v1/videos/" + id).status == 202; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(poll(api, id)["video"]["file_output"]["filename"] == "fox.mp4");
  CHECK(json_of(api.get("/v1/files"))["data"].size() == 1);
}

TEST_CASE("durations: numbers, numeric strings, and values out of range") {
  MediaApi api;
  const auto seconds = [&](const char* members) {
    return result_of(api, video_prompt("Refuse: x", members))["video"]["duration"].get<int>();
  };
  CHECK(seconds(R"("duration":15)") == 15);
  CHECK(seconds(R"("seconds":"4")") == 4);
  CHECK(seconds(R"("duration":3.0)") == 3);
  CHECK(seconds("") == 8);
  for (const char* bad : {R"("duration":0)", R"("duration":16)", R"("duration":2.5)",
                          R"("seconds":"soon")", R"("duration":1e300)"}) {
    CHECK_MESSAGE(mentions(error_of(api, video_prompt("x", bad)), "between 1 and 15"), bad);
  }
  CHECK(api.post(k_videos_generate, video_prompt("x", R"("duration":[1])")).status == 422);
}

TEST_CASE("invalid video requests") {
  MediaApi api;
  const auto error = [&](const std::string& members, int status = 400) {
    return error_of(api, video_prompt("x", members), k_videos_generate, status);
  };
  CHECK(mentions(error_of(api, "{}"), "prompt"));
  CHECK(mentions(error_of(api, R"({"reference_images":[{"url":"data:,"}]})"), "prompt"));
  const std::string unknown = error(R"("model":"svc-9")", 404);
  CHECK(mentions(unknown, "svc-9"));
  CHECK(mentions(unknown, emulator::k_demo_team_id));
  CHECK(mentions(error(R"("resolution":"1080p")"), "svc-imagine-video-1.5"));
  CHECK(api.post(k_videos_generate,
                 video_prompt("x", R"("resolution":"1080p","model":"svc-imagine-video-1.5")"))
            .status == 200);
  CHECK(mentions(error(R"("resolution":"1080p","model":"svc-imagine-video-1.5",
                     "reference_images":[{"url":"data:,"}])"),
                 "at most 720p"));
  CHECK(mentions(error(R"("resolution":"1080p","model":"svc-imagine-video-1.5",
                     "reference_audios":[{"voice_id":"eve"}])"),
                 "720p"));
  CHECK(mentions(error(fmt::format(R"("reference_images":[{}])", images(8))), "at most 7"));
  const std::string voice = error(R"("reference_audios":[{"voice_id":"nobody"}])");
  CHECK(mentions(voice, "nobody"));
  CHECK(mentions(voice, "carina, zagan"));
  CHECK(api.post(k_videos_generate, video_prompt("x", R"("reference_audios":[{"voice_id":"EVE"}])"))
            .status == 200);
  CHECK(mentions(error(R"("reference_audios":[{"voice_id":"eve"},{"voice_id":"eve"},
                     {"voice_id":"eve"},{"voice_id":"eve"}])"),
                 "at most 3"));
  const std::string frame = fmt::format(R"({{"image":{},"timestamp_s":9}})", images(1));
  CHECK(mentions(error(fmt::format(R"("keyframes":[{}])", frame)), "between 0 and 8"));
  CHECK(mentions(error(fmt::format(R"("keyframes":[{0},{0},{0},{0},{0}])", frame)), "at most 4"));
  CHECK(json_of(api.post(k_videos_generate, video_prompt("x", R"("output":{"upload_url":"x"})")),
                400) ==
        Json{{"code", "invalid-argument"}, {"error", "The output.upload_url field is invalid."}});
  CHECK(mentions(error(R"("image":{"file_id":"file_none"})", 404), "file_none"));
  CHECK(json_of(api.post(k_videos_generate,
                         video_prompt("x", R"("image":{"url":"data:image/png;base64,AA=="})")),
                400)["code"] == "invalid_image");
  for (const char* members :
       {R"("aspect_ratio":"21:9")", R"("resolution":"4k")", R"("image":{})", R"("output":{})"}) {
    CHECK_MESSAGE(api.post(k_videos_generate, video_prompt("x", members)).status == 422, members);
  }
  CHECK(api.post(k_videos_edit, video_prompt("x")).status == 422);
  CHECK(api.post(k_extend, video_prompt("x", R"("video":{})")).status == 422);
  CHECK(mentions(error_of(api, R"({"video":{"url":"data:,"}})", k_videos_edit), "prompt"));
}

TEST_CASE("images, keyframes and the last frame are accepted") {
  MediaApi api;
  const std::string one = images(1);
  const Json done = result_of(
      api, video_prompt("all of them",
                        fmt::format(R"("duration":2,"reference_images":[{0}],"aspect_ratio":"1:1",
               "keyframes":[{{"image":{1},"timestamp_s":0.5}}],"last_frame":{1})",
                                    images(2), one)));
  CHECK(done["status"] == "done");
  CHECK(track_of(api, done).size.width == 480);
  const auto width = [&](const std::string& members) {
    return track_of(api, result_of(api, video_prompt("x", R"("duration":1,)" + members)))
        .size.width;
  };
  // Only the image that is animated has its ratio kept, unless another is asked for.
  CHECK(width(R"("last_frame":)" + one) == 854);
  CHECK(width(R"("image":)" + one) == 720);
  CHECK(width(R"("aspect_ratio":"1:1","image":)" + one) == 480);
  const std::string alone = fmt::format(R"({{"image":{},"duration":1}})", one);
  CHECK(result_of(api, alone)["status"] == "done");
}

TEST_CASE("edits keep their source's duration and size, extensions add to it") {
  MediaApi api;
  const std::string url = video_url(api, 2);
  const Json edited = result_of(api, video_prompt("rain", video(url)), k_videos_edit);
  CHECK(edited["video"]["duration"] == 2);
  const Mp4Track edit = track_of(api, edited);
  CHECK(edit.size == Size{480, 480});
  CHECK(edit.duration_s == doctest::Approx(2));

  const std::string bytes = api.fetch(url).body;
  const std::string data = "data:video/mp4;base64," + base64_encode(bytes);
  const Json extended =
      result_of(api, video_prompt("on", video(data) + R"(,"duration":3)"), k_extend);
  CHECK(extended["video"]["duration"] == 5);
  CHECK(track_of(api, extended).duration_s == doctest::Approx(5));
  CHECK(extended["usage"]["cost_in_usd_ticks"] == 1'500'000'000);  // of the new part

  CHECK(result_of(api, video_prompt("Refuse: x", video(data)), k_extend)["video"]["duration"] == 8);
  for (const char* bad : {"1", "11"}) {
    CHECK(
        mentions(error_of(api, video_prompt("x", video(data) + R"(,"duration":)" + bad), k_extend),
                 "between 2 and 10"));
  }
}

TEST_CASE("how long a source may be") {
  MediaApi api;
  const auto source = [&](double seconds) {
    const auto bytes = emulator::videos::make_video({32, 32}, seconds);
    REQUIRE(bytes.has_value());
    return video_prompt("x", video("data:video/mp4;base64," + base64_encode(*bytes)));
  };
  CHECK(result_of(api, source(0.34), k_videos_edit)["video"]["duration"] == 1);
  CHECK(result_of(api, source(30), k_videos_edit)["video"]["duration"] == 30);
  CHECK(error_of(api, source(30.5), k_videos_edit) ==
        "The source video lasts 30.5 s; at most 30 s are allowed.");
  for (const double good : {2.0, 15.0}) CHECK(api.post(k_extend, source(good)).status == 200);
  for (const double bad : {1.5, 15.5}) {
    CHECK(
        error_of(api, source(bad), k_extend) ==
        fmt::format("The source video lasts {:.1f} s; an extension takes one of 2 to 15 s.", bad));
  }
}

TEST_CASE("invalid sources are rejected; an unreadable URL fails the video") {
  MediaApi api;
  const auto as_data = [](const std::string& bytes) {
    return video("data:video/mp4;base64," + base64_encode(bytes));
  };
  CHECK(mentions(error_of(api, video_prompt("x", as_data("hello")), k_videos_edit), "not an MP4"));
  CHECK(
      mentions(error_of(api, video_prompt("x", video("data:image/png;base64,AAAA")), k_videos_edit),
               "not a video"));
  const std::string short_url = video_url(api, 1);
  const std::string film = api.fetch(short_url).body;
  CHECK(mentions(error_of(api, video_prompt("x", as_data(film)), k_extend), "2 to 15 s"));

  const auto failure = [&](const std::string& url, const char* path) {
    const Json result = result_of(api, video_prompt("x", video(url)), path);
    CHECK(result["status"] == "failed");
    CHECK(result["error"]["code"] == "invalid_argument");
    return result["error"]["message"].get<std::string>();
  };
  CHECK(mentions(failure("https://example.org/a.mp4", k_videos_edit), "on this machine only"));
  CHECK(mentions(failure("http://127.0.0.1:1/a.mp4", k_extend), "could not be reached"));
  CHECK(mentions(failure(short_url, k_extend), "2 to 15 s"));
  const Json picture =
      result_of(api, video_prompt("x", R"("image":{"url":"http://127.0.0.1:1/a.png"})"));
  CHECK(picture["error"]["code"] == "invalid_argument");
}

TEST_CASE("results are stored as files on request and if possible") {
  MediaApi api;
  const auto stored = [&](const char* options) {
    return result_of(api, video_prompt("x", fmt::format(R"("duration":1,"storage_options":{})",
                                                        options)))["video"];
  };
  const Json kept = stored(R"({"filename":"x.mp4","expires_after":7200,"public_url":true})");
  CHECK(kept["file_output"]["filename"] == "x.mp4");
  CHECK(kept["file_output"]["expires_at"] == api.now_ms / 1000 + 7200);
  const std::string shared = kept["file_output"]["public_url"];
  CHECK(api.fetch(shared).body == api.fetch(kept["url"]).body);
  const Json file =
      json_of(api.get("/v1/files/" + kept["file_output"]["file_id"].get<std::string>()));
  CHECK(file["filename"] == "x.mp4");
  const Json expect_error = stored(R"({"filename":"a/b.mp4"})");
  CHECK(mentions(expect_error["storage_error"], "slash"));
  REQUIRE(api.state().with(
      [](Database& database) { return database.run("ALTER TABLE file_chunks RENAME TO lost"); }));
  const Json lost = stored(R"({"filename":"x.mp4"})");
  CHECK(lost["storage_error"] ==
        "The result was not stored: cannot read or write the emulator's state: no such table: "
        "file_chunks.");
  CHECK_FALSE(lost.contains("file_output"));
  CHECK(!expect_error.contains("file_output"));
  CHECK(!expect_error["url"].get<std::string>().empty());
}

TEST_CASE("a result is uploaded to the requested URL") {
  std::string received;
  std::string type;
  int status = 200;
  TestServer bucket({{.method = "PUT",
                      .path = "/bucket/film.mp4",
                      .handler =
                          [&](const emulator::Request& request) {
                            received = request.body;
                            type = request.header("Content-Type").value_or("");
                            CHECK(!request.header("Authorization"));
                            Response response;
                            response.status = status;
                            return response;
                          },
                      .input = emulator::Input::Free,
                      .key = emulator::KeyRequirement::None}});
  MediaApi api;
  const std::string body = video_prompt(
      "x",
      fmt::format(
          R"("duration":1,"output":{{"upload_url":"http://127.0.0.1:{}/bucket/film.mp4?sig=1"}})",
          bucket.port()));
  const Json done = result_of(api, body);
  CHECK(done["status"] == "done");
  CHECK(!done["video"].contains("url"));
  CHECK(type == "video/mp4");
  REQUIRE(emulator::videos::read_mp4(received).has_value());

  // No request is needed for it.
  received.clear();
  const std::string id = submit(api, body);
  CHECK_FALSE(*emulator::videos::process_upload(api.state()));
  api.now_ms += 3000;
  const std::int64_t before = used(api);
  CHECK(*emulator::videos::process_upload(api.state()));
  CHECK(used(api) == before + 500'000'000);
  CHECK(emulator::videos::read_mp4(received).has_value());
  CHECK(poll(api, id)["status"] == "done");
  submit(api, video_prompt("not this one"));
  api.now_ms += 3000;
  CHECK_FALSE(*emulator::videos::process_upload(api.state()));

  status = 204;
  CHECK(result_of(api, body)["status"] == "done");
  for (const int bad : {300, 403}) {
    status = bad;
    const Json failed = result_of(api, body);
    CHECK(failed["status"] == "failed");
    CHECK(mentions(failed["error"]["message"], fmt::format("status {}", bad)));
    CHECK(!mentions(failed["error"]["message"], "sig=1"));
  }
  const Json away = result_of(
      api, video_prompt("x", R"("duration":1,"output":{"upload_url":"https://example.org/x"})"));
  CHECK(mentions(away["error"]["message"], "on this machine only"));
}

}  // namespace svc::test
