#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "call_world.h"
#include "client/config_file.h"
#include "client/config_write.h"
#include "support/environment_variable.h"
#include "support/mentions.h"
#include "temp_directory.h"

using namespace svc;
using test::mentions;
using test::slurp;
using test::TempDirectory;

namespace {

ConfigFile load(const std::filesystem::path& path) {
  auto file = ConfigFile::load(path);
  REQUIRE_MESSAGE(file.has_value(), (file ? std::string() : file.error().message));
  return *std::move(file);
}

Error load_error(const std::filesystem::path& path) {
  auto file = ConfigFile::load(path);
  REQUIRE(!file.has_value());
  return file.error();
}

}  // namespace

TEST_CASE("a table whose name is not a key is rejected") {
  const TempDirectory directory;
  for (const char* text : {"[=i.exl]\n", "[[%]]\n", "[profile.!]\n"}) {
    CHECK(load_error(directory.write("bad.toml", text)).fault == Fault::Usage);
  }
}

TEST_CASE("non-ASCII letters are allowed only in strings and comments") {
  const TempDirectory directory;
  const auto path =
      directory.write("good.toml",
                      "# \u00e9\n[profile.'caf\u00e9']\nmodel = \"\ufebf \\\" \u00e9\" # \u00e9\n"
                      "voice = \"\"\"\n\u00e9\"\n\"\"\"\n");
  CHECK(load(path).has_profile("caf\u00e9"));
  const auto lines = directory.write("lines.toml",
                                     "[profile.a]\nmodel = \"\"\"x\\\n  \u00e9\"\"\"\"\n"
                                     "voice = '\u00e9\\n\"'\nbase_url = '''\u00e9'''''\n");
  CHECK(load(lines).value("a", "model")->text == "x\u00e9\"");
  CHECK(load(lines).value("a", "voice")->text == "\u00e9\\n\"");
  CHECK(load(lines).value("a", "base_url")->text == "\u00e9''");
  CHECK(mentions(load_error(directory.write("bad.toml", "a = '\u00e9' x\n")).message, "column 9"));
  for (const char* text : {"ofidz\ufebfel", "\u00e9 = 1\n", "a = \u00e9\n", "[pro\u00a1]\n"}) {
    CAPTURE(text);
    const Error error = load_error(directory.write("bad.toml", std::string("\n") + text));
    CHECK(error.fault == Fault::Usage);
    CHECK(mentions(error.message, "line 2, column"));
  }
}

TEST_CASE("no file, no directory and no home give no profiles") {
  const TempDirectory directory;
  CHECK(load(directory.path() / "none.toml").profiles().empty());
  CHECK(load(directory.path() / "a" / "b" / "none.toml").profiles().empty());
  CHECK_FALSE(load({}).exists());
}

TEST_CASE("profiles and their values are read as text, with line numbers") {
  const TempDirectory directory;
  const auto path = directory.write("config.toml",
                                    "default_profile = \"work\"\n[profile.work]\nmodel = 'm'\n"
                                    "retries = 3\ntimeout = 1.5\n[profile.home]\n");
  const ConfigFile file = load(path);
  CHECK(file.exists());
  CHECK(file.default_profile() == "work");
  CHECK(file.profiles().size() == 2);
  CHECK(file.has_profile("home"));
  REQUIRE(file.value("work", "retries") != nullptr);
  CHECK(file.value("work", "retries")->text == "3");
  CHECK(file.value("work", "retries")->line == 4);
  CHECK(file.value("work", "timeout")->text == "1.5");
  CHECK(file.value("home", "model") == nullptr);
  CHECK(file.value("none", "model") == nullptr);
  CHECK(file.warnings().empty());
}

