// What the service gives only once, kept until it is safely where it belongs.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "session/session.h"

namespace svc::cli {

/// A copy in a folder of the state folder. Unless it is released, the end says where it is.
class SecretCopy {
 public:
  /// `name` is made safe for `folder`; a copy of that name is replaced. Where nothing can be
  /// written, nothing is kept: see is_kept().
  SecretCopy(Session& session, std::string_view folder, const std::string& name,
             std::string_view bytes);
  SecretCopy(const SecretCopy&) = delete;
  SecretCopy& operator=(const SecretCopy&) = delete;
  ~SecretCopy();

  /// It reached the user: the copy is removed.
  void release();

  [[nodiscard]] bool is_saved() const noexcept { return !m_path.empty(); }

 private:
  Session& m_session;
  std::string m_path{};
  std::error_code m_ignored{};
};

}  // namespace svc::cli
