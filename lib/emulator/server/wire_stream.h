// A Wire as the streams of Asio and Beast are. Included by few: it brings Asio in.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>

#include "emulator/server/wire.h"
#include "emulator/server/wire_executor.h"

namespace svc::emulator {

/// A Wire as Asio's stream concepts want it. `first` is read before what the wire brings.
class WireStream {
 public:
  using executor_type = boost::asio::any_io_executor;

  explicit WireStream(std::shared_ptr<Wire> wire)
      : m_wire(std::move(wire)), m_executor(m_wire->executor().strand) {}

  [[nodiscard]] executor_type get_executor() const noexcept { return m_executor; }
  [[nodiscard]] Wire& wire() const { return *m_wire; }
  void read_first(std::string first) { m_first = std::move(first); }

  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, void(boost::system::error_code, std::size_t)>(
        [this](auto inner, const Buffers& into) { this->start_read(into, std::move(inner)); },
        handler, buffers);
  }

  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, void(boost::system::error_code, std::size_t)>(
        [this](auto inner, const Buffers& from) { this->start_write(from, std::move(inner)); },
        handler, buffers);
  }

 private:
  template <typename Buffers, typename Handler>
  void start_read(const Buffers& buffers, Handler handler) {
    const auto into = first_of<boost::asio::mutable_buffer>(buffers);
    if (!m_first.empty() || into.size() == 0) {
      const std::size_t size = std::min(into.size(), m_first.size());
      std::copy_n(m_first.data(), size, static_cast<char*>(into.data()));
      m_first.erase(0, size);
      return boost::asio::post(m_executor, [size, inner = std::move(handler)]() mutable {
        inner(boost::system::error_code{}, size);
      });
    }
    const auto shared = std::make_shared<Handler>(std::move(handler));
    m_wire->read(
        {static_cast<char*>(into.data()), into.size()}, [shared, wire = m_wire](std::size_t bytes) {
          (*shared)(bytes == 0 ? boost::asio::error::eof : boost::system::error_code{}, bytes);
        });
  }

  // A header and its payload go out as one, or each would be a packet of its own.
  template <typename Buffers, typename Handler>
  void start_write(const Buffers& buffers, Handler handler) {
    constexpr std::size_t k_most = 65'536;
    m_out.resize(std::min(boost::asio::buffer_size(buffers), k_most));
    boost::asio::buffer_copy(boost::asio::buffer(m_out), buffers);
    const auto shared = std::make_shared<Handler>(std::move(handler));
    m_wire->write(m_out, [shared, wire = m_wire, size = m_out.size()](bool ok) {
      (*shared)(ok ? boost::system::error_code{} : boost::asio::error::broken_pipe, ok ? size : 0);
    });
  }

  template <typename Buffer, typename Buffers>
  static Buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end; ++at) {
      if (Buffer(*at).size() > 0) return *at;
    }
    return {};
  }

  std::shared_ptr<Wire> m_wire;
  boost::asio::any_io_executor m_executor;
  std::string m_first{};
  std::string m_out{};  ///< what is being written
};

// Beast finds these by argument: the connection is ended by its owner, who knows about TLS.
inline void teardown(boost::beast::role_type /*role*/, WireStream& /*stream*/,
                     boost::system::error_code& error) {
  error = {};
}
template <typename Handler>
void async_teardown(boost::beast::role_type /*role*/, WireStream& stream, Handler&& handler) {
  boost::asio::post(stream.get_executor(), [inner = std::forward<Handler>(handler)]() mutable {
    inner(boost::system::error_code{});
  });
}
inline void beast_close_socket(WireStream& stream) {
  stream.wire().close();
}

}  // namespace svc::emulator
