// The data model of the catalogue: operations of the service and local commands.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace svc {

using sv = std::string_view;

/// The type of a value. Duration: such as 5s or 2m, never zero. TextOrJson: a JSON object or array
/// if it starts like one, otherwise text. Time: RFC 3339, or a duration from now; must be in the
/// future. Money: US dollars such as 12.50, sent as {"val": cents}; in cents if the operation's
/// flag `cents` is true. Secret: never given directly, as other users can read arguments: @FILE, -
/// for a line of standard input, or env:NAME.
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

/// The required format of a Text value.
enum class TextFormat : std::uint8_t {
  Any,
  PhoneNumber,   ///< E.164: + and up to 15 digits
  AddressRange,  ///< CIDR
  AreaCode,      ///< of the USA: three digits
  CallTarget,    ///< tel:+<E.164>, or sip:<user>@<host>
  WebUrl,        ///< http or https with a host
  Day,           ///< YYYY-MM-DD, a day that exists
  Country,       ///< ISO 3166-1 alpha-2
  NotAFile,      ///< a name; the path of a file is probably meant as that file
  Permission,    ///< of an API key: api-key:endpoint:NAME, api-key:model:NAME
};

/// The part of the request that a value goes to. Compose: a composer builds fields from it
/// (`--system`, `--message`, attachments). Local: not sent.
enum class In : std::uint8_t { Path, Query, Body, Form, Compose, Local };

/// The kind of response. Nothing: JSON or an empty body.
enum class Reply : std::uint8_t { Json, Bytes, Socket, Nothing };

/// The host an operation is sent to. Local: svc itself handles it.
enum class Host : std::uint8_t { Inference, Realtime, Management, Docs, Local };

/// Whether a request that may have taken effect can be retried.
enum class Repeat : std::uint8_t {
  Never,        ///< creates something: not after a lost response or 5xx
  WhenRefused,  ///< after 408, 409 or 5xx; not after a lost response
  Always,       ///< read-only or idempotent
};

enum class Source : std::uint8_t { Documented, Observed };

/// How the service treats a field.
enum class Status : std::uint8_t { Current, Deprecated, Ignored, Unsupported };

/// How several fields are combined into one part of the body. Prompt: a string, or an array of
/// strings. Messages: the conversation of the deprecated `legacy messages`.
enum class Composer : std::uint8_t { None, Chat, Responses, Collection, Prompt, Messages };

/// How text output shows a response. Auto: the columns as a table, otherwise `name: value` lines.
/// Chat: responses with `choices`. Message: responses with their own `stop_reason`. Images, Video:
/// saved; --output is the media file, not a file for the JSON document. Card: `label: value` lines
/// and tables, of the members that the answer's rows show.
enum class View : std::uint8_t { Auto, Card, Chat, Response, BatchResult, Message, Images, Video };

/// The upper bound of a range without one.
inline constexpr double k_no_max = 9'007'199'254'740'991.0;

struct Range {
  double min = 0;
  double max = 0;
  sv unit{};
};

/// Where a media argument goes in the body: as {"url": …} or {"file_id": …} into its own field, or
/// into an array. It overrides values of --body and --set for both.
struct MediaSlot {
  sv one{};                     ///< field for a single argument; empty: always the array
  sv many{};                    ///< array for several arguments; empty: only one allowed
  std::span<const sv> types{};  ///< accepted media types of a file, detected from its bytes
  std::uint64_t max_bytes = 50'000'000;  ///< maximum size of an attached file
};

