# fish completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $argv[1].
function __svc_words
    switch $argv[1]
        case ''
            printf '%s\t%s\n' \
                'chat' 'Ask a model and print its answer' \
                'responses' 'Ask a model that may use tools on the service; keep and continue conversations' \
                'tokenize' 'Cut a text into a model\'s tokens' \
                'keys' 'Work with API keys' \
                'api' 'Send any request, with the right host and key' \
                'operations' 'List every operation, for people, scripts and agents' \
                'auth' 'Store, remove and explain API keys' \
                'config' 'Read and change the configuration' \
                'completion' 'Print the completion script of a shell' \
                'emulator' 'Run a local stand-in for the service' \
                'doctor' 'Check what is configured, from where, and whether it works'
        case 'chat'
            printf '%s\t%s\n' \
                'create' 'Ask a model and print its answer' \
                'deferred' 'Fetch the answer of a deferred request, once'
        case 'responses'
            printf '%s\t%s\n' \
                'create' 'Ask a model, with tools that run on the service, and print its answer' \
                'get' 'Print a stored response' \
                'compact' 'Shorten a conversation to one item for later input' \
                'delete' 'Delete a stored response' \
                'inputs' 'List the input items of a stored response'
        case 'keys'
            printf '%s\t%s\n' \
                'self' 'Show the calling API key: permissions, team, blocks'
        case 'auth'
            printf '%s\t%s\n' \
                'login' 'Store an API key for this profile' \
                'logout' 'Remove the stored key of this profile' \
                'status' 'Say which keys are used and where they come from'
        case 'config'
            printf '%s\t%s\n' \
                'get' 'Print a setting' \
                'set' 'Change a setting of the profile' \
                'list' 'List the settings and where they come from' \
                'path' 'Print the path of the configuration file'
    end
end

