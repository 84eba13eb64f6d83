#include "print/image.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/program.h"
#include "print/picture_codecs.h"

namespace svc::print {
namespace {

using namespace std::chrono_literals;

constexpr int k_max_columns = 60;
constexpr auto k_patience = 5s;

int width_of(int columns) {
  return std::max(1, std::min(columns - 1, k_max_columns));
}

bool has(const Environment& environment, sv name) {
  const auto value = environment(std::string(name));
  return value && !value->empty();
}

/// Scales down: each pixel becomes the mean of the pixels it covers.
Pixels smaller(const Pixels& from, std::size_t width, std::size_t height) {
  Pixels to{width, height, std::string(width * height * 3, '\0')};
  for (std::size_t y = 0; y < height; ++y) {
    const std::size_t top = y * from.height / height;
    const std::size_t bottom = std::max(top + 1, (y + 1) * from.height / height);
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t left = x * from.width / width;
      const std::size_t right = std::max(left + 1, (x + 1) * from.width / width);
      std::array<std::size_t, 3> sum{};
      for (std::size_t v = top; v < bottom; ++v) {
        for (std::size_t u = left; u < right; ++u) {
          for (std::size_t c = 0; c < 3; ++c) {
            sum[c] += static_cast<unsigned char>(from.rgb[(v * from.width + u) * 3 + c]);
          }
        }
      }
      const std::size_t count = (bottom - top) * (right - left);
      for (std::size_t c = 0; c < 3; ++c) {
        to.rgb[(y * width + x) * 3 + c] = static_cast<char>(sum[c] / count);
      }
    }
  }
  return to;
}

// A fixed palette: eight levels of red and green, four of blue, to which the eye is less sensitive.
constexpr std::array<int, 3> k_levels = {8, 8, 4};

/// Maps each pixel to the palette; the error is spread to the pixels to the right and below.
std::vector<std::uint8_t> dithered(const Pixels& pixels) {
  const auto width = static_cast<std::ptrdiff_t>(pixels.width);
  std::vector<std::uint8_t> colors(pixels.width * pixels.height);
  std::vector<std::array<int, 3>> now(pixels.width + 2);
  std::vector<std::array<int, 3>> next(pixels.width + 2);
  for (std::size_t y = 0; y < pixels.height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      const std::size_t at = y * pixels.width + static_cast<std::size_t>(x);
      const auto column = static_cast<std::size_t>(x) + 1;
      std::uint8_t& color = colors[at];
      for (std::size_t c = 0; c < 3; ++c) {
        const int given = static_cast<unsigned char>(pixels.rgb[at * 3 + c]);
        const int wanted = std::clamp(given + now[column][c] / 16, 0, 255);
        const int most = k_levels[c] - 1;
        const int level = (wanted * most + 127) / 255;
        const int lost = wanted - level * 255 / most;
        now[column + 1][c] += lost * 7;
        next[column - 1][c] += lost * 3;
        next[column][c] += lost * 5;
        next[column + 1][c] += lost;
        color = static_cast<std::uint8_t>(color * k_levels[c] + level);
      }
    }
    std::swap(now, next);
    std::fill(next.begin(), next.end(), std::array<int, 3>{});
  }
  return colors;
}

std::string palette() {
  std::string text;
  int number = 0;
  for (int r = 0; r < k_levels[0]; ++r) {
    for (int g = 0; g < k_levels[1]; ++g) {
      for (int b = 0; b < k_levels[2]; ++b) {
        text += fmt::format("#{};2;{};{};{}", number++, r * 100 / (k_levels[0] - 1),
                            g * 100 / (k_levels[1] - 1), b * 100 / (k_levels[2] - 1));
      }
    }
  }
  return text;
}

void add_run(std::string& out, char sixel, std::size_t count) {
  if (count > 3) {
    out += fmt::format("!{}{}", count, sixel);
  } else {
    out.append(count, sixel);
  }
}

/// Adds six rows, one color after the other.
void add_band(std::string& out, const std::vector<std::uint8_t>& colors, std::size_t width,
              std::size_t top, std::size_t rows) {
  std::array<bool, 256> used{};
  for (std::size_t i = top * width; i < (top + rows) * width; ++i) used[colors[i]] = true;
  for (std::size_t color = 0; color < used.size(); ++color) {
    if (!used[color]) continue;
    out += fmt::format("#{}", color);
    char last = 0;
    std::size_t count = 0;
    for (std::size_t x = 0; x < width; ++x) {
      unsigned bits = 0;
      for (std::size_t y = 0; y < rows; ++y) {
        if (colors[(top + y) * width + x] == color) bits |= 1U << y;
      }
      const char sixel = static_cast<char>('?' + bits);
      if (sixel != last && count > 0) {
        add_run(out, last, count);
        count = 0;
      }
      last = sixel;
      ++count;
    }
    if (last != '?') add_run(out, last, count);
    out += '$';
  }
  out += '-';
}

}  // namespace