TEST_CASE("invalid TOML is reported with line and column") {
  const TempDirectory directory;
  const Error error = load_error(directory.write("config.toml", "[profile.work]\nmodel = = 1\n"));
  CHECK(error.fault == Fault::Usage);
  CHECK(mentions(error.message, "config.toml is not valid TOML: line 2, column 9"));
  CHECK_FALSE(error.hint.empty());
  // Truncated, as by a careless writer.
  const Error cut = load_error(directory.write("config.toml", "[profile.work]\nmodel = \"svc-4"));
  CHECK(mentions(cut.message, "line 2"));
  // A character that the library does not support, and a byte that is not UTF-8.
  const Error foreign = load_error(directory.write("config.toml", "a\xef\xba\xbf = \"\xff\"\n"));
  CHECK(mentions(foreign.message, "line 1, column 2"));
  CHECK(mentions(load_error(directory.write("config.toml", "a = 1\n\xff = 2\n")).message,
                 "line 2, column 1"));
  const Error hostile = load_error(directory.write("config.toml", "\x1b]0;x\x07 = 1\n"));
  CHECK(hostile.message.find('\x1b') == std::string::npos);
}

TEST_CASE("a value of the wrong type is rejected with its line") {
  const TempDirectory directory;
  const std::string path = (directory.path() / "config.toml").string();
  const auto check = [&](const std::string& text, const std::string& name, int line,
                         const std::string& what) {
    const Error error = load_error(directory.write("config.toml", text));
    CHECK(error.fault == Fault::Usage);
    CHECK(error.message == name + "in line " + std::to_string(line) + " of " + path + what);
  };
  check("[profile.work]\nmodel = ['a']\n", "model ", 2, " must be a string or a number");
  check("profile = 3\n", "profile ", 1, " must be tables, such as [profile.work]");
  check("[profile]\nwork = 3\n", "profile.work ", 2, " must be a table, such as [profile.work]");
  check("default_profile = 3\n", "default_profile ", 1, " must be a string");
  check("[alias]\na = 3\n", "alias a ", 2, " must be a string");
  check("[profile.work]\ntemplates = 3\n", "templates ", 2, " must be tables");
  check("[profile.work.templates]\nt = 3\n", "template t ", 2, " must be a table");
  check("[profile.work.templates.t]\na = [[1]]\n", "a ", 2,
        " must be a string, number, boolean, or an array of them");
  check("[profile.work.templates.t]\na = 1979-05-27\n", "a ", 2,
        " must be a string, number, boolean, or an array of them");
  check("[profile.work]\nprices = 3\n", "prices ", 2, " must be a table");
  const Error price =
      load_error(directory.write("config.toml", "[profile.work.prices]\nimage = [3]\n"));
  CHECK_MESSAGE(price.message.starts_with("in line 2 of " + path + ": the price image must be"),
                price.message);
}

TEST_CASE("a typo is a warning with a suggestion") {
  const TempDirectory directory;
  const ConfigFile file =
      load(directory.write("config.toml", "[profile.work]\nbase_urll = 'x'\n[profiles.home]\n"));
  REQUIRE(file.warnings().size() == 2);
  const std::string path = (directory.path() / "config.toml").string();
  CHECK(file.warnings()[0] ==
        "base_urll in line 2 of " + path + " is not a setting; did you mean base_url?");
  CHECK(file.warnings()[1] ==
        "profiles in line 3 of " + path + " is not a setting; did you mean profile?");
  const ConfigFile far = load(directory.write("config.toml", "quux = 1\nalias = 3\n"));
  REQUIRE(far.warnings().size() == 2);
  CHECK(far.warnings()[0] == "quux in line 1 of " + path + " is not a setting");
}

