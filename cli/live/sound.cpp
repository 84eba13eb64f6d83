#include "live/sound.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "audio/devices.h"
#include "catalogue/sound_fields.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

OrderedJson device_json(const audio::Device& device) {
  const char* usual = device.default_input && device.default_output ? "in, out"
                      : device.default_input                        ? "in"
                      : device.default_output                       ? "out"
                                                                    : "";
  return {{"index", device.index},
          {"name", device.name},
          {"system", device.host},
          {"input_channels", device.input_channels},
          {"output_channels", device.output_channels},
          {"sample_rate", device.rate},
          {"default", usual}};
}

}  // namespace

Result<void> print_devices(Session& session) {
  SVC_TRY(devices, audio::list_devices(session.cancel_token()));
  OrderedJson rows = OrderedJson::array();
  for (const audio::Device& device : devices) rows.push_back(device_json(device));
  if (devices.empty() && session.format() == Format::Text) {
    session.notices().note("this machine has no sound devices");
  }
  SVC_CHECK(print_list(session, rows, catalogue::k_device_columns));
  return session.out().flush();
}

std::string wanted_input(const Session& session) {
  return session.invocation().value("input-device").value_or(session.settings().input_device.value);
}

std::string wanted_output(const Session& session) {
  return session.invocation()
      .value("output-device")
      .value_or(session.settings().output_device.value);
}

std::string level_meter(audio::Level level, bool utf8, int cells) {
  constexpr double k_floor = -50;
  const double loud = (audio::decibels(level.rms) - k_floor) / -k_floor;
  const int full = std::clamp(static_cast<int>(std::lround(loud * cells)), 0, cells);
  std::string meter;
  for (int i = 0; i < cells; ++i) meter += i < full ? (utf8 ? "▮" : "#") : (utf8 ? "▯" : "-");
  return meter;
}

http::Timeouts speech_timeouts(const Session& session, const ApiClient& client) {
  http::Timeouts times = client.policy().timeouts;
  if (session.settings().idle_timeout.source == "built in") times.idle = std::chrono::minutes(15);
  return times;
}

}  // namespace svc::cli
