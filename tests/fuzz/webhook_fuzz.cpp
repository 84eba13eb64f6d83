// A webhook delivery: a request split anywhere must be read the same and within its limits; a
// signature not made with the secret must never be valid.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "webhook/receiver.h"
#include "webhook/signature.h"

namespace {

using namespace svc::webhook;

constexpr HttpLimits k_limits{.header = 2048, .body = 4096};

std::string read_by(std::string_view bytes, std::size_t step, HttpRequest* taken) {
  RequestReader reader(k_limits);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    switch (reader.feed(bytes.substr(at, step))) {
      case RequestReader::Progress::Complete: {
        HttpRequest request = reader.take();
        if (request.body.size() > k_limits.body) std::abort();
        std::string told = "whole " + request.method + ' ' + request.path + ' ' + request.body;
        if (taken != nullptr) *taken = std::move(request);
        return told;
      }
      case RequestReader::Progress::Rejected:
        return "refused";
      case RequestReader::Progress::NeedMore:
      case RequestReader::Progress::Continue:
        break;
    }
    if (reader.buffered_bytes() > k_limits.header + k_limits.body + bytes.size()) std::abort();
  }
  return "more";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  HttpRequest request;
  const std::string whole = read_by(bytes, bytes.size(), &request);
  const std::string pieces = read_by(bytes, 1 + data[0] % 16, nullptr);
  if (whole.starts_with("whole") != pieces.starts_with("whole")) std::abort();
  if (whole.starts_with("whole") && whole != pieces) std::abort();
  static const std::array<std::string, 1> secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"};
  static const auto verifier = Verifier::make(secrets);
  if (!verifier) std::abort();
  const Delivery delivery{request.id, request.timestamp, request.signature, request.body};
  if (verifier->verify(delivery, 1'614'265'330) == Verification::Valid) std::abort();
  (void)describe(verifier->verify(delivery, 0), delivery, 0);
  return 0;
}
