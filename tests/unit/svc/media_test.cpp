// Images, videos and search through the library.
#include "fixture.h"
#include "support/mentions.h"
#include "unit/base/temporary_directory.h"

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

TEST_CASE("images are generated, or edited if some are given, with what was asked for") {
  const std::string reply = "reply 200 application/json {\"data\":[]}\nnext\n";
  ClientWorld world(reply + reply);
  REQUIRE(world.client.images(
      {.prompt = "@x", .model = "m", .n = 3, .aspect_ratio = "16:9", .resolution = "2k"}));
  const auto edited =
      world.client.images({.prompt = "Waves", .model = "m", .images = {"https://a/b.png"}});
  REQUIRE_MESSAGE(edited, edited.error().message);
  CHECK(edited->images.empty());
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 2);
  const std::string& body = requests[0].body;
  for (const char* member : {R"("prompt":"@x")", R"("model":"m")", R"("n":3)",
                             R"("aspect_ratio":"16:9")", R"("resolution":"2k")"}) {
    CAPTURE(member);
    CHECK(mentions(body, member));
  }
  CHECK(requests[1].target == "/v1/images/edits");
  CHECK(mentions(requests[1].body, "https://a/b.png"));
  CHECK_FALSE(mentions(requests[1].body, "resolution"));
}

TEST_CASE("a video's job, its progress and what it costs") {
  ClientWorld world(
      "reply 200 application/json {\"request_id\":\"job-1\"}\nnext\n"
      R"(reply 200 application/json {"status":"done","progress":100,"video":{"url":"https://a/v.mp4",)"
      R"("duration":4.5,"respect_moderation":false},"usage":{"cost_in_usd_ticks":7}})"
      "\nnext\nreply 200 application/json {}");
  const auto id = world.client.start_video({.prompt = "Waves",
                                            .model = "m",
                                            .image = "https://a/b.png",
                                            .duration = 6,
                                            .aspect_ratio = "16:9",
                                            .resolution = "720p"});
  REQUIRE_MESSAGE(id, id.error().message);
  CHECK(*id == "job-1");
  const std::string body = world.server->requests().front().body;
  for (const char* member :
       {R"("prompt":"Waves")", R"("model":"m")", "https://a/b.png", R"("duration":6)",
        R"("aspect_ratio":"16:9")", R"("resolution":"720p")"}) {
    CAPTURE(member);
    CHECK(mentions(body, member));
  }
  const auto video = world.client.wait_video(*id, {.poll_interval = 1ms});
  REQUIRE_MESSAGE(video, video.error().message);
  CHECK(video->progress == 100);
  CHECK(video->duration == 4.5);
  CHECK(video->blocked);
  CHECK(video->usage.cost_in_usd_ticks == 7);
  CHECK(mentions(video->json, R"("progress":100)"));
  const auto none = world.client.start_video({.prompt = "Waves"});
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == api::Fault::Network);
}

TEST_CASE("files are uploaded, described, listed, read and deleted") {
  const TemporaryDirectory directory;
  put(directory.file("notes.txt"), "hello");
  const std::string file =
      R"({"id":"f1","filename":"notes.txt","bytes":5,"created_at":7,"expires_at":9})";
  ClientWorld world("reply 200 application/json " + file + "\nnext\nreply 200 application/json " +
                    file +
                    "\nnext\nreply 200 application/json {\"id\":\"f1\",\"deleted\":true}\nnext\n"
                    "reply 200 text/plain hello\nnext\nreply 200 text/plain again\n");
  const auto sent =
      world.client.upload(directory.file("notes.txt"), {.name = "n.md", .content_type = "x/y"});
  REQUIRE_MESSAGE(sent, sent.error().message);
  CHECK(sent->id == "f1");
  CHECK(sent->filename == "notes.txt");
  CHECK(sent->bytes == 5);
  CHECK(sent->created_at == 7);
  CHECK(sent->expires_at == 9);
  CHECK(sent->json == file);
  const auto described = world.client.file("f1");
  REQUIRE(described);
  CHECK(described->id == "f1");
  REQUIRE(world.client.delete_file("f1"));
  const std::string copy = directory.file("copy");
  const auto bytes = world.client.download("f1", copy);
  REQUIRE_MESSAGE(bytes, bytes.error().message);
  CHECK(*bytes == 5);
  CHECK(get(copy) == "hello");
  CHECK_FALSE(world.client.download("f1", copy));
  CHECK(get(copy) == "hello");
  CHECK(world.client.download("f1", copy, {.replace = true}));
  CHECK(get(copy) == "again");
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 5);
  CHECK(requests[0].target == "/v1/files");
  CHECK(mentions(requests[0].body, R"(filename="n.md")"));
  CHECK(mentions(requests[0].body, "Content-Type: x/y\r\n\r\nhello"));
  CHECK(requests[1].target == "/v1/files/f1");
  CHECK(requests[2].method == "DELETE");
  CHECK(requests[2].target == "/v1/files/f1");
  CHECK(requests[3].target == "/v1/files/f1/content");
  CHECK(world.client.files(0)->empty());
}

