#include "print/image.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/program.h"
#include "print/pixels.h"

namespace svc::print {
namespace {

using namespace std::chrono_literals;

constexpr int k_most_columns = 60;
constexpr auto k_patience = 5s;

int width_of(int columns) {
  return std::max(1, std::min(columns - 1, k_most_columns));
}

bool has(const Environment& environment, sv name) {
  const auto value = environment(std::string(name));
  return value && !value->empty();
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
    // q=2: an answer of the terminal would be taken for typing.
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
  constexpr std::size_t k_most_side = 800;  // pixels; more than a terminal shows
  constexpr std::size_t k_cell_width = 10;  // pixels, as of usual fonts
  if (way == ImageWay::Iterm) return iterm_image(bytes, columns);
  if (way == ImageWay::Kitty) {
    if (bytes.starts_with("\x89PNG")) return kitty_image(bytes, columns);
    const auto pixels = decode_picture(bytes, k_most_side);
    const std::string png = pixels ? png_of(*pixels) : std::string();
    return png.empty() ? std::string() : kitty_image(png, columns);
  }
  const auto width = static_cast<std::size_t>(width_of(columns)) * k_cell_width;
  const auto pixels = decode_picture(bytes, width);
  return pixels ? sixels_of(*pixels) : std::string();
}

bool run_image_helper(const std::string& path, int columns) {
  const ProgramRun run{// A name that begins with a dash is not an option.
                       .arguments = {"chafa", fmt::format("--size={0}x{0}", width_of(columns)),
                                     "--animate=off", path.starts_with('/') ? path : "./" + path},
                       .limit = k_patience,
                       .output = ProgramOutput::Error,
                       .take_error = [](sv) {},
                       .own_group = false};
  const auto end = run_program(run, NeverCancelled());
  return end && end->code == 0 && end->signal == 0 && !end->timed_out;
}

}  // namespace svc::print