TEST_CASE("a key in the file is never used, and rejected if others can read it") {
  const TempDirectory directory;
  for (const std::string name :
       {"api_key", "management-api-key", "token", "Secret", "password", "x_bearer"}) {
    const std::string text = "[profile.work]\n" + name + " = 'svc-secret-secret-secret'\n";
    const ConfigFile file = load(directory.write("config.toml", text, 0600));
    REQUIRE(file.warnings().size() == 1);
    CHECK(mentions(file.warnings()[0], "is ignored"));
    CHECK_FALSE(mentions(file.warnings()[0], "secret-secret"));
    CHECK(file.value("work", name) == nullptr);

    for (const mode_t mode : {0640U, 0604U}) {
      CHECK(load_error(directory.write("config.toml", text, mode)).fault == Fault::Local);
    }
    const Error error = load_error(directory.write("config.toml", text, 0644));
    CHECK(error.fault == Fault::Local);
    CHECK(error.message == name + " in line 2 of " + (directory.path() / "config.toml").string() +
                               " is a key that other users of this machine can read");
    CHECK(error.hint ==
          "Remove that line and create a new key; `svc auth login` stores it safely.");
  }
  CHECK(load(directory.write("config.toml", "[profile.work]\nmodel = 'm'\n", 0644))
            .warnings()
            .empty());
}

TEST_CASE("a file that others can change is rejected, or its commands are not run") {
  const TempDirectory directory;
  const std::string text = "[profile.work]\nkey_command = 'pass'\n";
  const Error error = load_error(directory.write("config.toml", text, 0666));
  const std::string path = (directory.path() / "config.toml").string();
  CHECK(error.fault == Fault::Local);
  CHECK(error.message == path + " is ignored because anyone can write to it");
  CHECK(error.hint == "`chmod 600 " + path + "` fixes that.");
  CHECK(load(directory.write("config.toml", text, 0660)).trust_issue() ==
        TrustIssue::GroupCanWrite);
  CHECK(load(directory.write("config.toml", text, 0644)).trust_issue() == TrustIssue::None);
}

TEST_CASE("another user's file, as mounted into a container, is read unless it contains a key") {
  if (geteuid() != 0) return;  // nobody else can give files away
  const TempDirectory directory;
  const auto foreign = [&](const std::string& text) {
    const auto path = directory.write("config.toml", text, 0600);
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    return path;
  };
  const ConfigFile file = load(foreign("[profile.work]\nmodel = 'm'\nkey_command = 'pass'\n"));
  CHECK(file.trust_issue() == TrustIssue::ForeignOwner);
  REQUIRE(file.value("work", "model") != nullptr);
  CHECK(file.value("work", "model")->text == "m");

  const Error error = load_error(foreign("[profile.work]\napi_key = 'svc-secret-secret-secret'\n"));
  CHECK(error.fault == Fault::Local);
  CHECK(mentions(error.message, "other users of this machine can read"));
  CHECK_FALSE(mentions(error.message + error.hint, "secret-secret"));
}

TEST_CASE("a file that cannot be loaded has only its path") {
  const TempDirectory directory;
  directory.write("svc/config.toml", "not TOML");
  const EnvironmentVariable place("XDG_CONFIG_HOME", directory.path());
  CHECK_FALSE(ConfigFile::load_default());
  const ConfigFile file = ConfigFile::unread_default();
  CHECK(file.path() == directory.path() / "svc/config.toml");
  CHECK(file.exists());
  CHECK(file.is_unread());
  CHECK(file.profiles().empty());
}

TEST_CASE("a file that cannot be looked at is warned of, and there are no profiles") {
  const TempDirectory directory;
  const auto loop = directory.path() / "config.toml";
  std::filesystem::create_symlink("config.toml", loop);
  const ConfigFile file = load(loop);
  REQUIRE(file.warnings().size() == 1);
  CHECK(file.warnings()[0].ends_with(
      "config.toml cannot be read: Too many levels of symbolic links"));
  CHECK_FALSE(file.exists());
  CHECK(file.profiles().empty());
  CHECK(file.path() == loop);
}

TEST_CASE("the text of a configuration to edit") {
  const TempDirectory directory;
  const std::string text = "# mine\n[profile.a]\n";
  CHECK(read_config_text(directory.write("config.toml", text)).value() == text);
  CHECK(read_config_text(directory.path() / "none.toml").value().empty());
  CHECK_FALSE(read_config_text(directory.path()));
}

