#include "emulator/picture/h264.h"

#include <array>
#include <memory>

#include <wels/codec_api.h>

namespace svc::emulator::videos {
namespace {

constexpr int k_quality = 26;  // the quantizer: small files

enum NalType : unsigned { k_sps_nal = 7, k_pps_nal = 8 };

struct Destroy {
  void operator()(ISVCEncoder* encoder) const noexcept {
    encoder->Uninitialize();
    WelsDestroySVCEncoder(encoder);
  }
};
using Encoder = std::unique_ptr<ISVCEncoder, Destroy>;

Error codec_error(const char* what) {
  return Error{Fault::Unexpected, std::string("The video codec failed: ") + what + "."};
}

Result<Encoder> open_encoder(media::Size size, int pictures_per_second) {
  ISVCEncoder* raw = nullptr;
  if (WelsCreateSVCEncoder(&raw) != 0 || raw == nullptr) return codec_error("no encoder");
  Encoder encoder(raw);
  int silent = WELS_LOG_QUIET;
  raw->SetOption(ENCODER_OPTION_TRACE_LEVEL, &silent);
  SEncParamExt settings{};
  raw->GetDefaultParams(&settings);
  settings.iUsageType = CAMERA_VIDEO_REAL_TIME;
  settings.iPicWidth = size.width;
  settings.iPicHeight = size.height;
  settings.fMaxFrameRate = static_cast<float>(pictures_per_second);
  settings.iRCMode = RC_OFF_MODE;
  settings.iTargetBitrate = 5'000'000;
  settings.iComplexityMode = LOW_COMPLEXITY;
  settings.eSpsPpsIdStrategy = CONSTANT_ID;
  settings.bEnableFrameSkip = false;
  settings.iMultipleThreadIdc = 1;  // the same bytes on every machine
  auto& layer = settings.sSpatialLayers[0];
  layer.iVideoWidth = size.width;
  layer.iVideoHeight = size.height;
  layer.fFrameRate = settings.fMaxFrameRate;
  layer.iDLayerQp = k_quality;
  layer.iSpatialBitrate = settings.iTargetBitrate;
  layer.uiProfileIdc = PRO_BASELINE;
  layer.sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
  if (raw->InitializeExt(&settings) != 0) return codec_error("it takes no such size");
  int format = videoFormatI420;
  raw->SetOption(ENCODER_OPTION_DATAFORMAT, &format);
  return encoder;
}

/// A picture as a codec takes it: luma, and chroma at half the size (BT.601, video range).
using Planes = std::array<std::vector<std::uint8_t>, 3>;

Planes planes_of(const media::Picture& picture) {
  Planes planes;
  const auto [width, height] = picture.size();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const media::Color c = picture.at(x, y);
      const auto add = [&](std::size_t plane, int zero, int red, int green, int blue) {
        const int sum = red * c.red + green * c.green + blue * c.blue;
        planes[plane].push_back(static_cast<std::uint8_t>(zero + (sum + 128) / 256));
      };
      add(0, 16, 66, 129, 25);
      if (x % 2 != 0 || y % 2 != 0) continue;
      add(1, 128, -38, -74, 112);
      add(2, 128, 112, -94, -18);
    }
  }
  return planes;
}

// Without the start code, which has three or four bytes.
std::string_view bare_nal(std::string_view nal) {
  const std::size_t one = nal.find('\1');
  return one == std::string_view::npos ? nal : nal.substr(one + 1);
}

void add_nal(Stream& stream, Sample& sample, std::string_view nal) {
  if (nal.empty()) return;
  const unsigned type = static_cast<unsigned char>(nal.front()) & 0x1FU;
  if (type == k_sps_nal) {
    stream.sps = nal;
  } else if (type == k_pps_nal) {
    stream.pps = nal;
  } else {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      sample.bytes += static_cast<char>((nal.size() >> shift) & 0xFFU);
    }
    sample.bytes += nal;
  }
}

}  // namespace

Result<Stream> encode(std::span<const media::Picture> pictures, int pictures_per_second) {
  const media::Size size = pictures.front().size();
  SVC_TRY(encoder, open_encoder(size, pictures_per_second));
  Stream stream;
  for (const media::Picture& picture : pictures) {
    Planes planes = planes_of(picture);
    SSourcePicture source{};
    source.iColorFormat = videoFormatI420;
    source.iPicWidth = size.width;
    source.iPicHeight = size.height;
    source.uiTimeStamp = static_cast<long long>(stream.samples.size()) * 1000 / pictures_per_second;
    for (std::size_t i = 0; i < planes.size(); ++i) {
      source.pData[i] = planes[i].data();
      source.iStride[i] = i == 0 ? size.width : size.width / 2;
    }
    SFrameBSInfo out{};
    if (encoder->EncodeFrame(&source, &out) != cmResultSuccess) return codec_error("no picture");
    Sample sample;
    sample.key = out.eFrameType == videoFrameTypeIDR;
    for (int i = 0; i < out.iLayerNum; ++i) {
      const SLayerBSInfo& layer = out.sLayerInfo[i];
      const char* at = reinterpret_cast<const char*>(layer.pBsBuf);
      for (int n = 0; n < layer.iNalCount; ++n) {
        const auto length = static_cast<std::size_t>(layer.pNalLengthInByte[n]);
        add_nal(stream, sample, bare_nal({at, length}));
        at += length;
      }
    }
    stream.samples.push_back(std::move(sample));
  }
  return stream;
}

}  // namespace svc::emulator::videos
