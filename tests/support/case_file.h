// One end-to-end case, as it stands in tests/cases/<area>/<name>.case.
//
// A case is plain text: `key: value` lines, then sections. `#` begins a comment line in the head.
// In values and sections `${NAME}` stands for URL and PORT (of the server), CA (the certificate
// to trust), HOME, WORK (the working folder), TMP, CONFIG, STATE (the folders of XDG, with `svc`
// appended), PRELOAD (the folder of libsvc-slow-resolver.so), SOURCE (the source tree) and KEY (the
// configured key); each is an environment variable of the command as well. Another `${…}` is left
// to the shell.
//
// The head:
//   row: 14                    the row of the fault list that it covers (text, for people)
//   target: fault              fault, emulator or none; sets SVC_BASE_URL and the other addresses
//   emulator: --fault 'RULE'   further arguments of the emulator, as a shell reads them
//   env: NAME=VALUE            sets a variable; `env: NAME` removes it. SVC_API_KEY is set by
//                              itself, to ${KEY}
//   key: VALUE                 the secret that SVC_API_KEY holds and that must appear nowhere
//   secret: TEXT               one more text that must appear nowhere
//   secret-in: GLOB            files that may hold them (what `auth login` stores)
//   command: svc chat hello    run by /bin/sh in an empty folder; `--- command` for several lines
//   exit: 6                    0 unless given
//   stdin: null                null (/dev/null, unless given), closed, or open (a pipe that never
//                              says a word); `--- stdin` pipes a text in
//   tty: 80x24 [stdin] [stdout] [stderr]
//                              these streams (all, when none is named) are one terminal; what
//                              appears on it counts as stdout
//   signal: INT after 300ms    sends a signal to the command's process group, or
//   signal: INT when "text"    when the text was written by the command, or
//   signal: INT after requests 2   300 ms after the server got so many requests
//   type: "text" when "text"   types into the terminal (C escapes); `after` works too. Signals and
//                              typing happen in the order given; `then "text"` instead of `when`
//                              waits for a text that is written after the action before
//   resize: 60x20 when "text"  gives the terminal another size
//   timeout: 10s               then the command is killed and the case has failed; 20s unless given
//   min-time, max-time: 2s     bounds of the command's wall time (max is relaxed by sanitizers)
//   max-rss: 64MB              peak memory of the command (not checked under sanitizers)
//   requests: 2                how many requests the server got; `connections: 2`
//   untouched: NAME            the server of that name got no connection at all
//   gap: 2 950ms..1500ms       the time between request 1 and request 2
//   leaves: GLOB               files that may stay behind in the working folder
//   absent: PATH               a file that must not exist afterwards
//   allow-escapes: yes         the terminal may get escape sequences (colour, progress, pictures)
//   foreign-stderr: yes        stderr holds text that svc did not write (strace, curl): its bytes
//                              are not checked
//   sound: yes                 a sound card of its own (sound_card.h); or with `rate=16000` and
//                              `echo=40ms`. The case runs alone then
//   alone: yes                 runs with nothing beside it
//   root: yes                  leaves the case out for anybody but root
//   no-sanitizer: yes          leaves the case out when the programs are built with sanitizers
//   retry: REASON              why the case may fail on a busy machine: it has a second try. Those
//                              with a sound card, a terminal, or a measured time have one too
//
// Sections begin with `--- name words` and hold the lines up to the next one; blank lines at their
// end do not count. `escaped` reads C escapes (\n \r \t \e \0 \\ \xHH), `no-newline` drops the last
// newline.
//   --- server [NAME] [tls=good|wrong-host|expired|tls11] [h2] [black-hole]
//                              a script of the fault server (fault_server.h). A second one has a
//                              NAME, and its address is ${URL_NAME}, ${PORT_NAME}, ${CA_NAME}
//   --- command                the command
//   --- stdin [escaped] [no-newline]
//   --- file PATH [MODE] [escaped] [no-newline]
//                              created first; PATH is relative to the working folder or absolute
//   --- stdout, --- stderr [escaped] [no-newline]
//                              exactly this. Without any section stdout must be empty
//   --- stdout-match, --- stderr-match
//                              one POSIX extended regular expression per line, without regard to
//                              case, on bytes, `^` and `$` at line ends: each must match
//                              somewhere
//   --- stdout-not, --- stderr-not   none of these may match
//   --- screen, --- screen-match, --- screen-not
//                              the same for what a person has read on the terminal in the end,
//                              lines that left the screen first (screen.h). Sequences that drive a
//                              terminal otherwise than screen.h knows fail the case;
//                              `allow-escapes` is not needed, nor a word about stdout
//   --- screen of PATH NAME    the same as `--- screen`, with the text of a document: what stands
//                              in the fenced blocks of the language NAME, one after the other, or
//                              in the block behind `<!-- NAME -->`. A … stands for anything there
//   --- picture PATH           the same as a picture, an SVG in the source tree; with SVC_REDRAW in
//                              the environment of svc-cases it is drawn anew
//   --- clipboard              exactly what the terminal's clipboard was given
//   --- stdout-json, --- stderr-json
//                              equal as JSON; the string "<any>" matches any value
//   --- stdout-json-has, --- stderr-json-has
//                              the same, where objects may have further members
//   --- after-file PATH [MODE] [escaped] [no-newline]
//                              the content (and mode) of a file afterwards
//   --- after                  shell commands that must succeed afterwards, in the same folder
//                              and environment, with STDOUT and STDERR naming files with the output
//   --- request N [NAME]       what the server got as its Nth request:
//                                METHOD TARGET        exactly
//                                header NAME: VALUE   exactly; `*` stands for anything
//                                no-header NAME
//                                json {…} / json-has {…}   the body; to the end of the section
//                                body TEXT            exactly (C escapes)
//                                body-match REGEX     as above, line ends taken for blanks
//
// Every case fails on: a secret in stdout, stderr, or any file left; a sanitizer's report; a crash;
// a temporary file left; a file in the working folder that nobody declared; a process that
// outlives the command; a terminal whose mode was not restored; control characters or ill-formed
// UTF-8 on stderr or on a terminal.
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
  std::string text{};                ///< as it stands in the file
  bool escaped = false;
  bool no_newline = false;
  int line = 0;  ///< where it begins
};

