#include "emulator/sound/spoken_form.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace svc::emulator::speech {
namespace {

struct Pair {
  sv written;
  sv spoken;
};
constexpr std::array k_words = {Pair{"&", "and"},
                                Pair{"+", "plus"},
                                Pair{"=", "equals"},
                                Pair{"@", "at"},
                                Pair{"%", "percent"},
                                Pair{"#", "number"},
                                Pair{"dr", "doctor"},
                                Pair{"mr", "mister"},
                                Pair{"mrs", "missis"},
                                Pair{"prof", "professor"},
                                Pair{"st", "street"},
                                Pair{"etc", "et cetera"},
                                Pair{"vs", "versus"},
                                Pair{"approx", "approximately"},
                                Pair{"km", "kilometers"},
                                Pair{"kg", "kilograms"},
                                Pair{"cm", "centimeters"},
                                Pair{"mm", "millimeters"},
                                Pair{"km/h", "kilometers per hour"},
                                Pair{"mph", "miles per hour"},
                                Pair{"e.g", "for example"},
                                Pair{"i.e", "that is"}};

struct Currency {
  sv sign;
  sv one, many, cent, cents;
};
constexpr std::array k_currencies = {Currency{"$", "dollar", "dollars", "cent", "cents"},
                                     Currency{"\xe2\x82\xac", "euro", "euros", "cent", "cents"},
                                     Currency{"\xc2\xa3", "pound", "pounds", "penny", "pence"},
                                     Currency{"\xc2\xa5", "yen", "yen", "sen", "sen"}};

constexpr sv k_latin1 =  // U+00C0 to U+00FF without their accents
    "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";

// Converts to ASCII: replaces typographic characters, removes accents, drops other scripts.
std::string to_ascii(sv word) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const char32_t c = decode_utf8(word, at);
    if (c < 0x80) {
      if (c >= 0x20 && c != 0x7f) out += static_cast<char>(c);
    } else if (c >= 0xc0 && c <= 0xff) {
      out += k_latin1[c - 0xc0];
      if (c == 0xdf) out += 's';
    } else if (c == 0x2018 || c == 0x2019) {
      out += '\'';
    } else if (c == 0x201c || c == 0x201d) {
      out += '"';
    } else if (c == 0x2013 || c == 0x2014) {
      out += '-';
    } else if (c == 0x2026) {
      out += "...";
    }
  }
  return out;
}

bool is_digits(sv text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string digit_words(sv digits) {
  std::string out;
  for (const char digit : digits) {
    if (!out.empty()) out += ' ';
    out += k_units[static_cast<std::size_t>(digit - '0')];
  }
  return out;
}

// "1,250", "3.14", "-4"; "" when it is not a number.
std::string number_form(sv text) {
  const bool negative = text.starts_with('-') && text.size() > 1;
  const sv plain = negative ? text.substr(1) : text;
  const auto dot = plain.find('.');
  const std::string whole = replace_all(std::string(plain.substr(0, dot)), ",", "");
  const sv fraction = dot == sv::npos ? sv{} : plain.substr(dot + 1);
  constexpr std::size_t k_max_length = 15;
  if (!is_digits(whole) || (dot != sv::npos && !is_digits(fraction))) return {};
  const bool one_by_one = whole.size() > k_max_length || (whole.size() > 1 && whole[0] == '0');
  std::string out = one_by_one ? digit_words(whole) : number_words(std::stoull(whole));
  if (!fraction.empty()) out += " point " + digit_words(fraction);
  return negative ? "minus " + out : out;
}

std::string money_form(sv text) {
  for (const Currency& currency : k_currencies) {
    if (!text.starts_with(currency.sign)) continue;
    const sv amount = text.substr(currency.sign.size());
    const auto dot = amount.find('.');
    const std::string whole = number_form(amount.substr(0, dot));
    if (whole.empty()) return {};
    std::string out = whole + " " + std::string(whole == "one" ? currency.one : currency.many);
    const sv cents = dot == sv::npos ? sv{} : amount.substr(dot + 1);
    if (cents.size() != 2 || !is_digits(cents)) return dot == sv::npos ? out : std::string();
    if (cents == "00") return out;
    const std::string small = number_words(std::stoull(std::string(cents)));
    return out + " and " + small + " " +
           std::string(cents == "01" ? currency.cent : currency.cents);
  }
  return {};
}

// Returns the word without surrounding characters: "5%" for "(5%),".
std::string normal_form(sv core) {
  if (std::string money = money_form(core); !money.empty()) return money;
  if (core.ends_with('%') && core.size() > 1) {
    const std::string number = number_form(core.substr(0, core.size() - 1));
    if (!number.empty()) return number + " percent";
  }
  if (std::string number = number_form(core); !number.empty()) return number;
  const std::string lower = to_lower(core);
  const auto* known = std::ranges::find(k_words, sv(lower), &Pair::written);
  return known == k_words.end() ? std::string() : std::string(known->spoken);
}

}  // namespace

std::string number_words(std::uint64_t number) {
  if (number < 20) return std::string(k_units[number]);
  const auto joined = [](std::string head, std::uint64_t rest, sv between) {
    return rest == 0 ? head : head + std::string(between) + number_words(rest);
  };
  if (number < 100) return joined(std::string(k_tens[number / 10 - 2]), number % 10, "-");
  if (number < 1000) return joined(number_words(number / 100) + " hundred", number % 100, " ");
  struct Scale {
    std::uint64_t size;
    sv name;
  };
  constexpr std::array<Scale, 4> k_scales = {{{1'000'000'000'000, " trillion"},
                                              {1'000'000'000, " billion"},
                                              {1'000'000, " million"},
                                              {1000, " thousand"}}};
  for (const Scale& scale : k_scales) {
    if (number < scale.size) continue;
    return joined(number_words(number / scale.size) + std::string(scale.name), number % scale.size,
                  " ");
  }
  return {};
}

std::string spoken_form(sv word, bool normalize) {
  constexpr sv k_opening_marks = "\"'`({[";
  constexpr sv k_closing_marks = "\"'`.,:;!?(){}[]";
  if (normalize) {
    const auto begin = std::min(word.find_first_not_of(k_opening_marks), word.size());
    const auto end = word.find_last_not_of(k_closing_marks);
    if (end != sv::npos && begin <= end) {
      const std::string normal = normal_form(word.substr(begin, end + 1 - begin));
      sv rest = word.substr(end + 1);
      // The period of an abbreviation does not end a sentence.
      const bool abbreviated = std::isalpha(static_cast<unsigned char>(word[end])) != 0;
      if (abbreviated && rest.starts_with('.')) rest.remove_prefix(1);
      if (!normal.empty()) return normal + std::string(rest);
    }
  }
  std::string ascii = to_ascii(word);
  const bool heard = std::ranges::any_of(ascii, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '&' || c == '%' || c == '+' ||
           c == '@' || c == '=' || c == '#' || c == '$';
  });
  return heard ? ascii : std::string();
}

}  // namespace svc::emulator::speech
