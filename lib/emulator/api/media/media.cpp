#include "emulator/api/media/media.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"

namespace svc::emulator::media {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

struct Target {
  asio::ip::tcp::endpoint address{};
  std::string authority{};
  std::string path{};
};

// Removes possible secrets: user names, and signatures in the query.
std::string shown_url(sv url) {
  sv plain = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = plain.find("://");
  const std::size_t at = plain.find('@');
  if (scheme != sv::npos && at != sv::npos) plain = plain.substr(at + 1);
  return shown(plain);
}

Error not_local_error(sv url) {
  return usage_error(
      fmt::format("The emulator reaches http URLs on this machine only (127.0.0.1, localhost, "
                  "[::1]), not {}.",
                  shown_url(url)));
}

// Returns the loopback address that the host names, if it names one.
std::optional<asio::ip::address> loopback(sv host) {
  if (host == "[::1]") return asio::ip::address_v6::loopback();
  error_code error;
  const std::string name = equals_ignore_case(host, "localhost") ? "127.0.0.1" : std::string(host);
  const auto address = asio::ip::make_address_v4(name, error);
  return !error && address.is_loopback() ? std::optional<asio::ip::address>(address) : std::nullopt;
}

Result<Target> read_url(sv url) {
  constexpr sv k_scheme = "http://";
  const bool printable = url.find_first_of(" \t\r\n") == sv::npos;
  if (!equals_ignore_case(url.substr(0, k_scheme.size()), k_scheme) || !printable) {
    return not_local_error(url);
  }
  const sv rest = url.substr(k_scheme.size());
  const std::size_t end = std::min(rest.size(), rest.find_first_of("/?#"));
  Target target;
  target.authority = rest.substr(0, end);
  target.path = rest.substr(end, rest.find('#', end) - end);
  if (!target.path.starts_with('/')) target.path.insert(0, 1, '/');
  sv host = target.authority;
  std::int64_t port = 80;
  const std::size_t colon = host.rfind(':');
  if (colon != sv::npos && !host.ends_with(']')) {
    port = parse_integer(host.substr(colon + 1)).value_or(-1);
    host = host.substr(0, colon);
  }
  if (port < 1 || port > 65535) return not_local_error(url);
  const auto address = loopback(host);
  if (!address) return not_local_error(url);
  target.address = {*address, static_cast<std::uint16_t>(port)};
  return target;
}

sv describe(const error_code& error, bool connected) {
  if (error == boost::beast::error::timeout) return "it took too long";
  if (!connected) return "the connection was refused";
  if (error == http::error::end_of_stream) return "it closed the connection without an answer";
  if (error == http::error::partial_message) return "the answer was cut short";
  if (error == http::error::body_limit) return "the answer is too large";
  const bool malformed = error.category() == make_error_code(http::error::bad_method).category();
  return malformed ? "that was no HTTP" : "the connection broke";
}

// One request on a connection of its own, with one overall deadline.
Result<HttpReply> exchange(sv url, sv method, sv head, sv body) {
  SVC_TRY(target, read_url(url));
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nUser-Agent: svc-emulator\r\n{}\r\n{}",
      method, target.path, target.authority, head, body);
  asio::io_context context;
  boost::beast::tcp_stream stream(context);
  boost::beast::flat_buffer input;
  http::response_parser<http::string_body> parser;
  parser.body_limit(k_max_fetched);
  error_code failure;
  bool connected = false;
  stream.expires_after(std::chrono::seconds(5));
  const auto on_reply = [&](const error_code& error, std::size_t) { failure = error; };
  const auto on_sent = [&](const error_code& error, std::size_t) {
    if (error == boost::beast::error::timeout) return on_reply(error, 0);
    http::async_read(stream, input, parser, on_reply);  // it may have answered before closing
  };
  stream.async_connect(target.address, [&](const error_code& error) {
    failure = error;
    connected = !error;
    if (connected) asio::async_write(stream, asio::buffer(request), on_sent);
  });
  context.run();
  if (!failure) return HttpReply{parser.get().result_int(), std::move(parser.get().body())};
  return Error{Fault::Network, fmt::format("{} could not be reached: {}.", target.authority,
                                           describe(failure, connected))};
}

