#include "commands/mcp/read_roots.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "base/files.h"
#include "support/environment_variable.h"
#include "unit/base/temporary_directory.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST_CASE("a held file stays what it was when it was opened") {
  std::string directory = (fs::temp_directory_path() / "svc-held-XXXXXX").string();
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  const fs::path root = directory;
  write_text(root / "in" / "a.txt", "safe");
  write_text(root / "out" / "a.txt", "secret");
  write_text(root / "other" / "a.txt", "other");
  write_text(root / "a \"b\"" / "a.txt", "quoted");
  const auto opened = [&](const char* name) {
    const fs::path path = root / name / "a.txt";
    return ReadableFile{FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path};
  };
  std::string place;
  {
    HeldFiles held;
    const auto first = held.add(opened("in"));
    const auto second = held.add(opened("other"));
    const auto third = held.add(opened("a \"b\""));
    REQUIRE(first);
    REQUIRE(second);
    REQUIRE(third);
    CHECK(fs::path(*first).filename() == "a.txt");
    CHECK(*first != *second);
    fs::rename(root / "in", root / "kept");
    fs::create_symlink("out", root / "in");
    CHECK(read_file(*first, 100).value() == "safe");
    CHECK(read_file(*second, 100).value() == "other");
    CHECK(held.with_real_paths("x " + *first + " y " + *second) ==
          "x " + (root / "in/a.txt").string() + " y " + (root / "other/a.txt").string());
    // In JSON, this directory would have to be escaped.
    CHECK(held.with_real_paths(*third) == *third);
    CHECK(read_file(*third, 100).value() == "quoted");
    place = fs::path(*first).parent_path().parent_path();
  }
  CHECK_FALSE(fs::exists(place));
  fs::remove_all(root);
}

/// Directories "root" and "other" with files, and one beside them.
struct RootsStage {
  RootsStage() {
    for (const char* name : {"root/a.txt", "root/sub/b c.txt", "root/in.csv.1.svc-journal-wal",
                             "root/state/svc/own", "root2/a.txt", "other/c.txt", "beside.txt"}) {
      write_text(at / name, name);
    }
    fs::create_symlink(at / "beside.txt", at / "root/out");
    fs::create_symlink("sub", at / "root/link");
    fs::create_hard_link(at / "root/state/svc/own", at / "root/other-name");
    fs::create_hard_link(at / "root/a.txt", at / "root/a2.txt");
  }

  std::unique_ptr<ReadRoots> create(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back((at / name).string());
    auto made = ReadRoots::create(paths, stage.session());
    REQUIRE(made);
    return *std::move(made);
  }
  /// What a path leads to, below the directory; or the error, without the directory's name.
  std::string opened(const ReadRoots& roots, const std::string& path) const {
    const auto file = roots.open("file", path, NeverCanceled());
    if (file) return fs::relative(file->path, at).string();
    CHECK(file.error().fault == Fault::Usage);
    const std::string text = file.error().message + "|" + file.error().hint;
    return replace_all(text, at.string() + "/", "");
  }

  SessionStage stage{{"mcp"}};
  test::TemporaryDirectory directory{};
  fs::path at = fs::canonical(directory.path());
  test::EnvironmentVariable place{"XDG_STATE_HOME", at / "root/state"};
};

TEST_CASE("read roots: what is below a root is opened, however it is named") {
  RootsStage stage;
  const std::string absolute = stage.at.string();
  for (const std::string roots : {"root", "root/"}) {
    const auto read = stage.create({roots});
    for (const std::string& path :
         {std::string("a.txt"), std::string("sub/../a.txt"), absolute + "/root/a.txt",
          "file:" + absolute + "/root/a.txt", "file://" + absolute + "/root/a.txt",
          "file://localhost" + absolute + "/root/a.txt"}) {
      CAPTURE(path);
      CHECK(stage.opened(*read, path) == "root/a.txt");
    }
    CHECK(stage.opened(*read, "link/b c.txt") == "root/sub/b c.txt");
    CHECK(stage.opened(*read, "file://" + absolute + "/root/sub/b%20c.txt") == "root/sub/b c.txt");
    CHECK(stage.opened(*read, "a2.txt") == "root/a2.txt");
  }
  const auto both = stage.create({"root", "other"});
  CHECK(stage.opened(*both, "c.txt") == "other/c.txt");
  CHECK(stage.opened(*both, absolute + "/other/c.txt") == "other/c.txt");
}

