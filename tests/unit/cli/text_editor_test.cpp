// A text in the user's editor.
#include "conversation/text_editor.h"

#include <filesystem>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "unit/base/temporary_directory.h"

namespace svc::cli {
namespace {

/// What an editor makes of a text, with these variables; or what is said if it fails.
std::string edited(const std::string& text, const std::map<std::string, std::string>& variables) {
  RawTerminal none(-1);
  const auto result =
      edit_text(text, none, Environment{[&](const std::string& name) -> std::optional<std::string> {
                  const auto found = variables.find(name);
                  return found == variables.end() ? std::nullopt : std::optional(found->second);
                }},
                NeverCanceled());
  return result ? *result : result.error().message + " | " + result.error().hint;
}

/// An editor that writes where the text is.
constexpr const char* k_tells_path = R"(sh -c 'printf %s "$0" > "$0"')";

}  // namespace

TEST_CASE("a text is edited by the program of VISUAL, else of EDITOR") {
  CHECK(edited("a tow", {{"EDITOR", "sed -i s/tow/two/"}}) == "a two");
  CHECK(edited("a tow", {{"EDITOR", "sed -i s/tow/two/"}, {"VISUAL", " "}}) == "a two");
  CHECK(edited("a tow", {{"EDITOR", "false"}, {"VISUAL", "sed -i s/tow/too/"}}) == "a too");
  CHECK(edited("a\n\nb\n\n\n", {{"EDITOR", "true"}}) == "a\n\nb");
  CHECK(edited("\n", {{"EDITOR", "true"}}).empty());
  const std::string hint = " | Set EDITOR to the editor you use.";
  CHECK(edited("a", {{"EDITOR", "false"}}) ==
        "the editor 'false' failed; its text is not used" + hint);
  CHECK(edited("a", {{"EDITOR", "kill -TERM $$;"}}) ==
        "the editor 'kill -TERM $$;' failed; its text is not used" + hint);
  CHECK(edited("a", {{"EDITOR", "rm"}}).starts_with("no such file: '/tmp/svc-message-"));
}

TEST_CASE("the text in an editor is a file of its own, which is gone afterwards") {
  const test::TemporaryDirectory directory;
  const std::string path =
      edited("", {{"EDITOR", k_tells_path}, {"TMPDIR", directory.path().string()}});
  CHECK(path.starts_with(directory.file("svc-message-")));
  CHECK(path.ends_with(".md"));
  CHECK(std::filesystem::is_empty(directory.path()));
  CHECK(edited("", {{"EDITOR", k_tells_path}}).starts_with("/tmp/svc-message-"));
  CHECK(edited("", {{"EDITOR", k_tells_path}, {"TMPDIR", ""}}).starts_with("/tmp/svc-message-"));
  CHECK(edited("", {{"EDITOR", "true"}, {"TMPDIR", "/nowhere"}}) ==
        "cannot create a file in /nowhere: No such file or directory | ");
}

}  // namespace svc::cli
