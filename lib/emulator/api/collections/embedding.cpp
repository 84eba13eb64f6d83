#include "emulator/api/collections/embedding.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace svc::emulator::collections {
namespace {

// Words that stand in every text tell nothing.
constexpr std::array<sv, 24> k_common = {"a",  "an",  "and", "are", "as",   "at",  "be",   "by",
                                         "do", "for", "how", "in",  "is",   "it",  "of",   "on",
                                         "or", "the", "to",  "was", "what", "who", "with", "which"};

std::uint64_t hash_of(sv text, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325U ^ seed;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return hash ^ (hash >> 29);
}

void add(Vector& vector, sv piece, std::uint64_t seed, float weight) {
  const std::uint64_t hash = hash_of(piece, seed);
  vector[hash % k_dimensions] += (hash >> 63) != 0 ? weight : -weight;
}

void normalise(Vector& vector) {
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * static_cast<double>(value);
  if (sum == 0) return;
  const auto scale = static_cast<float>(1.0 / std::sqrt(sum));
  for (float& value : vector) value *= scale;
}

bool is_common(sv word) {
  for (const sv common : k_common) {
    if (common == word) return true;
  }
  return false;
}

}  // namespace

std::string plain_words(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      out += c;
    } else if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

Vector embed(std::string_view text) {
  constexpr std::size_t k_piece = 4;
  Vector vector{};
  const std::string words = plain_words(text);
  if (words.empty()) return vector;
  for (const sv word : split(words, ' ')) {
    if (is_common(word)) continue;
    add(vector, word, 1, 1.0F);
    const std::string edged = "^" + std::string(word) + "$";
    for (std::size_t i = 0; i + k_piece <= edged.size(); ++i) {
      add(vector, sv(edged).substr(i, k_piece), 2, 0.5F);
    }
  }
  normalise(vector);
  return vector;
}

Vector blend(const Vector& a, const Vector& b, float weight) {
  Vector sum = a;
  for (std::size_t i = 0; i < k_dimensions; ++i) sum[i] += weight * b[i];
  normalise(sum);
  return sum;
}

double cosine(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < k_dimensions; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

std::string pack(const Vector& vector) {
  std::string bytes(sizeof(Vector), '\0');
  std::memcpy(bytes.data(), vector.data(), sizeof(Vector));
  return bytes;
}

Vector unpack(std::string_view bytes) {
  Vector vector{};
  if (bytes.size() == sizeof(Vector)) std::memcpy(vector.data(), bytes.data(), sizeof(Vector));
  return vector;
}

}  // namespace svc::emulator::collections
