#include <fstream>
#include <memory>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "emulator/handler/socket.h"
#include "emulator/server/server.h"
#include "unit/emulator/core_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace std::chrono_literals;
using test::get_request;
using test::RawClient;
using test::TemporaryDirectory;
using test::TestServer;

namespace {

class BackSession final : public SocketSession {
 public:
  void on_open(std::shared_ptr<SocketPeer> peer) override { m_peer = std::move(peer); }
  void on_text(std::string message) override { m_peer->send_text("back: " + message); }
  void on_binary(std::string) override {}

 private:
  std::shared_ptr<SocketPeer> m_peer{};
};

std::vector<Route> tls_routes() {
  const auto hello = [](const Request&) {
    Response response;
    response.body = std::string(100'000, 'x');
    return response;
  };
  const auto events = [](const Request&) {
    Response response;
    response.next = [i = 0]() mutable -> std::optional<StreamChunk> {
      if (++i > 3) return std::nullopt;
      return StreamChunk{fmt::format("data: {}\n\n", i), 5ms};
    };
    return response;
  };
  const auto open = [](const Request&) -> std::variant<std::shared_ptr<SocketSession>, Response> {
    return std::make_shared<BackSession>();
  };
  return {{"GET", "/hello", hello},
          {"GET", "/events", events},
          socket_route({.path = "/socket", .factory = open})};
}

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;

/// A TLS client over RawClient's socket that trusts only `authority_pem`.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, const std::string& authority_pem, const char* host,
            int max_version = 0)
      : m_client(port),
        m_context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        m_ssl(nullptr, SSL_free) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
        BIO_new_mem_buf(authority_pem.data(), static_cast<int>(authority_pem.size())), BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> authority(
        PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
    REQUIRE(authority != nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(m_context.get()), authority.get());
    SSL_CTX_set_verify(m_context.get(), SSL_VERIFY_PEER, nullptr);
    if (max_version != 0) SSL_CTX_set_max_proto_version(m_context.get(), max_version);
    m_ssl.reset(SSL_new(m_context.get()));
    X509_VERIFY_PARAM* check = SSL_get0_param(m_ssl.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(check, host) != 1)
      X509_VERIFY_PARAM_set1_host(check, host, 0);
    SSL_set_fd(m_ssl.get(), m_client.fd());
    m_open = SSL_connect(m_ssl.get()) == 1;
  }
  [[nodiscard]] bool open() const { return m_open; }
  [[nodiscard]] bool ended_well() const { return m_ended_well; }
  [[nodiscard]] X509* certificate() const { return SSL_get0_peer_certificate(m_ssl.get()); }

  std::string exchange(const std::string& request) {
    SSL_write(m_ssl.get(), request.data(), static_cast<int>(request.size()));
    std::string all;
    char chunk[16'384];
    for (;;) {
      const int got = SSL_read(m_ssl.get(), chunk, sizeof chunk);
      if (got <= 0) {
        m_ended_well = SSL_get_error(m_ssl.get(), got) == SSL_ERROR_ZERO_RETURN;
        return all;
      }
      all.append(chunk, static_cast<std::size_t>(got));
    }
  }

 private:
  RawClient m_client;
  Context m_context;
  Connection m_ssl;
  bool m_open = false;
  bool m_ended_well = false;
};

TlsIdentity make_identity() {
  auto identity = TlsIdentity::make();
  REQUIRE(identity.has_value());
  return *identity;
}

}  // namespace

TEST_CASE("its own certificate is valid for loopback, by name and address, and for nothing else") {
  const TlsIdentity identity = make_identity();
  ServerOptions options;
  options.tls = identity;
  TestServer server(tls_routes(), options);
  for (const char* host : {"localhost", "127.0.0.1", "::1"}) {
    CAPTURE(host);
    CHECK(TlsClient(server.port(), identity.authority_pem(), host).open());
  }
  CHECK_FALSE(TlsClient(server.port(), identity.authority_pem(), "example.com").open());
  CHECK_FALSE(TlsClient(server.port(), make_identity().authority_pem(), "localhost").open());
}

