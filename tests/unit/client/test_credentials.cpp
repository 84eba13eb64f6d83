#include <map>

#include <doctest/doctest.h>

#include "base/url.h"
#include "client/credentials.h"
#include "support/mentions.h"
#include "temp_directory.h"
#include "variables.h"

using namespace svc;
using test::environment;
using test::mentions;
using test::slurp;
using test::TempDirectory;
using test::Variables;

namespace {

const std::string k_found_key = "svc-0123456789abcdefwxyz";
const std::string k_other = "svc-9876543210fedcbaABCD";

/// A configuration directory, its file and the resulting settings.
struct KeyWorld {
  explicit KeyWorld(const std::string& toml = "", Variables given = {}, mode_t mode = 0600)
      : variables(std::move(given)) {
    const auto path = directory.write("svc/config.toml", toml, mode);
    auto loaded = ConfigFile::load(path);
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message));
    file = *std::move(loaded);
    auto resolved = resolve_settings({}, environment(variables), file);
    REQUIRE_MESSAGE(resolved.has_value(), (resolved ? std::string() : resolved.error().message));
    settings = *std::move(resolved);
  }

  [[nodiscard]] Result<Credential> find(KeyKind kind = KeyKind::Inference) const {
    return find_credential(kind, settings, environment(variables), file);
  }
  [[nodiscard]] Credential found(KeyKind kind = KeyKind::Inference) const {
    auto credential = find(kind);
    REQUIRE_MESSAGE(credential.has_value(), (credential ? "" : credential.error().message));
    return *std::move(credential);
  }
  [[nodiscard]] Error error(KeyKind kind = KeyKind::Inference) const {
    auto credential = find(kind);
    REQUIRE(!credential.has_value());
    return credential.error();
  }

  TempDirectory directory{};
  Variables variables;
  ConfigFile file{};
  Settings settings{};
};

}  // namespace

TEST_CASE("without a key the error lists every way to set one") {
  const KeyWorld world;
  const Error error = world.error();
  CHECK(error.fault == Fault::Auth);
  CHECK(error.message == "no API key for profile default");
  CHECK(error.hint ==
        "Store one with `svc auth login`, set SVC_API_KEY, or set key_command in the profile. "
        "Without an account, try the same command with `-p emulator`.");
  const Error management = world.error(KeyKind::Management);
  CHECK(management.fault == Fault::Auth);
  CHECK(management.message == "no management key for profile default");
  CHECK(management.hint ==
        "Store one with `svc auth login --management`, set SVC_MANAGEMENT_API_KEY, or set "
        "management_key_command in the profile. Without an account, try the same command with "
        "`-p emulator`.");
}

TEST_CASE("environment, command, file, store: the first one with a key is used") {
  const std::string toml =
      "[profile.default]\nkey_command = 'echo svc-from-command'\nkey_file = 'key.txt'\n";
  KeyWorld world(toml);
  world.directory.write("svc/key.txt", "svc-from-file\n");
  REQUIRE(store_key(KeyKind::Inference, "default", "svc-stored", world.file));

  CHECK(world.found().key == "svc-from-command");
  CHECK(world.found().source == "key_command of profile default");
  world.variables["SVC_API_KEY"] = k_found_key;
  CHECK(world.found().key == k_found_key);
  CHECK(world.found().source == "environment SVC_API_KEY");
  CHECK(world.found().file.empty());

  world.variables.clear();
  world.settings.key_command = {};
  CHECK(world.found().key == "svc-from-file");
  CHECK(world.found().source.starts_with("key_file "));
  CHECK(world.found().source.ends_with("svc/key.txt"));
  CHECK(world.found().file == (world.directory.path() / "svc/key.txt").string());
  world.settings.key_file = {};
  CHECK(world.found().key == "svc-stored");
  CHECK(world.found().source == "stored for profile default");
  CHECK(world.found().file == stored_key_path(KeyKind::Inference, "default", world.file).string());
}

