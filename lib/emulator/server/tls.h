// The certificate that the emulator shows.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;

namespace svc::emulator {

/// A private key and its certificate, ready for TLS 1.2 and 1.3. Cheap to copy.
class TlsIdentity {
 public:
  /// A certificate for localhost, 127.0.0.1 and ::1, signed by an authority made for it, whose key
  /// is then forgotten. Valid from an hour ago for 90 days.
  [[nodiscard]] static Result<TlsIdentity> make();

  /// From PEM files. Local, naming the file, when they cannot be read or do not belong together.
  [[nodiscard]] static Result<TlsIdentity> load(const std::string& certificate_file,
                                                const std::string& key_file);

  /// What a client has to trust, as PEM; empty for a loaded identity.
  [[nodiscard]] const std::string& authority_pem() const { return m_authority_pem; }

  [[nodiscard]] ssl_ctx_st* context() const { return m_context.get(); }

 private:
  TlsIdentity(std::shared_ptr<ssl_ctx_st> context, std::string authority_pem)
      : m_context(std::move(context)), m_authority_pem(std::move(authority_pem)) {}

  std::shared_ptr<ssl_ctx_st> m_context;
  std::string m_authority_pem;
};

}  // namespace svc::emulator
