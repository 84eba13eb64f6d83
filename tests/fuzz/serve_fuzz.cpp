// Messages to svc's own MCP server, one per line: any bytes must be answered with lines of JSON or
// ignored, and the server must end with its input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "json/text.h"
#include "mcp/server.h"

namespace {

using namespace svc;
using namespace svc::mcp;

/// Answers with what it was asked, as JSON.
class Echo final : public ServerHandler {
 public:
  std::string tools() override { return R"([{"name":"t","inputSchema":{"type":"object"}}])"; }
  Result<std::string> call(const std::string&, const std::string& arguments,
                           const OnProgress& progress, const CancelToken&) override {
    if (!arguments.empty() && check_json(arguments)) std::abort();
    progress(1, 2, "half");
    return std::string(R"({"content":[]})");
  }
  Result<std::string> resources(const CancelToken&) override { return std::string("[]"); }
  std::string resource_templates() override { return "[]"; }
  Result<std::string> read_resource(const std::string& uri, const CancelToken&) override {
    if (first_invalid_utf8(uri)) std::abort();
    return Error{Fault::NotFound, "no such resource"};
  }
  std::string prompts() override { return "[]"; }
  Result<std::string> prompt(const std::string&, const std::string& arguments) override {
    if (!arguments.empty() && check_json(arguments)) std::abort();
    return Error{Fault::Usage, "no such prompt"};
  }
};

FileDescriptor memory_file(std::string_view bytes) {
  FileDescriptor file(::memfd_create("fuzz", 0));
  if (::write(file.get(), bytes.data(), bytes.size()) < 0) std::abort();
  (void)::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FileDescriptor input =
      memory_file(std::string_view(reinterpret_cast<const char*>(data), size));
  const FileDescriptor output = memory_file("");
  Echo handler;
  {
    Server server(handler, {"fuzz", "1", ""}, input.get(), output.get());
    static const NeverCanceled nobody;
    (void)server.run(nobody);
  }
  const auto end = static_cast<std::size_t>(::lseek(output.get(), 0, SEEK_END));
  std::string answers(end, '\0');
  if (end > 0 && ::pread(output.get(), answers.data(), end, 0) < 0) std::abort();
  for (const std::string_view line : split(answers, '\n')) {
    if (!line.empty() && check_json(line)) std::abort();
  }
  return 0;
}
