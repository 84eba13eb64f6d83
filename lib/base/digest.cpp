// The functions of a single algorithm, which OpenSSL advises against: what it advises instead finds
// the algorithm by its name, and brings the tables of all others into each program that is linked
// with the archive. Relocating these takes longer than svc's own code does.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming)

#include "base/digest.h"

#include <array>
#include <cstddef>
#include <span>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/text.h"

namespace svc {
namespace {

std::string_view as_text(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

struct Sha256::Context {
  SHA256_CTX state{};
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};

  std::span<const unsigned char> finish() {
    SHA256_Final(digest.data(), &state);
    return digest;
  }
};

Sha256::Sha256() : m_context(std::make_unique<Context>()) {
  SHA256_Init(&m_context->state);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  SHA256_Update(&m_context->state, bytes.data(), bytes.size());
}

std::string Sha256::bytes() {
  return std::string(as_text(m_context->finish()));
}

std::string Sha256::hexadecimal() {
  return to_hexadecimal(m_context->finish());
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hexadecimal();
}

std::string sha1(std::string_view bytes) {
  SHA_CTX state{};
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1_Init(&state);
  SHA1_Update(&state, bytes.data(), bytes.size());
  SHA1_Final(digest.data(), &state);
  return std::string(as_text(digest));
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  const auto digest = [](std::string_view first, std::string_view second) {
    Sha256 hash;
    hash.add(first);
    hash.add(second);
    return hash.bytes();
  };
  std::string block = key.size() > SHA256_CBLOCK ? digest(key, {}) : std::string(key);
  block.resize(SHA256_CBLOCK);
  const auto padded = [&](unsigned char pad) {
    std::string out = block;
    for (char& byte : out) byte = static_cast<char>(static_cast<unsigned char>(byte) ^ pad);
    return out;
  };
  return digest(padded(0x5C), digest(padded(0x36), text));
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace svc
