#include "operation/image_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "base/write_target.h"
#include "request/media.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_start = 512;

bool is_named(const MediaPlan& plan) {
  return plan.place == MediaPlace::File || plan.place == MediaPlace::Pattern;
}

/// A name that nobody has, for a file that gets its own later.
std::string nameless(const MediaPlan& plan) {
  return fmt::format("{}svc-{}", plan.path, random_uuid());
}

}  // namespace

Result<void> ImageFile::probe(const MediaPlan& plan, std::size_t count, Replace replace) {
  if (plan.place == MediaPlace::Nowhere || plan.place == MediaPlace::Stdout) return {};
  if (plan.place == MediaPlace::Folder) {
    std::error_code failed;
    std::filesystem::create_directories(plan.path, failed);
    if (failed) {
      return Error{Fault::Local, fmt::format("the folder {} cannot be made: {}",
                                             visible(plan.path, Lines::Escape), failed.message())};
    }
  }
  const std::size_t most = is_named(plan) ? count : 1;
  for (std::size_t number = 1; number <= most; ++number) {
    const std::string path = is_named(plan) ? media_path(plan, number, count) : nameless(plan);
    SVC_TRY(target, find_write_target(path, replace));
    if (target.straight) continue;  // a reader of a pipe would see its end
    // Made and taken away again: nothing tells better whether it can be made.
    SVC_TRY(file, AtomicFile::create(path, replace));
    (void)file;
  }
  return {};
}

Result<ImageFile> ImageFile::create(const MediaPlan& plan, std::size_t number, std::size_t count,
                                    Replace replace) {
  SVC_TRY(file, AtomicFile::create(
                    is_named(plan) ? media_path(plan, number, count) : nameless(plan), replace));
  return ImageFile(plan, std::move(file));
}

Result<void> ImageFile::look() {
  m_type = request::sniff_type(m_start);
  if (m_type == "text/plain" || m_start.empty()) {
    return Error{Fault::Network, m_start.empty()
                                     ? std::string("the image is empty")
                                     : fmt::format("what came is not an image but text: {}",
                                                   shown(trim(m_start), 80))};
  }
  SVC_CHECK(m_file.write(m_start));
  m_start.clear();
  return {};
}

Result<void> ImageFile::write(std::string_view bytes) {
  if (!m_type.empty()) return m_file.write(bytes);
  m_start += bytes;
  return m_start.size() < k_start ? Result<void>() : look();
}

Result<SavedImage> ImageFile::commit() {
  if (m_type.empty()) SVC_CHECK(look());
  SavedImage saved{.path = m_file.path(), .type = m_type};
  if (is_named(m_plan)) {
    SVC_CHECK(m_file.commit());
    const std::string_view named = type_of_ending(saved.path);
    if (!named.empty() && named != m_type) {
      saved.warning =
          fmt::format("{} holds {}, though its name says {}", visible(saved.path, Lines::Escape),
                      request::type_name(m_type), request::type_name(named));
    }
    return saved;
  }
  SVC_TRY(path, m_file.commit_first_free([this](std::size_t number) {
    return fmt::format("{}image-{}.{}", m_plan.path, number, extension_of(m_type));
  }));
  saved.path = std::move(path);
  return saved;
}

}  // namespace svc::cli
