// TLS for the fault server: a certificate made at run time, wrong in the way that a test asks for.
#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/result.h"
#include "support/fault_server.h"

namespace svc::test {

struct SslContextFree {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, SslContextFree>;

struct TlsIdentity {
  SslContext context{};
  std::string certificate_pem{};
};

/// A server's context with a fresh key and a self-signed certificate of that kind.
[[nodiscard]] Result<TlsIdentity> make_tls_identity(Tls kind, bool h2);

}  // namespace svc::test