# The flags of the command $argv[1].
function __svc_flags
    switch $argv[1]
        case 'chat create' 'chat'
            printf '%s\t%s\n' \
                '--prompt' 'What to say to the model; standard input is appended when it is a pipe or a file' \
                '--model' 'The model to use' \
                '--system' 'The system prompt' \
                '--message' 'A message as role:text, with role system, developer, user or assistant; in the order given' \
                '--image' 'An image beside the prompt: a path, a URL, a data: URL, a file id or - for standard input' \
                '--file' 'A file beside the prompt: a path, a URL or a file id' \
                '--messages' 'Messages as JSON objects or an array of them; what the other flags give comes after them' \
                '--deferred' 'Hand in the request, print its id, and fetch the answer later' \
                '--no-deferred' 'Not: Hand in the request, print its id, and fetch the answer later' \
                '--frequency-penalty' 'Discourage tokens by how often they occurred; not for reasoning models' \
                '--max-completion-tokens' 'At most this many visible tokens in the answer' \
                '--n' 'Make this many answers; all of their tokens are billed' \
                '--presence-penalty' 'Discourage tokens that occurred at all; not for svc-3 and reasoning models' \
                '--reasoning-effort' 'How much the model may think before it answers; svc-4.3 only' \
                '--response-format' 'The form of the answer: text, json_object, or a JSON schema as @file or inline; a whole format object is sent as it is' \
                '--seed' 'Sample as deterministically as the service can' \
                '--stop' 'End the answer before this text; not for reasoning models' \
                '--stream-options-include-usage' 'End a stream with the token counts; on by itself when the tool chose to stream' \
                '--no-stream-options-include-usage' 'Not: End a stream with the token counts; on by itself when the tool chose to stream' \
                '--tool-choice' 'Whether tools are called: none, auto, required, or a JSON object that names a function' \
                '--tools' 'A function that the model may call, as a JSON object, or an array of them' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--logprobs' 'Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--no-logprobs' 'Not: Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--top-logprobs' 'Return this many likeliest tokens at each place; needs --logprobs' \
                '--parallel-tool-calls' 'Allow several tool calls in one answer' \
                '--no-parallel-tool-calls' 'Not: Allow several tool calls in one answer' \
                '--prompt-cache-key' 'A stable key that lets requests with the same beginning share a cache' \
                '--service-tier' 'Scheduling and billing tier' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--stream' 'Receive the answer while it is made; on by itself for text and jsonl output' \
                '--no-stream' 'Not: Receive the answer while it is made; on by itself for text and jsonl output' \
                '--search-parameters-mode' 'When to search for sources' \
                '--search-parameters-sources' 'A source to search, as a JSON object with a type of web, x, news or rss' \
                '--search-parameters-from-date' 'Use only sources from this day on, as YYYY-MM-DD' \
                '--search-parameters-to-date' 'Use only sources up to this day, as YYYY-MM-DD' \
                '--search-parameters-max-search-results' 'Use at most this many sources' \
                '--search-parameters-return-citations' 'Return the addresses of the sources used' \
                '--no-search-parameters-return-citations' 'Not: Return the addresses of the sources used' \
                '--wait' 'Wait until the remote job has ended' \
                '--no-wait' 'Not: Wait until the remote job has ended' \
                '--poll-interval' 'Ask again after this time, such as 5s; by itself it starts at one second and grows' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'chat deferred'
            printf '%s\t%s\n' \
                '--request-id' 'The id that a deferred request printed' \
                '--wait' 'Wait until the remote job has ended' \
                '--no-wait' 'Not: Wait until the remote job has ended' \
                '--poll-interval' 'Ask again after this time, such as 5s; by itself it starts at one second and grows' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'responses create' 'responses'
            printf '%s\t%s\n' \
                '--input' 'What to say to the model; standard input is appended when it is a pipe or a file' \
                '--input-items' 'Input items as JSON objects or an array of them: messages, earlier output, function results, a compaction' \
                '--message' 'A message as role:text, with role system, developer, user or assistant; in the order given' \
                '--image' 'An image beside the prompt: a path, a URL, a data: URL, a file id or - for standard input' \
                '--file' 'A file beside the prompt: a path, a URL or a file id' \
                '--model' 'The model to use' \
                '--instructions' 'The system prompt of a new conversation' \
                '--previous-response-id' 'Continue from this stored response' \
                '--store' 'Keep input and response on the service for 30 days' \
                '--no-store' 'Not: Keep input and response on the service for 30 days' \
                '--include' 'Further output data, such as reasoning.encrypted_content' \
                '--max-output-tokens' 'At most this many tokens of output and reasoning together' \
                '--max-turns' 'At most this many turns of tool calls on the server' \
                '--min-p' 'Leave out tokens below this share of the likeliest token\'s probability' \
                '--top-k' 'Sample from this many likeliest tokens only' \
                '--reasoning-effort' 'How much the model may think before it answers; svc-4.3 only' \
                '--flat-reasoning-effort' 'The member reasoning_effort, which the service reads when reasoning is unset' \
                '--text-format' 'The form of the answer: text, json_object, or a JSON schema as @file or inline; a whole format object is sent as it is' \
                '--tool-choice' 'Whether tools are called: none, auto, required, or a JSON object that names a function' \
                '--tools' 'A tool that the model may use, as a JSON object, or an array of them' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--logprobs' 'Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--no-logprobs' 'Not: Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--top-logprobs' 'Return this many likeliest tokens at each place; needs --logprobs' \
                '--parallel-tool-calls' 'Allow several tool calls in one answer' \
                '--no-parallel-tool-calls' 'Not: Allow several tool calls in one answer' \
                '--prompt-cache-key' 'A stable key that lets requests with the same beginning share a cache' \
                '--service-tier' 'Scheduling and billing tier' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--stream' 'Receive the answer while it is made; on by itself for text and jsonl output' \
                '--no-stream' 'Not: Receive the answer while it is made; on by itself for text and jsonl output' \
                '--search-parameters-mode' 'When to search for sources' \
                '--search-parameters-sources' 'A source to search, as a JSON object with a type of web, x, news or rss' \
                '--search-parameters-from-date' 'Use only sources from this day on, as YYYY-MM-DD' \
                '--search-parameters-to-date' 'Use only sources up to this day, as YYYY-MM-DD' \
                '--search-parameters-max-search-results' 'Use at most this many sources' \
                '--search-parameters-return-citations' 'Return the addresses of the sources used' \
                '--no-search-parameters-return-citations' 'Not: Return the addresses of the sources used'
        case 'responses get'
            printf '%s\t%s\n' \
                '--response-id' 'The id of a stored response'
        case 'responses compact'
            printf '%s\t%s\n' \
                '--input' 'What to say to the model; standard input is appended when it is a pipe or a file' \
                '--input-items' 'Input items as JSON objects or an array of them: messages, earlier output, function results, a compaction' \
                '--message' 'A message as role:text, with role system, developer, user or assistant; in the order given' \
                '--image' 'An image beside the prompt: a path, a URL, a data: URL, a file id or - for standard input' \
                '--file' 'A file beside the prompt: a path, a URL or a file id' \
                '--model' 'The model to use'
        case 'responses delete'
            printf '%s\t%s\n' \
                '--response-id' 'The id of a stored response'
        case 'responses inputs'
            printf '%s\t%s\n' \
                '--response-id' 'The id of a stored response' \
                '--order' 'The order of the items' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'tokenize'
            printf '%s\t%s\n' \
                '--text' 'The text to cut into tokens; - or no text reads standard input' \
                '--model' 'The model to use' \
                '--user' 'Your end user\'s id, for abuse monitoring'
        case 'api'
            printf '%s\t%s\n' \
                '--method' 'The HTTP method' \
                '--path' 'The path on the host, with its query' \
                '--host' 'The host, and with it the key; by itself it is chosen by the path' \
                '--repeatable' 'Allow the request to be sent again after a failure; on by itself for GET and HEAD' \
                '--no-repeatable' 'Not: Allow the request to be sent again after a failure; on by itself for GET and HEAD'
        case 'auth login'
            printf '%s\t%s\n' \
                '--management' 'The management key instead of the API key' \
                '--no-management' 'Not: The management key instead of the API key' \
                '--check' 'Try the key on the service before it is stored' \
                '--no-check' 'Not: Try the key on the service before it is stored'
        case 'auth logout'
            printf '%s\t%s\n' \
                '--management' 'The management key instead of the API key' \
                '--no-management' 'Not: The management key instead of the API key'
        case 'config get'
            printf '%s\t%s\n' \
                '--name' 'The setting, such as model or base_url'
        case 'config set'
            printf '%s\t%s\n' \
                '--name' 'The setting, such as model or base_url' \
                '--value' 'The new value; an empty one removes the setting'
        case 'completion'
            printf '%s\t%s\n' \
                '--shell' 'The shell'
        case 'emulator'
            printf '%s\t%s\n' \
                '--port' 'Listen on this port; a free one unless set' \
                '--state' 'Keep the state in this file, or in memory only with :memory:' \
                '--tls' 'Serve https with a certificate of its own' \
                '--no-tls' 'Not: Serve https with a certificate of its own' \
                '--cert' 'Use this certificate for https' \
                '--key' 'The private key of the certificate, as a file' \
                '--fault' 'Misbehave on purpose, such as \'POST /v1/*: status 503, times 2\''
    end
    printf '%s\t%s\n' \
                '--profile' 'Use this profile of the configuration, or `emulator`' \
                '--format' 'Choose how the result is written' \
                '--json' 'Write one JSON document; the same as --format json' \
                '--jq' 'Filter the JSON result with a jq expression' \
                '--output' 'Write the result to a file' \
                '--force' 'Replace an output file that exists' \
                '--header' 'Send a further HTTP header; may be repeated' \
                '--body' 'Start from this request body; flags win over it' \
                '--set' 'Set any member of the body, documented or not; may be repeated' \
                '--timeout' 'Give up when the whole exchange takes longer; 1h unless set' \
                '--connect-timeout' 'Give up when no connection stands by then; 30s unless set' \
                '--idle-timeout' 'Give up when no byte moves for this long; 5m unless set' \
                '--retries' 'Repeat a failed request at most N times; 2 unless set' \
                '--max-wait' 'Wait at most this long when the service asks for a pause; 60s unless set' \
                '--dry-run' 'Print the request instead of sending it' \
                '--curl' 'Print an equivalent curl command instead of sending' \
                '--verbose' 'Tell on standard error what is sent, received and retried' \
                '--quiet' 'Write nothing but the result and errors' \
                '--color' 'Choose when to use colour' \
                '--no-progress' 'Show no progress' \
                '--no-stdin' 'Ignore standard input' \
                '--yes' 'Do not ask before destructive work' \
                '--base-url' 'Use this address of the inference service' \
                '--management-url' 'Use this address of the management service' \
                '--realtime-url' 'Use this address of the realtime service' \
                '--docs-url' 'Use this address of the documentation service' \
                '--team-id' 'Use this team for management operations' \
                '--help' 'Explain the command' \
                '--help-all' 'Explain the command with every flag'
