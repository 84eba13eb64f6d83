// A JACK server without hardware that supports only one rate (package jackd2); needs no privileges.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "support/case_companion.h"

namespace svc::test {

class JackCard {
 public:
  /// Starts the server. Local on failure.
  [[nodiscard]] static Result<std::unique_ptr<JackCard>> start(int rate);
  JackCard(const JackCard&) = delete;
  JackCard& operator=(const JackCard&) = delete;
  ~JackCard();

  /// Makes this process use the server from now on.
  void apply();

 private:
  JackCard(std::string name, std::string directory)
      : m_name(std::move(name)), m_directory(std::move(directory)) {}

  std::string m_name;
  std::string m_directory;
  bool m_applied = false;
  std::unique_ptr<Companion> m_server{};
};

}  // namespace svc::test
