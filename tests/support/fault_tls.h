// TLS for the fault server: a certificate made at run time, with the flaw a test asks for.
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

/// A server context with a new key and a self-signed certificate of the given kind.
[[nodiscard]] Result<TlsIdentity> make_tls_identity(Tls kind, bool h2);

}  // namespace svc::test
