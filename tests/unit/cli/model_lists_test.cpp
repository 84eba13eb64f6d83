// The lists of models that this machine keeps, and the note about long contexts.
#include "session/model_lists.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "catalogue/catalogue.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

/// A session whose machine keeps this list of language models, fetched `age` ago.
struct KeptStage {
  explicit KeptStage(const std::string& document, std::chrono::seconds age = 0s,
                     const std::string& whose = "https://host")
      : stage({"chat", "Hi", "--no-stdin", "-v"},
              "[profile.default]\nbase_url = \"https://host\"\n") {
    const std::string path =
        directory.file("svc/models-language-" + sha256(whose).substr(0, 16) + ".json");
    REQUIRE(std::filesystem::create_directory(directory.path() / "svc"));
    REQUIRE(write_file(path, document, Replace::Yes, 0600));
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
  }
  [[nodiscard]] bool knows(std::string_view model) {
    return stage.session().models().find_kept(ModelList::Language, model) != nullptr;
  }
  /// What is noted before a request of `words` words, each of five bytes; "|" for line ends.
  std::string noted(std::size_t words, const std::string& model = "m",
                    const Operation& operation = *find_operation("chat", "create")) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "word ";
    stage.session().models().note_long_context(
        operation,
        R"({"model":")" + model + R"(","messages":[{"role":"user","content":")" + text + "\"}]}");
    return replace_all(stage.err(), "\n", "|");
  }

  test::TemporaryDirectory directory{};
  test::EnvironmentVariable place{"XDG_CACHE_HOME", directory.path()};
  SessionStage stage;
};

const std::string k_list =
    R"({"models":[{"id":"m","long_context_threshold":1000,"prompt_text_token_price":20000,)"
    R"("prompt_text_token_price_long_context":40000},)"
    R"({"id":"same","long_context_threshold":1000,"prompt_text_token_price":20000,)"
    R"("prompt_text_token_price_long_context":20000},)"
    R"({"id":"less","long_context_threshold":100,"prompt_text_token_price":20000,)"
    R"("prompt_text_token_price_long_context":30000},)"
    R"({"id":"bare","long_context_threshold":1000},{"id":"never"}]})";

}  // namespace

TEST_CASE("a list of models is kept for a day, for one service") {
  KeptStage fresh(k_list);
  CHECK(fresh.knows("m"));
  CHECK_FALSE(fresh.knows("n"));
  CHECK(fresh.stage.session().models().find_kept(ModelList::Image, "m") == nullptr);
  CHECK(fresh.stage.session().models().find(ModelList::Language, "m") != nullptr);
  CHECK(KeptStage(k_list, 86'000s).knows("m"));
  CHECK_FALSE(KeptStage(k_list, 86'400s).knows("m"));
  CHECK_FALSE(KeptStage(k_list, -1h).knows("m"));
  CHECK_FALSE(KeptStage(k_list, 0s, "https://other").knows("m"));
  CHECK_FALSE(KeptStage(k_list + "}").knows("m"));
  CHECK_FALSE(KeptStage("{}").knows("m"));
}

TEST_CASE("the prices of an operation are in the list of its models") {
  CHECK(model_list_of(*find_operation("chat", "create")) == ModelList::Language);
  CHECK(model_list_of(*find_operation("responses", "create")) == ModelList::Language);
  CHECK(model_list_of(*find_operation("images", "generate")) == ModelList::Image);
  CHECK(model_list_of(*find_operation("videos", "generate")) == ModelList::Video);
  CHECK(model_list_of(*find_operation("files", "list")) == ModelList::Language);
}

TEST_CASE("a long input is noted once for each model that charges more for it") {
  KeptStage stage(k_list);
  REQUIRE(stage.knows("m"));
  (void)stage.stage.err();
  CHECK(stage.noted(996).empty());
  CHECK(stage.noted(1'200, "same").empty());
  CHECK(stage.noted(1'200, "never").empty());
  CHECK(stage.noted(1'200, "other").empty());
  CHECK(stage.noted(1'200, "m", *find_operation("tokenize", "")).empty());
  CHECK(stage.noted(1'200) ==
        "svc: note: the input has about 1204 tokens: above 1000, m charges more for all tokens of "
        "a request (input $4.00 instead of $2.00 per million tokens)|");
  CHECK(stage.noted(1'200).empty());
  CHECK(stage.noted(997, "bare") ==
        "svc: note: the input has about 1001 tokens: above 1000, bare charges more for all tokens "
        "of a request|");
  CHECK(stage.noted(380, "less").empty());
  CHECK(stage.noted(400, "less") ==
        "svc: note: the input has about 404 tokens: above 100, less charges more for all tokens of "
        "a request (input $3.00 instead of $2.00 per million tokens)|");
}

}  // namespace svc::cli
