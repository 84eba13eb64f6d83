// The shapes of the catalogue: what an operation of the service is, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace svc {

using sv = std::string_view;

/// What a value is. Duration: a time such as 5s or 2m, never zero. TextOrJson: a JSON object or
/// array when it starts like one, else text. Time: RFC 3339, or a duration from now, always in the
/// future. Money: US dollars such as 12.50, on the wire {"val": cents}; a true `cents`
/// flag of the operation makes it cents. Secret: never as itself, as everybody can read arguments:
/// @FILE, - for a line of standard input, or env:NAME.
enum class Kind : std::uint8_t {
  Text,
  Integer,
  Number,
  Boolean,
  Json,
  TextOrJson,
  File,
  Media,
  Duration,
  Time,
  Money,
  Secret,
};

/// What a text must be, beyond its kind.
enum class TextForm : std::uint8_t {
  Any,
  PhoneNumber,   ///< E.164: + and up to 15 digits
  AddressRange,  ///< CIDR
  AreaCode,      ///< of the USA: three digits
  CallTarget,    ///< tel:+<E.164>, or sip:<user>@<host>
  WebUrl,        ///< http or https with a host
  Day,           ///< YYYY-MM-DD, a day that exists
  Country,       ///< ISO 3166-1 alpha-2
};

/// Where a value goes. Compose: not a member by itself; a composer makes members from it
/// (`--system`, `--message`, attachments).
enum class In : std::uint8_t { Path, Query, Header, Body, Form, Compose, Local };

/// What comes back. Nothing: JSON or an empty body.
enum class Reply : std::uint8_t { Json, Bytes, Events, Socket, Nothing };

/// Who answers. Local: the tool itself, no request.
enum class Host : std::uint8_t { Inference, Realtime, Management, Docs, Local };

/// May a request that perhaps ran be sent again?
enum class Repeat : std::uint8_t {
  Never,        ///< creates something: not after a lost answer, not after 5xx
  WhenRefused,  ///< again after the service answered 408, 409 or 5xx; not after a lost answer
  Always,       ///< reading, or idempotent
};

enum class Source : std::uint8_t { Documented, Observed };

/// What the service does with a member.
enum class Status : std::uint8_t { Current, Deprecated, Ignored, Unsupported };

/// How several fields become one part of the body. Prompt: a text, or an array of several.
/// Messages: the conversation of the deprecated messaging operation.
enum class Composer : std::uint8_t { None, Chat, Responses, Collection, Prompt, Messages };

/// What text output shows of an answer. Auto: the columns as a table, else `name: value` lines.
/// Chat is for every answer with `choices`, Message for those with a `stop_reason` of their own.
/// Images and Video are saved: --output names where, not the file of the document.
enum class View : std::uint8_t { Auto, Chat, Response, BatchResult, Message, Images, Video };

/// An upper bound that is none.
inline constexpr double k_no_max = 9'007'199'254'740'991.0;

struct Range {
  double min = 0;
  double max = 0;
  sv unit{};
};

/// Where a media argument goes in the body: as {"url": …} or {"file_id": …} into a member of its
/// own, or into an array. Its flags win over what --body and --set put into either.
struct MediaSlot {
  sv one{};                              ///< the member for one argument; empty: always the array
  sv many{};                             ///< the array for several; empty: there can be one only
  std::span<const sv> types{};           ///< what a file may be, by its bytes
  std::uint64_t max_bytes = 50'000'000;  ///< of a file that is sent along
};

struct Field {
  sv flag;    ///< "max-tokens"
  sv path{};  ///< "text.format.type", dots nest; a row leaves "max_tokens" to resolved<>
  Kind kind = Kind::Text;
  In in = In::Body;
  sv help;  ///< one sentence
  bool required = false;
  bool repeated = false;
  char letter = 0;  ///< a short form of a flag that takes a value: 'm' for -m; 0: none
  bool positional = false;
  bool common = false;     ///< shown by --help; the others by --help-all
  bool file_text = false;  ///< `@file` reads the text from a file
  std::optional<Range> range{};
  std::span<const sv> choices{};   ///< closed: anything else is refused
  std::span<const sv> suggests{};  ///< open: shown and completed, never enforced
  std::uint32_t max_count = 0;     ///< of a repeated field; 0: no limit
  std::uint32_t max_length = 0;    ///< code points of a text; 0: no limit
  TextForm form = TextForm::Any;
  sv null_word{};                    ///< the word that stands for null
  std::uint32_t max_days = 0;        ///< of a Time: the most days from now; 0: no limit
  std::uint32_t unit_ms = 0;         ///< of a Duration: sent as a number of this unit; 0: as text
  std::uint64_t max_bytes = 0;       ///< of a file; 0: no limit
  sv wraps{};                        ///< a bare text becomes an object with this member
  std::optional<MediaSlot> media{};  ///< of Kind::Media with In::Compose
  sv fallback{};                     ///< what the service does when unset, for the help
  /// What a switch may be given all the same, for the help: behind "=", and "N" as the next word.
  sv may_take{};
  sv always{};  ///< a query member sent when unset, where the service's default is not certain
  sv example{};
  Status status = Status::Current;
  sv completes{};       ///< what a shell offers for it: "models", "keys", … (cli/complete.h)
  bool quoted = false;  ///< a number that the wire writes as text
  bool alias = false;   ///< a shorter flag for the member at `path`
  /// Of an alias: the JSON that it puts there, all of it where it is a switch. Else "$" in it is
  /// the value, "$list" the array of its parts between commas, "$host" the host of a URL.
  sv stands_for{};
};

enum class RuleKind : std::uint8_t { Excludes, Requires, Either, Ordered };

