#include "database/database.h"

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
