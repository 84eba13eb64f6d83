// Bytes of the service or of a media address into a file, folder or pipe: whole or not at all, and
// going on where they were cut.
//
//   SVC_TRY(done, download(caller, media_request(url, base_url, caller.policy()),
//                          DownloadTarget{.path = "cat.png"}, {}));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "client/api_client.h"
#include "http/transport.h"

namespace svc {

/// Where the bytes go.
struct DownloadTarget {
  /// The file (a FIFO or device is streamed into); with `folder` the folder in which a name that
  /// the service chose is made.
  std::string path{};
  bool folder = false;
  std::string name{};  ///< with `folder`: the wished name, untrusted; else Content-Disposition's
  std::string fallback{};  ///< with `folder`: when no name is left
  Replace replace = Replace::No;
};

struct DownloadOptions {
  std::optional<std::uint64_t> expected_bytes{};  ///< another size is Network
  std::uint64_t max_bytes = 0;                    ///< more is Network; 0: no limit
  /// So many bytes are there, of this many (0: not known).
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
};

struct Downloaded {
  std::string path{};  ///< "" for a sink
  std::uint64_t bytes = 0;
  std::string type{};    ///< the answer's Content-Type
  bool resumed = false;  ///< some bytes came from an earlier run
};

/// The request for a media address, which gets no key and no header of the user, and whose
/// redirects are followed. `named_by` is the address of the service that gave the URL, "" when the
/// user did. Network (Usage for the user's own) unless it is https, or http within this machine: a
/// service elsewhere may not send a download to loopback.
[[nodiscard]] Result<http::HttpRequest> media_request(const std::string& url,
                                                      std::string_view named_by,
                                                      const CallPolicy& policy);

/// What can be known of a folder before anything is sent: Local when it is missing, no folder, or
/// cannot be written.
[[nodiscard]] Result<void> check_download_folder(const std::string& folder);

/// A download that runs beside other calls; download() is one that is waited for.
class Download {
 public:
  /// Into a file. What cannot be written is Local.
  [[nodiscard]] static Result<std::unique_ptr<Download>> open(http::HttpRequest request,
                                                              DownloadTarget target,
                                                              DownloadOptions options);
  virtual ~Download() = default;
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  /// The call that it needs next, to be started as one of several; nothing once it is over. `done`
  /// is called when that call has ended. The download must outlive the call.
  [[nodiscard]] virtual std::optional<CallJob> next(std::function<void()> done) = 0;
  /// What came of it, once it is over; an error tells how to go on. `otherwise` where no call has
  /// ended.
  [[nodiscard]] virtual Result<Downloaded> finish(const Error& otherwise) = 0;

 protected:
  Download() = default;
};

/// Downloads into a file, which appears whole or not at all. A cut answer is gone on with by Range
/// where the server gives a validator (If-Range, ETag, Last-Modified and Content-Range are
/// checked), else begun again. When that does not help, or the run is interrupted, what arrived
/// stays as "PATH.partial" with "PATH.partial.json" beside it if a later run can go on from it; the
/// error's hint says so. A file or folder that cannot be written is Local, found before anything is
/// sent.
[[nodiscard]] Result<Downloaded> download(ApiClient& client, const http::HttpRequest& request,
                                          const DownloadTarget& target,
                                          const DownloadOptions& options);

/// The same into a sink, which cannot take anything back: a cut answer is gone on with where the
/// server allows, or fails.
[[nodiscard]] Result<Downloaded> download(
    ApiClient& client, const http::HttpRequest& request,
    const std::function<Result<void>(std::string_view bytes)>& sink,
    const DownloadOptions& options);

/// What Content-Disposition names (RFC 6266; `filename*` first), untrusted; "" when it names none.
[[nodiscard]] std::string disposition_name(const http::HttpHead& head);

/// The last component of an address's path, decoded, untrusted; "" when there is none.
[[nodiscard]] std::string name_in_url(std::string_view url);

}  // namespace svc