struct Field {
  sv flag;    ///< "max-tokens"
  sv path{};  ///< "text.format.type", dots nest; resolved<> derives simple ones: "max_tokens"
  Kind kind = Kind::Text;
  In in = In::Body;
  sv help;  ///< one sentence
  /// How the value is given on a command line, with its punctuation: "; omit or use - for …".
  sv typed{};
  bool required = false;
  /// The service requires it in the object that it is in: svc sends its default, or builds it.
  bool demanded = false;
  bool repeated = false;
  char letter = 0;  ///< a short form of a flag that takes a value: 'm' for -m; 0: none
  bool positional = false;
  bool common = false;             ///< shown by --help; the others by --help-all
  bool plain_switch = false;       ///< a Boolean that is off unless given: shown without --no-
  bool file_text = false;          ///< `@file` reads the text from a file
  std::optional<Range> range{};    ///< of a Json: of each number in the object
  std::span<const sv> choices{};   ///< closed: anything else is refused
  std::span<const sv> suggests{};  ///< open: shown and completed, never enforced
  std::uint32_t max_count = 0;     ///< of a repeated field; 0: no limit
  std::uint32_t max_length = 0;    ///< code points of a text; 0: no limit
  TextFormat form = TextFormat::Any;
  sv null_word{};               ///< the word sent as null
  std::uint32_t max_days = 0;   ///< of a Time: maximum days from now; 0: no limit
  std::uint32_t unit_ms = 0;    ///< of a Duration: sent as a number of this unit; 0: as a string
  std::uint64_t max_bytes = 0;  ///< of a file; 0: no limit
  sv wraps{};                   ///< plain text becomes an object with this field
  sv needs{};  ///< of a Json: the member that each object must have; `|` separates alternatives
  std::optional<MediaSlot> media{};  ///< of Kind::Media with In::Compose
  sv fallback{};                     ///< the default, for the help
  /// The optional value of a switch, for the help: after "=", and "N" also as the next word.
  sv optional_value{};
  sv always{};  ///< sent for a query field that is unset, as the service's default is unknown
  sv example{};
  Status status = Status::Current;
  sv completes{};       ///< candidates for shell completion: "models", "keys", …
  bool quoted = false;  ///< a number sent as a string
  bool alias = false;   ///< another flag for the field at `path`
  /// Of an alias: the JSON that it sets. A switch sets it unchanged; otherwise "$" is replaced by
  /// the value, "$list" by the array of its comma-separated parts, "$host" by the host of the URL.
  sv stands_for{};
};

enum class RuleKind : std::uint8_t { Excludes, Requires, Either, Ordered, Warns };

/// A constraint on two flags: `flag` excludes or requires `other`, at least one of them is required
/// (Either), or the date `flag` must not be after `other` (Ordered). Warns: `flag` together with
/// `other` is sent, with a warning; both are the same for a flag alone. A boolean counts as given
/// only if it is true.
struct Rule {
  RuleKind kind;
  sv flag;
  sv other;
  sv why;  ///< the reason, as a sentence for the error; of Warns: what follows the flag's name
};

/// The flag of a side of a rule: "audio-format" of "audio-format=pcm|mulaw".
constexpr sv rule_flag(sv side) {
  return side.substr(0, side.find('='));
}
/// The values of a side of a rule: "pcm|mulaw", or "svc-4.5*" for a prefix; "" if any value
/// matches.
constexpr sv rule_values(sv side) {
  const std::size_t at = side.find('=');
  return at == sv::npos ? sv() : side.substr(at + 1);
}

/// What the value of an answer means, which decides how text shows it. Count: a number, or the
/// number of items. Tally: a count that text omits if it is zero. UnixTime: seconds, or RFC 3339.
/// Ticks: a cost, exact for programs. Cents, MicroCents: integers of that
/// unit, plain or as {"val"}. Credit: cents that the service sends as negative numbers if in the
/// user's favour. Month: {"year", "month"}. KeyState: the state of an API key object. List: the
/// values at a path through arrays.
enum class Unit : std::uint8_t {
  None,
  Count,
  Tally,
  Bytes,
  Seconds,
  UnixTime,
  Ticks,
  Url,
  List,
  Cents,
  MicroCents,
  Credit,
  Month,
  KeyState,
};

/// When text shows a member of an answer. Drawn: the operation's own code shows it, in its own
/// form. Details: with --verbose.
enum class Show : std::uint8_t { Always, Drawn, Details, Never };

struct Shape;

/// One member of an answer, an error or an event. What the service sends may have further members,
/// and null or nothing in place of a required one: readers pass all of that.
struct Member {
  sv path;  ///< below its shape; dots nest, `[]` is each item: "choices[].message.content"
  Kind kind = Kind::Text;
  Unit unit = Unit::None;
  sv help{};                      ///< one sentence
  sv label{};                     ///< for text; empty: follows from the path, see label_of()
  std::span<const sv> choices{};  ///< known values; others pass
  bool required = false;          ///< the service documents it as always present
  bool nullable = false;
  Show show = Show::Always;
  sv hidden_because{};           ///< with Show::Never: the reason, as a sentence
  const Shape* shape = nullptr;  ///< of an object, or of an array's items
  bool table = false;            ///< an array that text shows as a table of its own
  bool secret = false;           ///< svc mcp saves it in a private file, away from the model
  /// Only for text: derived from other members. `path` may have alternatives separated by `|`, of
  /// which the first present one is used.
  bool view = false;
};

