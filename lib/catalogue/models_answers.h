// The answer of the group models.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::models {

// As the service sends them; svc makes the columns from these -------------------------------------

inline constexpr std::array<sv, 5> k_modalities = {"INVALID", "TEXT", "IMAGE", "AUDIO", "VIDEO"};
inline constexpr std::array k_common_members = {
    text("name", "Name for requests."),
    text("version", "Version of the model."),
    text("aliases[]", "Other names for requests."),
    text("inputModalities[]", "Kinds of input that it takes.", choices(k_modalities)),
    text("outputModalities[]", "Kinds of output that it gives.", choices(k_modalities)),
    text("cluster", "Name of the inference cluster."),
    text_count("rps", "Limit of requests per second."),
    text_count("rpm", "Limit of requests per minute."),
    text_count("rph", "Limit of requests per hour."),
    text_count("rpd", "Limit of requests per day."),
    text_count("tpm", "Limit of tokens per minute; 0 is none."),
    text_count("rateLimits.queryOffset", "Constant part of the limit of requests."),
    text_count("rateLimits.queryBaseRate", "Base rate of the limit of requests."),
    text_count("rateLimits.queryMultiplier", "Factor of the limit of requests."),
    text_count("rateLimits.tokenOffset", "Constant part of the limit of tokens."),
    text_count("rateLimits.tokenBaseRate", "Base rate of the limit of tokens."),
    text_count("rateLimits.tokenMultiplier", "Factor of the limit of tokens."),
};
inline constexpr Shape k_common{"Model", k_common_members};
inline constexpr std::array k_any_members = {members_of(k_common)};

inline constexpr sv k_per_100_million = "Cents per 100 million tokens.";
inline constexpr sv k_hundred_millionths = "Hundred-millionths of a cent.";
inline constexpr std::array k_language_own = {
    text("promptTextTokenPrice", k_per_100_million),
    text("promptImageTokenPrice", k_per_100_million),
    text("promptTextTokenPriceLongContext", "Price of each input token of a long request."),
    text("cachedPromptTokenPrice", k_per_100_million),
    text("completionTextTokenPrice", k_per_100_million),
    text("completionTokenPriceLongContext", "Price of each output token of a long request."),
    text("searchPrice", "Price of a search, in a unit that is undocumented."),
    integer("maxPromptLength", "Tokens."),
    text_count("longContextThreshold", "Tokens from which a request is long."),
    boolean("features.functionCalling", "Whether it can call functions."),
    boolean("features.structuredOutputs", "Whether its output can follow a JSON Schema."),
    boolean("features.reasoning", "Whether it reasons before it answers."),
    text("algorithm", "Internal to the service."),
};
inline constexpr auto k_language_members = concat(k_any_members, k_language_own);
inline constexpr Shape k_language{"LanguageModel", k_language_members};

inline constexpr std::array<sv, 4> k_image_sizes = {"IMAGE_RESOLUTION_UNSPECIFIED",
                                                    "IMAGE_RESOLUTION_1K", "IMAGE_RESOLUTION_2K",
                                                    "IMAGE_RESOLUTION_4K"};
inline constexpr std::array k_image_price_members = {
    text("resolution", "Resolution that the price is for.", choices(k_image_sizes)),
    text("pricePerImage", k_hundred_millionths),
};
inline constexpr Shape k_image_price{"ImagePrice", k_image_price_members};
inline constexpr std::array k_image_own = {
    text("imagePrice", "Deprecated in favor of resolutionPricing."),
    list("resolutionPricing[]", k_image_price, "Price of an image, by resolution."),
    text("pricePerInputImage", k_hundred_millionths),
};
inline constexpr auto k_image_members = concat(k_any_members, k_image_own);
inline constexpr Shape k_image{"ImageModel", k_image_members};

inline constexpr std::array k_client_members = {
    text("clientName", "Value of the query parameter client."),
    text("description", "What the client is."),
};
inline constexpr Shape k_client{"SupportedClient", k_client_members};
inline constexpr std::array k_audio_own = {
    text("promptTokenPrice", k_per_100_million),
    text("completionTokenPrice", k_per_100_million),
    list("supportedClients[]", k_client, "Clients that may use the model."),
};
inline constexpr auto k_audio_members = concat(k_any_members, k_audio_own);
inline constexpr Shape k_audio{"AudioModel", k_audio_members};

inline constexpr std::array<sv, 4> k_video_sizes = {
    "VIDEO_RESOLUTION_UNSPECIFIED", "VIDEO_RESOLUTION_480P", "VIDEO_RESOLUTION_720P",
    "VIDEO_RESOLUTION_1080P"};
