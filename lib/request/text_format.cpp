#include "request/text_format.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace svc::request {
namespace {

bool all_digits(sv text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// ITU-T E.164: at most 15 digits, the first not 0. The shortest numbers in use have seven digits
/// including the country code.
bool is_phone_number(sv text) {
  if (!text.starts_with('+')) return false;
  text.remove_prefix(1);
  return all_digits(text) && text.front() != '0' && text.size() >= 7 && text.size() <= 15;
}

/// The number of bits of an IP address; 0 if it is not valid.
int address_bits(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return 32;
  return ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 ? 128 : 0;
}

bool is_address_range(sv text) {
  const std::size_t slash = text.find('/');
  if (slash == sv::npos || text.find('\0') != sv::npos) return false;
  const sv length = text.substr(slash + 1);
  if (!all_digits(length) || length.size() > 3) return false;
  const int bits = address_bits(std::string(text.substr(0, slash)));
  return bits != 0 && parse_integer(length).value_or(999) <= bits;
}

/// The North American numbering plan has no area codes starting with 0 or 1.
bool is_area_code(sv text) {
  return text.size() == 3 && all_digits(text) && text.front() >= '2';
}

bool is_host_text(sv text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
  });
}

/// host, host:port, [IPv6], [IPv6]:port.
bool is_authority(sv text) {
  sv port;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == sv::npos || address_bits(std::string(text.substr(1, close - 1))) != 128) {
      return false;
    }
    port = text.substr(close + 1);
    if (!port.empty() && !port.starts_with(':')) return false;
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (!is_host_text(text.substr(0, colon))) return false;
    port = text.substr(colon);
  }
  if (port.empty()) return true;
  port.remove_prefix(1);
  if (!all_digits(port)) return false;
  const auto number = parse_integer(port).value_or(0);
  return number >= 1 && number <= 65'535;
}

bool is_visible_ascii(sv text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_sip_target(sv text) {
  text.remove_prefix(4);
  const std::size_t at = text.rfind('@');
  if (at == sv::npos || at == 0 || !is_visible_ascii(text)) return false;
  if (text.substr(0, at).find('@') != sv::npos) return false;
  return is_authority(text.substr(at + 1, text.find(';', at) - at - 1));
}

/// Targets of POST /v1/realtime/calls/{call_id}/refer: tel:+<E.164 number>, sip:<user>@<host>.
bool is_call_target(sv text) {
  if (text.starts_with("tel:")) return is_phone_number(text.substr(4));
  return text.starts_with("sip:") && is_sip_target(text);
}

bool is_web_url(sv text) {
  if (!text.starts_with("https://") && !text.starts_with("http://")) return false;
  if (!is_visible_ascii(text)) return false;
  text.remove_prefix(text.find("//") + 2);
  return is_authority(text.substr(0, text.find_first_of("/?#")));
}

/// A date of the Gregorian calendar: what RFC 3339 has before a time.
bool is_day(sv text) {
  return parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}

/// The codes of ISO 3166-1, and XK, used for Kosovo by banks and tax offices.
constexpr sv k_countries =
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR "
    "BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ "
    "EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW "
    "GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY "
    "KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV "
    "MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY "
    "QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG "
    "TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA "
    "ZM ZW";

bool is_country(sv text) {
  return text.size() == 2 && text.find(' ') == sv::npos && k_countries.find(text) != sv::npos;
}

bool is_not_a_file(sv text) {
  std::error_code failed;
  return !std::filesystem::is_regular_file(text, failed);
}

/// Both parts end in a name, or in * for all.
bool is_permission(sv text) {
  for (const sv kind : {sv("api-key:endpoint:"), sv("api-key:model:")}) {
    if (text.starts_with(kind) && text.size() > kind.size()) {
      return is_visible_ascii(text) && text.find(',') == sv::npos;
    }
  }
  return false;
}

struct FormRow {
  TextFormat form;
  bool (*fits)(sv text);
  sv words;  ///< for an error
};

constexpr std::array k_request_formats = {
    FormRow{TextFormat::PhoneNumber, is_phone_number,
            "a phone number with its country's code, such as +14155550100"},
    FormRow{TextFormat::AddressRange, is_address_range,
            "a range of addresses such as 203.0.113.0/24 or 2001:db8::/48"},
    FormRow{TextFormat::AreaCode, is_area_code,
            "an area code of the USA, three digits such as 415"},
    FormRow{TextFormat::CallTarget, is_call_target,
            "tel:+NUMBER, such as tel:+14155550100, or sip:USER@HOST"},
    FormRow{TextFormat::WebUrl, is_web_url, "an address that begins with https:// or http://"},
    FormRow{TextFormat::Day, is_day, "a day of the calendar as YYYY-MM-DD, such as 2026-01-31"},
    FormRow{TextFormat::Country, is_country,
            "the two letters of a country (ISO 3166-1), such as NO for Norway"},
    FormRow{TextFormat::Permission, is_permission,
            "a permission: api-key:endpoint:NAME or api-key:model:NAME, with * for all names"},
    FormRow{TextFormat::NotAFile, is_not_a_file,
            "a name that no file here has (`svc batches run FILE` sends a file's requests)"},
};

/// Null for TextFormat::Any.
const FormRow* row_of(TextFormat form) {
  const auto row = std::ranges::find(k_request_formats, form, &FormRow::form);
  return row == k_request_formats.end() ? nullptr : &*row;
}

/// Removes separators between digits.
std::string digits_together(sv text) {
  std::string out;
  for (const char c : text) {
    if (sv(" -.()/").find(c) == sv::npos) out += c;
  }
  return out;
}

}  // namespace

bool matches_format(TextFormat form, std::string_view text) {
  const FormRow* row = row_of(form);
  return row == nullptr || row->fits(text);
}

std::string_view describe_format(TextFormat form) {
  const FormRow* row = row_of(form);
  return row != nullptr ? row->words : "a text";
}

std::string normalize_format(TextFormat form, std::string text) {
  if (form == TextFormat::Country && is_country(to_upper(text))) return to_upper(text);
  return text;
}

std::string suggest_format(TextFormat form, std::string_view text) {
  const std::string digits = digits_together(text);
  std::vector<std::string> candidates;
  if (form == TextFormat::PhoneNumber) candidates = {digits};
  if (digits.starts_with("00")) candidates.push_back("+" + digits.substr(2));
  if (form == TextFormat::AddressRange) {
    candidates = {std::string(text) + "/32", std::string(text) + "/128"};
    if (text.find(':') != sv::npos) candidates.erase(candidates.begin());
  }
  if (form == TextFormat::CallTarget) {
    const std::string bare = digits.starts_with("tel:") ? digits.substr(4) : digits;
    const sv plain = text.starts_with("sips:") ? text.substr(5) : text;
    candidates = {"tel:" + bare, "sip:" + std::string(plain)};
  }
  if (form == TextFormat::WebUrl && text.find("//") == sv::npos) {
    candidates = {"https://" + std::string(text)};
  }
  if (form == TextFormat::Permission) {
    candidates = {fmt::format("api-key:{}:{}", text.starts_with("svc-") ? "model" : "endpoint",
                              text.substr(text.rfind(':') + 1))};
  }
  if (form == TextFormat::Country) candidates = {to_upper(text) == "UK" ? "GB" : ""};
  if (form == TextFormat::Day) candidates = {std::string(text.substr(0, text.find('T')))};
  for (std::string& candidate : candidates) {
    if (candidate != text && matches_format(form, candidate)) return std::move(candidate);
  }
  return {};
}

}  // namespace svc::request