using text::get_string;
using text::Json;

constexpr sv k_base64_mark = ";base64,";

// Returns "image/png" for "data:image/png;base64,…".
std::string declared_type(sv url) {
  if (!url.starts_with("data:")) return {};
  return to_lower(url.substr(5, url.find_first_of(";,") - 5));
}

Result<std::string> read_data_url(sv url) {
  const std::size_t mark = url.find(k_base64_mark);
  auto bytes =
      mark == sv::npos ? std::nullopt : base64_decode(url.substr(mark + k_base64_mark.size()));
  if (!bytes || bytes->empty()) {
    return usage_error("The data URL is not well-formed: data:TYPE;base64,DATA was expected.");
  }
  return *std::move(bytes);
}

Result<std::string> read_stored(const MediaContext& context, const std::string& id) {
  SVC_TRY(content, read_file(*context.state, context.team_id, id));
  if (content) return std::move(content->data);
  SVC_TRY(file, find_file(*context.state, context.team_id, id));
  if (file) return usage_error(fmt::format("File {} is not fully uploaded.", id));
  return Error{Fault::NotFound, fmt::format("File with id={} not found", excerpt(id))};
}

// Returns what follows `path` in a URL of the emulator itself; nothing for any other.
std::optional<sv> own_path(sv address, sv path, sv url) {
  if (address.empty() || !url.starts_with(address)) return std::nullopt;
  url.remove_prefix(address.size());
  return url.starts_with(path) ? std::optional(url.substr(path.size())) : std::nullopt;
}

// The emulator's own URLs are looked up directly: a request to itself could deadlock.
Result<std::string> read_url(const MediaContext& context, const std::string& url) {
  if (const auto name = own_path(context.address, k_media_path, url)) {
    SVC_TRY(media, find_media(*context.state, name->substr(0, name->find_first_of("?#"))));
    if (media) return std::move(media->data);
    return Error{Fault::Network, "No such media, or its URL has expired."};
  }
  if (const auto token = own_path(context.address, "/public/files/", url)) {
    SVC_TRY(content, read_public_file(*context.state, token->substr(0, token->find('/'))));
    if (content) return std::move(content->data);
    return Error{Fault::Network, "No file has that public URL, or it has expired."};
  }
  return fetch(url);
}

sv format_name(sv type) {
  if (type == "image/jpeg" || type == "image/jpg") return "JPEG";
  if (type == "image/png") return "PNG";
  return type == "image/webp" ? "WebP" : sv{};
}

// Returns `url` or its alias; "" if both are absent.
std::string source_url(const Json& source) {
  const Json* alias = text::member(source, "image_url");
  const std::string other = alias != nullptr && alias->is_object()
                                ? get_string(*alias, "url")
                                : get_string(source, "image_url");
  return get_string(source, "url", other);
}

Result<std::string> load(const MediaContext& context, const Json& source) {
  if (const std::string id = get_string(source, "file_id"); !id.empty()) {
    return read_stored(context, id);
  }
  const std::string url = source_url(source);
  return url.starts_with("data:") ? read_data_url(url) : read_url(context, url);
}

constexpr std::size_t k_max_name_length = 255;

std::string numbered(const std::string& name, std::size_t index) {
  if (index == 0) return name;
  const std::size_t dot = name.rfind('.');
  const std::size_t cut = dot == std::string::npos || dot == 0 ? name.size() : dot;
  return fmt::format("{}-{}{}", name.substr(0, cut), index + 1, name.substr(cut));
}

// Returns why a file cannot have that name, or "".
std::string check_name(sv name) {
  if (trim(name).empty() || name == "." || name == "..") return "a file needs a name";
  if (name.size() > k_max_name_length) return "the file name is longer than 255 bytes";
  for (const char c : name) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (c == '/' || c == '\\' || control) {
      return "the file name holds a slash, a backslash or a control character";
    }
  }
  return {};
}