inline constexpr std::array k_video_price_members = {
    text("resolution", "Resolution that the price is for.", choices(k_video_sizes)),
    text("pricePerSecond", k_hundred_millionths),
};
inline constexpr Shape k_video_price{"VideoPrice", k_video_price_members};
inline constexpr std::array k_video_own = {
    list("resolutionPricing[]", k_video_price, "Price of a second, by resolution."),
    text("pricePerInputImage", k_hundred_millionths),
    text("pricePerInputVideoSecond", k_hundred_millionths),
};
inline constexpr auto k_video_members = concat(k_any_members, k_video_own);
inline constexpr Shape k_video{"VideoModel", k_video_members};

inline constexpr std::array k_embedding_own = {
    text("promptTextTokenPrice", k_per_100_million),
};
inline constexpr auto k_embedding_members = concat(k_any_members, k_embedding_own);
inline constexpr Shape k_embedding{"EmbeddingModel", k_embedding_members};

inline constexpr sv k_as_rows = "Text shows each model as a row, with prices in dollars.";

inline constexpr std::array k_cluster_members = {
    text("clusterName", "Name of the inference cluster.", hidden("Text shows it per model.")),
    list("languageModels[]", k_language, "Models with text output.", hidden(k_as_rows)),
    list("embeddingModels[]", k_embedding, "Models that embed texts.", hidden(k_as_rows)),
    list("imageGenerationModels[]", k_image, "Models that make images.", hidden(k_as_rows)),
    list("audioModels[]", k_audio, "Models with audio output.", hidden(k_as_rows)),
    list("videoGenerationModels[]", k_video, "Models that make videos.", hidden(k_as_rows)),
};
inline constexpr Shape k_cluster{"ClusterModels", k_cluster_members};
inline constexpr std::array k_list = {
    list("clusterConfigs[]", k_cluster, "Models of each inference cluster.")};

// As svc lists them -------------------------------------------------------------------------------

inline constexpr std::array k_video_others = {
    text("resolutionPricing[].pricePerSecond", k_hundred_millionths),
    text("pricePerInputVideoSecond", k_hundred_millionths),
};
inline constexpr auto k_listed_model_members =
    concat(k_any_members, k_language_own, k_image_own, k_audio_own, k_video_others);
inline constexpr Shape k_listed_model{"ListedModel", k_listed_model_members};
inline constexpr std::array k_other_members = {
    text("cluster", "Name of the cluster."),
    object("model", k_listed_model, "The model as this cluster describes it."),
};
inline constexpr Shape k_other{"OtherModel", k_other_members};
inline constexpr std::array<sv, 5> k_kinds = {"language", "image", "video", "audio", "embedding"};

/// The columns of text output are computed; prices are in US dollars. `--columns` takes the
/// service's names too. JSON has each model as the service describes it.
inline constexpr sv k_in_columns = "Columns show it.";
inline constexpr std::array k_listed = {
    view("Name", "name"),  // requests use it as the model
    view("Kind", "kind"),
    view("Context", "context|maxPromptLength", Unit::Count),
    view("Input/M", "input_price|promptTextTokenPrice", Unit::Count),
    view("Output/M", "output_price|completionTextTokenPrice", Unit::Count),
    view("Cached/M", "cached_price|cachedPromptTokenPrice", Unit::Count),
    view("Per image", "image_price|imagePrice"),
    view("Per second", "second_price|pricePerSecond"),
    view("Limits", "limits"),
    view("Clusters", "clusters|clusterName", Unit::List),
    view("Aliases", "aliases", Unit::List),
    view("Inputs", "takes|inputModalities", Unit::List),
    view("Outputs", "gives|outputModalities", Unit::List),
    view("Long context from", "long_from|longContextThreshold", Unit::Count),
    view("Long input/M", "long_input_price|promptTextTokenPriceLongContext", Unit::Count),
    view("Long output/M", "long_output_price|completionTokenPriceLongContext", Unit::Count),
    view("Image input/M", "image_token_price|promptImageTokenPrice", Unit::Count),
    view("Input image", "input_image_price|pricePerInputImage", Unit::Count),
    view("Input second", "input_second_price|pricePerInputVideoSecond", Unit::Count),
    view("Version", "version"),
    // As sent by the service; the unit is undocumented.
    view("Search price", "search_price|searchPrice", Unit::Count),
    view("Features", "features", Unit::List, details),
    view("Algorithm", "algorithm", Unit::None, details),
    view("Rate limits", "rate_limits|rateLimits", Unit::List, details),
    view("Clients", "clients|supportedClients", Unit::List, details),
    text("name", "Name for requests.", hidden(k_in_columns)),
    text("kind", "What it makes.", choices(k_kinds), hidden(k_in_columns)),
    text("clusters[]", "Names of the clusters that serve it.", hidden(k_in_columns)),
    object("model", k_listed_model, "The model as the service describes it.", hidden(k_in_columns)),
    list("others[]", k_other, "Clusters that describe it differently.",
         hidden("Text has one row for each description.")),
};

}  // namespace svc::catalogue::answer::models
