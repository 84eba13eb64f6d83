// In place of picture_codecs.cpp, if pictures are left out of the build.
#include "print/picture_codecs.h"

namespace svc::print {

bool built_with_pictures() noexcept {
  return false;
}

std::optional<Pixels> decode_jpeg(sv /*bytes*/) {
  return std::nullopt;
}

std::optional<Pixels> decode_png(sv /*bytes*/) {
  return std::nullopt;
}

std::string png_of(const Pixels& /*pixels*/) {
  return {};
}

}  // namespace svc::print
