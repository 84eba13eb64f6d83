// Images, videos and search through the library.
#include "fixture.h"
#include "support/mentions.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

TEST_CASE("images have their bytes or their URLs, and say whether they were blocked") {
  ClientWorld world(
      R"(reply 200 application/json {"data":[{"b64_json":"AAEC","mime_type":"image/png",)"
      R"("revised_prompt":"High waves"},{"url":"https://a/b.jpg","respect_moderation":false}],)"
      R"("usage":{"cost_in_usd_ticks":90}})");
  const auto made = world.client.images({.prompt = "Waves", .n = 2});
  REQUIRE(made);
  REQUIRE(made->images.size() == 2);
  CHECK(made->images[0].bytes == std::string("\0\1\2", 3));
  CHECK(made->images[0].mime_type == "image/png");
  CHECK(made->images[0].revised_prompt == "High waves");
  CHECK_FALSE(made->images[0].blocked);
  CHECK(made->images[1].url == "https://a/b.jpg");
  CHECK(made->images[1].blocked);
  CHECK(made->usage.cost_in_usd_ticks == 90);
  CHECK(world.server->requests().front().target == "/v1/images/generations");
}

TEST_CASE("a video is waited for") {
  ClientWorld world(
      "reply 200 application/json {\"request_id\":\"job-1\"}\nnext\n"
      "reply 200 application/json {\"status\":\"pending\",\"progress\":40}\nnext\n"
      R"(reply 200 application/json {"status":"done","video":{"url":"https://a/v.mp4",)"
      R"("duration":4}})");
  const auto made = world.client.video({.prompt = "Waves"}, {.poll_interval = 1ms});
  REQUIRE(made);
  CHECK(made->id == "job-1");
  CHECK(made->status == "done");
  CHECK(made->url == "https://a/v.mp4");
  CHECK(made->duration == 4);
  CHECK(world.server->requests().back().target == "/v1/videos/job-1");
}

TEST_CASE("a search returns passages") {
  ClientWorld world(
      R"(reply 200 application/json {"matches":[{"chunk_content":"The filter is changed",)"
      R"("score":0.5,"file_id":"f1","chunk_id":"c1","collection_ids":["k1"],"page_number":3}]})");
  const auto found = world.client.search({.query = "filter", .collections = {"k1"}});
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK(found->front().text == "The filter is changed");
  CHECK(found->front().score == 0.5);
  CHECK(found->front().page == 3);
  CHECK(found->front().collection_ids == std::vector<std::string>{"k1"});
  CHECK(mentions(world.server->requests().front().body, R"("query":"filter")"));
}
