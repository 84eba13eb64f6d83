#include "database/database.h"

#include <chrono>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace svc;

namespace {

Database open_memory() {
  auto database = Database::open(":memory:", "the journal");
  REQUIRE(database.has_value());
  return std::move(*database);
}

/// A path of a database that does not exist yet; its files are deleted with this.
struct TempPath {
  TempPath() = default;
  TempPath(const TempPath&) = delete;
  TempPath& operator=(const TempPath&) = delete;
  ~TempPath() {
    for (const char* end : {"", "-wal", "-shm", "-moved"}) std::filesystem::remove(text + end);
  }

  const std::string text = (std::filesystem::temp_directory_path() /
                            ("svc-database-test-path-" + std::to_string(::getpid())))
                               .string();
};

std::string journal_mode(Database& database) {
  auto row = database.query("PRAGMA journal_mode");
  REQUIRE(row.has_value());
  REQUIRE(row->step());
  return row->text(0);
}

}  // namespace

TEST_CASE("values are read back as written") {
  Database database = open_memory();
  REQUIRE(database.run("CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB, n INTEGER) STRICT"));
  const std::string bytes("a\0\xff", 3);
  const auto changed =
      database.change("INSERT INTO t VALUES (?,?,?,?,?)", std::int64_t{-7}, 0.5,
                      std::string_view("text"), Blob{bytes}, std::optional<std::int64_t>{});
  REQUIRE(changed.has_value());
  CHECK(*changed == 1);
  CHECK(database.last_row_id() == 1);

  auto row = database.query("SELECT i, r, s, b, n FROM t");
  REQUIRE(row.has_value());
  auto stepped = row->step();
  REQUIRE(stepped.has_value());
  REQUIRE(*stepped);
  CHECK(row->integer(0) == -7);
  CHECK(row->number(1) == 0.5);
  CHECK(row->text(2) == "text");
  CHECK(row->bytes(3) == bytes);
  CHECK_FALSE(database.has_moved());
  CHECK(row->is_null(4));
  CHECK_FALSE(row->optional_integer(4).has_value());
  CHECK(row->optional_integer(0) == -7);
}

TEST_CASE("a statement can be rerun after a reset") {
  Database database = open_memory();
  REQUIRE(database.run("CREATE TABLE t (i INTEGER) STRICT"));
  auto insert = database.prepare("INSERT INTO t VALUES (?)");
  REQUIRE(insert.has_value());
  for (std::int64_t i = 0; i < 3; ++i) {
    insert->bind(1, i);
    REQUIRE(insert->step());
    insert->reset();
  }
  CHECK(*database.number("SELECT sum(i) FROM t") == 3);
}

TEST_CASE("an uncommitted transaction leaves nothing") {
  Database database = open_memory();
  REQUIRE(database.run("CREATE TABLE t (i INTEGER)"));
  {
    auto transaction = Transaction::begin(database);
    REQUIRE(transaction.has_value());
    REQUIRE(database.run("INSERT INTO t VALUES (1)"));
  }
  CHECK(*database.number("SELECT count(*) FROM t") == 0);
}

TEST_CASE("errors contain the database's name") {
  Database database = open_memory();
  const auto outcome = database.run("SELECT * FROM nowhere");
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().fault == Fault::Local);
  CHECK(outcome.error().message.starts_with("cannot read or write the journal: "));
  const auto directory = Database::open("/nowhere/at/all.db", "the journal");
  REQUIRE_FALSE(directory.has_value());
  CHECK(directory.error().message.starts_with("cannot open the journal, "));
}

TEST_CASE("what is empty is not NULL, and NULL reads as empty") {
  Database database = open_memory();
  auto row = database.query("SELECT ?, ?, ?", std::string_view(), Blob{}, std::optional<double>());
  REQUIRE(row.has_value());
  REQUIRE(row->step());
  for (const int column : {0, 1}) {
    CHECK_FALSE(row->is_null(column));
    CHECK(row->text(column).empty());
    CHECK(row->bytes(column).empty());
  }
  CHECK(row->is_null(2));
  CHECK(row->text(2).empty());
  CHECK(row->bytes(2).empty());
  const auto next = row->step();
  REQUIRE(next.has_value());
  CHECK_FALSE(*next);
}

TEST_CASE("each failure says what is wrong with which database") {
  Database database = open_memory();
  const std::string start = "cannot read or write the journal: ";
  CHECK(database.run("SELECT 1 FROM nowhere").error().message == start + "no such table: nowhere");
  CHECK(database.prepare("SELEC").error().message == start + R"(near "SELEC": syntax error)");
  CHECK(database.number("SELECT b").error().message == start + "no such column: b");
  CHECK(database.number("SELECT abs(-9223372036854775808)").error().message ==
        start + "integer overflow");
  const auto none = database.number("SELECT 1 WHERE 0");
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().fault == Fault::Unexpected);
  CHECK(none.error().message == "a query of the journal returned no row");

  REQUIRE(database.run("PRAGMA max_page_count = 2; CREATE TABLE t (b BLOB)"));
  const auto full = database.run("INSERT INTO t VALUES (zeroblob(100000))");
  REQUIRE_FALSE(full.has_value());
  CHECK(full.error().fault == Fault::Local);
  CHECK(full.error().cause == Cause::DiskFull);

  const auto named = Database::open("/nowhere/at/all.db", "the journal '/nowhere/at/all.db'");
  REQUIRE_FALSE(named.has_value());
  CHECK(named.error().message.starts_with("cannot open the journal '/nowhere/at/all.db': "));
  const auto other = Database::open("/nowhere/at/all.db", "the journal");
  CHECK(other.error().message.starts_with("cannot open the journal, '/nowhere/at/all.db': "));
}