TEST_CASE("a directory instead of the file is an error") {
  const TempDirectory directory;
  std::filesystem::create_directory(directory.path() / "config.toml");
  CHECK_FALSE(load_error(directory.path() / "config.toml").message.empty());
}

TEST_CASE("a file behind a link is read, and replaced behind the link") {
  const TempDirectory directory;
  const auto real = directory.write("dotfiles/svc.toml", "[profile.work]\nmodel = 'm' # mine\n");
  const auto link = directory.path() / "config.toml";
  std::filesystem::create_symlink(real, link);
  CHECK(load(link).value("work", "model")->text == "m");
  REQUIRE(write_config_value(link, "work", "voice", "eve"));
  CHECK(std::filesystem::is_symlink(link));
  CHECK(slurp(real) == "[profile.work]\nmodel = 'm' # mine\nvoice = \"eve\"\n");
}

TEST_CASE("writing creates directory and file, both private, and keeps existing content") {
  const TempDirectory directory;
  const auto path = directory.path() / "svc" / "config.toml";
  REQUIRE(write_config_value(path, "work", "model", "svc-4.5"));
  REQUIRE(write_config_value(path, "work", "retries", "3"));
  REQUIRE(write_config_value(path, "default", "key_command", "pass \"svc\"\\x"));
  REQUIRE(write_default_profile(path, "work"));
  CHECK(test::mode_of(path) == 0600);
  CHECK(test::mode_of(path.parent_path()) == 0700);
  const ConfigFile file = load(path);
  CHECK(file.default_profile() == "work");
  CHECK(file.value("work", "model")->text == "svc-4.5");
  CHECK(mentions(slurp(path), "retries = 3\n"));
  CHECK(file.value("default", "key_command")->text == "pass \"svc\"\\x");

  REQUIRE(write_config_value(path, "work", "model", std::nullopt));
  REQUIRE(write_config_value(path, "nobody", "model", std::nullopt));
  CHECK_FALSE(write_default_profile(path, "no name"));
  CHECK_FALSE(write_template(path, "no name", "t", "prompt = \"x\"\n", NeverCanceled()));
  REQUIRE(write_default_profile(path, std::nullopt));
  CHECK(load(path).value("work", "model") == nullptr);
  CHECK_FALSE(load(path).has_profile("nobody"));
  CHECK_FALSE(load(path).default_profile().has_value());
}

TEST_CASE("a value is written as what its setting is: a number, a truth or a text") {
  const TempDirectory directory;
  const auto path = directory.write("config.toml", "[profile.p] # mine\nmodel = {a = 1}\n");
  REQUIRE(write_config_value(path, "p", "retries", "3"));
  REQUIRE(write_config_value(path, "p", "history", "false"));
  REQUIRE(write_config_value(path, "p", "render", "true"));
  REQUIRE(write_config_value(path, "p", "notify", "30s"));
  REQUIRE(write_config_value(path, "p", "keys", "vi"));
  REQUIRE(write_config_value(path, "p", "team_id", "7"));
  REQUIRE(write_config_value(path, "p", "voice", "true"));
  REQUIRE(write_config_value(path, "p", "model", "true"));
  REQUIRE(write_default_profile(path, "true"));
  REQUIRE(write_alias(path, "history", "true"));
  REQUIRE(write_template(path, "p", "t", "prompt = \"x\"", NeverCanceled()));
  REQUIRE(write_template(path, "q", "u", "prompt = \"y\"", NeverCanceled()));
  CHECK(slurp(path) ==
        "default_profile = \"true\"\n[profile.p] # mine\nmodel = \"true\"\nretries = 3\nhistory = "
        "false\nrender = true\nnotify = \"30s\"\nkeys = \"vi\"\nteam_id = \"7\"\nvoice = "
        "\"true\"\n\n[alias]\nhistory = \"true\"\n\n[profile.p.templates.t]\nprompt = "
        "\"x\"\n\n[profile.q.templates.u]\nprompt = \"y\"\n");
  CHECK(*read_template(path, "q", "u") == "prompt = \"y\"\n");
  CHECK(read_template(path, "q", "none")->empty());
  REQUIRE(write_template(path, "q", "u", "", NeverCanceled()));
  CHECK(read_template(path, "q", "u")->empty());
  CHECK_FALSE(mentions(slurp(path), "profile.q"));
}