/// A signal, typed text or a new size.
struct CaseAction {
  int signal = 0;      ///< 0: types `text`
  std::string text{};  ///< what is typed
  std::string when{};  ///< waits until this was written; empty: waits for `after`
  bool then = false;   ///< it must be written after the action before
  int columns = 0;     ///< of the new size; 0: none
  int rows = 0;
  Milliseconds after{0};       ///< since the action before, or since the start
  std::uint64_t requests = 0;  ///< waits for that many requests first
};

struct CaseTty {
  int columns = 80;
  int rows = 24;
  bool input = true;
  bool output = true;
  bool error = true;
};

struct CaseGap {
  std::size_t request = 2;  ///< counted from 1; the time since the one before
  Milliseconds least{0};
  Milliseconds most{0};
};

/// A sound card (sound_card.h).
struct CaseSound {
  int rate = 24'000;
  Milliseconds echo{0};  ///< the microphone hears the speaker after so long; 0: it does not
};

enum class CaseTarget : std::uint8_t { None, Fault, Emulator };
enum class CaseInput : std::uint8_t { Null, Closed, Open, Text };

struct Case {
  std::string name;  ///< "faults/014-html-502"
  CaseTarget target = CaseTarget::None;
  std::string emulator_arguments{};
  std::vector<std::string> env{};
  std::string key{};  ///< a made-up one unless given; the demo key for the emulator
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

  /// The first section of that name, or null.
  [[nodiscard]] const CaseSection* section(std::string_view name) const;
};

/// Why a case that failed may be tried again; empty: a failure is a failure.
[[nodiscard]] std::string retry_reason(const Case& which);

/// Reads a case. Usage, naming the line, when it does not follow the rules above.
[[nodiscard]] Result<Case> parse_case(std::string name, std::string_view text);

using Variables = std::map<std::string, std::string>;

/// `text` with every `${NAME}` of a known variable replaced.
[[nodiscard]] std::string expand(std::string_view text, const Variables& variables);

/// The text of a section: expanded, then its escapes and its last newline undone as it says.
[[nodiscard]] std::string section_text(const CaseSection& section, const Variables& variables);

/// Undoes C escapes (\n \r \t \e \0 \\ \" \xHH).
[[nodiscard]] std::string unescape(std::string_view text);

}  // namespace svc::test
