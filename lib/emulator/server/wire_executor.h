// A connection's strand. Apart from wire.h, so that few files include Asio.
#pragma once

#include <boost/asio/any_io_executor.hpp>

namespace svc::emulator {

struct WireExecutor {
  boost::asio::any_io_executor strand;
};

}  // namespace svc::emulator