/// `flag` excludes or requires `other`, or one of the two must be there, or, of two days, `flag` is
/// not after `other`. A boolean counts only when it is true.
struct Rule {
  RuleKind kind;
  sv flag;
  sv other;
  sv why;  ///< a sentence for the error
};

/// The flag of a side of a rule: "audio-format" of "audio-format=pcm|mulaw".
constexpr sv rule_flag(sv side) {
  return side.substr(0, side.find('='));
}
/// "pcm|mulaw"; "" where any value counts.
constexpr sv rule_values(sv side) {
  const std::size_t at = side.find('=');
  return at == sv::npos ? sv() : side.substr(at + 1);
}

/// Ticks: exact; Cost: the same, for people in four decimals. Tally: a count that says nothing when
/// it is zero. Cents, MicroCents: whole numbers of that unit, alone or as {"val"}. Credit: cents
/// that are negative on the wire when they are in the user's favour. Month: {"year", "month"}.
/// KeyState: of a whole API key. List: an array, or, where the path goes through arrays, what all
/// of their items hold there.
enum class Cell : std::uint8_t {
  Text,
  Count,
  Tally,
  Bytes,
  Seconds,
  UnixTime,
  Ticks,
  Cost,
  List,
  Cents,
  MicroCents,
  Credit,
  Month,
  KeyState,
};

struct Column {
  sv title;
  sv path;  ///< dots nest; `|` stands between alternatives, of which the first that is there counts
  Cell cell = Cell::Text;
  bool detail = false;  ///< shown with --verbose only
};

/// A part of what text output shows of one document: the rows at `items` as a table (through arrays
/// on the way, those of all their items), or, where `items` is empty, the columns as
/// `title: value` lines.
struct Section {
  sv items{};
  std::span<const Column> columns{};
};

enum class MaskForm : std::uint8_t {
  Text,   ///< names separated by commas
  Paths,  ///< an object with an array `paths`
};

/// An update by mask: the members go into `wrapper`, and their names into `member`. A name without
/// a value clears the member: a field with the flag `clear` names such.
struct Mask {
  sv wrapper;
  sv member;
  MaskForm form = MaskForm::Text;
};

/// A list that comes in pages: which query members ask for more, where the mark of the next page
/// is. `short_page_ends`: the mark is always returned.
struct Paging {
  sv limit_param;
  sv token_param;
  sv token_path;
  sv more_path{};  ///< a boolean that says whether there is more; empty: none
  sv unique{};     ///< a member that no two items share: what comes again is dropped
  std::uint32_t max_page = 100;
  bool all_by_default = false;  ///< without --limit the whole list is shown
  bool short_page_ends = false;
};

/// How the answer of a poll tells whether the job has ended.
enum class Judge : std::uint8_t {
  Answered,  ///< HTTP 202 is "not yet"; any other success is the result
  Status,    ///< the same, and by the member `status`: pending, or failed or expired
};

/// A remote job that is polled: `operation` ("deferred", of the same group) is called with the id
/// found at `id_path` of the submission's answer until it is done.
struct Poll {
  sv operation;
  sv id_path;
  std::uint32_t first_seconds = 1;  ///< the first pause; each is longer, up to `most_seconds`
  std::uint32_t most_seconds = 10;
  std::uint32_t limit_seconds = 0;  ///< the waiting ends after this long; 0: never by itself
  bool by_default = false;          ///< waits unless --no-wait says otherwise
  Judge judge = Judge::Answered;
};

struct Example {
  sv command;  ///< as typed, beginning with "svc "
  sv says;     ///< what it does, one sentence
};

struct Operation {
  sv group;
  sv name;  ///< the verb; several words nest: "documents add"
  sv method{};
  sv path{};   ///< with {parameters}
  sv summary;  ///< one sentence
  Host host = Host::Inference;
  std::span<const Field> fields{};  ///< own and shared ones, joined by concat()
  bool is_default = false;          ///< the group's verb that may be left out
  Reply reply = Reply::Json;
  Repeat repeat = Repeat::Never;
  Source source = Source::Documented;
  sv default_model{};      ///< sent when neither flag nor profile names one
  bool text_model = true;  ///< the profile's model is one for this operation
  sv replaced_by{};  ///< the service has deprecated this in favour of that command: "svc chat"
  sv tool{};         ///< called by JSON-RPC: this tool, with the body as its arguments
  sv opening{};      ///< of a socket: the type of the first message, whose members are the body
  sv gone{};         ///< 404 means that the work is done already: a sentence for the user
  Composer composer = Composer::None;
  View view = View::Auto;
  std::uint32_t max_answer_mb = 32;  ///< the longest document that is taken
  bool once = false;         ///< the answer can be read one time only: kept until written out
  bool streams = false;      ///< has a `stream` member; Reply::Events when it is true
  bool free = false;         ///< costs nothing, so that --max-cost does not hold it back
  bool destructive = false;  ///< asks on a terminal, needs --yes elsewhere
  bool secret = false;       ///< the answer holds a secret: a file of it is private
  std::optional<Mask> mask{};
  bool changes = false;      ///< an update without a mask: not sent when it would change nothing
  std::optional<In> team{};  ///< where a configured team id goes, as `team_id`: Query or Body
  sv items{};  ///< where the list is in the answer, `|` as in a column; empty: not a list
  std::optional<Paging> paging{};
  std::optional<Poll> poll{};
  std::span<const Rule> rules{};
  std::span<const Column> columns{};    ///< of a list; of one document, how its members read
  std::span<const Section> sections{};  ///< of one document; empty: all of it
  std::span<const Section> details{};   ///< what --verbose adds to the result on standard error
  std::span<const Example> examples{};
};

}  // namespace svc
