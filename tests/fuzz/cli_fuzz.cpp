// What the commands read: manifests, stored deliveries, lines that steer a run, answers of tools
// and about keys, images, keys of a terminal, and the arguments themselves.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "command_line/parse_args.h"
#include "commands/collections/documents.h"
#include "commands/phone/listen_parts.h"
#include "commands/stt/live_view.h"
#include "conversation/answer_schema.h"
#include "conversation/clipboard.h"
#include "conversation/slash_commands.h"
#include "conversation/tool_calls.h"
#include "json/text.h"
#include "operation/rpc_tool.h"
#include "print/image.h"
#include "session/key_check.h"
#include "terminal/editor/key_reader.h"

namespace {

using namespace svc;
using namespace svc::cli;

template <typename Value>
void check(const Result<Value>& value) {
  if (value) return;
  if (value.error().message.empty() || first_invalid_utf8(value.error().message)) std::abort();
}

void read_files(const std::string& text) {
  const auto rows = read_manifest("fuzz", text);
  check(rows);
  if (rows) {
    for (const ManifestRow& row : *rows) {
      if (check_json(row.fields)) std::abort();
    }
  }
  check(read_stored_delivery(text));
  if (text.starts_with('{')) {
    const auto schema = AnswerSchema::read(text);
    check(schema);
    if (schema) (void)schema->check(text);
  }
}

void read_answers(const std::string& text) {
  RpcReader reader({});
  (void)reader.feed(text);
  const auto result = reader.finish();
  check(read_tool_answer(result ? *result : text, {}));
  check(read_key_facts(KeyKind::Inference, text));
  check(read_key_facts(KeyKind::Management, text));
  if (!check_json(text)) (void)read_document(text);
}

/// A terminal's clipboard, however the bytes are split; with the introducer, most inputs reach it.
void read_clipboard(const std::string& text) {
  const std::string bytes = "\x1b]5522;type=read:status=" + text + "\x1b\\" + text;
  for (const std::size_t step : {std::size_t{1}, bytes.size()}) {
    ClipboardReply reply;
    std::string typed;
    for (std::size_t at = 0; at < bytes.size(); at += step)
      typed += reply.feed(bytes.substr(at, step));
    if (typed.size() + reply.image().bytes.size() > bytes.size()) std::abort();
  }
}

void read_lines(const std::string& text) {
  read_clipboard(text);
  check(read_stt_command(text, 2));
  (void)read_slash_line(text);
  (void)mentioned_paths(text);
  (void)read_allowed_tools(text, {}, {"server"});
  if (first_invalid_utf8(shown_arguments(text))) std::abort();
  (void)screens_of(replace_invalid_utf8(text), 20, 5);
}

/// Keys must be the same however the bytes are split.
std::string keys_of(std::string_view bytes, std::size_t step) {
  KeyReader reader;
  std::string keys;
  const auto take = [&] {
    while (const auto key = reader.next()) {
      if (key->code == KeyCode::Text) {
        keys += key->text;
      } else {
        keys += '<' + std::to_string(static_cast<int>(key->code)) + key->text + '>';
      }
    }
  };
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(bytes.substr(at, step));
    take();
  }
  reader.settle();
  take();
  return keys;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      read_files(text);
      break;
    case 1:
      read_answers(text);
      break;
    case 2:
      read_lines(text);
      break;
    case 3:
      if (const auto pixels = print::decode_picture(text, 64)) {
        if (pixels->rgb.size() != pixels->width * pixels->height * 3) std::abort();
        (void)print::sixels_of(*pixels);
      }
      (void)print::image_text(print::ImageWay::Kitty, text, 20);
      break;
    case 4:
      if (keys_of(text, 1) != keys_of(text, text.size())) std::abort();
      break;
    default: {
      std::vector<std::string> arguments;
      for (const std::string_view word : split(text, '\n')) arguments.emplace_back(word);
      check(parse_args(arguments));
    }
  }
  return 0;
}