TEST_CASE("with the last template its tables are removed, and nothing else") {
  const TempDirectory directory;
  const std::string one = "[profile.p.templates.t]\nprompt = \"x\"\n";
  for (const std::string before :
       {"# mine\n", "# mine\n[profile.p] # too\n", "# mine\n[profile.p.templates]\n",
        "# mine\n[profile.q]\nmodel = 'm'\n\n"}) {
    const auto path = directory.write("config.toml", before + one);
    REQUIRE(write_template(path, "p", "t", "", NeverCanceled()));
    CHECK(slurp(path) == before);
    REQUIRE(write_template(path, "p", "t", "", NeverCanceled()));
    REQUIRE(write_template(path, "none", "t", "", NeverCanceled()));
    CHECK(slurp(path) == before);
  }
  const std::string two = "# mine\n[profile.p.templates.a]\nprompt = 'y'\n\n";
  const auto path = directory.write("config.toml", two + one);
  REQUIRE(write_template(path, "p", "t", "", NeverCanceled()));
  CHECK(slurp(path) == two);
}

TEST_CASE("a file with wider permissions becomes private when written") {
  const TempDirectory directory;
  const auto path = directory.write("config.toml", "[profile.work]\n", 0644);
  REQUIRE(write_config_value(path, "work", "model", "m"));
  CHECK(test::mode_of(path) == 0600);
}

TEST_CASE("tables in other notations are changed correctly") {
  const TempDirectory directory;
  for (const std::string text :
       {"profile.work.model = 'a'\n", "profile = { work = { model = 'a' } }\n",
        "[profile]\nwork.model = 'a'\n", "[profile]\nwork = { model = 'a', voice = 'v' }\n",
        "[profile.\"w\\u006Frk\"]\nmodel = 'a'\n"}) {
    const auto path = directory.write("config.toml", text);
    REQUIRE(write_config_value(path, "work", "model", "b"));
    REQUIRE(write_config_value(path, "work", "team_id", "t"));
    CHECK_MESSAGE(load(path).value("work", "model")->text == "b", text);
    CHECK(load(path).value("work", "team_id")->text == "t");
    REQUIRE(write_config_value(path, "work", "model", std::nullopt));
    CHECK(load(path).value("work", "model") == nullptr);
    CHECK(load(path).value("work", "team_id")->text == "t");
  }
}

TEST_CASE("an invalid file is not overwritten") {
  const TempDirectory directory;
  const auto path = directory.write("config.toml", "[profile.work\nmodel = 1\n");
  const auto written = write_config_value(path, "work", "model", "m");
  REQUIRE(!written);
  CHECK(written.error().fault == Fault::Usage);
  CHECK(slurp(path) == "[profile.work\nmodel = 1\n");
}

TEST_CASE("without a directory for the file, the write error names the missing variable") {
  const auto written = write_config_value({}, "work", "model", "m");
  REQUIRE(!written);
  CHECK(written.error().fault == Fault::Local);
  CHECK(written.error().message ==
        "no directory for the configuration: neither XDG_CONFIG_HOME nor HOME is set");
  CHECK(written.error().hint ==
        "Set one of them, or use flags and environment variables such as SVC_BASE_URL.");
}

TEST_CASE("what is no table is not made one") {
  const TempDirectory directory;
  const std::string text = "profile = 3\nalias = 4\n";
  const auto path = directory.write("config.toml", text);
  struct Row {
    Result<void> done;
    const char* table;
  };
  for (const Row& row :
       {Row{write_config_value(path, "work", "model", "m"), "profile.work"},
        Row{add_profile(path, "work"), "profile.work"}, Row{write_alias(path, "a", "b"), "alias"},
        Row{write_template(path, "work", "t", "prompt = \"x\"\n", NeverCanceled()),
            "profile.work.templates.t"}}) {
    REQUIRE_FALSE(row.done);
    CHECK(row.done.error().fault == Fault::Usage);
    CHECK(row.done.error().message ==
          path.string() + " has [" + row.table + "], but it is not a table");
  }
  CHECK(write_config_value(path, "work", "model", std::nullopt));
  CHECK(write_alias(path, "a", std::nullopt));
  CHECK(slurp(path) == text);
}

