// std::jthread, for a libc++ that has only std::stop_token. tests/CMakeLists.txt includes it first where
// it is needed.
#pragma once
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace std {

class jthread {
 public:
  jthread() noexcept : m_stop(nostopstate) {}
  template <typename Function, typename... Arguments>
    requires(!is_same_v<remove_cvref_t<Function>, jthread>)
  explicit jthread(Function&& function, Arguments&&... arguments)
      : m_stop(),
        m_thread(start(m_stop.get_token(), std::forward<Function>(function),
                       std::forward<Arguments>(arguments)...)) {}
  ~jthread() { end(); }
  jthread(jthread&&) noexcept = default;
  jthread& operator=(jthread&& other) noexcept {
    if (this == &other) return *this;
    end();
    m_stop = std::move(other.m_stop);
    m_thread = std::move(other.m_thread);
    return *this;
  }

  [[nodiscard]] bool joinable() const noexcept { return m_thread.joinable(); }
  void join() { m_thread.join(); }
  void detach() { m_thread.detach(); }
  [[nodiscard]] thread::id get_id() const noexcept { return m_thread.get_id(); }
  [[nodiscard]] thread::native_handle_type native_handle() { return m_thread.native_handle(); }
  [[nodiscard]] stop_source get_stop_source() noexcept { return m_stop; }
  [[nodiscard]] stop_token get_stop_token() const noexcept { return m_stop.get_token(); }
  bool request_stop() noexcept { return m_stop.request_stop(); }

 private:
  template <typename Function, typename... Arguments>
  static thread start(stop_token token, Function&& function, Arguments&&... arguments) {
    if constexpr (is_invocable_v<decay_t<Function>, stop_token, decay_t<Arguments>...>) {
      return thread(std::forward<Function>(function), std::move(token),
                    std::forward<Arguments>(arguments)...);
    } else {
      return thread(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
    }
  }

  void end() {
    if (!joinable()) return;
    request_stop();
    join();
  }

  stop_source m_stop;
  thread m_thread;
};

}  // namespace std
