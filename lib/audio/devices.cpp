#include "audio/devices.h"

#include <algorithm>

#include "audio/device_stream.h"
#include "audio/sound_library.h"
#include "base/text.h"

namespace svc::audio {
namespace {

bool can(const Device& device, Direction direction) {
  return (direction == Direction::Input ? device.input_channels : device.output_channels) > 0;
}

bool is_default(const Device& device, Direction direction) {
  return direction == Direction::Input ? device.default_input : device.default_output;
}

std::string noun(Direction direction) {
  return direction == Direction::Input ? "microphone" : "speaker";
}

std::string names_of(const std::vector<const Device*>& devices) {
  std::string text;
  for (const Device* device : devices) {
    text += (text.empty() ? "" : ", ") + shown_device(*device);
  }
  return text;
}

Error no_device(Direction direction) {
  return Error{Fault::Local, "this machine has no " + noun(direction),
               "Connect one or start the sound server (PipeWire, PulseAudio or JACK). Files and "
               "pipes work without one: see --help."};
}

Result<Device> wrong_choice(const std::vector<const Device*>& usable, Direction direction,
                            std::string_view wanted, const std::string& what) {
  return Error{
      Fault::Local,
      "'" + visible(wanted, Lines::Escape) + "' " + what + ": choose from " + names_of(usable),
      "Pass the number of a " + noun(direction) +
          ", or a unique part of its name; `svc sound devices` lists them."};
}

}  // namespace

std::string shown_device(const Device& device) {
  return std::to_string(device.index) + ": " + visible(device.name, Lines::Escape);
}

Result<Device> choose_device(std::span<const Device> devices, Direction direction,
                             std::string_view wanted) {
  std::vector<const Device*> usable;
  for (const Device& device : devices) {
    if (can(device, direction)) usable.push_back(&device);
  }
  if (usable.empty()) return no_device(direction);
  if (wanted.empty()) {
    const auto found = std::ranges::find_if(
        usable, [&](const Device* device) { return is_default(*device, direction); });
    return found == usable.end() ? *usable.front() : **found;
  }
  if (const auto index = parse_integer(wanted)) {
    const auto found =
        std::ranges::find_if(usable, [&](const Device* device) { return device->index == *index; });
    if (found != usable.end()) return **found;
    return wrong_choice(usable, direction, wanted, "does not match any " + noun(direction));
  }
  std::vector<const Device*> fitting;
  for (const Device* device : usable) {
    if (equals_ignore_case(device->name, wanted)) return *device;
    if (contains_ignore_case(device->name, wanted)) fitting.push_back(device);
  }
  if (fitting.size() == 1) return *fitting.front();
  if (fitting.empty()) {
    return wrong_choice(usable, direction, wanted, "matches no " + noun(direction));
  }
  return wrong_choice(fitting, direction, wanted, "matches several devices");
}

Result<std::vector<Device>> list_devices(const CancelToken& cancel) {
  return open_with_timeout<std::vector<Device>>(&cancel, []() -> Result<std::vector<Device>> {
    SVC_TRY(system, SoundSystem::open());
    return system->devices();
  });
}

}  // namespace svc::audio