Json describe(const MediaContext& context, const StoredFile& file) {
  Json output = {{"file_id", file.id},
                 {"filename", file.filename},
                 {"expires_at", text::or_null(file.expires_at)}};
  const std::string url = public_file_url(context.address, file.public_token, file.filename);
  if (url.empty()) return output;
  output["public_url"] = url;
  output["public_url_expires_at"] = text::or_null(file.public_expires_at);
  return output;
}

Response serve_media(const Request& request) {
  if (request.header("Authorization")) {
    return text_response(403,
                         "The media host takes no Authorization header: an API key does not belong "
                         "here.\n");
  }
  const std::string& name = request.params.at("name");
  SVC_TRY(found, found_or(find_media(*request.state, name),
                          text_response(404, "No such media, or its URL has expired.\n")));
  StoredMedia& media = found;
  const std::string etag = fmt::format("\"{}\"", name.substr(0, name.find('.')));
  Response response = serve_bytes(request, std::move(media.data), std::move(media.content_type),
                                  etag, media.created_at);
  response.headers.push_back(
      {"Cache-Control", fmt::format("public, max-age={}", k_url_lifetime_s)});
  return response;
}

}  // namespace

Result<std::string> fetch(sv url) {
  SVC_TRY(reply, exchange(url, "GET", {}, {}));
  if (reply.status == 200) return std::move(reply.body);
  return Error{Fault::Network,
               fmt::format("{} answered with status {}.", shown_url(url), reply.status)};
}

Result<HttpReply> post(sv url, sv headers, sv body) {
  const std::string head = fmt::format("{}Content-Length: {}\r\n", headers, body.size());
  SVC_TRY(reply, exchange(url, "POST", head, body));
  return HttpReply{reply.status, std::move(reply.body)};
}

Result<void> put(sv url, sv content_type, sv body) {
  const std::string head =
      fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", content_type, body.size());
  SVC_TRY(reply, exchange(url, "PUT", head, body));
  if (reply.status >= 200 && reply.status < 300) return {};
  return Error{Fault::Network,
               fmt::format("{} answered the upload with status {}.", shown_url(url), reply.status)};
}

MediaContext MediaContext::of(const Request& request) {
  return {request.state, request.key.team_id, base_url(request)};
}

bool is_remote(const Json& source) {
  const std::string url = to_lower(source_url(source));
  return url.starts_with("http://") || url.starts_with("https://");
}

std::optional<Response> check_source(const Request& request, const Json& source,
                                     std::span<const text::Step> path) {
  const bool has_url = !source_url(source).empty();
  const bool has_file = !get_string(source, "file_id").empty();
  if (has_url && has_file) {
    return invalid_argument_error(
        fmt::format("{}: url and file_id exclude each other.", text::describe_path(path)));
  }
  if (has_url || has_file) return std::nullopt;
  const auto position = text::locate(request.body, path);
  return schema_mismatch_error(text::describe_path(path),
                               "missing field `url`: give url or file_id", position.line,
                               position.column);
}

std::optional<SourceError> load_bytes(const MediaContext& context, const Json& source, sv kind,
                                      std::string& bytes) {
  const std::string declared = declared_type(source_url(source));
  if (!declared.empty() && !declared.starts_with(kind)) {
    return SourceError{400,
                       {},
                       fmt::format("The data URL holds {}, not {}.", shown(declared),
                                   kind == "image" ? "an image" : "a video")};
  }
  auto loaded = load(context, source);
  if (!loaded) {
    const Fault fault = loaded.error().fault;
    const bool refused = fault == Fault::Usage || fault == Fault::Network;
    return SourceError{.status = fault == Fault::NotFound ? 404
                                 : refused                ? 400
                                                          : 500,
                       .message = loaded.error().message,
                       .remote = is_remote(source)};
  }
  bytes = *std::move(loaded);
  return std::nullopt;
}

