// Short flags for server-side tools: searches, code, collections, MCP servers. In a path,
// `type=web_search` is the array item of that type (request/body.h).
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue {

/// For chat: the sources in `search_parameters`.
inline constexpr std::array k_chat_search_flags = {
    boolean("web-search", "Let the model search the web.",
            alias("search_parameters.sources.type=web.type"), common, stands_for(R"("web")")),
    text("allowed-domain", "Search only these sites.",
         alias("search_parameters.sources.type=web.allowed_websites"), repeated, max_count(5),
         example("example.com")),
    text("excluded-domain", "Exclude these sites.",
         alias("search_parameters.sources.type=web.excluded_websites"), repeated, max_count(5),
         example("example.com")),
    text("country", "Search as if from this country (ISO 3166-1, two letters).",
         alias("search_parameters.sources.type=web.country"), form(TextFormat::Country),
         example("NO")),
    boolean("news-search", "Let the model search the news.",
            alias("search_parameters.sources.type=news.type"), stands_for(R"("news")")),
    boolean("x-search", "Let the model search X.", alias("search_parameters.sources.type=x.type"),
            common, stands_for(R"("x")")),
    text("x-handle", "Search only posts by these X users.",
         alias("search_parameters.sources.type=x.included_x_handles"), repeated, example("nasa")),
    text("excluded-x-handle", "Exclude posts by these X users.",
         alias("search_parameters.sources.type=x.excluded_x_handles"), repeated, example("nasa")),
    text("from-date", "Use only sources from this date on (YYYY-MM-DD).",
         alias("search_parameters.from_date"), form(TextFormat::Day), example("2026-01-01")),
    text("to-date", "Use only sources up to this date (YYYY-MM-DD).",
         alias("search_parameters.to_date"), form(TextFormat::Day), example("2026-01-31")),
    integer("max-search-results", "Use at most N sources.",
            alias("search_parameters.max_search_results"), range(1, 30, "sources"), fallback("15"),
            example("5")),
};

/// For responses: server-side tools.
inline constexpr std::array k_response_tool_flags = {
    boolean("web-search", "Let the model search the web.", alias("tools.type=web_search.type"),
            common, stands_for(R"("web_search")")),
    text("allowed-domain", "Search only these domains.",
         alias("tools.type=web_search.allowed_domains"), repeated, max_count(5),
         example("example.com")),
    text("excluded-domain", "Exclude these domains from web search.",
         alias("tools.type=web_search.excluded_domains"), repeated, max_count(5),
         example("example.com")),
    boolean("web-image-search", "Include images in web search.",
            alias("tools.type=web_search.enable_image_search"), stands_for("true")),
    boolean("web-images", "Let the model view images in web results.",
            alias("tools.type=web_search.enable_image_understanding"), stands_for("true")),
    boolean("x-search", "Let the model search X.", alias("tools.type=x_search.type"), common,
            stands_for(R"("x_search")")),
    text("x-handle", "Search only posts by these X users.",
         alias("tools.type=x_search.allowed_x_handles"), repeated, max_count(20), example("nasa")),
    text("excluded-x-handle", "Exclude posts by these X users.",
         alias("tools.type=x_search.excluded_x_handles"), repeated, max_count(20), example("nasa")),
    text("from-date", "Search X from this date on (YYYY-MM-DD).",
         alias("tools.type=x_search.from_date"), form(TextFormat::Day), example("2026-01-01")),
    text("to-date", "Search X up to this date (YYYY-MM-DD).", alias("tools.type=x_search.to_date"),
         form(TextFormat::Day), example("2026-01-31")),
    boolean("x-images", "Let the model view images in posts.",
            alias("tools.type=x_search.enable_image_understanding"), stands_for("true")),
    boolean("x-videos", "Let the model view videos in posts.",
            alias("tools.type=x_search.enable_video_understanding"), stands_for("true")),
    boolean("code", "Let the model run code on the service.",
            alias("tools.type=code_interpreter.type"), common, stands_for(R"("code_interpreter")")),
    text("collection", "Let the model search this collection (ID or name).",
         alias("tools.type=file_search.vector_store_ids"), repeated, common, max_count(10),
         example("collection_0001"), completes("collections")),
    integer("collection-results", "Return at most N chunks per collection search.",
            alias("tools.type=file_search.max_num_results"), at_least(1, "chunks"), example("5")),
    text("mcp", "Let the model use this MCP server; its label is the host name.", alias("tools"),
         repeated, common, form(TextFormat::WebUrl),
         stands_for(R"([{"type":"mcp","server_url":"$","server_label":"$host"}])"),
         example("https://mcp.example.com/sse")),
    text("mcp-label", "Label of the MCP server.", alias("tools.type=mcp.server_label"),
         example("docs")),
    text("mcp-description", "Description of the MCP server, for the model.",
         alias("tools.type=mcp.server_description"), example("The handbook.")),
    secret("mcp-auth",
           "Token for the MCP server: @FILE, env:NAME, or - for a line of standard input.",
           alias("tools.type=mcp.authorization"), example("env:MCP_TOKEN")),
    text("mcp-tool", "Allow only this tool of the MCP server.",
         alias("tools.type=mcp.allowed_tools"), repeated, example("search")),
};

inline constexpr std::array k_search_flag_rules = {
    excludes("allowed-domain", "excluded-domain", "A search either allows or excludes sites."),
    excludes("x-handle", "excluded-x-handle", "A search either allows or excludes users."),
    ordered("from-date", "to-date", "The start date must not be after the end date."),
};

}  // namespace svc::catalogue
