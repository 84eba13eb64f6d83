// Likewise.
#pragma once

inline int transport() {
  return 3;
}
