// `svc help emulator`: how tests control the emulator.
#pragma once

#include <array>
#include <vector>

#include "docgen/topics.h"

namespace svc::docgen {

inline constexpr std::array k_emulator_examples = {
    Example{"svc -p emulator chat Hello", "Starts an emulator for a single command."},
    Example{"svc emulator --port 8080 --state :memory:",
            "Runs one until interrupted, and prints the environment variables to use it."}};

inline std::vector<Term> emulator_match_terms() {
  return {{"operation",
           "chat, responses, completions, messages, complete, realtime, images, videos, speech, "
           "transcription, search, or an operation's path, such as GET /v1/files. transcription is "
           "also what a spoken conversation hears."},
          {"path",
           "The path of the request, with or without its query. With a ? at its end it has none. * "
           "stands for any text."},
          {"model", "The model in the request."},
          {"prompt", "Regular expression to find in the last user message."},
          {"system", "Regular expression to find in the system prompt."},
          {"tool_result", "Regular expression to find in the tool results at the end."},
          {"body",
           "Members of the request's body by path, as a JSON object: {\"temperature\": 0.5, "
           "\"messages.0.role\": \"system\"}. null means that there is none. In a spoken "
           "conversation they are those of response in response.create."},
          {"header", "Required headers, as a JSON object; * in a value stands for any text."},
          {"key",
           "The API key: its ID, name or secret. Requests of a batch have the key that created the "
           "batch."},
          {"call",
           "Only the Nth request that matches everything else, counting from 1, whichever rules "
           "answered the others."}};
}

inline std::vector<Term> emulator_answer_terms() {
  return {
      {"text",
       "The model's answer; with tool_calls, its answer after the tool results. If the rule has a "
       "regular expression, $1 is the first group of the one that matched, $0 the whole match, and "
       "$$ a dollar sign, here and in all other texts. Rules that name speech or transcription set "
       "what is spoken or heard, by a file, a WebSocket or a conversation."},
      {"tool_calls",
       "The model calls these tools: an array of {\"name\", \"arguments\"}. After tool results it "
       "calls them only if the rule has tool_result, call or times, since it would never end."},
      {"pieces",
       "The text in the parts in which it is streamed: strings, or {\"text\", \"delay\"}."},
      {"reasoning_content, refusal", "The model's reasoning; a refusal instead of the text."},
      {"citations, finish_reason, usage",
       "An array of URLs; a string, of which content_filter and length make a response "
       "incomplete; an object whose members replace those of the usage. A batch halves the cost "
       "that it sets, too."},
      {"members",
       "Other members by path, for any operation that answers with JSON: "
       "{\"choices.0.logprobs\": {}}, with the objects on the way to them; the next index of an "
       "array adds an element. In a stream they "
       "replace members that are there, in a spoken conversation those of response.done."},
      {"delay, rate, jitter",
       "A pause before the answer (200ms), words of streamed text a second, and the part by which "
       "each pause of a stream varies (0.2). Pieces keep delays of their own. In a spoken "
       "conversation pieces and rate are for answers in text; jitter, reasoning_content, citations "
       "and finish_reason have no effect."},
      {"status",
       "An HTTP status, with body (JSON or a string) or body_base64, and headers. In a batch it "
       "fails the request, in a spoken conversation the response."},
      {"events",
       "The events of a stream, for streaming requests only: an object is the data of an "
       "event, {\"event\", \"data\"} also sets its name, and a string is sent verbatim."}};
}

inline constexpr std::array k_emulator_answer_examples = {
    Example{"curl --json '[{\"match\": {\"prompt\": \"weather\"}, \"answer\": {\"text\": "
            "\"Sunny.\"}, \"times\": 2}]' http://127.0.0.1:8080/_emulator/answers",
            "Answers the next two prompts about the weather."},
    Example{"svc emulator --answers answers.json", "Reads the same array from a file."}};

inline constexpr std::array k_emulator_fault_examples = {
    Example{"svc emulator --fault 'POST /v1/chat/completions: status 429 retry-after 1, times 2'",
            "Rejects the first two chat requests; svc-emulator --help lists all actions."},
    Example{"curl --json '[\"POST /v1/responses: cut-after 3, model svc-4.5\"]' "
            "http://127.0.0.1:8080/_emulator/faults",
            "Interrupts the streams of one model."}};

inline std::vector<Term> emulator_control_terms() {
  return {{"GET /",
           "A page that shows requests, rules and state as they change; from another machine it "
           "needs the control token."},
          {"GET /health", "Returns 200 once the emulator is ready."},
          {"GET, POST, DELETE /_emulator/answers",
           "Lists, adds or removes answer rules. POST takes a rule or an array, DELETE with ?id=N "
           "removes the one with that id."},
          {"GET, POST, DELETE /_emulator/faults", "Lists, adds or removes fault rules."},
          {"GET /_emulator/requests?since=N",
           "Lists the requests after number N: method, target, headers without keys, body, "
           "status, and the response's body or messages, of both at most the first 64 kB."},
          {"DELETE /_emulator/requests", "Forgets them, and those that verify counts."},
          {"POST /_emulator/verify",
           "{\"match\", \"count\"} returns 200 if that many of the last 1,000 requests, of at most "
           "64 MB, match (at least one without count), otherwise 409 with what came instead. "
           "Requests that were refused or got a fault count, too."},
          {"GET, POST /_emulator/clock",
           "{\"advance\": \"10m\"} moves the clock: videos, batches, expiry and budgets follow."},
          {"GET, POST /_emulator/limits",
           "{\"realtime_sessions\": N, \"credit_cents\": N} sets limits, like --limit; the "
           "second is also the team's credit from now on."},
          {"GET, PUT /_emulator/state",
           "Exports or imports the state, as a file; how far the clock is ahead is part of it."},
          {"POST /_emulator/reset",
           "Clears requests and all state; rules, faults, limits, IDs and clock are again those of "
           "the command line. {\"seed\": N, \"clock\": TIME} sets both until the next reset. "
           "WebSockets stay open; those of a test with a name keep out of the next test."},
          {"GET /_emulator/openapi.json", "An OpenAPI description of the service's operations."},
          {"POST /_emulator/calls", "Simulates an incoming call, like svc emulator call."},
          {"POST /_emulator/credit", "{\"cents\": N} sets the team's prepaid credit."}};
}

inline constexpr std::array k_emulator_scope_examples = {
    Example{"curl -H 'X-Test-Id: one' --json '{\"answer\": {\"text\": \"Paris\"}}' "
            "http://127.0.0.1:8080/_emulator/answers\n"
            "SVC_BASE_URL=http://127.0.0.1:8080/_test/one svc chat 'Capital of France?'",
            "A rule for the test named one, and a request of that test."},
    Example{"curl -H 'X-Test-Id: one' --json '{\"match\": {\"prompt\": \"Capital\"}, "
            "\"count\": 1}' http://127.0.0.1:8080/_emulator/verify",
            "Checks that the test asked once."}};

inline constexpr std::array k_emulator_record_examples = {
    Example{"svc emulator --port 8080 --record https://api.example.com --record-to answers.json",
            "Forwards requests to the service, with the caller's key, and writes its answers as "
            "rules, without keys."},
    Example{"svc emulator --port 8080 --replay answers.json",
            "Answers from those rules alone, whatever the key."}};

inline std::vector<Term> emulator_header_terms() {
  return {{"x-emulator-delay-ms", "Delay between the words of a streamed answer (default: 10)."},
          {"x-emulator-session-limit-ms", "Maximum duration of a realtime connection."},
          {"x-emulator-idle-limit-ms", "Idle timeout of a realtime connection."},
          {"x-emulator-ping-ms", "Ping interval of a realtime connection."},
          {"x-emulator-stream-timeout-ms", "Idle timeout of a transcription connection."},
          {"x-emulator-video-ms", "How long a video takes (default: 3000)."},
          {"x-emulator-provision",
           "1 allows creating a phone number that the service would provision."}};
}

inline std::vector<Term> emulator_word_terms() {
  return {{"Say exactly: TEXT", "The answer is TEXT."},
          {"Write N words", "The answer has N words."},
          {"Refuse: TEXT", "The answer is a refusal; images and videos are blocked by moderation."},
          {"Fail with: TEXT", "The request fails with status 503; a video fails."},
          {"Expire: TEXT", "A video expires."}};
}

inline constexpr std::array k_emulator_test_examples = {
    Example{"svc-emulator --port 8080 --state :memory: --seed 1 &\n"
            "until curl -sf http://127.0.0.1:8080/health; do sleep 0.1; done\n"
            "curl --json '[{\"answer\": {\"text\": \"Paris\"}}]' "
            "http://127.0.0.1:8080/_emulator/answers\n"
            "export SVC_BASE_URL=http://127.0.0.1:8080 SVC_API_KEY=svc-demo-key\n"
            "test \"$(svc chat 'Capital of France?')\" = Paris",
            "A test in a shell script."},
    Example{"import json, urllib.request\n"
            "def post(path, body):\n"
            "    request = urllib.request.Request('http://127.0.0.1:8080' + path,\n"
            "        json.dumps(body).encode(), {'Content-Type': 'application/json',\n"
            "        'Authorization': 'Bearer svc-demo-key'})\n"
            "    return json.load(urllib.request.urlopen(request))\n"
            "post('/_emulator/answers', [{'answer': {'text': 'Paris'}}])\n"
            "answer = post('/v1/chat/completions', {'model': 'svc-4.5',\n"
            "    'messages': [{'role': 'user', 'content': 'Capital of France?'}]})\n"
            "assert answer['choices'][0]['message']['content'] == 'Paris'",
            "The same in Python."},
    Example{"const post = (path, body) => fetch('http://127.0.0.1:8080' + path, {method: 'POST',\n"
            "  headers: {'Content-Type': 'application/json',\n"
            "            'Authorization': 'Bearer svc-demo-key'},\n"
            "  body: JSON.stringify(body)}).then(answer => answer.json());\n"
            "await post('/_emulator/answers', [{answer: {text: 'Paris'}}]);\n"
            "const answer = await post('/v1/responses', {model: 'svc-4.5', input: 'Capital?'});\n"
            "console.assert(answer.output[0].content[0].text === 'Paris');",
            "And in JavaScript."}};

inline constexpr std::array k_emulator_blocks = {
    TopicBlock{.paragraph = "The emulator is a local version of the service, for trying svc and "
                            "for testing programs that use the service. It listens on loopback "
                            "unless --host is given, accepts the key svc-demo-key, and needs no "
                            "network.",
               .examples = k_emulator_examples},
    TopicBlock{.paragraph = "Files, batches, stored responses and other state are saved in "
                            "$XDG_STATE_HOME/svc/emulator.db, or in the --state file; :memory: "
                            "saves nothing. --seed N makes IDs reproducible (a state that is kept "
                            "or imported gets new ones), and --clock TIME sets the clock's start "
                            "time."},
    TopicBlock{.paragraph = "Rules set the answers of any operation, of batches and of spoken "
                            "conversations. A rule is a JSON object with match, answer and "
                            "times (the maximum number of uses). The first matching rule with uses "
                            "left provides the answer; those that a test adds come before those of "
                            "the command line. All fields of match are optional:",
               .terms = emulator_match_terms},
    TopicBlock{.paragraph = "An answer contains one of:",
               .terms = emulator_answer_terms,
               .examples = k_emulator_answer_examples},
    TopicBlock{.paragraph = "With --strict a request to a model that no rule matches is answered "
                            "with 404 and the code emulator_no_rule; the message names the nearest "
                            "rule and what differs."},
    TopicBlock{.paragraph = "Tests that run in parallel each have a name: in the header X-Test-Id, "
                            "in the path (/_test/NAME before every path, sockets included), or "
                            "after the key (svc-demo-key.NAME). Rules, faults, requests, state, "
                            "clock, seed and reset of a name belong to it alone; it begins with "
                            "those of the command line.",
               .examples = k_emulator_scope_examples},
    TopicBlock{.paragraph = "Answers of the service can be recorded as rules and replayed. A "
                            "request that was recorded several times gets its answers in order, "
                            "the last one from then on. WebSockets and HEAD are not recorded, and "
                            "secrets are recorded as REDACTED, in requests and in answers. Other "
                            "rules can be added if they have status or events.",
               .examples = k_emulator_record_examples},
    TopicBlock{.paragraph = "Fault rules make any operation fail on purpose: METHOD PATH: ACTION, "
                            "then times N, after K, every N, rate R, key K or model M, separated "
                            "by commas. A path may contain *; a path that matches no operation is "
                            "rejected.",
               .examples = k_emulator_fault_examples},
    TopicBlock{.paragraph = "Programs on the same machine can control the emulator over HTTP, "
                            "without a key; those on other machines with the header "
                            "X-Control-Token, if --control-token sets one. Unknown parameters are "
                            "errors.",
               .terms = emulator_control_terms},
    TopicBlock{.paragraph = "Request headers change timings:", .terms = emulator_header_terms},
    TopicBlock{.paragraph = "Without a rule, a prompt that starts with one of these determines its "
                            "answer:",
               .terms = emulator_word_terms},
    TopicBlock{.examples = k_emulator_test_examples},
    TopicBlock{.paragraph =
                   "Files to copy for node:test, vitest and pytest, a container recipe and "
                   "a workflow step are in the examples directory of the package's "
                   "documentation."}};

}  // namespace svc::docgen