TEST_CASE("a committed transaction stays, and its end is not undone") {
  Database database = open_memory();
  REQUIRE(database.run("CREATE TABLE t (i INTEGER)"));
  {
    auto transaction = Transaction::begin(database);
    REQUIRE(transaction.has_value());
    REQUIRE(database.run("INSERT INTO t VALUES (1)"));
    REQUIRE(transaction->commit());
    REQUIRE(database.run("BEGIN; INSERT INTO t VALUES (2)"));
  }
  REQUIRE(database.run("COMMIT"));
  CHECK(*database.number("SELECT count(*) FROM t") == 2);
}

TEST_CASE("a file that another connection has locked, and one that has moved") {
  const TempPath path;
  auto database = Database::open(path.text, "the journal");
  auto other = Database::open(path.text, "the journal");
  REQUIRE(database.has_value());
  REQUIRE(other.has_value());
  CHECK(*database->number("PRAGMA busy_timeout") == 5000);
  REQUIRE(database->enable_wal());
  CHECK(journal_mode(*database) == "wal");
  REQUIRE(database->run("PRAGMA secure_delete = OFF"));  // some libraries have it on
  REQUIRE(database->enable_secure_delete());
  CHECK(*database->number("PRAGMA secure_delete") == 1);
  {
    const auto lock = Transaction::begin(*other);
    REQUIRE(lock.has_value());
    CHECK_FALSE(database->was_locked());
    REQUIRE(database->run("PRAGMA busy_timeout = 0"));
    CHECK_FALSE(Transaction::begin(*database).has_value());
    CHECK(database->was_locked());
  }
  CHECK_FALSE(database->run("SELECT nothing").has_value());
  CHECK_FALSE(database->was_locked());
  CHECK_FALSE(database->has_moved());
  std::filesystem::rename(path.text, path.text + "-moved");
  CHECK(database->has_moved());
}

TEST_CASE("a file that stays locked gets no log, after a second of tries") {
  const TempPath path;
  auto database = Database::open(path.text, "the journal");
  auto other = Database::open(path.text, "the journal");
  REQUIRE(database.has_value());
  REQUIRE(other.has_value());
  REQUIRE(database->run("PRAGMA busy_timeout = 0"));
  const auto lock = Transaction::begin(*other);
  REQUIRE(lock.has_value());
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = database->enable_wal();
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().message == "cannot read or write the journal: database is locked");
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::seconds(1));
}

TEST_CASE("the log is written into the file on request, and otherwise stays if that is wanted") {
  const TempPath path;
  const std::string log = path.text + "-wal";
  for (const bool stays : {false, true}) {
    auto database = Database::open(path.text, "the journal");
    REQUIRE(database.has_value());
    if (stays) database->disable_checkpoint_on_close();
    REQUIRE(database->enable_wal());
    REQUIRE(database->run("CREATE TABLE IF NOT EXISTS t (i INTEGER); INSERT INTO t VALUES (1)"));
    CHECK(std::filesystem::file_size(log) > 0);
    REQUIRE(database->checkpoint());
    CHECK(std::filesystem::file_size(log) == 0);
    REQUIRE(database->run("INSERT INTO t VALUES (2)"));
    database = open_memory();
    CHECK(std::filesystem::exists(log) == stays);
  }
}

TEST_CASE("a new file is private") {
  const auto path =
      std::filesystem::temp_directory_path() / ("svc-database-test-" + std::to_string(::getpid()));
  {
    auto database = Database::open(path.string(), "the journal");
    REQUIRE(database.has_value());
    REQUIRE(database->enable_wal());
    REQUIRE(database->run("CREATE TABLE t (i INTEGER)"));
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
  }
  std::filesystem::remove(path);
}

TEST_CASE("a new file that root makes belongs to its directory's owner") {
  if (::geteuid() != 0) return;
  const auto directory =
      std::filesystem::temp_directory_path() / ("svc-database-of-" + std::to_string(::getpid()));
  std::filesystem::create_directory(directory);
  REQUIRE(::chown(directory.c_str(), 1234, 2345) == 0);
  REQUIRE(Database::open((directory / "new").string(), "the journal"));
  struct stat status {};
  CHECK(::stat((directory / "new").c_str(), &status) == 0);
  CHECK(status.st_uid == 1234);
  CHECK(status.st_gid == 2345);
  std::filesystem::remove_all(directory);
}
