// Downloads from the service or a media URL to a file, directory or pipe: atomically, and with
// resume after an interruption.
//
//   SVC_TRY(done, download(client, media_request(url, base_url, client.policy()),
//                          DownloadTarget{.path = "cat.png"}, {}));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "base/result.h"
#include "client/api_client.h"
#include "http/transport.h"

namespace svc {

/// Where to save a download.
struct DownloadTarget {
  /// The file (a FIFO or device is written directly); with `directory`, the directory in which to
  /// create a file named by the service.
  std::string path{};
  bool directory = false;
  std::string name{};      ///< with `directory`: preferred name, untrusted; default: from
                           ///< Content-Disposition
  std::string fallback{};  ///< with `directory`: used if no valid name remains
  Replace replace = Replace::No;
};

struct DownloadOptions {
  std::optional<std::uint64_t> expected_bytes{};  ///< any other size is Network
  std::uint64_t max_bytes = 0;                    ///< more is Network; 0: no limit
  /// Called with the bytes done and the total (0: unknown).
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
};

struct Downloaded {
  std::string path{};  ///< "" for a sink
  std::uint64_t bytes = 0;
  std::string type{};    ///< the response's Content-Type
  bool resumed = false;  ///< some bytes are from an earlier run
};

/// The request for a media URL, without the key or the user's headers; redirects are followed.
/// `referrer` is the URL of the service that returned `url`, "" if the user gave it. Network (Usage
/// for the user's own URL) unless it is https, or http on this machine: a remote service must not
/// direct a download to loopback.
[[nodiscard]] Result<http::HttpRequest> media_request(const std::string& url,
                                                      std::string_view referrer,
                                                      const CallPolicy& policy);

/// Checks a directory before anything is sent: Local if it is missing, not a directory or not
/// writable.
[[nodiscard]] Result<void> check_download_directory(const std::string& directory);

/// A download that runs concurrently with other requests; download() waits for one.
class Download {
 public:
  /// Opens a download to a file. Local if it cannot be written.
  [[nodiscard]] static Result<std::unique_ptr<Download>> open(http::HttpRequest request,
                                                              DownloadTarget target,
                                                              DownloadOptions options);
  virtual ~Download() = default;
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  /// The next request to start, or empty once the download is finished. `done` is called when that
  /// request has finished. The download must outlive the request.
  [[nodiscard]] virtual std::optional<CallJob> next(std::function<void()> done) = 0;
  /// The result, once finished; an error explains how to resume. Returns `otherwise` if no request
  /// has finished.
  [[nodiscard]] virtual Result<Downloaded> finish(const Error& otherwise) = 0;

 protected:
  Download() = default;
};

/// Downloads to a file, which appears complete or not at all. An interrupted response is resumed
/// with Range if the server sends a validator (If-Range, ETag, Last-Modified and Content-Range are
/// checked), else restarted. If that fails or the run is interrupted, partial output that a later
/// run can resume is saved as "PATH.partial", with "PATH.partial.json" next to it; the error's hint
/// says so. A file or directory that cannot be written is Local, detected before anything is sent.
[[nodiscard]] Result<Downloaded> download(ApiClient& client, const http::HttpRequest& request,
                                          const DownloadTarget& target,
                                          const DownloadOptions& options);

/// Downloads to a sink, whose output cannot be undone: an interrupted response is resumed if the
/// server allows it, else the download fails.
[[nodiscard]] Result<Downloaded> download(
    ApiClient& client, const http::HttpRequest& request,
    const std::function<Result<void>(std::string_view bytes)>& sink,
    const DownloadOptions& options);

/// The file name in Content-Disposition (RFC 6266; `filename*` first), untrusted; "" if none.
[[nodiscard]] std::string disposition_name(const http::HttpHead& head);

/// The last component of a URL's path, decoded, untrusted; "" if there is none.
[[nodiscard]] std::string name_in_url(std::string_view url);

}  // namespace svc
