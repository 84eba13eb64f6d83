#include "operation/result_media.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "batch/result_writer.h"
#include "catalogue/batches_fields.h"
#include "client/download.h"
#include "json/slices.h"
#include "operation/media_names.h"
#include "operation/save_media.h"
#include "operation/save_video.h"
#include "request/flags.h"
#include "request/media.h"

namespace svc::cli {

/// An image or a video of a result.
struct ResultMedia::Item {
  std::string url{};
  std::string encoded{};  ///< base64, instead of a URL
  std::string type{};     ///< as the service says; may be empty
  bool video = false;
};

namespace {

/// A file name for an ID, which may contain anything: unusual IDs end with a hash.
std::string name_for(const std::string& id) {
  constexpr std::size_t k_longest = 100;
  std::string name = id.substr(0, k_longest);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || sv("-_.").find(c) != sv::npos;
        return !plain;
      },
      '_');
  if (name.starts_with('.')) name.front() = '_';
  return name == id ? name : fmt::format("{}-{}", name, sha256(id).substr(0, 8));
}

/// Marks a fact whose files may be incomplete; they are ours and are replaced.
constexpr char k_begun = '+';

}  // namespace

ResultMedia::ResultMedia(Session& session)
    : m_session(session),
      m_directory(
          Flags<catalogue::batches::k_results_fields>(session.inputs()).text<"output-dir">()) {
  if (!m_directory.empty() && !m_directory.ends_with('/')) m_directory += '/';
}

Result<void> ResultMedia::open() {
  if (m_directory.empty()) return {};
  std::error_code failed;
  std::filesystem::create_directories(m_directory, failed);
  if (failed) {
    return Error{Fault::Local, fmt::format("cannot create directory {}: {}",
                                           quote_path(m_directory), failed.message())};
  }
  return check_download_directory(m_directory);
}

std::string ResultMedia::path_of(const std::string& id, const Item& item, std::size_t number,
                                 std::size_t count) const {
  std::string type = item.type;
  if (type.empty()) type = std::string(type_of_ending(item.url.substr(0, item.url.find('?'))));
  if (type.empty()) type = item.video ? "video/mp4" : "image/jpeg";
  const std::string part = count > 1 ? fmt::format("-{}", number) : "";
  return fmt::format("{}{}{}.{}", m_directory, name_for(id), part, extension_of(type));
}

Result<void> ResultMedia::fetch(const Item& item, const std::string& path, Replace replace) {
  if (!item.encoded.empty()) {
    SVC_TRY(file, AtomicFile::create(path, replace));
    SVC_TRY(valid, base64_decode(item.encoded, [&](sv bytes) { return file.write(bytes); }));
    if (!valid) return Error{Fault::Network, "the image data is not valid base64"};
    return file.commit();
  }
  if (!m_client) {
    SVC_TRY(client, media_caller(m_session));
    m_client = std::move(client);
  }
  SVC_TRY(base, m_session.base_url(Host::Inference));
  SVC_TRY(request, media_request(item.url, base, m_client->policy()));
  SVC_TRY(saved,
          download(*m_client, request, DownloadTarget{.path = path, .replace = replace}, {}));
  if (item.video) {
    check_saved_video(m_session, saved.path);
    return {};
  }
  constexpr std::size_t k_sniffed = 512;
  SVC_TRY(start, read_prefix(path, k_sniffed));
  const std::string type = request::sniff_type(start);
  if (type.starts_with("image/")) return {};
  m_session.notices().warning(fmt::format("{} is not an image; detected type: {}", quote_path(path),
                                          request::type_name(type)));
  return {};
}

std::vector<ResultMedia::Item> ResultMedia::items_of(sv result) {
  std::vector<Item> items;
  const sv response = batch::result_parts(result).response;
  const auto read = [](sv json, bool video) {
    return Item{.url = json_string(json_member(json, "url")),
                .encoded = json_string(json_member(json, "b64_json")),
                .type = json_string(json_member(json, "mime_type")),
                .video = video};
  };
  if (const auto data = json_member(response, "data"); data && data->starts_with('[')) {
    for (const sv image : json_elements(*data)) items.push_back(read(image, false));
  }
  if (const auto video = json_member(response, "video"); video && video->starts_with('{')) {
    items.push_back(read(*video, true));
  }
  std::erase_if(items, [](const Item& item) { return item.url.empty() && item.encoded.empty(); });
  return items;
}

/// `goes_on`: after one that cannot be saved, the others are; only an interruption ends it.
ResultMedia::Saved ResultMedia::write(const std::string& id, const std::vector<Item>& items,
                                      Replace replace, bool goes_on) {
  Saved saved;
  for (const Item& item : items) {
    const std::string path = path_of(id, item, ++saved.begun, items.size());
    if (Result<void> got = fetch(item, path, replace); !got) {
      const bool canceled = is_cancellation(got.error().fault);
      if (!canceled) {
        m_session.notices().warning(fmt::format("{} was not saved: {}{}", quote_path(path),
                                                got.error().message,
                                                item.url.empty() ? "" : "; it is at " + item.url));
      }
      if (!m_failure || canceled) m_failure = std::move(got).error();
      saved.complete = false;
      if (canceled || !goes_on) return saved;
      continue;
    }
    if (!saved.paths.empty()) saved.paths += ' ';
    saved.paths += path;
  }
  return saved;
}

Result<void> ResultMedia::save(batch::Journal& journal, batch::Finished& finished) {
  if (m_directory.empty() || finished.outcome != batch::Outcome::Succeeded) return {};
  const std::vector<Item> items = items_of(finished.json);
  if (items.empty()) return {};
  const std::string fact = fmt::format("media {}", finished.location.ordinal);
  SVC_TRY(known, journal.fact(fact));
  if (known && !known->empty() && known->front() != k_begun) {
    finished.saved = *std::move(known);
    return {};
  }
  const bool begun = known && !known->empty();
  SVC_CHECK(journal.set_fact(fact, std::string(1, k_begun)));
  Saved saved = write(finished.location.id, items,
                      begun ? Replace::Yes : m_session.globals().replace(), false);
  if (!saved.complete) {
    // An existing file of someone else remains theirs.
    return begun || saved.begun > 1 ? Result<void>() : journal.set_fact(fact, "");
  }
  finished.saved = std::move(saved.paths);
  return journal.set_fact(fact, finished.saved);
}

std::string ResultMedia::save(const std::string& id, sv result) {
  if (m_directory.empty()) return {};
  return write(id, items_of(result), m_session.globals().replace(), true).paths;
}

}  // namespace svc::cli
