// `svc help emulator`: how a test says what the emulator answers, and what else it can be told.
#pragma once

#include <array>
#include <vector>

#include "docgen/topics.h"

namespace svc::docgen {

inline constexpr std::array k_emulator_examples = {
    Example{"svc -p emulator chat Hello", "Starts an emulator for the length of one command."},
    Example{"svc emulator --port 8080 --state :memory:",
            "Runs one until it is interrupted, and prints the environment to use it."}};

inline std::vector<Term> emulator_match_terms() {
  return {{"operation",
           "chat, responses, completions, messages, complete or realtime, or the path of one."},
          {"model", "The model that the request names."},
          {"prompt", "Regular expression to find in the last user message."},
          {"header", "Required headers, as an object of names and values."},
          {"key",
           "The API key: its id, its name or its secret. The requests of a batch have the "
           "key that made the batch."},
          {"call", "Only the Nth request that matches the rest, counted from 1."}};
}

inline std::vector<Term> emulator_answer_terms() {
  return {{"text", "The model's answer; with tool_calls, its answer after their results."},
          {"tool_calls", "The model calls these tools: a list of {\"name\", \"arguments\"}."},
          {"status",
           "An HTTP status, with body (JSON or a string) and headers. In a batch the "
           "request fails, and in a spoken conversation the response."},
          {"events",
           "The events of a stream as they go out: an object is the data of one, "
           "{\"event\", \"data\"} names it, and a string is sent as it is. Only streams "
           "are answered so."}};
}

inline constexpr std::array k_emulator_answer_examples = {
    Example{"curl --json '[{\"match\": {\"prompt\": \"weather\"}, \"answer\": {\"text\": "
            "\"Sunny.\"}, \"times\": 2}]' http://127.0.0.1:8080/_emulator/answers",
            "Answers two questions about the weather."},
    Example{"svc emulator --answers answers.json", "Reads such an array from a file."}};

inline constexpr std::array k_emulator_fault_examples = {
    Example{"svc emulator --fault 'POST /v1/chat/completions: status 429 retry-after 1, times 2'",
            "Refuses the first two chats; svc-emulator --help lists all actions."},
    Example{"curl --json '[\"POST /v1/responses: cut-after 3, model svc-4.5\"]' "
            "http://127.0.0.1:8080/_emulator/faults",
            "Cuts the streams of one model."}};

inline std::vector<Term> emulator_control_terms() {
  return {{"GET /health", "Answers 200 as soon as the emulator serves."},
          {"GET, POST, DELETE /_emulator/answers", "Lists, adds or removes answer rules."},
          {"GET, POST, DELETE /_emulator/faults", "Lists, adds or removes fault rules."},
          {"GET /_emulator/requests?since=N",
           "The requests behind number N: method, target, headers without keys, body, status."},
          {"POST /_emulator/reset",
           "Clears rules, requests and all state, and restarts the IDs of --seed."},
          {"POST /_emulator/calls", "Simulates an incoming call, as svc emulator call does."},
          {"POST /_emulator/credit", "{\"cents\": N} sets the prepaid credit of the team."}};
}

inline std::vector<Term> emulator_header_terms() {
  return {
      {"x-emulator-delay-ms", "The time between the words of a streamed answer; 10 unless set."},
      {"x-emulator-session-limit-ms", "How long a realtime connection may last."},
      {"x-emulator-idle-limit-ms", "How long it may be silent."},
      {"x-emulator-ping-ms", "How often it is pinged."},
      {"x-emulator-stream-timeout-ms", "How long a transcription connection may be silent."},
      {"x-emulator-video-ms", "How long a video takes; 3000 unless set."},
      {"x-emulator-provision",
       "1 lets a phone number be created that the service would provision."}};
}

inline std::vector<Term> emulator_word_terms() {
  return {{"Say exactly: TEXT", "The answer is TEXT."},
          {"Write N words", "The answer has N words."},
          {"Refuse: TEXT", "A refusal; an image or a video that moderation blocked."},
          {"Fail with: TEXT", "The request fails with status 503; a video fails."},
          {"Expire: TEXT", "A video that expires."}};
}

inline constexpr std::array k_emulator_test_examples = {
    Example{"svc-emulator --port 8080 --state :memory: --seed 1 &\n"
            "until curl -sf http://127.0.0.1:8080/health; do sleep 0.1; done\n"
            "curl --json '[{\"answer\": {\"text\": \"Paris\"}}]' "
            "http://127.0.0.1:8080/_emulator/answers\n"
            "export SVC_BASE_URL=http://127.0.0.1:8080 SVC_API_KEY=svc-demo-key\n"
            "test \"$(svc chat 'Capital of France?')\" = Paris",
            "A test in shell."},
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
    TopicBlock{.paragraph = "The emulator is a local stand-in for the service, for trying svc and "
                            "for tests of programs that use the service. It listens on loopback "
                            "unless --host says otherwise, takes the key svc-demo-key, and needs "
                            "no network.",
               .examples = k_emulator_examples},
    TopicBlock{.paragraph = "Files, batches, stored responses and the like are kept in "
                            "$XDG_STATE_HOME/svc/emulator.db, or where --state says; :memory: "
                            "keeps nothing. With --seed N ids repeat, and with --clock TIME the "
                            "clock starts at that time."},
    TopicBlock{.paragraph = "Rules say what it answers, in every text operation, in batches and in "
                            "spoken conversations. A rule is a JSON object with match, answer and "
                            "times (how often it is used at most). The first rule that fits and "
                            "is not used up answers. All members of match are optional:",
               .terms = emulator_match_terms},
    TopicBlock{.paragraph = "An answer has one of:",
               .terms = emulator_answer_terms,
               .examples = k_emulator_answer_examples},
    TopicBlock{.paragraph = "Fault rules make any operation misbehave: METHOD PATH: ACTION, then "
                            "times N, after K, every N, rate R, key K or model M behind commas. A "
                            "path may hold *; one that no operation has is refused.",
               .examples = k_emulator_fault_examples},
    TopicBlock{.paragraph = "Programs on the same machine control it over HTTP, without a key:",
               .terms = emulator_control_terms},
    TopicBlock{.paragraph = "Headers of a request may change times:",
               .terms = emulator_header_terms},
    TopicBlock{.paragraph = "Without a rule, a prompt that begins with one of these chooses its "
                            "answer:",
               .terms = emulator_word_terms},
    TopicBlock{.examples = k_emulator_test_examples}};

}  // namespace svc::docgen
