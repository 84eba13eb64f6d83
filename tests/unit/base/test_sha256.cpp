#include <doctest/doctest.h>

#include "base/sha256.h"

using namespace svc;

TEST_CASE("SHA-256 of FIPS 180-2's examples, at once and in pieces") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 hash;
  hash.add("ab");
  hash.add("");
  hash.add("c");
  CHECK(hash.hexadecimal() == sha256("abc"));
}
