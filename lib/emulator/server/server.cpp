#include "emulator/server/server.h"

#include <condition_variable>
#include <future>
#include <list>
#include <system_error>
#include <thread>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "emulator/server/connection.h"

namespace svc::emulator {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const noexcept {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;

constexpr long k_before_s = -3'600;
constexpr long k_valid_s = 90L * 86'400;

// Returns OpenSSL's first error, and clears its queue.
std::string openssl_reason() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

Error tls_error(const std::string& what) {
  return Error{Fault::Local, fmt::format("{}: {}.", what, openssl_reason())};
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_random_serial(X509* certificate) {
  unsigned char bytes[8] = {};
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  std::uint64_t serial = 0;
  for (const unsigned char byte : bytes) serial = serial << 8U | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1U) == 1;
}

struct Extension {
  int nid;
  const char* value;
};

// Creates a certificate of `key` that `issuer` signs; without an issuer, it signs itself.
Certificate make_certificate(EVP_PKEY* key, const char* common_name, X509* issuer,
                             EVP_PKEY* issuer_key, std::initializer_list<Extension> extensions) {
  Certificate certificate(X509_new());
  X509* self = certificate.get();
  if (!certificate || X509_set_version(self, X509_VERSION_3) != 1) return nullptr;
  if (!set_random_serial(self)) return nullptr;
  X509_gmtime_adj(X509_getm_notBefore(self), k_before_s);
  X509_gmtime_adj(X509_getm_notAfter(self), k_valid_s);
  X509_set_pubkey(self, key);
  X509_NAME* name = X509_get_subject_name(self);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
  if (issuer == nullptr) issuer = self;
  X509_set_issuer_name(self, X509_get_subject_name(issuer));
  for (const auto& [nid, value] : extensions) {
    if (!add_extension(self, issuer, nid, value)) return nullptr;
  }
  return X509_sign(self, issuer_key, EVP_sha256()) > 0 ? std::move(certificate) : nullptr;
}

std::string to_pem(X509* certificate) {
  const std::unique_ptr<BIO, Deleter<BIO_free>> bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::shared_ptr<SSL_CTX> make_context() {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) return nullptr;
  return context;
}

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int k_threads = 2;
constexpr std::size_t k_crew = 6;
constexpr std::chrono::milliseconds k_accept_pause{100};

Error listen_error(const ServerOptions& options, const error_code& error) {
  if (error == asio::error::address_in_use) {
    return Error{
        Fault::Local,
        fmt::format("Port {} on {} is in use by another program.", options.port, options.host),
        "Choose another port with --port, or 0 for any free port."};
  }
  return Error{Fault::Local, fmt::format("Cannot listen on {} port {}: {}.", options.host,
                                         options.port, error.message())};
}

}  // namespace

Result<TlsIdentity> TlsIdentity::make() {
  const char* what = "Cannot create a certificate";
  const Key authority_key(EVP_EC_gen("P-256"));
  const Key key(EVP_EC_gen("P-256"));
  if (!authority_key || !key) return tls_error(what);
  const Certificate authority =
      make_certificate(authority_key.get(), "svc-emulator authority", nullptr, authority_key.get(),
                       {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                        {NID_key_usage, "critical,keyCertSign"},
                        {NID_subject_key_identifier, "hash"}});
  if (!authority) return tls_error(what);
  const Certificate leaf =
      make_certificate(key.get(), "svc-emulator", authority.get(), authority_key.get(),
                       {{NID_basic_constraints, "critical,CA:FALSE"},
                        {NID_key_usage, "critical,digitalSignature"},
                        {NID_ext_key_usage, "serverAuth"},
                        {NID_authority_key_identifier, "keyid"},
                        {NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"}});
  auto context = make_context();
  if (!leaf || !context || SSL_CTX_use_certificate(context.get(), leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
    return tls_error(what);
  }
  std::string pem = to_pem(authority.get());
  if (pem.empty()) return tls_error(what);
  return TlsIdentity(std::move(context), std::move(pem));
}

Result<TlsIdentity> TlsIdentity::load(const std::string& certificate_file,
                                      const std::string& key_file) {
  auto context = make_context();
  if (!context) return tls_error("Cannot set up TLS");
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
    return tls_error(fmt::format("Cannot use the certificate {}", quote_path(certificate_file)));
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return tls_error(fmt::format("Cannot use the key {} with the certificate {}",
                                 quote_path(key_file), quote_path(certificate_file)));
  }
  return TlsIdentity(std::move(context), {});
}

struct Server::Impl {
  Impl(ServerOptions given, Dispatcher& target)
      : options(std::move(given)),
        dispatcher(target),
        strand(asio::make_strand(context)),
        acceptor(strand),
        pause(context) {}

  [[nodiscard]] Result<void> listen() {
    error_code error;
    tcp::resolver resolver(context);
    const auto found =
        resolver.resolve(options.host, std::to_string(options.port),
                         tcp::resolver::passive | tcp::resolver::numeric_service, error);
    if (error || found.empty()) return listen_error(options, error);
    const tcp::endpoint endpoint = *found.begin();
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return listen_error(options, error);
    port = acceptor.local_endpoint(error).port();
    if (options.tls) {
      SSL_CTX_up_ref(options.tls->context());  // Asio's context frees it once
      tls.emplace(options.tls->context());
    }
    return {};
  }

  void accept() {
    acceptor.async_accept(asio::any_io_executor(asio::make_strand(context)),
                          [this](const error_code& error, tcp::socket socket) {
                            on_accept(error, std::move(socket));
                          });
  }

  void on_accept(const error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted || !acceptor.is_open()) return;
    if (error) {  // probably out of descriptors, which may be temporary
      return after_pause(&Impl::accept);
    }
    std::unique_lock lock(mutex);
    const std::uint64_t number = ++next_number;
    auto session =
        make_connection(std::make_shared<Wire>(std::move(socket), tls ? &*tls : nullptr),
                        dispatcher, workers, options.timing, [this, number] { forget(number); });
    sessions.emplace(number, session);
    waiting_for_room = sessions.size() >= options.max_connections;
    const bool go_on = !waiting_for_room;
    lock.unlock();
    session->start();
    go_on ? accept() : close_if_idle();
  }

  // Ends the oldest idle session, as soon as there is one.
  void close_if_idle() {
    const std::lock_guard lock(mutex);
    if (!waiting_for_room) return;
    for (const auto& [number, weak] : sessions) {
      const auto session = weak.lock();
      if (!session || !session->is_idle()) continue;
      session->close_if_idle();
      break;
    }
    after_pause(&Impl::close_if_idle);
  }

  void after_pause(void (Impl::*work)()) {
    pause.expires_after(k_accept_pause);
    pause.async_wait(asio::bind_executor(strand, [this, work](const error_code& aborted) {
      if (!aborted && acceptor.is_open()) (this->*work)();
    }));
  }

  void forget(std::uint64_t number) {
    const std::lock_guard lock(mutex);
    sessions.erase(number);
    changed.notify_all();
    if (std::exchange(waiting_for_room, false)) {
      asio::post(strand, [this] {
        if (acceptor.is_open()) accept();
      });
    }
  }

  void stop_sessions(std::chrono::milliseconds grace) {
    const std::lock_guard lock(mutex);
    for (const auto& [number, weak] : sessions) {
      if (const auto session = weak.lock()) session->stop(grace);
    }
  }

  void stop(std::chrono::milliseconds grace) {
    if (std::exchange(stopped, true)) return;
    std::promise<void> closed;
    asio::post(strand, [&] {
      error_code error;
      acceptor.close(error);
      pause.cancel();
      closed.set_value();
    });
    closed.get_future().wait();  // from here on, no session is added
    stop_sessions(grace);
    {
      std::unique_lock lock(mutex);
      changed.wait_for(lock, grace, [this] { return sessions.empty(); });
    }
    stop_sessions(std::chrono::milliseconds(0));
    busy.reset();
    for (auto& thread : threads) thread.join();
    workers.stop();  // drops jobs that have not started
    workers.join();
  }

  ServerOptions options;
  Dispatcher& dispatcher;
  asio::io_context context{k_threads};
  asio::any_io_executor strand;  ///< of the acceptor
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::optional<asio::ssl::context> tls{};
  std::uint16_t port = 0;

  std::mutex mutex{};  ///< protects the next four
  std::condition_variable changed{};
  std::map<std::uint64_t, std::weak_ptr<Connection>> sessions{};  ///< the oldest first
  bool waiting_for_room = false;
  bool stopped = false;
  std::uint64_t next_number = 0;

  // Keeps the threads running while all work is in the crew.
  asio::executor_work_guard<asio::io_context::executor_type> busy{context.get_executor()};
  /// For slow work. Its jobs may own connections, so it ends before the context.
  asio::thread_pool workers{k_crew};

  // Both run connections, each on its own strand, until stop() has closed everything.
  std::list<std::thread> threads{};
};

Server::Server(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Server::~Server() {
  stop();
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Dispatcher& dispatcher) {
  auto impl = std::make_unique<Impl>(std::move(options), dispatcher);
  SVC_CHECK(impl->listen());
  impl->accept();
  for (int i = 0; i < k_threads; ++i) {
    impl->threads.emplace_back([&context = impl->context] { context.run(); });
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const {
  return m_impl->port;
}

void Server::stop(std::chrono::milliseconds grace) {
  m_impl->stop(grace);
}

}  // namespace svc::emulator
