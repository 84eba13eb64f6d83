// One end-to-end case, read from tests/cases/<area>/<name>.case.
//
// A case is plain text: `key: value` lines, then sections. `#` starts a comment line in the head.
// In values and sections `${NAME}` is replaced, with NAME being URL and PORT (of the server), CA
// (the certificate to trust), HOME, WORK (the working directory), TMP, CONFIG, STATE (the XDG
// directories, with `svc` appended), PRELOAD (the directory of libsvc-slow-resolver.so), SOURCE
// (the source tree) or KEY (the configured key); each is an environment variable of the command
// too. Any other `${…}` is left to the shell.
//
// The head:
//   row: 14                    the row of tests/faults.md that it covers
//   target: fault              fault, emulator or none; sets SVC_BASE_URL and the other URLs
//   emulator: --fault 'RULE'   additional emulator arguments, parsed by a shell
//   env: NAME=VALUE            sets a variable; `env: NAME` removes it. SVC_API_KEY is ${KEY} by
//                              default
//   key: VALUE                 the secret in SVC_API_KEY, which must not appear anywhere
//   secret: TEXT               another text that must not appear anywhere
//   secret-in: GLOB            files that may contain secrets (such as those of `auth login`)
//   command: svc chat hello    run by /bin/sh in an empty directory; or `--- command`, for several
//                              lines
//   exit: 6                    the exit code (default: 0)
//   stdin: null                null (/dev/null, the default), closed, or open (a pipe without
//                              data); `--- stdin` pipes a text in
//   tty: 80x24 [stdin] [stdout] [stderr]
//                              these streams (default: all) are one terminal; its output counts
//                              as stdout
//   signal: INT after 300ms    sends a signal to the command's process group, or
//   signal: INT when "text"    when the command has written the text, or
//   signal: INT after requests 2   300 ms after the server received N requests
//                              A command that is only svc begins with `exec`, else the signal ends
//                              the shell at once and the exit code is the shell's
//   type: "text" when "text"   types into the terminal (C escapes); `after` works too. Signals and
//                              typing happen in the given order; `then "text"` instead of `when`
//                              waits for text written after the previous action; `when "text"
//                              after 1s` waits that long once it was written
//   resize: 60x20 when "text"  resizes the terminal
//   timeout: 10s               then the command is killed and the case fails (default: 20s)
//   min-time, max-time: 2s     limits of the command's wall time (max is relaxed by sanitizers)
//   max-rss: 64MB              peak memory of the command (not checked under sanitizers)
//   requests: 2                number of requests to the server; likewise `connections: 2`
//   untouched: NAME            the server NAME must get no connection
//   gap: 2 950ms..1500ms       the time between request 1 and request 2
//   leaves: GLOB               files that may be left in the working directory
//   absent: PATH               a file that must not exist afterwards
//   allow-escapes: yes         the terminal may get escape sequences (color, progress, images)
//   foreign-stderr: yes        stderr contains output of other programs (strace, curl): its bytes
//                              are not checked, nor that it is empty
//   sound: yes                 uses its own sound card (sound_card.h); or with `rate=16000` and
//                              `echo=40ms`. Runs while only other cases with sound are running
//   alone: yes                 runs while no other case is running
//   root: yes                  skipped unless run by root
//   no-sanitizer: yes          skipped if the programs are built with sanitizers: they run what
//                              cannot run under them, or the same code hundreds of times
//   retry: REASON              why the case may fail on a busy machine: it is retried up to twice,
//                              alone. So are cases with a sound card, a terminal or a measured time
//
// Sections start with `--- name words` and contain the lines up to the next one, except blank lines
// at the end. `escaped` decodes C escapes (\n \r \t \e \0 \\ \xHH), `no-newline` drops the last
// newline.
//   --- server [NAME] [tls=good|wrong-host|expired|tls11] [h2] [black-hole]
//                              a script for the fault server (fault_server.h). A second one has a
//                              NAME, and is reached by ${URL_NAME}, ${PORT_NAME}, ${CA_NAME}
//   --- command                the command
//   --- stdin [escaped] [no-newline]
//   --- file PATH [MODE] [escaped] [no-newline]
//                              created first; PATH is absolute or relative to the working directory
//   --- stdout, --- stderr [escaped] [no-newline]
//                              the exact text. Without a section about it, stdout must be empty,
//                              and so must stderr (unless `foreign-stderr`)
//   --- stdout-match, --- stderr-match
//                              one POSIX extended regular expression per line, case-insensitive,
//                              matching bytes, with `^` and `$` at line ends: each must match
//                              somewhere
//   --- stdout-not, --- stderr-not   none of these may match
//   --- screen, --- screen-match, --- screen-not
//                              the same for the text on the terminal at the end, preceded by lines
//                              scrolled off the screen (screen.h). Terminal sequences unknown to
//                              screen.h fail the case; `allow-escapes` and sections about stdout
//                              are not needed
//   --- screen of PATH NAME    like `--- screen`, with text from a document: all fenced blocks with
//                              the language NAME, concatenated, or the block after `<!-- NAME -->`.
//                              A … in it matches anything
//   --- picture PATH           compares the screen with an SVG in the source tree; with SVC_REDRAW
//                              in its environment, svc-cases rewrites the SVG
//   --- clipboard              the exact text copied to the terminal's clipboard
//   --- stdout-json, --- stderr-json
//                              equal as JSON; the string "<any>" matches any value
//   --- stdout-json-has, --- stderr-json-has
//                              the same, but objects may have additional fields
//   --- after-file PATH [MODE] [escaped] [no-newline]
//                              the content (and mode) of a file afterwards
//   --- printed PATH GROUP [VERB]   the file is JSON that the command printed: each member has a
//   row
//                              in the catalogue
//   --- after                  shell commands that must succeed afterwards, in the same directory
//                              and environment; STDOUT and STDERR are files with the output
//   --- request N [NAME]       the Nth request to the server:
//                                METHOD TARGET        exact
//                                header NAME: VALUE   exact; `*` matches anything
//                                no-header NAME
//                                json {…} / json-has {…}   the body; to the end of the section
//                                body TEXT            exact (C escapes)
//                                body-match REGEX     as above, with line ends as spaces
//
// Every case fails on: a secret in stdout, stderr or any file left; a sanitizer's report; a crash;
// a temporary file left; an undeclared file in the working directory; a process that outlives the
// command; a terminal whose mode was not restored; control characters or ill-formed UTF-8 on stderr
// or on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::test {