TEST_CASE("the kinds of keys do not mix") {
  KeyWorld world("[profile.default]\nmanagement_key_command = 'echo svc-m'\n",
                 {{"SVC_API_KEY", k_found_key}});
  CHECK(world.found().key == k_found_key);
  CHECK(world.found(KeyKind::Management).key == "svc-m");
  world.variables = {{"SVC_MANAGEMENT_KEY", k_other}};
  CHECK(world.found(KeyKind::Management).key == k_other);
  CHECK(world.found(KeyKind::Management).source == "environment SVC_MANAGEMENT_KEY");
  CHECK(world.error().fault == Fault::Auth);
  world.variables["SVC_MANAGEMENT_API_KEY"] = k_found_key;
  CHECK(world.found(KeyKind::Management).source == "environment SVC_MANAGEMENT_API_KEY");
}

TEST_CASE("a failing command is an error") {
  KeyWorld world("[profile.default]\nkey_command = 'exit 4'\n");
  REQUIRE(store_key(KeyKind::Inference, "default", k_found_key, world.file));
  CHECK(world.error().fault == Fault::Auth);
  CHECK(mentions(world.error().message, "exit code 4"));
}

TEST_CASE("a command is not run if others can change the file") {
  const KeyWorld world("[profile.default]\nkey_command = 'echo svc-x'\n", {}, 0660);
  const Error error = world.error();
  const std::string path = (world.directory.path() / "svc/config.toml").string();
  CHECK(error.fault == Fault::Local);
  CHECK(error.message ==
        "key_command of profile default is not run because others can change " + path);
  CHECK(error.hint == "`chmod 600 " + path + "` fixes that.");
}

TEST_CASE("a command is not run if another user owns the file, but a key_file is read") {
  if (geteuid() != 0) return;  // nobody else can give files away
  const TempDirectory directory;
  const auto found = [&](const std::string& text) {
    const auto path = directory.write("config.toml", "[profile.default]\n" + text, 0644);
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    const auto file = ConfigFile::load(path);
    REQUIRE(file);
    const auto settings = resolve_settings({}, Environment{}, *file);
    REQUIRE(settings);
    return find_credential(KeyKind::Inference, *settings, Environment{}, *file);
  };
  const auto refused = found("key_command = 'echo svc-x'\n");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Local);
  const std::string path = (directory.path() / "config.toml").string();
  CHECK(refused.error().message ==
        "key_command of profile default is not run because another user owns " + path);
  CHECK(refused.error().hint ==
        "Use an environment variable or key_file, or make the file yours: `chown 0 " + path + "`.");
  const auto key = directory.write("key", "svc-from-the-file");
  CHECK(found("key_file = '" + key.string() + "'\n")->key == "svc-from-the-file");
}

TEST_CASE("an empty variable counts as unset") {
  const Environment environment{[](const std::string& name) -> std::optional<std::string> {
    if (name == "UNSET") return std::nullopt;
    return name == "EMPTY" ? "" : " ";
  }};
  CHECK_FALSE(environment("UNSET"));
  CHECK_FALSE(environment("EMPTY"));
  CHECK(environment("BLANK") == " ");
  CHECK(KeyWorld("", {{"SVC_API_KEY", ""}}).error().fault == Fault::Auth);
}

