// H.264 by OpenH264: frames to samples of an MP4, and back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/picture/frame.h"

class ISVCDecoder;
class ISVCEncoder;

namespace svc::emulator::videos {

/// One frame as an MP4 holds it: NAL units, each behind its length in four bytes.
struct Sample {
  std::string bytes{};
  bool key = false;  ///< it can be decoded without those before it
};

class Encoder {
 public:
  [[nodiscard]] static Result<Encoder> open(int width, int height, int frames_per_second);

  [[nodiscard]] Result<Sample> encode(const Frame& frame);

  /// The parameter sets, as NAL units; empty before the first frame.
  [[nodiscard]] const std::string& sps() const { return m_sps; }
  [[nodiscard]] const std::string& pps() const { return m_pps; }

 private:
  struct Destroy {
    void operator()(ISVCEncoder* encoder) const noexcept;
  };
  Encoder(ISVCEncoder* encoder, int width, int height)
      : m_encoder(encoder), m_width(width), m_height(height) {}
  std::unique_ptr<ISVCEncoder, Destroy> m_encoder;
  int m_width;
  int m_height;
  std::int64_t m_count = 0;
  std::string m_sps{};
  std::string m_pps{};
};

class Decoder {
 public:
  [[nodiscard]] static Result<Decoder> open();

  /// Hands in NAL units with lengths of `length_size` bytes before them; a frame when one is
  /// complete.
  [[nodiscard]] std::optional<Frame> decode(std::string_view sample, int length_size);
  /// Hands in one NAL unit: a parameter set.
  void set_parameters(std::string_view nal);

 private:
  struct Destroy {
    void operator()(ISVCDecoder* decoder) const noexcept;
  };
  explicit Decoder(ISVCDecoder* decoder) : m_decoder(decoder) {}
  [[nodiscard]] std::optional<Frame> feed(const std::string& annex_b);
  std::unique_ptr<ISVCDecoder, Destroy> m_decoder;
};

}  // namespace svc::emulator::videos