TEST_CASE("a recording is transcribed from a file or a URL") {
  const TemporaryDirectory directory;
  put(directory.file("a.wav"), "RIFF");
  const std::string transcript =
      R"({"text":"hi you","language":"en","duration":1.5,"words":[{"text":"hi","start":0.1,)"
      R"("end":0.2,"confidence":0.5,"speaker":2},{"text":"you","start":0.3,"end":0.4}]})";
  const std::string reply = "reply 200 application/json " + transcript + "\nnext\n";
  ClientWorld world(reply + reply + reply);
  const auto heard = world.client.transcribe(
      directory.file("a.wav"),
      {.language = "en", .model = "m", .diarize = true, .multichannel = true});
  REQUIRE_MESSAGE(heard, heard.error().message);
  CHECK(heard->text == "hi you");
  CHECK(heard->language == "en");
  CHECK(heard->duration == 1.5);
  REQUIRE(heard->words.size() == 2);
  CHECK(heard->words[0].text == "hi");
  CHECK(heard->words[0].start == 0.1);
  CHECK(heard->words[0].end == 0.2);
  CHECK(heard->words[0].confidence == 0.5);
  CHECK(heard->words[0].speaker == 2);
  CHECK_FALSE(heard->words[1].confidence);
  CHECK(heard->json == transcript);
  for (const char* url : {"https://a/b.wav", "http://a/b.wav"}) {
    REQUIRE(world.client.transcribe(url));
  }
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 3);
  const auto part = [](const char* name, const char* value) {
    return "name=\"" + std::string(name) + "\"\r\n\r\n" + value + "\r\n";
  };
  CHECK(mentions(requests[0].body, "filename=\"a.wav\""));
  CHECK(mentions(requests[0].body, part("language", "en")));
  CHECK(mentions(requests[0].body, part("diarize", "true")));
  CHECK(mentions(requests[0].body, part("multichannel", "true")));
  CHECK(mentions(requests[1].body, part("url", "https://a/b.wav")));
  CHECK(mentions(requests[2].body, part("url", "http://a/b.wav")));
  CHECK_FALSE(mentions(requests[2].body, "diarize"));
}