TEST_CASE("read roots: what is outside, is no file or belongs to svc is not opened") {
  RootsStage stage;
  const auto read = stage.create({"root"});
  for (const std::string name : {"missing.txt", "sub", ".", "file:a.txt", "sub/b%20c.txt"}) {
    CAPTURE(name);
    CHECK(stage.opened(*read, name) == "file: no such file: '" + name + "'|");
  }
  for (const std::string name : {"in.csv.1.svc-journal-wal", "state/svc/own", "other-name"}) {
    CAPTURE(name);
    CHECK(stage.opened(*read, name) ==
          "file: '" + name + "' belongs to svc itself and is not read|");
  }
  for (const std::string name : {"../beside.txt", "out", "../root2/a.txt", "../other/c.txt"}) {
    CAPTURE(name);
    CHECK(stage.opened(*read, name) ==
          "file: '" + name + "' is outside the directories that svc mcp reads|It reads below " +
              "'root'. Grant roots in the client, or start svc mcp with --root DIR.");
  }
  CHECK(stage.opened(*read, std::string("a.txt\0b", 7)) == "file: a path has no null bytes|");
  const auto processes = ReadRoots::create({"/proc"}, stage.stage.session());
  REQUIRE(processes);
  CHECK(stage.opened(**processes, "self/status") ==
        "file: 'self/status' belongs to svc itself and is not read|");
  const auto none = ReadRoots::create({(stage.at / "beside.txt").string()}, stage.stage.session());
  REQUIRE_FALSE(none);
  CHECK(none.error().message ==
        "--root: '" + (stage.at / "beside.txt").string() + "' is not a directory");
}

TEST_CASE(
    "read roots: the client's replace the others, and only directories of this machine count") {
  RootsStage stage;
  const auto read = stage.create({"root"});
  read->expect();
  const std::string absolute = stage.at.string();
  read->grant({"file://" + absolute + "/other/", "https://example.com" + absolute + "/root",
               "file:root", absolute + "/root"});
  CHECK(stage.opened(*read, "c.txt") == "other/c.txt");
  CHECK(stage.opened(*read, "a.txt") == "file: no such file: 'a.txt'|");
  CHECK(stage.opened(*read, absolute + "/root/a.txt")
            .ends_with("It reads below 'other'. Grant roots in the client, or start svc mcp with "
                       "--root DIR."));
  read->expect();
  read->grant({});
  CHECK(stage.opened(*read, "c.txt") ==
        "file: 'c.txt' is outside the directories that svc mcp reads|It reads none here. Grant " +
            std::string("roots in the client, or start svc mcp with --root DIR."));
  const auto kept = stage.create({"root"});
  kept->expect();
  kept->give_up();
  CHECK(stage.opened(*kept, "a.txt") == "root/a.txt");
}

TEST_CASE("read roots: a file waits for the client to name its roots, unless it is canceled") {
  RootsStage stage;
  const auto read = stage.create({"root"});
  read->expect();
  CancelSource canceled;
  canceled.cancel();
  const auto none = read->open("file", "c.txt", canceled);
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Interrupted);
  std::thread client([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    read->grant({"file://" + (stage.at / "other").string()});
  });
  CHECK(stage.opened(*read, "c.txt") == "other/c.txt");
  client.join();
}

TEST_CASE("read roots: without any, the working directory, unless it is everything of a user") {
  RootsStage stage;
  const fs::path before = fs::current_path();
  const auto reads_here = [&](const fs::path& place, const fs::path& user) {
    fs::current_path(place);
    const test::EnvironmentVariable home("HOME", user);
    SessionStage here({"mcp"});
    const auto made = ReadRoots::create({}, here.session());
    fs::current_path(before);
    REQUIRE(made);
    return (*made)->open("file", (stage.at / "root/a.txt").string(), NeverCanceled()).has_value();
  };
  CHECK(reads_here(stage.at / "root", stage.at));
  CHECK(reads_here(stage.at / "root", stage.at / "root/sub"));
  CHECK_FALSE(reads_here(stage.at / "root", stage.at / "root"));
  CHECK_FALSE(reads_here(stage.at / "other", stage.at));
  CHECK_FALSE(reads_here("/", stage.at));
}

}  // namespace
}  // namespace svc::cli