/// A member of a union: an output item, an event. `name` is the tag's value.
struct Variant {
  sv name;
  sv help{};
  std::span<const Member> members{};
};

/// An object that returns in several answers, such as the usage of tokens; or a union of objects,
/// which the member `tag` tells apart and whose common members are `members`.
struct Shape {
  sv name;  ///< "Usage"
  std::span<const Member> members{};
  sv tag{};
  std::span<const Variant> variants{};
};

/// An event of a stream or a socket. `name`: the value of its member `type`; "" for the only one.
struct StreamEvent {
  sv name;
  sv help{};
  std::span<const Member> members{};
  bool from_client = false;
};

enum class MaskForm : std::uint8_t {
  Text,   ///< comma-separated names
  Paths,  ///< an object with an array `paths`
};

/// An update with a field mask: the fields go into the object `wrapper`, their names into `member`.
/// A name without a value clears the field; the flag `clear` adds such names.
struct Mask {
  sv wrapper;
  sv member;
  MaskForm form = MaskForm::Text;
};

/// Paging of a list: the query parameters, and where the response has the next page token.
/// `short_page_ends`: the service always returns a token, so a page with fewer items is the last.
struct Paging {
  sv limit_param;
  sv token_param;
  sv token_path;
  sv more_path{};  ///< a boolean: more pages follow; empty: none
  sv unique{};     ///< a field with unique values; items that repeat one are dropped
  std::uint32_t max_page = 100;
  bool all_by_default = false;  ///< without --limit all items are shown
  bool short_page_ends = false;
};

/// How the response to a poll shows whether the job is finished.
enum class Judge : std::uint8_t {
  Answered,  ///< HTTP 202: not finished; any other success is the result
  Status,    ///< the same, and the field `status`: pending, failed or expired
};

/// A remote job to poll: `operation` ("deferred", of the same group) is called with the ID at
/// `id_path` of the submission's response until the job is finished.
struct Poll {
  sv operation;
  sv id_path;
  std::uint32_t first_seconds = 1;  ///< the first interval; it grows up to `max_seconds`
  std::uint32_t max_seconds = 10;
  std::uint32_t limit_seconds = 0;  ///< stop waiting after this time; 0: no limit
  bool by_default = false;          ///< waits unless --no-wait is given
  Judge judge = Judge::Answered;
};

/// The code of the commands that the generic runner does not run; cli/commands defines run<> of
/// each.
enum class Handler : std::uint8_t {
  None,
  AliasDelete,
  AliasList,
  AliasSet,
  Api,
  AuthLogin,
  AuthLogout,
  AuthStatus,
  BatchesAdd,
  BatchesRun,
  BatchesWait,
  BillingInvoices,
  BillingLimitsSet,
  BillingPreview,
  BillingTopUp,
  BillingUsage,
  ChatCreate,
  CollectionsDocumentsAdd,
  CollectionsDocumentsGet,
  CollectionsSearch,
  Completion,
  ConfigEdit,
  ConfigGet,
  ConfigList,
  ConfigPath,
  ConfigProfiles,
  ConfigSet,
  ConfigUnset,
  Doctor,
  Emulator,
  EmulatorCall,
  Expiring,
  FilesDownload,
  FilesUpload,
  HistoryDelete,
  HistoryExport,
  HistoryList,
  HistoryRename,
  HistorySearch,
  HistoryShow,
  KeysEndpoints,
  KeysIssue,
  KeysPropagation,
  McpCall,
  McpServe,
  McpTools,
  ModelsList,
  Operations,
  PhoneAnswer,
  PhoneCreate,
  PhoneListen,
  PhoneVerify,
  RealtimeConnect,
  RealtimeSecret,
  RealtimeTalk,
  ResponsesCreate,
  ResponsesGet,
  SoundDevices,
  SoundTest,
  SttLive,
  SttTranscribe,
  TemplatesEdit,
  TemplatesList,
  TemplatesShow,
  TtsSpeak,
  TtsVoice,
  TtsVoices,
  Count,
};

/// How a command handles an invalid configuration.
enum class ConfigUse : std::uint8_t {
  Required,       ///< required: the command fails
  Optional,       ///< the command warns and continues
  CommandReports  ///< reported by the command itself
};

