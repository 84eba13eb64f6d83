#include "emulator/picture/h264.h"

#include <algorithm>
#include <array>

#include <wels/codec_api.h>

namespace svc::emulator::videos {
namespace {

constexpr int k_quality = 26;  // the quantizer: sharp letters, small files
constexpr std::string_view k_start_code{"\0\0\0\1", 4};
constexpr int k_largest_side = 4096;

enum NalType : unsigned { k_sps_nal = 7, k_pps_nal = 8 };

Error codec_error(const char* what) {
  return Error{Fault::Unexpected, std::string("The video codec failed: ") + what + "."};
}

void append_length(std::string& out, std::size_t size) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>((size >> shift) & 0xFFU);
}

// Without the start code, which has three or four bytes.
std::string_view bare_nal(std::string_view nal) {
  const std::size_t one = nal.find('\1');
  return one == std::string_view::npos ? nal : nal.substr(one + 1);
}

void set_layer(SEncParamExt& settings, int width, int height, float rate) {
  auto& layer = settings.sSpatialLayers[0];
  layer.iVideoWidth = width;
  layer.iVideoHeight = height;
  layer.fFrameRate = rate;
  layer.iDLayerQp = k_quality;
  layer.iSpatialBitrate = settings.iTargetBitrate;
  layer.uiProfileIdc = PRO_BASELINE;
  layer.sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
}

Plane copy_plane(const std::uint8_t* bytes, int stride, int width, int height) {
  Plane plane{width, height, {}};
  plane.bytes.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    std::copy_n(bytes + static_cast<std::ptrdiff_t>(y) * stride, width, plane.row(y));
  }
  return plane;
}

}  // namespace

void Encoder::Destroy::operator()(ISVCEncoder* encoder) const noexcept {
  encoder->Uninitialize();
  WelsDestroySVCEncoder(encoder);
}

Result<Encoder> Encoder::open(int width, int height, int frames_per_second) {
  ISVCEncoder* raw = nullptr;
  if (WelsCreateSVCEncoder(&raw) != 0 || raw == nullptr) return codec_error("no encoder");
  Encoder encoder(raw, width, height);
  int silent = WELS_LOG_QUIET;
  raw->SetOption(ENCODER_OPTION_TRACE_LEVEL, &silent);
  SEncParamExt settings{};
  raw->GetDefaultParams(&settings);
  const auto rate = static_cast<float>(frames_per_second);
  settings.iUsageType = CAMERA_VIDEO_REAL_TIME;
  settings.iPicWidth = width;
  settings.iPicHeight = height;
  settings.fMaxFrameRate = rate;
  settings.iRCMode = RC_OFF_MODE;
  settings.iTargetBitrate = 5'000'000;
  settings.iComplexityMode = LOW_COMPLEXITY;
  settings.uiIntraPeriod = static_cast<unsigned>(4 * frames_per_second);
  settings.eSpsPpsIdStrategy = CONSTANT_ID;
  settings.bEnableFrameSkip = false;
  settings.iMultipleThreadIdc = 1;  // the same bytes on every machine
  set_layer(settings, width, height, rate);
  if (raw->InitializeExt(&settings) != 0) return codec_error("it takes no such size");
  int format = videoFormatI420;
  raw->SetOption(ENCODER_OPTION_DATAFORMAT, &format);
  return encoder;
}

Result<Sample> Encoder::encode(const Frame& frame) {
  SSourcePicture picture{};
  picture.iColorFormat = videoFormatI420;
  picture.iPicWidth = m_width;
  picture.iPicHeight = m_height;
  picture.uiTimeStamp = m_count++ * 1000;
  for (int i = 0; i < 3; ++i) {
    // It is not written to: the interface knows no const.
    picture.pData[i] = const_cast<std::uint8_t*>(frame.plane(i).bytes.data());
    picture.iStride[i] = frame.plane(i).width;
  }
  SFrameBSInfo out{};
  if (m_encoder->EncodeFrame(&picture, &out) != cmResultSuccess) return codec_error("no frame");
  Sample sample;
  sample.key = out.eFrameType == videoFrameTypeIDR;
  for (int i = 0; i < out.iLayerNum; ++i) {
    const SLayerBSInfo& layer = out.sLayerInfo[i];
    const char* at = reinterpret_cast<const char*>(layer.pBsBuf);
    for (int n = 0; n < layer.iNalCount; ++n) {
      const auto length = static_cast<std::size_t>(layer.pNalLengthInByte[n]);
      const std::string_view nal = bare_nal({at, length});
      at += length;
      if (nal.empty()) continue;
      const unsigned type = static_cast<unsigned char>(nal.front()) & 0x1FU;
      if (type == k_sps_nal) {
        m_sps = nal;
      } else if (type == k_pps_nal) {
        m_pps = nal;
      } else {
        append_length(sample.bytes, nal.size());
        sample.bytes += nal;
      }
    }
  }
  return sample;
}

void Decoder::Destroy::operator()(ISVCDecoder* decoder) const noexcept {
  decoder->Uninitialize();
  WelsDestroyDecoder(decoder);
}

Result<Decoder> Decoder::open() {
  ISVCDecoder* raw = nullptr;
  if (WelsCreateDecoder(&raw) != 0 || raw == nullptr) return codec_error("no decoder");
  Decoder decoder(raw);
  int silent = WELS_LOG_QUIET;
  raw->SetOption(DECODER_OPTION_TRACE_LEVEL, &silent);
  SDecodingParam settings{};
  settings.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
  settings.eEcActiveIdc = ERROR_CON_SLICE_COPY;
  if (raw->Initialize(&settings) != 0) return codec_error("the decoder does not start");
  return decoder;
}

std::optional<Frame> Decoder::feed(const std::string& annex_b) {
  std::array<std::uint8_t*, 3> planes{};
  SBufferInfo info{};
  m_decoder->DecodeFrameNoDelay(reinterpret_cast<const unsigned char*>(annex_b.data()),
                                static_cast<int>(annex_b.size()), planes.data(), &info);
  if (info.iBufferStatus != 1 || planes[0] == nullptr) return std::nullopt;
  const auto& buffer = info.UsrData.sSystemBuffer;
  const int width = buffer.iWidth / 2 * 2;
  const int height = buffer.iHeight / 2 * 2;
  if (width < 2 || height < 2 || width > k_largest_side || height > k_largest_side) {
    return std::nullopt;
  }
  Frame frame;
  frame.plane(0) = copy_plane(planes[0], buffer.iStride[0], width, height);
  frame.plane(1) = copy_plane(planes[1], buffer.iStride[1], width / 2, height / 2);
  frame.plane(2) = copy_plane(planes[2], buffer.iStride[1], width / 2, height / 2);
  return frame;
}

void Decoder::set_parameters(std::string_view nal) {
  (void)feed(std::string(k_start_code) + std::string(nal));
}

std::optional<Frame> Decoder::decode(std::string_view sample, int length_size) {
  const auto prefix = static_cast<std::size_t>(length_size);
  std::string annex_b;
  while (sample.size() > prefix) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < prefix; ++i) {
      length = length << 8U | static_cast<unsigned char>(sample[i]);
    }
    sample.remove_prefix(prefix);
    length = std::min(length, sample.size());
    annex_b += k_start_code;
    annex_b += sample.substr(0, length);
    sample.remove_prefix(length);
  }
  return feed(annex_b);
}

}  // namespace svc::emulator::videos
