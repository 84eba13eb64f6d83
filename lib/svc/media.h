// Images and videos. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "svc/options.h"
#include "svc/text.h"

namespace svc::v0 {

struct ImageRequest {
  std::string prompt{};
  std::string model{};
  std::vector<std::string> images{};  ///< to edit: paths, URLs, data: URLs or file IDs
  std::optional<int> n{};             ///< number of images; each is billed
  std::string aspect_ratio{};         ///< "16:9"
  std::string resolution{};           ///< "1k", "2k"
  Flags flags{};                      ///< any other flag of `svc images`, see svc-images(1)
};

struct Image {
  std::string url{};    ///< temporary; see Client::save()
  std::string bytes{};  ///< the image, if it came with the answer (response-format b64_json)
  std::string mime_type{};
  std::string revised_prompt{};
  bool blocked = false;  ///< by moderation
};

struct ImageAnswer {
  std::vector<Image> images{};
  Usage usage{};
  std::string json{};
};

struct VideoRequest {
  std::string prompt{};
  std::string model{};
  std::string image{};            ///< the first frame: a path, URL, data: URL or file ID
  std::optional<int> duration{};  ///< seconds
  std::string aspect_ratio{};
  std::string resolution{};
  Flags flags{};  ///< any other flag of `svc videos`, see svc-videos(1)
};

struct Video {
  std::string id{};      ///< of the job
  std::string status{};  ///< "pending", "done"
  int progress = 0;      ///< percent
  std::string url{};     ///< temporary; see Client::save()
  double duration = 0;   ///< seconds
  bool blocked = false;  ///< by moderation
  Usage usage{};
  std::string json{};
};

}  // namespace svc::v0
