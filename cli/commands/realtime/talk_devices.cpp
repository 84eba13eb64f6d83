#include "commands/realtime/talk_devices.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audio/sound_library.h"
#include "base/cancel_token.h"
#include "base/text.h"
#include "live/sound.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using audio::Direction;
using audio::Duplex;
using audio::DuplexOptions;

constexpr auto k_patience = 3s;  ///< how long to look for a replacement device
constexpr auto k_pause = 300ms;  ///< between two attempts

const char* noun(Direction direction) {
  return direction == Direction::Input ? "microphone" : "speaker";
}

std::string& name_in(DuplexOptions& options, Direction direction) {
  return direction == Direction::Input ? options.input : options.output;
}

const audio::Device& device_in(const Duplex& duplex, Direction direction) {
  return direction == Direction::Input ? duplex.input : duplex.output;
}

/// The names of the other devices, starting after the one in use.
Result<std::vector<std::string>> names_behind(const DuplexOptions& options, Direction direction) {
  SVC_TRY(devices, audio::list_devices(*options.cancel));
  const std::string& used = direction == Direction::Input ? options.input : options.output;
  SVC_TRY(now, audio::choose_device(devices, direction, used));
  std::vector<std::string> names;
  for (const audio::Device& device : devices) {
    const int channels =
        direction == Direction::Input ? device.input_channels : device.output_channels;
    if (channels > 0 && std::ranges::find(names, device.name) == names.end()) {
      names.push_back(device.name);
    }
  }
  const auto at = std::find(names.begin(), names.end(), now.name);
  std::rotate(names.begin(), at, names.end());  // clang 14 cannot compile std::ranges::rotate
  if (at != names.end()) names.erase(names.begin());
  return names;
}

}  // namespace

struct TalkDevices::Work {
  DuplexOptions options{};
  Direction direction = Direction::Input;
  std::optional<Error>
      gone{};  ///< the error of a device to replace; nothing: the user wants another one
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + k_patience;
  Event over{};
  std::mutex mutex{};
  std::optional<Result<Change>> change{};  ///< guarded by the mutex

  Result<Change> choose() {
    const std::string before = name_in(options, direction);
    SVC_TRY(names, names_behind(options, direction));
    for (const std::string& name : names) {
      if (std::chrono::steady_clock::now() >= until) break;  // keep the previous device
      // The list may contain devices that cannot be opened.
      name_in(options, direction) = name;
      if (auto duplex = audio::open_duplex(options)) {
        std::string note = fmt::format("the {} is now {}", noun(direction),
                                       audio::shown_device(device_in(*duplex, direction)));
        return Change{std::move(*duplex), std::move(note)};
      }
    }
    name_in(options, direction) = before;
    SVC_TRY(duplex, audio::open_duplex(options));
    return Change{std::move(duplex), fmt::format("no other {} found", noun(direction))};
  }

  Result<Change> replace() {
    name_in(options, direction).clear();
    while (true) {
      auto duplex = audio::open_duplex(options);
      if (duplex) {
        std::string note =
            fmt::format("{}; continuing with the {} {}", gone->message, noun(direction),
                        audio::shown_device(device_in(*duplex, direction)));
        return Change{std::move(*duplex), std::move(note)};
      }
      if (std::chrono::steady_clock::now() + k_pause >= until) return *gone;
      // The other device may have been removed as well.
      options.input.clear();
      options.output.clear();
      std::this_thread::sleep_for(k_pause);
    }
  }

  void run() {
    auto result = gone ? replace() : choose();
    const std::lock_guard hold(mutex);
    change.emplace(std::move(result));
    over.signal();
  }
};

TalkDevices::~TalkDevices() {
  remember();
  if (m_work) audio::exit_without_destructors();
}

Result<Duplex> TalkDevices::open() {
  return audio::open_duplex(m_options);
}

void TalkDevices::use(const Duplex& duplex) {
  remember();
  m_input = duplex.input;
  m_output = duplex.output;
  m_status = duplex.status;
}

void TalkDevices::remember() const {
  if (!m_status || m_status->lag == audio::EchoStatus::k_unknown) return;
  remember_lag(m_input, m_output, audio::Milliseconds(m_status->lag));
}

/// Starts the thread "sound"; it ends with its work, or is abandoned until the program exits.
void TalkDevices::begin(Direction direction, std::optional<Error> gone) {
  m_work = std::make_shared<Work>();
  m_work->options = m_options;
  m_work->direction = direction;
  m_work->gone = std::move(gone);
  std::thread([work = m_work] { work->run(); }).detach();
}

int TalkDevices::descriptor() const {
  return m_work ? m_work->over.descriptor() : -1;
}

std::optional<Result<TalkDevices::Change>> TalkDevices::take() {
  if (!m_work) return std::nullopt;
  std::unique_lock hold(m_work->mutex);
  // A change that the user asked for falls back to the previous device, so it gets more time.
  const auto patience = m_work->gone ? audio::Milliseconds(500) : 2 * audio::k_open_limit;
  if (!m_work->change && std::chrono::steady_clock::now() < m_work->until + patience) {
    return std::nullopt;
  }
  auto change = std::move(m_work->change);
  hold.unlock();
  const auto work = std::exchange(m_work, nullptr);
  if (change && *change) m_options = work->options;
  if (change) return change;
  if (work->gone) return Result<Change>(*work->gone);
  return Result<Change>(Error{Fault::Local,
                              fmt::format("the sound system did not open another {} within {}",
                                          noun(work->direction), format_duration(k_patience)),
                              "Is a sound server running (PipeWire, PulseAudio or JACK)?"});
}

}  // namespace svc::cli
