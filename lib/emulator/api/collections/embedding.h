// A stand-in for an embedding model: counts of words and of pieces of words, hashed into a vector.
// It finds texts that share words or forms of words; meaning it does not know.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace svc::emulator::collections {

inline constexpr std::size_t k_dimensions = 256;
using Vector = std::array<float, k_dimensions>;

/// Of length 1; all zeros for a text without letters and digits. The same text gives the same
/// vector.
[[nodiscard]] Vector embed(std::string_view text);

/// `a + weight * b`, of length 1.
[[nodiscard]] Vector blend(const Vector& a, const Vector& b, float weight);

/// -1 to 1.
[[nodiscard]] double cosine(const Vector& a, const Vector& b);

/// For a BLOB, and back; a BLOB of another size gives zeros.
[[nodiscard]] std::string pack(const Vector& vector);
[[nodiscard]] Vector unpack(std::string_view bytes);

/// The words of a text in lower case: letters, digits and all that is not ASCII.
[[nodiscard]] std::string plain_words(std::string_view text);

}  // namespace svc::emulator::collections
