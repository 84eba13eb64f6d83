#include <doctest/doctest.h>

#include "voice/upstream_audio.h"

namespace svc::voice {

TEST_CASE("audio is kept by position until it is settled") {
  ReplayBuffer keep(10);
  CHECK(keep.read(0, 4).empty());
  keep.append("abcd");
  keep.append("efgh");
  CHECK(keep.read(0, 3) == "abc");
  CHECK(keep.read(6, 9) == "gh");
  keep.release(3);
  CHECK(keep.begin() == 3);
  CHECK(keep.read(2, 4).empty());
  CHECK(keep.read(3, 2) == "de");
  keep.release(1);
  CHECK(keep.begin() == 3);
  keep.append("ijk");
  CHECK(keep.end() == 11);
  CHECK(keep.read(3, 99) == "defghijk");
  keep.release(99);
  CHECK(keep.begin() == 11);
  CHECK(keep.end() == 11);
}

TEST_CASE("the oldest audio is dropped if the buffer is full") {
  ReplayBuffer keep(4);
  for (char c = 'a'; c <= 'z'; ++c) keep.append(std::string(1, c));
  CHECK(keep.begin() == 22);
  CHECK(keep.read(22, 9) == "wxyz");
  keep.append("0123456789");
  CHECK(keep.read(keep.begin(), 9) == "6789");
  CHECK(keep.end() == 36);
}

}  // namespace svc::voice
