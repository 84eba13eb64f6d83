// The body of a request, as Beast's parser fills it: text, or bytes of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>

#include "emulator/handler/body_file.h"

namespace svc::emulator {

struct RequestBody {
  struct value_type {
    std::string text{};
    std::shared_ptr<BodyFile> file{};  ///< takes all of it, where it is not null
  };

  class reader {
   public:
    using Error = boost::system::error_code;

    template <bool IsRequest, typename Fields>
    reader(boost::beast::http::header<IsRequest, Fields>& /*head*/, value_type& value)
        : m_value(value) {}

    void init(const boost::optional<std::uint64_t>& /*length*/, Error& error) { error = {}; }

    template <typename Buffers>
    std::size_t put(const Buffers& buffers, Error& error) {
      error = {};
      std::size_t size = 0;
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        const std::string_view bytes(static_cast<const char*>(buffer.data()), buffer.size());
        if (!m_value.file) {
          m_value.text += bytes;
        } else if (!m_value.file->append(bytes)) {
          error = make_error_code(boost::system::errc::no_space_on_device);
          return size;
        }
        size += bytes.size();
      }
      return size;
    }

    void finish(Error& error) { error = {}; }

   private:
    value_type& m_value;
  };
};

}  // namespace svc::emulator
