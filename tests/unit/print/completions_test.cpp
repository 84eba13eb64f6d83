#include "docgen/completions.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "docgen/completion_model.h"
#include "docgen/topics.h"
#include "small_catalogue.h"

namespace svc::docgen {
namespace {

namespace fs = std::filesystem;

/// A folder with a script and some files to complete.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "svc-complete-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    m_path = pattern;
    fs::create_directory(m_path / "files");
    put("files/a b.txt", "");
    put("files/img.png", "");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(m_path / name) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (m_path / name).string(); }

  /// What `program`, given the file `script` of this folder, writes to standard output.
  [[nodiscard]] std::string run(const std::string& program, const std::string& script) const {
    put("script", script);
    const std::string command = "cd '" + m_path.string() + "' && " + program + " script 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) {
      text.append(buffer, count);
    }
    const int status = ::pclose(pipe);
    CHECK_MESSAGE(WEXITSTATUS(status) == 0, text);
    return text;
  }

 private:
  fs::path m_path{};
};

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// Gives the words as bash does: cut at =, : and @, with the last one in $2 (and its @ again).
constexpr sv k_bash_driver = R"bash(
try() {
  local last=$(($# - 1))
  COMP_WORDS=("$@") COMP_CWORD=$last COMPREPLY=()
  local current=${COMP_WORDS[last]}
  case $current in (*@) current=@ ;; (=) current= ;; esac
  case ${COMP_WORDS[last - 1]} in (*@) current=@$current ;; esac
  _svc svc "$current" "${COMP_WORDS[last - 1]}"
  (IFS='|'; printf '%s\n' "${COMPREPLY[*]}")
}
)bash";

std::string bash(const std::vector<std::string>& lines) {
  const Folder folder;
  std::string script = bash_completion(test::k_small_catalogue) + std::string(k_bash_driver);
  for (const std::string& line : lines) script += "try " + line + "\n";
  return folder.run("bash --norc", script);
}

}  // namespace

TEST_CASE("the model knows words, flags and values") {
  const CompletionModel model = completion_model(test::k_small_catalogue);
  std::string words;
  std::string explained = "help/things/Work with things\nhelp/lookup/Look something up\n";
  for (const Topic& topic : topics()) {
    explained +=
        fmt::format("help/{}/{}\n", topic.name, topic.summary.substr(0, topic.summary.size() - 1));
  }
  for (const CompletionWord& word : model.words) {
    words += word.after + "/" + word.word + "/" + word.help + "\n";
  }
  CHECK(words ==
        "/things/Work with things\n"
        "/lookup/Look something up\n"
        "/help/Explain a command or a topic\n" +
            explained +
            "things/make/Make a thing\n"
            "things/delete/Delete a thing\n"
            "things/parts/Further verbs\n"
            "things parts/add/Add parts\n");
  REQUIRE(model.commands.size() == 4);
  const CompletionCommand& make = model.commands[0];
  CHECK(make.names == std::vector<std::string>{"things make", "things"});
  std::string flags;
  for (const CompletionFlag& flag : make.flags) {
    flags += flag.name + (flag.offered ? "" : "!") + " " +
             std::to_string(static_cast<int>(flag.value.values)) + "\n";
  }
  CHECK(flags ==
        "--text 4\n--count 1\n--store 0\n--no-store 0\n--tier 2\n--shape 2\n--mood 2\n--tools 4\n"
        "--image 3\n--old-count! 1\n--extra! 1\n--magic! 1\n");
  CHECK(model.commands[2].arguments == std::vector<CompletionValue>{{Values::File, {}}});
  CHECK(model.commands[2].last_repeats);
  CHECK(model.commands[3].names == std::vector<std::string>{"lookup"});
}

