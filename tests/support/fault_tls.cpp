#include "support/fault_tls.h"

#include <cstring>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace svc::test {
namespace {

struct KeyFree {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct CertificateFree {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
struct BioFree {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, KeyFree>;
using Certificate = std::unique_ptr<X509, CertificateFree>;

bool add_extension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  if (extension == nullptr) return false;
  const bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

Certificate make_certificate(EVP_PKEY* key, Tls kind) {
  constexpr long k_day = 24L * 3600L;
  Certificate certificate(X509_new());
  X509* raw = certificate.get();
  X509_set_version(raw, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(raw), 1);
  const bool expired = kind == Tls::Expired;
  X509_gmtime_adj(X509_getm_notBefore(raw), expired ? -3 * k_day : -k_day);
  X509_gmtime_adj(X509_getm_notAfter(raw), expired ? -k_day : k_day);
  X509_set_pubkey(raw, key);
  const auto* name = reinterpret_cast<const unsigned char*>("fault server");
  X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_ASC, name, -1, -1, 0);
  X509_set_issuer_name(raw, X509_get_subject_name(raw));
  const char* names =
      kind == Tls::WrongHost ? "DNS:elsewhere.test" : "DNS:localhost,IP:127.0.0.1,IP:::1";
  if (!add_extension(raw, NID_subject_alt_name, names) ||
      !add_extension(raw, NID_basic_constraints, "critical,CA:TRUE") ||
      X509_sign(raw, key, EVP_sha256()) == 0)
    return nullptr;
  return certificate;
}

std::string to_pem(X509* certificate) {
  const std::unique_ptr<BIO, BioFree> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

int choose_h2(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
              const unsigned char* offered, unsigned int offered_size, void* /*argument*/) {
  static constexpr unsigned char k_h2[] = {2, 'h', '2'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, k_h2, sizeof k_h2, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

Result<TlsIdentity> make_tls_identity(Tls kind, bool h2) {
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return Error{Fault::Unexpected, "cannot create a key"};
  const Certificate certificate = make_certificate(key.get(), kind);
  if (!certificate) return Error{Fault::Unexpected, "cannot create a certificate"};
  TlsIdentity identity{SslContext(SSL_CTX_new(TLS_server_method())), to_pem(certificate.get())};
  SSL_CTX* context = identity.context.get();
  if (SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return Error{Fault::Unexpected, "the certificate does not match its key"};
  if (kind == Tls::Tls11) {
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  }
  if (h2) SSL_CTX_set_alpn_select_cb(context, choose_h2, nullptr);
  return identity;
}

}  // namespace svc::test