end

# What stands for the value of the flag $argv[2] of the command $argv[1], or for its
# argument @1, @2, ... and @rest; nothing when nothing does.
function __svc_values
    switch $argv[1]
        case 'chat create' 'chat'
            switch $argv[2]
                case --prompt --system --message --messages --logit-bias --response-format --tools --web-search-options-filters --web-search-options-user-location --search-parameters-sources @1
                    echo 'at'
                    return
                case --model --frequency-penalty --max-completion-tokens --max-tokens --n --presence-penalty --seed --stop --web-search-options-search-context-size --temperature --top-p --top-logprobs --prompt-cache-key --user --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --image --file
                    echo 'file'
                    return
                case --reasoning-effort
                    echo 'words none low medium high'
                    return
                case --tool-choice
                    echo 'words none auto required'
                    return
                case --service-tier
                    echo 'words default priority auto fast'
                    return
                case --search-parameters-mode
                    echo 'words off on auto'
                    return
            end
        case 'chat deferred'
            switch $argv[2]
                case --request-id --poll-interval --wait-timeout @1
                    echo 'free'
                    return
            end
        case 'responses create' 'responses'
            switch $argv[2]
                case --input --input-items --message --instructions --context-management --metadata --text-format --tools --search-parameters-sources @1
                    echo 'at'
                    return
                case --image --file
                    echo 'file'
                    return
                case --model --previous-response-id --max-output-tokens --max-turns --min-p --top-k --reasoning-generate-summary --truncation --temperature --top-p --top-logprobs --prompt-cache-key --user --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results
                    echo 'free'
                    return
                case --include
                    echo 'words reasoning.encrypted_content web_search_call.action.sources code_interpreter_call.outputs file_search_call.results no_inline_citations'
                    return
                case --reasoning-effort --flat-reasoning-effort
                    echo 'words none low medium high'
                    return
                case --reasoning-summary
                    echo 'words auto concise detailed'
                    return
                case --tool-choice
                    echo 'words none auto required'
                    return
                case --service-tier
                    echo 'words default priority auto fast'
                    return
                case --search-parameters-mode
                    echo 'words off on auto'
                    return
            end
        case 'responses get'
            switch $argv[2]
                case --response-id @1
                    echo 'free'
                    return
            end
        case 'responses compact'
            switch $argv[2]
                case --input --input-items --message @1
                    echo 'at'
                    return
                case --image --file
                    echo 'file'
                    return
                case --model
                    echo 'free'
                    return
            end
        case 'responses delete'
            switch $argv[2]
                case --response-id @1
                    echo 'free'
                    return
            end
        case 'responses inputs'
            switch $argv[2]
                case --response-id --limit --page-size --pagination-token @1
                    echo 'free'
                    return
                case --order
                    echo 'words asc desc'
                    return
            end
        case 'tokenize'
            switch $argv[2]
                case --text @1
                    echo 'at'
                    return
                case --model --user
                    echo 'free'
                    return
            end
        case 'api'
            switch $argv[2]
                case --method @1
                    echo 'words GET POST PUT PATCH DELETE HEAD OPTIONS get post'
                    return
                case --path @2
                    echo 'free'
                    return
                case --host
                    echo 'words inference management docs'
                    return
            end
        case 'config get'
            switch $argv[2]
                case --name @1
                    echo 'free'
                    return
            end
        case 'config set'
            switch $argv[2]
                case --name --value @1 @2
                    echo 'free'
                    return
            end
        case 'completion'
            switch $argv[2]
                case --shell @1
                    echo 'words bash zsh fish'
                    return
            end
        case 'emulator'
            switch $argv[2]
                case --port --state --cert --key --fault
                    echo 'free'
                    return
            end
    end
    switch $argv[2]
        case --profile -p
            echo 'words emulator'
            return
        case --format -f
            echo 'words text json jsonl raw'
            return
        case --jq --header -H --set --timeout --connect-timeout --idle-timeout --retries --max-wait --base-url --management-url --realtime-url --docs-url --team-id
            echo 'free'
            return
        case --output -o
            echo 'file'
            return
        case --body
            echo 'at'
            return
        case --color
            echo 'words auto always never'
            return
    end
