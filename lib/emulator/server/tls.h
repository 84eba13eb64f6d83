// The emulator's TLS certificate.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;

namespace svc::emulator {

/// A private key and its certificate, ready for TLS 1.2 and 1.3. Cheap to copy.
class TlsIdentity {
 public:
  /// Generates a certificate for localhost, 127.0.0.1 and ::1, signed by a temporary authority
  /// whose key is discarded. Valid for 90 days, starting an hour ago.
  [[nodiscard]] static Result<TlsIdentity> make();

  /// Loads PEM files. Returns Local, with the file's name, if they cannot be read or do not match.
  [[nodiscard]] static Result<TlsIdentity> load(const std::string& certificate_file,
                                                const std::string& key_file);

  /// Returns the certificate that clients must trust, as PEM; empty for a loaded identity.
  [[nodiscard]] const std::string& authority_pem() const { return m_authority_pem; }

  [[nodiscard]] ssl_ctx_st* context() const { return m_context.get(); }

 private:
  TlsIdentity(std::shared_ptr<ssl_ctx_st> context, std::string authority_pem)
      : m_context(std::move(context)), m_authority_pem(std::move(authority_pem)) {}

  std::shared_ptr<ssl_ctx_st> m_context;
  std::string m_authority_pem;
};

}  // namespace svc::emulator
