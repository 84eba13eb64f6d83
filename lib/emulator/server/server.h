// Listens for connections and serves HTTP/1.1, plain or with TLS.
#pragma once

#include "emulator/server/dispatch.h"

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

// Listens for connections and serves HTTP/1.1.

/// Timeouts of a connection.
struct Timing {
  std::chrono::milliseconds idle{75'000};    ///< between requests
  std::chrono::milliseconds head{30'000};    ///< for a head, from its first byte
  std::chrono::milliseconds body{60'000};    ///< between two reads of a body
  std::chrono::milliseconds write{300'000};  ///< for a chunk that the peer does not read
  std::chrono::milliseconds drain{2'000};    ///< for what the peer still sends after a refusal
  std::chrono::milliseconds handshake{10'000};
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free port
  std::optional<TlsIdentity> tls{};
  Timing timing{};
  /// More connections replace idle ones, the longest idle first, or wait.
  std::size_t max_connections = 512;
};

/// Runs from start() until its destruction, on two threads.
class Server {
 public:
  /// `dispatcher` must outlive the server. Returns Local if the address cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerOptions options,
                                                             Dispatcher& dispatcher);
  /// Calls stop() if needed.
  ~Server();

  [[nodiscard]] std::uint16_t port() const;

  /// Stops accepting, and returns when everything has ended: responses within `grace`.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(1000));

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::emulator
