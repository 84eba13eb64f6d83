// This project's own header, of a name that libsvc uses inside too.
#pragma once

struct Result {
  int value = 7;
};
