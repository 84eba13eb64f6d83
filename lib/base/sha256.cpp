#include "base/sha256.h"

#include <array>
#include <new>

#include <openssl/evp.h>

#include "base/text.h"

namespace svc {
namespace {

/// libcrypto fails here only when out of memory.
void must(int done) {
  if (done != 1) throw std::bad_alloc();
}

}  // namespace

struct Sha256::Context {
  struct Deleter {
    void operator()(EVP_MD_CTX* made) const noexcept { EVP_MD_CTX_free(made); }
  };
  std::unique_ptr<EVP_MD_CTX, Deleter> digest{EVP_MD_CTX_new()};
};

Sha256::Sha256() : m_context(std::make_unique<Context>()) {
  if (!m_context->digest) throw std::bad_alloc();
  must(EVP_DigestInit_ex(m_context->digest.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  must(EVP_DigestUpdate(m_context->digest.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hexadecimal() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  must(EVP_DigestFinal_ex(m_context->digest.get(), bytes.data(), &size));
  return to_hexadecimal(std::span(bytes).first(size));
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hexadecimal();
}

}  // namespace svc
