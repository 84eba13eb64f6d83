#include "live/sound.h"

#include <nlohmann/json.hpp>

#include "audio/devices.h"
#include "catalogue/sound_fields.h"
#include "json/document.h"
#include "print/table.h"

namespace svc::cli {
namespace {

nlohmann::json device_json(const audio::Device& device) {
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
  print::Table table(session.out(), catalogue::k_device_columns, session.list_choice());
  nlohmann::json list = nlohmann::json::array();
  for (const audio::Device& device : devices) {
    list.push_back(device_json(device));
    if (session.format() == Format::Text) {
      SVC_CHECK(table.add(list.back()));
    } else if (session.format() == Format::Jsonl) {
      SVC_CHECK(session.write_line(compact_json(list.back())));
    }
  }
  if (session.format() == Format::Jsonl) return session.out().flush();
  if (session.format() != Format::Text) {
    SVC_CHECK(session.write_document(compact_json(list)));
    return session.out().flush();
  }
  if (devices.empty()) session.notices().note("this machine has no sound devices");
  SVC_CHECK(table.finish());
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

}  // namespace svc::cli