using Milliseconds = std::chrono::milliseconds;

/// `--- name words` and the lines below it.
struct CaseSection {
  std::string name;
  std::vector<std::string> words{};  ///< without the modifiers
  std::string text{};                ///< unchanged from the file
  bool escaped = false;
  bool no_newline = false;
  int line = 0;  ///< of its first line
};

/// A signal, typed text or a new size.
struct CaseAction {
  int signal = 0;      ///< 0: types `text`
  std::string text{};  ///< typed text
  std::string when{};  ///< waits until this has been written; empty: waits for `after`
  bool then = false;   ///< must be written after the previous action
  int columns = 0;     ///< of the new size; 0: none
  int rows = 0;
  Milliseconds after{0};       ///< since `when` was written, the previous action, or the start
  std::uint64_t requests = 0;  ///< first waits for this many requests
};

struct CaseTty {
  int columns = 80;
  int rows = 24;
  bool input = true;
  bool output = true;
  bool error = true;
};

struct CaseGap {
  std::size_t request = 2;  ///< from 1; the gap is the time since the previous request
  Milliseconds least{0};
  Milliseconds most{0};
};

/// A sound card (sound_card.h).
struct CaseSound {
  int rate = 24'000;
  Milliseconds echo{0};  ///< delay of the speaker in the microphone; 0: no echo
};

enum class CaseTarget : std::uint8_t { None, Fault, Emulator };
enum class CaseInput : std::uint8_t { Null, Closed, Open, Text };

struct Case {
  std::string name;  ///< "faults/014-html-502"
  CaseTarget target = CaseTarget::None;
  std::string emulator_arguments{};
  std::vector<std::string> env{};
  std::string key{};  ///< default: a made-up one; for the emulator, the demo key
  std::vector<std::string> secrets{};
  std::vector<std::string> secret_files{};
  std::string command{};
  int exit = 0;
  CaseInput input = CaseInput::Null;
  std::optional<CaseTty> tty{};
  std::vector<CaseAction> actions{};
  Milliseconds timeout{20'000};
  Milliseconds min_time{0};
  std::optional<Milliseconds> max_time{};
  std::optional<std::uint64_t> max_rss{};
  std::optional<std::size_t> requests{};
  std::optional<std::size_t> connections{};
  std::vector<std::string> untouched{};
  std::vector<CaseGap> gaps{};
  std::vector<std::string> leaves{};
  std::vector<std::string> absent{};
  bool allow_escapes = false;
  bool foreign_stderr = false;
  std::optional<CaseSound> sound{};
  bool alone = false;
  bool root = false;
  bool no_sanitizer = false;
  std::string retry{};  ///< the reason for a second try
  std::vector<CaseSection> sections{};

  /// The first section with that name, or null.
  [[nodiscard]] const CaseSection* section(std::string_view name) const;
};

/// Why a failed case is retried; empty: it is not.
[[nodiscard]] std::string retry_reason(const Case& which);

/// Parses a case. Usage, with the line number, if it does not follow the rules above.
[[nodiscard]] Result<Case> parse_case(std::string name, std::string_view text);

using Variables = std::map<std::string, std::string>;

/// Replaces every `${NAME}` of a known variable in `text`.
[[nodiscard]] std::string expand(std::string_view text, const Variables& variables);

/// The text of a section: expanded, then with `escaped` and `no-newline` applied.
[[nodiscard]] std::string section_text(const CaseSection& section, const Variables& variables);

/// Decodes C escapes (\n \r \t \e \0 \\ \" \xHH).
[[nodiscard]] std::string unescape(std::string_view text);

}  // namespace svc::test
