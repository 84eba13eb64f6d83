// The functions of fmt's library that svc calls, for a program that is linked without it: they are
// inline here, and since these are their addresses, the compiler writes them.
#define FMT_HEADER_ONLY
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace svc {

struct FmtFunctions {
  std::string (*format)(fmt::string_view, fmt::format_args);
  bool (*is_printable)(std::uint32_t);
  void (*fail)(const char*);
};

extern const FmtFunctions k_fmt_functions;
const FmtFunctions k_fmt_functions = {
    fmt::vformat,
    fmt::detail::is_printable,
#if FMT_VERSION < 110000
    fmt::detail::throw_format_error,
#else
    fmt::report_error,
#endif
};

}  // namespace svc
