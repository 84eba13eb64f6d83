// One image on its way to disk: its bytes say what it is, and so what it is called.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "operation/media_names.h"

namespace svc::cli {

struct SavedImage {
  std::string path{};
  std::string type{};     ///< by its bytes: "image/jpeg"
  std::string warning{};  ///< when its name says something else
};

class ImageFile {
 public:
  /// Whether `count` images can be put there; a folder with a slash at its end is made. Local.
  [[nodiscard]] static Result<void> probe(const MediaPlan& plan, std::size_t count,
                                          Replace replace);

  /// A temporary file at the place. Local as AtomicFile::create().
  [[nodiscard]] static Result<ImageFile> create(const MediaPlan& plan, std::size_t number,
                                                std::size_t count, Replace replace);

  /// Appends. Network when the first bytes are a text: an error page, not an image.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// Puts the whole file in its place; a chosen name is the first free "image-N" there.
  [[nodiscard]] Result<SavedImage> commit();

 private:
  ImageFile(MediaPlan plan, AtomicFile file) : m_plan(std::move(plan)), m_file(std::move(file)) {}
  [[nodiscard]] Result<void> look();

  MediaPlan m_plan;
  AtomicFile m_file;
  std::string m_start{};  ///< held back until it is known what it is
  std::string m_type{};
};

}  // namespace svc::cli