TEST_CASE("a key that could forge a header is rejected from every source and never shown") {
  struct Bad {
    std::string key;
    std::string_view why;
    std::string_view hint;
  };
  const std::string_view alone = "Use the key alone.";
  const std::string_view no_name = "Use the key alone, without \"Bearer\" or a name.";
  const std::string_view no_quotes = "Remove the quotes.";
  for (const Bad& bad :
       {Bad{"svc-hid\nX-Evil: 1", "contains a line break", alone},
        Bad{"svc-hid\r", "contains a line break", alone},
        Bad{"svc-hid den", "contains a space", no_name},
        Bad{"Bearer svc-hid", "contains a space", no_name},
        Bad{"svc-hid\t", "contains a space", no_name},
        Bad{"'svc-hid'", "contains a quote", no_quotes},
        Bad{"\"svc-hid", "contains a quote", no_quotes},
        Bad{"svc-hid`", "contains a quote", no_quotes},
        Bad{"svc-hid\x01", "contains a control character", ""},
        Bad{"svc-hid\x1F", "contains a control character", ""},
        Bad{"svc-hid\x7F", "contains a control character", ""},
        Bad{"svc-hid\x80", "contains a non-ASCII character", ""},
        Bad{"svc-hid\xC3\xA4", "contains a non-ASCII character", ""},
        Bad{std::string(4097, 'a'), "is longer than 4096 bytes", "It may be an entire file."}}) {
    CAPTURE(bad.why);
    const KeyWorld world("", {{"SVC_API_KEY", bad.key}});
    const Error error = world.error();
    CHECK(error.fault == Fault::Usage);
    CHECK(error.message == "SVC_API_KEY: the key " + std::string(bad.why));
    CHECK(error.hint == bad.hint);
    CHECK(!store_key(KeyKind::Inference, "default", bad.key, world.file));
  }
  const auto empty = check_key("the key", "");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == "the key: the key is empty");
  CHECK(empty.error().hint == "Unset it, or set it to a key.");
  CHECK(check_key("x", std::string(4096, 'a')));
  CHECK(check_key("x", "~}|{"));
  const KeyWorld command("[profile.default]\nkey_command = 'echo a b'\n");
  CHECK(command.error().fault == Fault::Usage);
  CHECK(command.error().message == "key_command of profile default: the key contains a space");
  CHECK(check_key("x", "svc-AZaz09-._~+/=!#$%&*").has_value());
}

TEST_CASE("a key file must be private, regular and present") {
  KeyWorld world("[profile.default]\nkey_file = 'key.txt'\n");
  CHECK_FALSE(world.find().has_value());
  world.directory.write("svc/key.txt", "svc-key", 0644);
  Error error = world.error();
  CHECK(error.fault == Fault::Local);
  CHECK(mentions(error.hint, "chmod"));
  CHECK(key_title(KeyKind::Inference) == "API key");
  CHECK(key_title(KeyKind::Management) == "management key");
  world.directory.write("svc/key.txt", "svc-key\r\n\n", 0400);
  CHECK(world.found().key == "svc-key");
  const auto path = world.directory.path() / "svc/key.txt";
  std::filesystem::rename(path, world.directory.path() / "svc/real.txt");
  std::filesystem::create_symlink("real.txt", path);
  CHECK(world.error().fault == Fault::Local);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(world.error().fault == Fault::Local);
}

TEST_CASE("a stored key is private, per profile and kind, and can be deleted") {
  const KeyWorld world("[profile.work]\n");
  REQUIRE(store_key(KeyKind::Inference, "default", k_found_key, world.file));
  REQUIRE(store_key(KeyKind::Management, "default", k_other, world.file));
  const auto path = stored_key_path(KeyKind::Inference, "default", world.file);
  CHECK(test::mode_of(path) == 0600);
  CHECK(test::mode_of(path.parent_path()) == 0700);
  CHECK(slurp(path) == k_found_key + "\n");
  CHECK(world.found().key == k_found_key);
  CHECK(world.found(KeyKind::Management).key == k_other);
  CHECK(stored_key_path(KeyKind::Inference, "work", world.file) != path);

  REQUIRE(store_key(KeyKind::Inference, "default", k_other, world.file));
  CHECK(world.found().key == k_other);
  CHECK(*forget_key(KeyKind::Inference, "default", world.file));
  CHECK_FALSE(*forget_key(KeyKind::Inference, "default", world.file));
  CHECK(world.error().fault == Fault::Auth);
  CHECK(world.found(KeyKind::Management).key == k_other);
}

TEST_CASE("storing does not follow a link out of the directory") {
  const KeyWorld world;
  const TempDirectory outside;
  const auto target = outside.write("target", "old\n");
  const auto path = stored_key_path(KeyKind::Inference, "default", world.file);
  std::filesystem::create_directories(path.parent_path());
  std::filesystem::create_symlink(target, path);
  CHECK(world.error().fault == Fault::Local);
  REQUIRE(store_key(KeyKind::Inference, "default", k_found_key, world.file));
  CHECK(slurp(target) == "old\n");
  CHECK(world.found().key == k_found_key);
}

