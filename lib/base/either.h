// Two descriptors as one that a poll can wait for.
#pragma once

#include <sys/epoll.h>

#include "base/file_descriptor.h"

namespace svc {

/// Readable when one of the two is; a descriptor that is -1 counts not. They must outlive it. Not
/// open when the system has none left.
[[nodiscard]] inline FileDescriptor either_readable(int first, int second) {
  FileDescriptor either(::epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {first, second}) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (fd >= 0) ::epoll_ctl(either.get(), EPOLL_CTL_ADD, fd, &event);
  }
  return either;
}

}  // namespace svc
