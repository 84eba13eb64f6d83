#include "emulator/picture/picture.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/picture/font.h"

namespace svc::emulator::media {
namespace {

constexpr Color k_white{255, 255, 255};
constexpr Color k_ink{16, 18, 24};
constexpr int k_shapes = 9;
constexpr int k_largest_scale = 8;
constexpr std::size_t k_most_columns = 44;

/// SplitMix64: numbers that look random, from a seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : m_state(seed) {}

  std::uint64_t roll() {
    m_state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = m_state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  /// From 0 to `end` - 1.
  int below(int end) { return static_cast<int>(roll() % static_cast<std::uint64_t>(end)); }
  /// A colour whose channels lie between the two.
  Color color(int low, int high) {
    const auto channel = [&] { return static_cast<std::uint8_t>(low + below(high - low)); };
    const std::uint8_t red = channel();
    const std::uint8_t green = channel();
    return {red, green, channel()};
  }

 private:
  std::uint64_t m_state;
};

int margin_of(Size size) {
  return std::max(4, size.width / 24);
}

// The height of the line that says who drew it.
int mark_of(Size size) {
  return std::max(2 * k_cell_height + 2, size.height / 20);
}

Box content_box(Size size) {
  const int margin = margin_of(size);
  return {margin, margin, size.width - 2 * margin, size.height - mark_of(size) - 2 * margin};
}

void draw_shapes(Canvas& canvas, Dice& dice) {
  const int unit = std::min(canvas.width(), canvas.height());
  for (int i = 0; i < k_shapes; ++i) {
    const int size = unit / 8 + dice.below(std::max(1, unit / 3));
    const int x = dice.below(canvas.width());
    const int y = dice.below(canvas.height());
    const Color color = dice.color(60, 250);
    const int opacity = 90 + dice.below(120);
    const Box box{x - size / 2, y - size / 2, size, size};
    switch (dice.below(3)) {
      case 0:
        canvas.fill_circle(x, y, size / 2, color, opacity);
        break;
      case 1:
        canvas.fill_triangle(box, color, opacity);
        break;
      default:
        canvas.fill(box, color, opacity);
    }
  }
}

void write_lines(Canvas& canvas, const Box& box, int scale,
                 const std::vector<std::u32string>& lines) {
  int y = box.y;
  for (const auto& line : lines) {
    canvas.write(box.x + scale, y + scale, scale, line, k_ink);
    canvas.write(box.x, y, scale, line, k_white);
    y += k_cell_height * scale;
  }
}

// The words as large as they may be and still be whole; where they are too many, small and cut.
void write_prompt(Canvas& canvas, const Box& box, std::string_view prompt) {
  const int start = std::clamp(box.width / (k_cell_width * 16), 1, k_largest_scale);
  for (int scale = start; scale >= 1; --scale) {
    const auto columns = static_cast<std::size_t>(std::max(1, box.width / (k_cell_width * scale)));
    const auto rows = static_cast<std::size_t>(std::max(1, box.height / (k_cell_height * scale)));
    const auto lines = wrap_text(prompt, columns, rows + 1);
    const bool is_smallest = scale == 1 || columns > k_most_columns * 2;
    if (lines.size() > rows && !is_smallest) continue;
    const auto shown = wrap_text(prompt, columns, rows);
    const int height = static_cast<int>(shown.size()) * k_cell_height * scale;
    write_lines(canvas, {box.x, box.y + (box.height - height) / 2, box.width, height}, scale,
                shown);
    return;
  }
}

void draw_inputs(Canvas& canvas, const Box& box, std::span<const Canvas> inputs) {
  const int count = static_cast<int>(inputs.size());
  const int width = box.width / count;
  const int gap = std::max(2, box.width / 80);
  const int scale = std::clamp(width / 160, 1, 4);
  for (int i = 0; i < count; ++i) {
    const Canvas& input = inputs[static_cast<std::size_t>(i)];
    const Box place =
        fit({input.width(), input.height()}, {box.x + i * width + gap, box.y + gap, width - 2 * gap,
                                              box.height - 2 * gap - k_cell_height * scale});
    const int frame = std::max(1, gap / 3);
    canvas.fill(
        {place.x - frame, place.y - frame, place.width + 2 * frame, place.height + 2 * frame},
        k_white);
    canvas.paste(input, place);
    if (count == 1) continue;
    const std::string name = fmt::format("<IMAGE_{}>", i);
    write_lines(canvas, {place.x, place.y + place.height + frame, width, 0}, scale,
                {std::u32string(name.begin(), name.end())});
  }
}

void write_mark(Canvas& canvas, const Sketch& sketch, const Box& box) {
  canvas.fill(box, k_ink, 200);
  const std::string text = fmt::format("drawn by svc-emulator, not by a model - {}{}{} {}x{}",
                                       sketch.model, sketch.note.empty() ? "" : ", ", sketch.note,
                                       sketch.size.width, sketch.size.height);
  const int scale =
      std::clamp(box.width / (k_cell_width * static_cast<int>(text.size() + 4)), 1, 4);
  const auto columns = static_cast<std::size_t>(box.width / (k_cell_width * scale)) - 1;
  const auto lines = wrap_text(text, columns, 2);
  const int height = static_cast<int>(lines.size()) * k_cell_height * scale;
  write_lines(canvas, {box.x + k_cell_width * scale / 2, box.y + (box.height - height) / 2, 0, 0},
              scale, lines);
}

}  // namespace

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return hash;
}

Box input_box(Size size) {
  Box box = content_box(size);
  box.height = box.height * 3 / 5;
  return box;
}

Box fit(Size proportions, const Box& into) {
  const auto width = static_cast<std::int64_t>(proportions.width);
  const auto height = static_cast<std::int64_t>(proportions.height);
  Box box = into;
  if (width * into.height > height * into.width) {
    box.height = std::max(1, static_cast<int>(height * into.width / width));
  } else {
    box.width = std::max(1, static_cast<int>(width * into.height / height));
  }
  box.x += (into.width - box.width) / 2;
  box.y += (into.height - box.height) / 2;
  return box;
}

Canvas draw_picture(const Sketch& sketch) {
  const auto [width, height] = sketch.size;
  Canvas canvas(width, height);
  Dice dice(stable_hash(sketch.prompt) + sketch.variant * 0x51ED270B);
  canvas.fill_gradient(dice.color(20, 200), dice.color(20, 200));
  draw_shapes(canvas, dice);

  const int margin = margin_of(sketch.size);
  const int mark = mark_of(sketch.size);
  Box words = content_box(sketch.size);
  if (!sketch.inputs.empty() || sketch.room_above) {
    const Box above = input_box(sketch.size);
    if (!sketch.inputs.empty()) draw_inputs(canvas, above, sketch.inputs);
    words.y += above.height;
    words.height -= above.height;
  }
  canvas.fill({words.x - margin / 2, words.y, words.width + margin, words.height}, k_ink, 110);
  write_prompt(canvas, words, sketch.prompt);
  write_mark(canvas, sketch, {0, height - mark, width, mark});
  return canvas;
}

}  // namespace svc::emulator::media