std::optional<SourceError> load_image(const MediaContext& context, const Json& source,
                                      Image& image) {
  const std::string declared = declared_type(source_url(source));
  const sv format = format_name(declared);
  const auto invalid = [&](std::string message) {
    return SourceError{400, "invalid_image", std::move(message), is_remote(source)};
  };
  if (!declared.empty() && format.empty()) {
    return invalid(fmt::format("Unsupported image type {}: only JPEG, PNG and WebP are supported.",
                               shown(declared)));
  }
  std::string bytes;
  if (auto source_error = load_bytes(context, source, "image", bytes)) return source_error;
  if (!format.empty() && format_name(image_type(bytes)) != format) {
    return invalid(fmt::format("Invalid {} image.", format));
  }
  auto decoded = decode_image(bytes);
  if (!decoded) return invalid(decoded.error().message);
  image = *std::move(decoded);
  return std::nullopt;
}

Result<std::string> store_media(State& state, sv content_type, sv data) {
  const std::string name =
      fmt::format("{}.{}", state.new_uuid(), content_type.substr(content_type.find('/') + 1));
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<std::string> {
    SVC_CHECK(database.change("DELETE FROM media WHERE expires_at <= ?", now_s));
    SVC_CHECK(database.change("INSERT INTO media VALUES (?,?,?,?,?)", name, content_type, now_s,
                              now_s + k_url_lifetime_s, Blob{data}));
    return name;
  });
}

Result<std::optional<StoredMedia>> find_media(State& state, sv name) {
  return state.with([&](Database& database) -> Result<std::optional<StoredMedia>> {
    return first_row(
        database,
        [](const Statement& row) {
          return StoredMedia{row.text(0), row.bytes(1), row.integer(2)};
        },
        "SELECT content_type, data, created_at FROM media"
        " WHERE name = ? AND expires_at > ?",
        name, state.now_ms() / 1000);
  });
}

std::string media_url(sv address, sv name) {
  return fmt::format("{}{}{}", address, k_media_path, name);
}

void store_output(const MediaContext& context, const Json& body, sv content_type, sv data,
                  std::size_t index, Json& item) {
  const Json* storage = text::member(body, "storage_options");
  if (storage == nullptr) return;
  const std::string name = text::get_string(*storage, "filename");
  if (const std::string why = check_name(name); !why.empty()) {
    item["storage_error"] = fmt::format("The result was not stored: {}.", why);
    return;
  }
  NewFile file;
  file.filename = numbered(name, index);
  file.content_type = content_type;
  file.data = data;
  file.expires_after = text::get_integer(*storage, "expires_after");
  const Json* sharing = text::member(*storage, "public_url");
  if (sharing != nullptr) {
    file.public_url = sharing->is_object() || sharing->get<bool>();
    file.public_expires_after = text::get_integer(*sharing, "expires_after");
  }
  const auto stored = store_file(*context.state, context.team_id, file);
  if (!stored) {
    item["storage_error"] = "The result was not stored: " + sentences_of(stored.error());
    return;
  }
  item["file_output"] = describe(context, *stored);
}

Checked<const MediaModel*> pick_media_model(const Request& request, const Json& body,
                                            Product product) {
  const std::string name = text::get_string(
      body, "model", product == Product::Image ? "svc-imagine-image" : "svc-imagine-video");
  const MediaModel* model = find_media_model(product, name);
  if (model == nullptr) {
    return not_found_error(
        fmt::format("The model {} does not exist or your team {} does not have access to it.",
                    shown(name), request.key.team_id));
  }
  if (!may_use_model(request.key, model->name)) return model_access_error(model->name);
  return model;
}

}  // namespace svc::emulator::media

auto svc::emulator::media_routes() -> std::vector<Route> {
  return {{.method = "GET",
           .path = "/_media/{name}",
           .handler = media::serve_media,
           .input = Input::Free,
           .key = KeyRequirement::None}};
}