TEST_CASE("a stored key that others can read is rejected") {
  const KeyWorld world;
  REQUIRE(store_key(KeyKind::Inference, "default", k_found_key, world.file));
  std::filesystem::permissions(stored_key_path(KeyKind::Inference, "default", world.file),
                               std::filesystem::perms(0640));
  CHECK(world.error().fault == Fault::Local);
  CHECK_FALSE(mentions(world.error().message + world.error().hint, k_found_key));
}

TEST_CASE("without a home, the environment still works, and storing reports the reason") {
  const ConfigFile discard;
  const Settings settings = *resolve_settings({}, environment({}), discard);
  CHECK(find_credential(KeyKind::Inference, settings, environment({{"SVC_API_KEY", k_found_key}}),
                        discard)
            ->key == k_found_key);
  CHECK(find_credential(KeyKind::Inference, settings, environment({}), discard).error().fault ==
        Fault::Auth);
  CHECK(stored_key_path(KeyKind::Inference, "default", discard).empty());
  const auto stored = store_key(KeyKind::Inference, "default", k_found_key, discard);
  REQUIRE(!stored);
  CHECK(stored.error().fault == Fault::Local);
  CHECK(stored.error().message == "cannot store a key: neither XDG_CONFIG_HOME nor HOME is set");
  CHECK(stored.error().hint == "Set one of them, or pass the key in SVC_API_KEY.");
  CHECK(store_key(KeyKind::Management, "default", k_other, discard).error().hint ==
        "Set one of them, or pass the key in SVC_MANAGEMENT_API_KEY.");
  CHECK_FALSE(*forget_key(KeyKind::Inference, "default", discard));
}

TEST_CASE("a profile name cannot lead out of the directory") {
  const KeyWorld world;
  CHECK(!store_key(KeyKind::Inference, "../../x", k_found_key, world.file));
  CHECK(!forget_key(KeyKind::Inference, "../../x", world.file));
}

TEST_CASE("the emulator uses only its own keys") {
  KeyWorld world("[profile.emulator]\nkey_command = 'echo svc-x'\n",
                 {{"SVC_API_KEY", k_found_key}});
  world.settings = *resolve_settings({{"profile", "emulator"}}, environment({}), world.file);
  for (const auto& [kind, title] : {std::pair(KeyKind::Inference, "API key"),
                                    std::pair(KeyKind::Management, "management key")}) {
    const Error error = world.error(kind);
    CHECK(error.fault == Fault::Auth);
    CHECK(error.message == "the emulator provided no " + std::string(title));
    CHECK(error.hint == "Start one with `svc emulator` and use the environment it prints.");
  }
  fill_from_emulator(world.settings, {.api_key = "svc-demo", .management_key = "svc-demo-m"});
  CHECK(world.found().key == "svc-demo");
  CHECK(world.found().source == "emulator");
  CHECK(world.found(KeyKind::Management).key == "svc-demo-m");
}

TEST_CASE("only a small part of a key is shown") {
  CHECK(mask_key(k_found_key) == "svc-…wxyz");
  CHECK(mask_key("svc-short") == "svc-…");
  CHECK(mask_key("0123456789012345678901") == "…8901");
  CHECK(mask_key("01234567890123456789") == "…6789");
  CHECK(mask_key("0123456789012345678") == "…");
  CHECK(mask_key("abc") == "…");
  CHECK(mask_key("") == "…");
}

TEST_CASE("every known secret is removed from a text") {
  const std::vector<std::string> secrets{"svc-0123456789", k_found_key, "svc-a+b/c=", "", "abc"};
  CHECK(scrub("key " + k_found_key + " and " + k_found_key, secrets) ==
        "key svc-…wxyz and svc-…wxyz");
  CHECK(scrub("x svc-0123456789 y", secrets) == "x svc-… y");
  CHECK(scrub("?k=" + percent_encode("svc-a+b/c="), secrets) == "?k=svc-…");
  CHECK(scrub("svc-a+b/c=", secrets) == "svc-…");
  CHECK(scrub("abc", secrets) == "abc");
  CHECK(scrub("wxyz", std::vector<std::string>{"wxyz"}) == "…");
  CHECK(scrub("nothing", {}) == "nothing");
}