end

# Offers what the kind of value $argv[1] allows for the word $argv[2]; $argv[3] stands before it.
function __svc_offer
    set -l kind (string split -m 1 ' ' -- $argv[1])
    switch "$kind[1]"
        case words
            for word in (string split ' ' -- $kind[2])
                echo -- $argv[3]$word
            end
        case file
            for path in (__fish_complete_path $argv[2])
                echo -- $argv[3]$path
            end
        case at
            string match -q -- '@*' $argv[2]; or return
            for path in (__fish_complete_path (string sub -s 2 -- $argv[2]))
                echo -- $argv[3]@$path
            end
    end
end

function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command ''
    set -l flag ''
    set -l settled 0
    set -l dashes 0
    set -l place 1
    set -e words[1]
    for word in $words
        if test -n "$flag"
            set flag ''
        else if test $dashes = 0 -a "x$word" = x--
            set dashes 1
        else if test $dashes = 0; and string match -q -- '-?*' $word
            if not string match -q -- '*=*' $word; and test -n "$(__svc_values "$command" $word)"
                set flag $word
            end
        else if test $settled$dashes = 00; and contains -- $word (__svc_words "$command" | string replace -r '\t.*' '')
            set command (string trim -- "$command $word")
        else
            set settled 1
            set place (math $place + 1)
        end
    end
    if test -n "$flag"
        __svc_offer "$(__svc_values "$command" $flag)" "$current" ''
    else if test $dashes = 0; and string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        __svc_offer "$(__svc_values "$command" $parts[1])" "$parts[2]" $parts[1]=
    else if test $dashes = 0; and string match -q -- '-*' $current
        __svc_flags "$command"
    else
        if test $settled$dashes = 00
            __svc_words "$command"
        end
        set -l kind "$(__svc_values "$command" @$place)"
        test -n "$kind"; or set kind "$(__svc_values "$command" @rest)"
        __svc_offer "$kind" "$current" ''
    end
end

complete -c svc -f -a '(__svc_complete)'
