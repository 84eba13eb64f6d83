// One HTTP request as a receiver reads it, with limits. The parsing is Boost.Beast's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace svc::webhook {

struct HttpLimits {
  std::size_t header = 16U << 10U;  ///< bytes of the head: 431 beyond
  std::size_t body = 1'000'000;     ///< bytes: 413 beyond
};

struct HttpRequest {
  std::string method{};
  std::string path{};  ///< without the query, as it was sent
  std::string id{};    ///< of webhook-id; "" when it is missing
  std::string timestamp{};
  std::string signature{};  ///< several headers are joined by a space
  std::string authorization{};
  std::string body{};
};

class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Progress : std::uint8_t {
    More,      ///< something is missing yet
    Continue,  ///< the sender waits for `100 Continue` before it sends the body; reported once
    Whole,     ///< take() the request
    Refused,   ///< status() says why
  };

  /// Reads on. What follows a whole request is dropped: there is one per connection.
  [[nodiscard]] Progress feed(std::string_view bytes);
  /// The sender has ended its side: Whole, or Refused.
  [[nodiscard]] Progress ended();

  /// Of a refusal: 400, 413, 431 or 505.
  [[nodiscard]] int status() const noexcept { return m_status; }
  /// Bytes that are kept.
  [[nodiscard]] std::size_t kept() const noexcept;

  [[nodiscard]] HttpRequest take();

 private:
  struct State;
  [[nodiscard]] Progress judge();
  [[nodiscard]] Progress refuse(int status);

  std::unique_ptr<State> m_state;
  int m_status = 0;
};

}  // namespace svc::webhook
