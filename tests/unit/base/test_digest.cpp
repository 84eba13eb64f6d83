#include <doctest/doctest.h>

#include "base/digest.h"
#include "base/text.h"

using namespace svc;

namespace {

std::string digits(std::string_view bytes) {
  return to_hexadecimal({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

}  // namespace

TEST_CASE("SHA-256 of FIPS 180-2's examples, at once and in pieces") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 hash;
  hash.add("ab");
  hash.add("");
  hash.add("c");
  CHECK(hash.hexadecimal() == sha256("abc"));
  CHECK(digits(Sha256().bytes()) == sha256(""));
}

TEST_CASE("SHA-256 of each length around its blocks is the same in pieces of any size") {
  const std::string text(200, 'x');
  for (std::size_t size = 54; size <= 130; ++size) {
    Sha256 hash;
    for (std::size_t at = 0; at < size; at += size % 7 + 1) {
      hash.add(std::string_view(text).substr(0, size).substr(at, size % 7 + 1));
    }
    CHECK(hash.hexadecimal() == sha256(std::string_view(text).substr(0, size)));
  }
  // FIPS 180-2, B.2: two blocks.
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("SHA-1 of FIPS 180-2's examples") {
  CHECK(digits(sha1("")) == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(digits(sha1("abc")) == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(digits(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST_CASE("HMAC-SHA-256 of RFC 4231's examples, with keys shorter and longer than a block") {
  const auto mac = [](std::string_view key, std::string_view text) {
    return digits(hmac_sha256(key, text));
  };
  CHECK(mac(std::string(20, '\x0b'), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(mac("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(mac(std::string(20, '\xaa'), std::string(50, '\xdd')) ==
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  CHECK(mac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  // The longest key that is used as it is, and the shortest that is hashed first.
  CHECK(mac(std::string(64, 'k'), "x") ==
        "f91c4c403625fb06910ef93999265bbd2d62baeaec6ff36455498cc124fe3e66");
  CHECK(mac(std::string(65, 'k'), "x") ==
        "75092ca3ee2b307470c227697b42b3e65376aa3bae98fb5a1f7b7536daa9588a");
}

TEST_CASE("Secrets are the same only as a whole") {
  CHECK(same_secret("", ""));
  CHECK(same_secret("abc", "abc"));
  for (const std::string_view other : {"", "ab", "abd", "xbc", "abcd"}) {
    CHECK_FALSE(same_secret("abc", other));
    CHECK_FALSE(same_secret(other, "abc"));
  }
}