ImageWay image_way(const Environment& environment, const Terminal& terminal, sv media_type) {
  if (!terminal.is_tty || terminal.dumb) return ImageWay::None;
  const std::string term = environment("TERM").value_or("");
  const std::string program = environment("TERM_PROGRAM").value_or("");
  const bool inside = has(environment, "TMUX") || has(environment, "STY") ||
                      term.starts_with("screen") || term.starts_with("tmux");
  if (inside) return ImageWay::Helper;
  const bool kitty = has(environment, "KITTY_WINDOW_ID") || term == "xterm-kitty" ||
                     term == "xterm-ghostty" || program == "ghostty";
  const bool iterm = program == "iTerm.app" || program == "WezTerm" || program == "mintty" ||
                     environment("LC_TERMINAL") == "iTerm2";
  if (iterm) return ImageWay::Iterm;
  const bool decoded = media_type == "image/png" || media_type == "image/jpeg";
  if (kitty && decoded) return ImageWay::Kitty;
  constexpr std::array<sv, 4> k_sixel_terms = {"foot", "mlterm", "yaft", "contour"};
  const bool sixel = term.find("sixel") != std::string::npos || has(environment, "MLTERM") ||
                     std::any_of(k_sixel_terms.begin(), k_sixel_terms.end(),
                                 [&](sv name) { return term.starts_with(name); });
  if (sixel && decoded) return ImageWay::Sixel;
  return ImageWay::Helper;
}

std::string kitty_image(sv png, int columns) {
  constexpr std::size_t k_piece = 4096;
  const std::string encoded = base64_encode(png);
  std::string out;
  for (std::size_t at = 0; at < encoded.size() || at == 0; at += k_piece) {
    const bool more = at + k_piece < encoded.size();
    // q=2: a reply from the terminal would be read as typed input.
    const std::string first =
        at == 0 ? fmt::format("a=T,f=100,q=2,c={},", width_of(columns)) : std::string();
    out +=
        fmt::format("\x1b_G{}m={};{}\x1b\\", first, more ? 1 : 0, sv(encoded).substr(at, k_piece));
  }
  return out + "\n";
}

std::string iterm_image(sv bytes, int columns) {
  return fmt::format("\x1b]1337;File=inline=1;size={};width={};preserveAspectRatio=1:{}\a\n",
                     bytes.size(), width_of(columns), base64_encode(bytes));
}

std::string image_text(ImageWay way, sv bytes, int columns) {
  constexpr std::size_t k_max_side = 800;   // pixels; more than a terminal shows
  constexpr std::size_t k_cell_width = 10;  // pixels, typical of common fonts
  if (way == ImageWay::Iterm) return iterm_image(bytes, columns);
  if (way == ImageWay::Kitty) {
    if (bytes.starts_with("\x89PNG")) return kitty_image(bytes, columns);
    const auto pixels = decode_picture(bytes, k_max_side);
    const std::string png = pixels ? png_of(*pixels) : std::string();
    return png.empty() ? std::string() : kitty_image(png, columns);
  }
  const auto width = static_cast<std::size_t>(width_of(columns)) * k_cell_width;
  const auto pixels = decode_picture(bytes, width);
  return pixels ? sixels_of(*pixels) : std::string();
}

bool run_image_helper(const std::string& path, int columns) {
  const ProgramOptions run{
      // A name that starts with a dash is not an option.
      .arguments = {"chafa", fmt::format("--size={0}x{0}", width_of(columns)), "--animate=off",
                    path.starts_with('/') ? path : "./" + path},
      .limit = k_patience,
      .output = ProgramOutput::Error,
      .take_error = [](sv) {},
      .own_group = false};
  const auto end = run_program(run, NeverCanceled());
  return end && end->code == 0 && end->signal == 0 && !end->timed_out;
}

std::optional<Pixels> decode_picture(sv bytes, std::size_t most) {
  const bool jpeg = bytes.starts_with("\xff\xd8\xff");
  std::optional<Pixels> pixels = jpeg ? decode_jpeg(bytes) : decode_png(bytes);
  if (!pixels) return std::nullopt;
  const std::size_t larger = std::max(pixels->width, pixels->height);
  if (larger <= most || most == 0) return pixels;
  const auto fitting = [&](std::size_t side) {
    return std::max<std::size_t>(1, side * most / larger);
  };
  return smaller(*pixels, fitting(pixels->width), fitting(pixels->height));
}

std::string sixels_of(const Pixels& pixels) {
  const std::vector<std::uint8_t> colors = dithered(pixels);
  std::string out = fmt::format("\x1bP0;1q\"1;1;{};{}", pixels.width, pixels.height) + palette();
  for (std::size_t top = 0; top < pixels.height; top += 6) {
    add_band(out, colors, pixels.width, top, std::min<std::size_t>(6, pixels.height - top));
  }
  return out + "\x1b\\\n";
}

}  // namespace svc::print
