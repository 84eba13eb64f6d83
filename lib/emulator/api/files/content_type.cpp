#include <array>

#include "base/text.h"
#include "emulator/api/files/store.h"

namespace svc::emulator {
namespace {

struct Row {
  std::string_view ending;
  std::string_view type;
};

constexpr std::array k_types = {
    Row{".txt", "text/plain"},
    Row{".md", "text/markdown"},
    Row{".csv", "text/csv"},
    Row{".tsv", "text/tab-separated-values"},
    Row{".html", "text/html"},
    Row{".htm", "text/html"},
    Row{".css", "text/css"},
    Row{".py", "text/x-python"},
    Row{".c", "text/x-c"},
    Row{".h", "text/x-c"},
    Row{".cpp", "text/x-c++"},
    Row{".js", "text/javascript"},
    Row{".json", "application/json"},
    Row{".jsonl", "application/jsonl"},
    Row{".xml", "application/xml"},
    Row{".yaml", "application/yaml"},
    Row{".yml", "application/yaml"},
    Row{".toml", "application/toml"},
    Row{".pdf", "application/pdf"},
    Row{".zip", "application/zip"},
    Row{".gz", "application/gzip"},
    Row{".png", "image/png"},
    Row{".jpg", "image/jpeg"},
    Row{".jpeg", "image/jpeg"},
    Row{".webp", "image/webp"},
    Row{".gif", "image/gif"},
    Row{".svg", "image/svg+xml"},
    Row{".mp4", "video/mp4"},
    Row{".webm", "video/webm"},
    Row{".mp3", "audio/mpeg"},
    Row{".wav", "audio/wav"},
    Row{".ogg", "audio/ogg"},
    Row{".flac", "audio/flac"},
};

}  // namespace

std::string_view guess_content_type(std::string_view filename) {
  const auto dot = filename.rfind('.');
  const std::string ending = dot == std::string_view::npos ? "" : to_lower(filename.substr(dot));
  for (const Row& row : k_types) {
    if (row.ending == ending) return row.type;
  }
  return "application/octet-stream";
}

}  // namespace svc::emulator
