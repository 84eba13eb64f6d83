#include "emulator/picture/film.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "emulator/picture/font.h"
#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

using media::Box;

constexpr std::array<Tint, 4> k_ball_tints = {Tint{170, 90, 200}, Tint{150, 60, 110},
                                              Tint{180, 170, 90}, Tint{200, 60, 160}};

std::u32string wide(std::string_view text) {
  return {text.begin(), text.end()};  // ASCII
}

// What stays as it is from frame to frame.
Frame draw_background(const Script& script) {
  media::Sketch sketch;
  sketch.prompt = script.prompt;
  sketch.model = script.model;
  sketch.note = script.note;
  sketch.inputs = script.pictures;
  sketch.size = script.size;
  sketch.room_above = !script.extends && !script.footage.frames.empty();
  return Frame(media::draw_picture(sketch));
}

/// Draws one frame after the other.
class Stage {
 public:
  explicit Stage(const Script& script)
      : m_script(script), m_total(std::max(0.1, length_of(script))) {
    m_background = draw_background(script);
    for (const Scene& scene : script.scenes) m_scenes.push_back(scene_frame(scene));
  }

  [[nodiscard]] Frame frame(int index) const {
    const double time = static_cast<double>(index) / k_frames_per_second;
    Frame frame = m_background;
    if (m_script.extends && index < first_new_frame() && !m_script.footage.frames.empty()) {
      frame.paste(footage_at(index), {0, 0, frame.width(), frame.height()});
    } else {
      show_footage(frame, index);
      show_scene(frame, time);
      show_ball(frame, time);
    }
    show_clock(frame, time);
    return frame;
  }

 private:
  // A picture on black, as large as it may be.
  Frame scene_frame(const Scene& scene) const {
    media::Canvas canvas(m_script.size.width, m_script.size.height);
    const media::Size size{scene.picture.width(), scene.picture.height()};
    canvas.paste(scene.picture, media::fit(size, {0, 0, canvas.width(), canvas.height()}));
    return Frame(canvas);
  }

  void show_scene(Frame& frame, double time) const {
    for (std::size_t i = m_scenes.size(); i-- > 0;) {
      if (m_script.scenes[i].time_s > time) continue;
      frame = m_scenes[i];
      return;
    }
  }

  [[nodiscard]] const Frame& footage_at(int index) const {
    const auto& frames = m_script.footage.frames;
    return frames[std::min(static_cast<std::size_t>(index), frames.size() - 1)];
  }

  // What an edit changes is shown above the words.
  void show_footage(Frame& frame, int index) const {
    if (m_script.extends || m_script.footage.frames.empty()) return;
    const Frame& shown = footage_at(index);
    const Box box = media::fit({shown.width(), shown.height()}, media::input_box(m_script.size));
    const Box place{box.x / 2 * 2, box.y / 2 * 2, box.width / 2 * 2, box.height / 2 * 2};
    frame.fill({place.x - 4, place.y - 4, place.width + 8, place.height + 8}, k_white);
    frame.paste(shown, place);
  }

  [[nodiscard]] int first_new_frame() const {
    return static_cast<int>(std::lround(m_script.footage.duration_s * k_frames_per_second));
  }

  void show_ball(Frame& frame, double time) const {
    const int width = frame.width();
    const int height = frame.height();
    const int radius = std::max(6, std::min(width, height) / 24);
    const double turn = time / 4.0;  // one way in two seconds
    const double way = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * turn);
    const int x = radius + static_cast<int>(way * (width - 2 * radius));
    const double jump = std::abs(std::sin(2 * std::numbers::pi * time / 1.5));
    const int y = height * 4 / 5 - static_cast<int>(jump * height / 8);
    const auto tint = media::stable_hash(m_script.prompt) % k_ball_tints.size();
    frame.fill_circle(x, y, radius, k_ball_tints[tint]);
  }

  void show_clock(Frame& frame, double time) const {
    const int width = frame.width();
    const int height = frame.height();
    const int bar = std::max(4, height / 90 / 2 * 2);
    const int done = static_cast<int>(width * std::min(1.0, time / m_total));
    frame.fill({0, height - bar, width, bar}, k_black);
    frame.fill({0, height - bar, done / 2 * 2, bar}, k_white);
    const int scale = std::max(2, height / 200);
    const std::string clock = fmt::format("{:.1f} / {:.1f} s", time, m_total);
    const int box_width = (static_cast<int>(clock.size()) * media::k_cell_width + 2) * scale;
    frame.fill({width - box_width, 0, box_width, (media::k_cell_height + 1) * scale}, k_black);
    frame.write(width - box_width + scale, 0, scale, wide(clock), k_white);
  }

  const Script& m_script;
  double m_total;
  Frame m_background{};
  std::vector<Frame> m_scenes{};
};

Frame shrink(Frame frame) {
  // Several hundred frames are kept: none needs more than this.
  constexpr int k_widest = 854;
  if (frame.width() <= k_widest) return frame;
  Frame small(k_widest, frame.height() * k_widest / frame.width() / 2 * 2);
  small.paste(frame, {0, 0, small.width(), small.height()});
  return small;
}

// Every frame must be decoded, but only some are kept.
std::vector<Frame> decode_frames(std::string_view file, const Mp4Track& track) {
  constexpr double k_longest_s = 30;
  std::vector<Frame> frames;
  auto decoder = Decoder::open();
  if (!decoder || track.codec != "avc1") return frames;
  for (const std::string& set : track.parameters) decoder->set_parameters(set);
  for (const SamplePlace& place : track.samples) {
    if (place.time_s > k_longest_s) break;
    auto frame = decoder->decode(file.substr(place.offset, place.size), track.length_size);
    const double due = static_cast<double>(frames.size()) / k_frames_per_second;
    if (frame && place.time_s + 1e-6 >= due) frames.push_back(shrink(*std::move(frame)));
  }
  return frames;
}

}  // namespace

double length_of(const Script& script) {
  return script.duration_s + (script.extends ? script.footage.duration_s : 0);
}

Result<std::string> shoot(const Script& script) {
  SVC_TRY(encoder, Encoder::open(script.size.width, script.size.height, k_frames_per_second));
  const Stage stage(script);
  Film film;
  film.width = script.size.width;
  film.height = script.size.height;
  film.frames_per_second = k_frames_per_second;
  film.title = script.prompt;
  const int count =
      std::max(1, static_cast<int>(std::lround(length_of(script) * k_frames_per_second)));
  for (int i = 0; i < count; ++i) {
    SVC_TRY(sample, encoder.encode(stage.frame(i)));
    film.samples.push_back(std::move(sample));
  }
  film.sps = encoder.sps();
  film.pps = encoder.pps();
  return write_mp4(film);
}

Result<Footage> read_footage(std::string_view file, bool with_frames) {
  SVC_TRY(track, read_mp4(file));
  Footage footage;
  footage.codec = track.codec;
  footage.width = track.width;
  footage.height = track.height;
  footage.duration_s = track.duration_s;
  if (with_frames) footage.frames = decode_frames(file, track);
  return footage;
}

}  // namespace svc::emulator::videos