TEST_CASE("its certificates may do no more than they must, and for 90 days") {
  const TlsIdentity identity = make_identity();
  ServerOptions options;
  options.tls = identity;
  TestServer server(tls_routes(), options);
  const TlsClient client(server.port(), identity.authority_pem(), "localhost");
  REQUIRE(client.open());
  X509* leaf = client.certificate();
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(identity.authority_pem().data(),
                      static_cast<int>(identity.authority_pem().size())),
      BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> authority(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  REQUIRE(authority != nullptr);
  CHECK((X509_get_extension_flags(leaf) & EXFLAG_BCONS) != 0);
  CHECK((X509_get_extension_flags(leaf) & EXFLAG_CA) == 0);
  CHECK(X509_get_key_usage(leaf) == KU_DIGITAL_SIGNATURE);
  CHECK(X509_get_extended_key_usage(leaf) == XKU_SSL_SERVER);
  CHECK(X509_get0_authority_key_id(leaf) != nullptr);
  CHECK((X509_get_extension_flags(authority.get()) & EXFLAG_CA) != 0);
  CHECK(X509_get_pathlen(authority.get()) == 0);
  CHECK(X509_get_key_usage(authority.get()) == KU_KEY_CERT_SIGN);
  CHECK(X509_get0_subject_key_id(authority.get()) != nullptr);
  const auto name = [](X509_NAME* given) {
    const std::unique_ptr<char, void (*)(char*)> line(X509_NAME_oneline(given, nullptr, 0),
                                                      [](char* text) { OPENSSL_free(text); });
    return std::string(line.get());
  };
  CHECK(name(X509_get_subject_name(leaf)) == "/CN=svc-emulator");
  CHECK(name(X509_get_issuer_name(leaf)) == "/CN=svc-emulator authority");
  CHECK(name(X509_get_subject_name(authority.get())) == "/CN=svc-emulator authority");
  for (X509* one : {leaf, authority.get()}) {
    CHECK(X509_get_version(one) == X509_VERSION_3);
    for (const int nid : {NID_basic_constraints, NID_key_usage}) {
      const int at = X509_get_ext_by_NID(one, nid, -1);
      REQUIRE(at >= 0);
      CHECK(X509_EXTENSION_get_critical(X509_get_ext(one, at)) == 1);
    }
    int days = 0;
    int seconds = 0;
    ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(one), X509_get0_notAfter(one));
    CHECK(days == 90);
    CHECK(seconds == 3'600);
    ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(one), nullptr);
    CHECK(days == 0);
    CHECK(seconds >= 3'600);
  }
}

TEST_CASE("responses and streams work over TLS and end with close_notify") {
  const TlsIdentity identity = make_identity();
  ServerOptions options;
  options.tls = identity;
  TestServer server(tls_routes(), options);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient whole(server.port(), identity.authority_pem(), "localhost", version);
    REQUIRE(whole.open());
    const std::string response = whole.exchange(get_request("/hello", "Connection: close\r\n"));
    CHECK(response.ends_with(std::string(100'000, 'x')));
    CHECK(whole.ended_well());
    TlsClient stream(server.port(), identity.authority_pem(), "localhost", version);
    REQUIRE(stream.open());
    CHECK(stream.exchange(get_request("/events", "Connection: close\r\n")).ends_with("0\r\n\r\n"));
    CHECK(stream.ended_well());
  }
}

TEST_CASE(
    "a WebSocket works over TLS, including data sent with the handshake, and ends with "
    "close_notify") {
  const TlsIdentity identity = make_identity();
  ServerOptions options;
  options.tls = identity;
  TestServer server(tls_routes(), options);
  TlsClient client(server.port(), identity.authority_pem(), "localhost");
  REQUIRE(client.open());
  const std::string mask(4, '\0');  // which changes nothing
  const std::string hello = "\x81\x85" + mask + "hello";
  const std::string goodbye = "\x88\x82" + mask + "\x03\xe8";
  const std::string response = client.exchange(
      get_request("/socket",
                  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
                  "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n") +
      hello + goodbye);
  CHECK(response.starts_with("HTTP/1.1 101 "));
  CHECK(response.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") != std::string::npos);  // RFC 6455 §1.3
  CHECK(
      response.ends_with("\x81\x0b"
                         "back: hello\x88\x02\x03\xe8"));
  CHECK(client.ended_well());
}

TEST_CASE("TLS below 1.2, and no TLS at all, get nothing") {
  const TlsIdentity identity = make_identity();
  ServerOptions options;
  options.tls = identity;
  TestServer server(tls_routes(), options);
  CHECK_FALSE(
      TlsClient(server.port(), identity.authority_pem(), "localhost", TLS1_1_VERSION).open());
  RawClient plain(server.port());
  plain.send(get_request("/hello"));
  CHECK(plain.receive_all().find("HTTP/1.1") == std::string::npos);
  CHECK(TlsClient(server.port(), identity.authority_pem(), "localhost").open());
}

TEST_CASE("a client that never begins TLS is let go") {
  ServerOptions options;
  options.tls = make_identity();
  options.timing.handshake = 100ms;
  TestServer server(tls_routes(), options);
  RawClient client(server.port());
  CHECK(client.receive_all().empty());
  CHECK(client.ended());
}

TEST_CASE("a reset over TLS is a reset") {
  const TlsIdentity identity = make_identity();
  ServerOptions options;
  options.tls = identity;
  TestServer server(tls_routes(), options);
  server.add_fault("GET /hello: reset-after 10");
  TlsClient client(server.port(), identity.authority_pem(), "localhost");
  REQUIRE(client.open());
  CHECK(client.exchange(get_request("/hello")).ends_with("\r\n\r\nxxxxxxxxxx"));
  CHECK_FALSE(client.ended_well());
}

TEST_CASE("a certificate is read from files, and invalid files are reported") {
  const TemporaryDirectory directory;
  const std::string certificate = directory.file("cert.pem");
  const std::string key = directory.file("key.pem");
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"),
                                                                 EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> own(X509_new(), X509_free);
  X509_gmtime_adj(X509_getm_notBefore(own.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(own.get()), 3600);
  X509_set_pubkey(own.get(), pair.get());
  X509_sign(own.get(), pair.get(), EVP_sha256());
  FILE* file = std::fopen(certificate.c_str(), "w");
  PEM_write_X509(file, own.get());
  std::fclose(file);
  file = std::fopen(key.c_str(), "w");
  PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);

  const auto loaded = TlsIdentity::load(certificate, key);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  CHECK(loaded->authority_pem().empty());

  const auto missing = TlsIdentity::load(directory.file("none.pem"), key);
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().message.find("none.pem") != std::string::npos);
  const auto swapped = TlsIdentity::load(certificate, certificate);
  REQUIRE_FALSE(swapped.has_value());
  CHECK(swapped.error().fault == Fault::Local);
}