TEST_CASE("speech comes whole or piece by piece, until it is stopped") {
  ClientWorld world(
      "reply 200 audio/mpeg sound\nnext\nreply 200 audio/mpeg sound\nnext\n"
      "reply 200 audio/mpeg sound\n");
  const auto speech = world.client.speak(
      {.text = "Hi", .voice = "v", .language = "en", .codec = "pcm", .sample_rate = 8'000});
  REQUIRE_MESSAGE(speech, speech.error().message);
  CHECK(speech->audio == "sound");
  CHECK(speech->bytes == 5);
  CHECK(speech->content_type == "audio/mpeg");
  CHECK_FALSE(speech->stopped);
  std::string got;
  const auto pieces = world.client.speak({.text = "Hi"}, [&](std::string_view bytes) {
    got += bytes;
    return true;
  });
  REQUIRE(pieces);
  CHECK(got == "sound");
  CHECK(pieces->audio.empty());
  CHECK(pieces->bytes == 5);
  const auto stopped = world.client.speak({.text = "Hi"}, [](std::string_view) { return false; });
  REQUIRE(stopped);
  CHECK(stopped->stopped);
  CHECK(stopped->bytes == 5);
  const auto requests = world.server->requests();
  const std::string& body = requests[0].body;
  for (const char* member : {R"("text":"Hi")", R"("voice_id":"v")", R"("language":"en")",
                             R"("codec":"pcm")", R"("sample_rate":8000)"}) {
    CAPTURE(member);
    CHECK(mentions(body, member));
  }
  CHECK(mentions(requests[1].body, R"("language":"auto")"));
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
  CHECK(found->front().file_id == "f1");
  CHECK(found->front().chunk_id == "c1");
  CHECK(mentions(found->front().json, R"("chunk_id":"c1")"));
  CHECK(found->front().collection_ids == std::vector<std::string>{"k1"});
  CHECK(mentions(world.server->requests().front().body, R"("query":"filter")"));
}

TEST_CASE("words have the channel that they are from") {
  const TemporaryDirectory directory;
  put(directory.file("a.wav"), "RIFF");
  ClientWorld world(one_reply(
      R"({"text":"hi you","channels":[{"index":0,"words":[{"text":"hi","start":0,"end":1}]},)"
      R"({"index":1,"words":[{"text":"you","start":1,"end":2}]}]})"));
  const auto heard = world.client.transcribe(directory.file("a.wav"), {.multichannel = true});
  REQUIRE_MESSAGE(heard, heard.error().message);
  REQUIRE(heard->words.size() == 2);
  CHECK(heard->words[0].channel == 0);
  CHECK(heard->words[1].channel == 1);
  CHECK_FALSE(heard->words[1].speaker);
  const std::string body = world.server->requests()[0].body;
  CHECK_FALSE(mentions(body, "name=\"language\""));
  CHECK_FALSE(mentions(body, "name=\"model\""));
}

TEST_CASE("a file is uploaded with its own name and type unless others are given") {
  const TemporaryDirectory directory;
  put(directory.file("notes.txt"), "hello");
  const std::string reply = one_reply(R"({"id":"f1"})");
  ClientWorld world(reply + reply + reply);
  const std::string path = directory.file("notes.txt");
  REQUIRE(world.client.upload(path));
  REQUIRE(world.client.upload(path, {.name = "n.json"}));
  REQUIRE(world.client.upload(path, {.content_type = "x/y"}));
  const auto requests = world.server->requests();
  const auto described = [&](std::size_t number, const char* name, const char* type) {
    return mentions(requests[number].body, "filename=\"" + std::string(name) + "\"\r\n" +
                                               "Content-Type: " + type + "\r\n\r\nhello");
  };
  CHECK(described(0, "notes.txt", "text/plain"));
  CHECK(described(1, "n.json", "application/json"));
  CHECK(described(2, "notes.txt", "x/y"));
}

TEST_CASE("a voice and a limit of a search are sent only if they are given") {
  ClientWorld world("reply 200 audio/mpeg sound\nnext\n" + one_reply(R"({"matches":[]})") +
                    one_reply(R"({"matches":[]})"));
  REQUIRE(world.client.speak({.text = "Hi"}));
  REQUIRE(world.client.search({.query = "filter", .collections = {"k1", "k2"}, .limit = 7}));
  REQUIRE(world.client.search({.query = "filter", .collections = {"k1"}}));
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 3);
  CHECK_FALSE(mentions(requests[0].body, "codec"));
  CHECK_FALSE(mentions(requests[0].body, "sample_rate"));
  CHECK(mentions(requests[1].body, R"("collection_ids":["k1","k2"])"));
  CHECK(mentions(requests[1].body, R"("limit":7)"));
  CHECK(mentions(requests[2].body, R"("collection_ids":["k1"])"));
  CHECK_FALSE(mentions(requests[2].body, "limit"));
}