struct Example {
  sv command;  ///< as typed, starting with "svc "
  sv says;     ///< one sentence about what it does
};

/// The words for what an operation works on: "phone number", "phone numbers". Messages are built
/// from these, as a plural cannot be derived from a name.
struct Nouns {
  sv one{};
  sv many{};
};

/// What comes back with a flag that makes an operation bulk work: one such record per request.
struct BulkAnswer {
  sv flag{};
  std::span<const Member> record{};
};

/// The fields of an operation: rows, or what unpacks them at their first use.
class Fields {
 public:
  constexpr Fields() = default;
  /// An array of rows, or a part of one, that outlives this.
  constexpr Fields(const std::convertible_to<std::span<const Field>> auto& rows) : m_rows(rows) {}
  constexpr explicit Fields(std::span<const Field> (*unpack)()) : m_unpack(unpack) {}

  constexpr operator std::span<const Field>() const {
    return m_unpack == nullptr ? m_rows : m_unpack();
  }
  [[nodiscard]] constexpr auto begin() const { return all().begin(); }
  [[nodiscard]] constexpr auto end() const { return all().end(); }
  [[nodiscard]] constexpr bool empty() const { return all().empty(); }
  [[nodiscard]] constexpr std::size_t size() const { return all().size(); }
  [[nodiscard]] constexpr const Field& front() const { return all().front(); }
  [[nodiscard]] constexpr const Field& back() const { return all().back(); }

 private:
  [[nodiscard]] constexpr std::span<const Field> all() const { return *this; }

  std::span<const Field> m_rows{};
  std::span<const Field> (*m_unpack)() = nullptr;
};

struct Operation {
  sv group;
  sv name;  ///< the verb, of one or more words: "documents add"
  sv method{};
  sv path{};   ///< with {parameters}
  sv summary;  ///< one sentence
  Host host = Host::Inference;
  Fields fields{};          ///< its own and shared ones, joined by concat()
  Nouns noun{};             ///< if not set, the group's
  bool is_default = false;  ///< the group's default verb
  Reply reply = Reply::Json;
  Repeat repeat = Repeat::Never;
  Source source = Source::Documented;
  sv default_model{};      ///< sent if neither flag nor profile sets one
  bool text_model = true;  ///< the profile's model can be used for this operation
  sv replaced_by{};        ///< if deprecated by the service: the command to use instead, "svc chat"
  sv tool{};               ///< the tool to call by JSON-RPC, with the body as its arguments
  sv opening{};       ///< of a socket: the type of the first message, whose fields are the body
  sv already_done{};  ///< the message for a 404 that means "already done"; empty: an error
  Composer composer = Composer::None;
  View view = View::Auto;
  std::uint32_t max_answer_mb = 32;  ///< maximum size of a document
  bool once = false;                 ///< the response can be fetched only once: saved until written
  bool streams = false;  ///< has a field `stream`; if it is true, the response is events
  bool free = false;     ///< costs nothing: --max-cost does not block it
  /// What it ends, as a sentence: svc asks first on a terminal, and requires --yes elsewhere.
  sv ends{};
  sv ends_if{};         ///< only with this flag, a side of a rule; empty: always
  bool secret = false;  ///< the response contains a secret: output files are private
  Handler run = Handler::None;
  ConfigUse config = ConfigUse::Required;
  bool new_profile = false;  ///< the selected profile need not exist
  bool own_output = false;   ///< writes the --output file itself
  std::optional<Mask> mask{};
  bool changes = false;      ///< an update without a mask: not sent if no field is given
  std::optional<In> team{};  ///< where the configured team ID is sent, as `team_id`: Query or Body
  sv items{};  ///< path of the list in the response, `|` as in a column; empty: not a list
  std::optional<Paging> paging{};
  std::optional<Poll> poll{};
  std::span<const Rule> rules{};
  /// What comes back. With `items`, text shows the members of an item as a table; other documents
  /// as every field, or by their labels (View::Card). A local command's answer is one item of its
  /// list, unless it is a `document`.
  std::span<const Member> answer{};
  bool document = false;  ///< of a local command: its JSON is one object, and its text its own
  std::span<const Member> printed{};      ///< what svc lists instead of an answer: one item
  std::span<const StreamEvent> events{};  ///< of a stream or a socket
  BulkAnswer bulk{};
  std::span<const Example> examples{};
};

}  // namespace svc