TEST_CASE("a configuration that was changed while it was edited is not overwritten") {
  const TempDirectory directory;
  const auto path = directory.write("config.toml", "[profile.a]\n");
  const auto late = write_config_text(path, "[profile.b]\n", "[profile.c]\n");
  REQUIRE_FALSE(late);
  CHECK(late.error().fault == Fault::Usage);
  CHECK(late.error().message == "the configuration was changed meanwhile; nothing was saved");
  CHECK(late.error().hint == "Edit it again.");
  CHECK(slurp(path) == "[profile.a]\n");
  REQUIRE(write_config_text(path, "[profile.a]\n", "[profile.c]\n"));
  CHECK(slurp(path) == "[profile.c]\n");
}

TEST_CASE("a profile is added once, and its name is checked") {
  const TempDirectory directory;
  const auto path = directory.path() / "config.toml";
  REQUIRE(add_profile(path, "work"));
  REQUIRE(add_profile(path, "work"));
  CHECK(slurp(path) == "[profile.work]\n");
  for (const std::string name : {"", "a b", "a.b", "../x", "-x", "\xC3\xA4", "a\nb"}) {
    CHECK(!add_profile(path, name));
    CHECK(!check_profile_name(name));
  }
  CHECK(!check_profile_name(std::string(65, 'a')));
  CHECK(check_profile_name(std::string(64, 'a')));
  for (const char* name : {"Work_2-b", "a", "z", "A", "Z", "0", "9", "_", "a-"}) {
    CHECK(check_profile_name(name));
  }
  for (const char other : {'`', '{', '@', '[', '/', ':'}) {
    CHECK_FALSE(check_profile_name(std::string(1, other)));
  }
}

TEST_CASE("200 writers at once lose nothing") {
  const TempDirectory directory;
  const auto path = directory.path() / "config.toml";
  constexpr int count = 200;
  std::vector<std::string> failures(count);
  {
    std::vector<std::jthread> writers;  // owned here, joined at the end of the block
    for (int i = 0; i < count; ++i) {
      writers.emplace_back([&, i] {
        const auto done = write_config_value(path, "p" + std::to_string(i), "model", "m");
        if (!done) failures[static_cast<std::size_t>(i)] = done.error().message;
      });
    }
  }
  for (const std::string& failure : failures) CHECK(failure.empty());
  CHECK(load(path).profiles().size() == count);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    CAPTURE(entry.path());
    ++files;
  }
  CHECK(files == 2);  // the configuration and its lock
}

TEST_CASE("waiting for the lock can be canceled") {
  const TempDirectory directory;
  const auto path = directory.path() / "config.toml";
  const auto held = FileLock::acquire((directory.path() / "config.lock").string());
  REQUIRE(held);
  test::Switch cancel;
  cancel.cancel();
  for (const auto& done :
       {write_config_value(path, "p", "model", "m", cancel),
        write_default_profile(path, "p", cancel), add_profile(path, "p", cancel)}) {
    REQUIRE_FALSE(done);
    CHECK(done.error().fault == Fault::Interrupted);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a key in a text that is no file is only warned of") {
  const auto parsed = ConfigFile::parse("config.toml", "[profile.a]\napi_key = \"x\"\n");
  REQUIRE(parsed);
  REQUIRE(parsed->warnings().size() == 1);
  CHECK(parsed->warnings().front() ==
        "api_key in line 2 of config.toml is ignored: keys do not belong in this file; store it "
        "with `svc auth login`, or set key_command or key_file");
}