TEST_CASE("the tables of the bash script") {
  const std::string script = bash_completion(test::k_small_catalogue);
  CHECK(script.starts_with(R"bash(# bash completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $1.
_svc_words() {
  case $1 in
    ('') REPLY='things lookup help' ;;
    ('help') REPLY='things lookup commands emulator formatting environment exit-codes files tools voice' ;;
    ('things') REPLY='make delete parts' ;;
    ('things parts') REPLY='add' ;;
    (*) REPLY= ;;
  esac
}

# The flags of the command $1.
_svc_flags() {
  case $1 in
    ('things make'|'things') REPLY='--text --count --store --no-store --tier --shape --mood --tools --image' ;;
    ('things delete') REPLY='--thing-id --reason' ;;
    ('things parts add') REPLY='--path' ;;
    ('lookup') REPLY='--shell' ;;
    (*) REPLY= ;;
  esac
  REPLY+=' --profile --format --json )bash"));
  CHECK(script.find(R"bash(_svc_values() {
  REPLY=
  case $1 in
    ('things make'|'things')
      case $2 in
        (--text|--tools|@1) REPLY='at' ;;
        (--count|--old-count|--extra|--magic) REPLY='free' ;;
        (--tier) REPLY='words slow fast' ;;
        (--shape) REPLY='words circle square triangle hexagon octagon star' ;;
        (--mood) REPLY='words calm wild' ;;
        (--image) REPLY='file' ;;
      esac
      ;;
    ('things delete')
      case $2 in
        (--thing-id|--reason|@1) REPLY='free' ;;
      esac
      ;;
    ('things parts add')
      case $2 in
        (--path|@rest) REPLY='file' ;;
      esac
      ;;
    ('lookup')
      case $2 in
        (--shell|@1) REPLY='words slow fast' ;;
      esac
      ;;
  esac
  [[ -n $REPLY ]] && return
  case $2 in
    (--profile|-p) REPLY='ask profiles' ;;
    (--format|-f) REPLY='words text json jsonl raw' ;;
)bash") != std::string::npos);
  CHECK(script.ends_with("\ncomplete -F _svc svc\n"));
}

TEST_CASE("bash completes words, flags, values and files") {
  CHECK(bash({"svc ''", "svc th", "svc things ''", "svc things parts ''", "svc -p emulator th"}) ==
        "things|lookup|help\nthings\nmake|delete|parts\nadd\nthings\n");
  CHECK(bash({"svc things --s", "svc things make --t", "svc things delete --r", "svc --forma"}) ==
        "--store|--shape|--set\n--text|--tier|--tools|--timeout|--team-id\n"
        "--reason|--retries|--realtime-url\n--format\n");
  CHECK(bash({"svc things --tier ''", "svc things --tier = f",
              "svc things --tier =", "svc --format js", "svc things --format = r",
              "svc things --count ''"}) == "slow|fast\nfast\nslow|fast\njson|jsonl\nraw\n\n");
  CHECK(bash({"svc things --image files/", "svc -o files/i", "svc things parts add files/i",
              "svc things parts add files/img.png files/i"}) ==
        "files/a b.txt|files/img.png\nfiles/img.png\nfiles/img.png\nfiles/img.png\n");
  CHECK(bash({"svc lookup ''", "svc lookup fast ''", "svc lookup --json f"}) ==
        "slow|fast\n\nfast\n");
}

TEST_CASE("bash completes files behind an @") {
  CHECK(bash({"svc things @ files/", "svc things --tools @ fi", "svc things --tools =@ files/i",
              "svc things @ files/img.png --ti"}) ==
        "@files/a\\ b.txt |@files/img.png \n@files/\n@files/img.png \n--tier|--timeout\n");
  CHECK(bash({"svc things --count @ fi"}) == "\n");
}

TEST_CASE("bash: an argument ends the verbs, -- the flags, a colon belongs to its value") {
  CHECK(bash({"svc things hello de", "svc things -- de", "svc things -- --t",
              "svc things --mood user : Hello --tie", "svc things --mood user :"}) ==
        "\n\n\n--tier\n\n");
  CHECK(bash({"svc things --magic calm de", "svc things --store de"}) == "delete\ndelete\n");
}

TEST_CASE("the zsh script describes what it offers") {
  const std::string script = zsh_completion(test::k_small_catalogue);
  CHECK(script.starts_with(R"zsh(#compdef svc
# zsh completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $1.
_svc_words() {
  reply=()
  case $1 in
    ('')
      reply=(
        'things:Work with things'
        'lookup:Look something up'
        'help:Explain a command or a topic'
      )
      ;;
    ('help')
      reply=(
        'things:Work with things'
)zsh"));
  CHECK(script.find("        '--reason:Why it'\\''s gone'\n") != std::string::npos);
  CHECK(script.find("        (--tier) REPLY='words slow fast' ;;\n") != std::string::npos);
  if (!installed("zsh")) return;
  const Folder folder;
  CHECK(folder.run("zsh -fn", script).empty());
  CHECK(folder.run("zsh -f", "compdef() { print \"compdef $*\" }\n" + script +
                                 "_svc_values things --tier; print $REPLY\n"
                                 "_svc_words 'things parts'; print $reply\n"
                                 "_svc_flags 'things delete'; print -r -- $reply[1,2]\n") ==
        "compdef _svc svc\nwords slow fast\nadd:Add parts\n"
        "--thing-id:The id of the thing --reason:Why it's gone\n");
}

TEST_CASE("the fish script offers the same") {
  const std::string script = fish_completion(test::k_small_catalogue);
  CHECK(script.starts_with(R"fish(# fish completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $argv[1].
function __svc_words
    switch $argv[1]
        case ''
            printf '%s\t%s\n' \
                'things' 'Work with things' \
                'lookup' 'Look something up' \
                'help' 'Explain a command or a topic'
        case 'help'
            printf '%s\t%s\n' \
                'things' 'Work with things' \
)fish"));
  CHECK(script.find("                '--reason' 'Why it\\'s gone'\n") != std::string::npos);
  CHECK(script.find("                case --tier\n                    echo 'words slow fast'\n"
                    "                    return\n") != std::string::npos);
  if (!installed("fish")) return;
  const Folder folder;
  folder.put("svc.fish", script);
  CHECK(
      folder.run("fish --no-config", R"fish(source svc.fish
for line in 'svc ' 'svc things p' 'svc things parts ' 'svc things delete --re' 'svc things --tier ' 'svc things --tier=f' 'svc things --image files/i' 'svc things --tools @files/i' 'svc things hello de' 'svc things -- de'
    echo (complete -C $line | string replace -r '\t.*' '' | string join '|')
end
)fish") ==
      "help|lookup|things\nparts\nadd\n--realtime-url|--reason|--retries\nfast|slow\n--tier=fast\n"
      "files/img.png\n@files/img.png\n\n\n");
}

TEST_CASE("scripts of the whole catalogue are scripts, by the shell's name") {
  CHECK(completion_script("bash", groups()) == bash_completion(groups()));
  CHECK(completion_script("zsh", groups()) == zsh_completion(groups()));
  CHECK(completion_script("fish", groups()) == fish_completion(groups()));
  CHECK(completion_script("tcsh", groups()).empty());
  const Folder folder;
  CHECK(folder.run("bash -n", bash_completion(groups())).empty());
  if (installed("zsh")) CHECK(folder.run("zsh -fn", zsh_completion(groups())).empty());
  if (installed("fish")) CHECK(folder.run("fish -n", fish_completion(groups())).empty());
}

}  // namespace svc::docgen
