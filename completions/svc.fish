# fish completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $argv[1].
function __svc_words
    switch $argv[1]
        case ''
            printf '%s\t%s\n' \
                'chat' 'Ask a model and print its answer' \
                'responses' 'Ask a model that may use tools on the service; keep and continue conversations' \
                'images' 'Make and edit images' \
                'videos' 'Make, edit and extend videos' \
                'tts' 'Turn text into speech' \
                'stt' 'Turn speech into text' \
                'realtime' 'Talk with a model, by voice or message by message' \
                'phone' 'Phone numbers, and the calls that reach them' \
                'batches' 'Hand in many requests at once, at a reduced price, and fetch the results' \
                'files' 'Store files that requests can refer to' \
                'tokenize' 'Cut a text into a model\'s tokens' \
                'legacy' 'Text operations that the service has deprecated' \
                'docs' 'Search and read the service\'s documentation' \
                'models' 'List the team\'s models with prices and limits' \
                'keys' 'Work with API keys' \
                'collections' 'Keep documents in collections and search them' \
                'billing' 'Credit, invoices, limits and payment methods of the team' \
                'history' 'Read, search and delete the conversations kept on this machine' \
                'api' 'Send any request, with the right host and key' \
                'operations' 'List every operation, for people, scripts and agents' \
                'auth' 'Store, remove and explain API keys' \
                'config' 'Read and change the configuration' \
                'completion' 'Print the completion script of a shell' \
                'emulator' 'Run a local stand-in for the service' \
                'doctor' 'Check what is configured, from where, and whether it works' \
                'help' 'Explain a command or a topic'
        case 'help'
            printf '%s\t%s\n' \
                'chat' 'Ask a model and print its answer' \
                'responses' 'Ask a model that may use tools on the service; keep and continue conversations' \
                'images' 'Make and edit images' \
                'videos' 'Make, edit and extend videos' \
                'tts' 'Turn text into speech' \
                'stt' 'Turn speech into text' \
                'realtime' 'Talk with a model, by voice or message by message' \
                'phone' 'Phone numbers, and the calls that reach them' \
                'batches' 'Hand in many requests at once, at a reduced price, and fetch the results' \
                'tokenize' 'Cut a text into a model\'s tokens' \
                'legacy' 'Text operations that the service has deprecated' \
                'docs' 'Search and read the service\'s documentation' \
                'models' 'List the team\'s models with prices and limits' \
                'keys' 'Work with API keys' \
                'collections' 'Keep documents in collections and search them' \
                'billing' 'Credit, invoices, limits and payment methods of the team' \
                'history' 'Read, search and delete the conversations kept on this machine' \
                'api' 'Send any request, with the right host and key' \
                'operations' 'List every operation, for people, scripts and agents' \
                'auth' 'Store, remove and explain API keys' \
                'config' 'Read and change the configuration' \
                'completion' 'Print the completion script of a shell' \
                'doctor' 'Check what is configured, from where, and whether it works' \
                'emulator' 'The stand-in for the service, and how a test steers it' \
                'formatting' 'How results are written' \
                'environment' 'The variables that svc reads' \
                'exit-codes' 'What the exit status means' \
                'files' 'How files are given, written and kept' \
                'tools' 'Programs and searches that a model may use' \
                'voice' 'Speech: microphone, speaker, devices'
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
        case 'images'
            printf '%s\t%s\n' \
                'generate' 'Make images from a description and save them' \
                'edit' 'Change an image, or combine several, and save the result' \
                'get' 'Look once whether deferred images are done, and save them' \
                'wait' 'Wait for deferred images and save them'
        case 'videos'
            printf '%s\t%s\n' \
                'generate' 'Make a video from a description, an image or references' \
                'edit' 'Change a video' \
                'extend' 'Go on where a video ends' \
                'get' 'Look once how far a video is' \
                'wait' 'Wait for a video, and download it'
        case 'tts'
            printf '%s\t%s\n' \
                'speak' 'Turn text into speech: play it, save it, or pipe it' \
                'voices' 'List the voices' \
                'voice' 'Show one voice'
        case 'stt'
            printf '%s\t%s\n' \
                'transcribe' 'Write down what is said in recordings' \
                'live' 'Write down what is said while it is said, from a microphone, a file or a pipe'
        case 'realtime'
            printf '%s\t%s\n' \
                'talk' 'Talk with a model: by microphone and loudspeaker, from files, or in writing' \
                'connect' 'Send and receive the messages of a realtime session as lines of JSON' \
                'secret' 'Make a secret that opens realtime connections for a short time'
        case 'phone'
            printf '%s\t%s\n' \
                'create' 'Take a phone number into use, for an agent or a webhook' \
                'list' 'List the phone numbers' \
                'get' 'Show a phone number' \
                'update' 'Change a phone number: its name, and who takes its calls' \
                'delete' 'Give phone numbers up for good' \
                'refer' 'Hand a phone call over to another number or SIP address' \
                'hangup' 'End a phone call' \
                'answer' 'Answer a phone call: set its session up, greet, and see what happens' \
                'listen' 'Receive and verify the webhooks that tell of phone calls' \
                'verify' 'Say whether a webhook\'s delivery is genuine'
        case 'batches'
            printf '%s\t%s\n' \
                'create' 'Create a batch' \
                'list' 'List batches with their counts' \
                'get' 'Print a batch: its counts, cost and times' \
                'add' 'Add requests to a batch' \
                'requests' 'List the requests of a batch with their states' \
                'results' 'Print the results of a batch, finished or not' \
                'cancel' 'Cancel what is pending in a batch; finished results stay' \
                'wait' 'Wait until a batch is finished' \
                'run' 'Send any number of requests from a file, each exactly once, and fetch the results'
        case 'files'
            printf '%s\t%s\n' \
                'upload' 'Upload files' \
                'list' 'List the team\'s files' \
                'get' 'Show what the service knows of a file' \
                'update' 'Change a file\'s name, type or content; other members with --set or --body' \
                'delete' 'Delete files' \
                'initialize' 'Begin an upload in pieces' \
                'upload-chunk' 'Send the next piece of an upload' \
                'download' 'Save or print the content of files' \
                'publish' 'Give a file a public address' \
                'unpublish' 'Take a file\'s public address away'
        case 'legacy'
            printf '%s\t%s\n' \
                'completions' 'Let a model go on from a text' \
                'messages' 'Ask a model in the form of another service\'s messages' \
                'complete' 'Let a model go on from a text, in the form of another service'
        case 'docs'
            printf '%s\t%s\n' \
                'search' 'Search the service\'s documentation' \
                'list' 'List the pages of the service\'s documentation' \
                'get' 'Print a page of the service\'s documentation'
        case 'models'
            printf '%s\t%s\n' \
                'list' 'List the team\'s models: prices per million tokens, image or second; limits'
        case 'keys'
            printf '%s\t%s\n' \
                'create' 'Create an API key and print its secret, which is shown only once' \
                'list' 'List the team\'s API keys: all for an admin, else your own' \
                'update' 'Change an API key: name, permissions, limits, expiry; disable, enable' \
                'rotate' 'Give an API key a new secret, print it, and let the old one run out' \
                'delete' 'Delete API keys for good' \
                'propagation' 'Show which inference clusters know an API key by now' \
                'endpoints' 'List the endpoints that permissions can name' \
                'self' 'Show the calling API key: permissions, team, blocks'
        case 'collections'
            printf '%s\t%s\n' \
                'create' 'Create a collection' \
                'list' 'List collections' \
                'get' 'Show a collection' \
                'update' 'Change a collection: name, chunks, metadata fields' \
                'delete' 'Delete a collection with its documents; files stay' \
                'search' 'Search collections for the passages that fit a question' \
                'documents' 'Further verbs'
        case 'collections documents'
            printf '%s\t%s\n' \
                'add' 'Add files to a collection: uploaded ones by id, local ones by path' \
                'upload' 'Upload a file and add it, in one step' \
                'list' 'List a collection\'s documents' \
                'get' 'Show a document and whether it is processed' \
                'batch-get' 'Show several documents' \
                'reindex' 'Cut and index a document again' \
                'remove' 'Take documents out of a collection; the files stay'
        case 'billing'
            printf '%s\t%s\n' \
                'info' 'Further verbs' \
                'invoices' 'List invoices, or draw them' \
                'payment-methods' 'Further verbs' \
                'preview' 'Show this month\'s invoice so far, and what is left of credit and limit' \
                'limits' 'Further verbs' \
                'balance' 'Show the prepaid credit and its changes' \
                'top-up' 'Buy prepaid credit; the default payment method is charged' \
                'usage' 'Sum up what the answers that came to this machine cost; the service\'s own account is in billing invoices'
        case 'billing info'
            printf '%s\t%s\n' \
                'get' 'Show who pays and where invoices go' \
                'set' 'Set who pays and where invoices go; give all of it'
        case 'billing payment-methods'
            printf '%s\t%s\n' \
                'list' 'List payment methods; they are added and removed in the web console' \
                'set-default' 'Choose what is charged'
        case 'billing limits'
            printf '%s\t%s\n' \
                'get' 'Show the limits on post-paid use' \
                'set' 'Set the soft limit on post-paid use; it cannot exceed the hard limit'
        case 'history'
            printf '%s\t%s\n' \
                'list' 'List the conversations that are kept, the last one first' \
                'show' 'Show a conversation' \
                'search' 'Find words in all conversations' \
                'export' 'Write conversations into a file' \
                'delete' 'Delete conversations for good'
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
        case 'emulator'
            printf '%s\t%s\n' \
                'call' 'Have a phone call come in at the emulator, which delivers its webhook'
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
                '--continue' 'Go on with the last kept conversation of this terminal, else of this folder' \
                '--no-continue' 'Not: Go on with the last kept conversation of this terminal, else of this folder' \
                '--session' 'Go on with the kept conversation of this name, or begin it' \
                '--save' 'Keep the conversation on this machine; --no-save does not' \
                '--no-save' 'Not: Keep the conversation on this machine; --no-save does not' \
                '--tool' 'A program that the model may run, as NAME=PROGRAM or NAME=PROGRAM,SCHEMA.json: arguments come on its standard input as JSON, its output goes to the model; without a file, its description is in PROGRAM.json or comes from `PROGRAM --schema`' \
                '--allow-tools' 'Run these of them without asking first: names separated by commas, or all' \
                '--tool-timeout' 'Give up on a program after this time, and tell the model so' \
                '--tool-max-output' 'Send at most this much of a program\'s output; the model is told what was cut' \
                '--max-tool-rounds' 'End, with exit code 9, when the model asks for programs more often than this in one turn' \
                '--schema' 'Ask for an answer that fits the JSON Schema in this file, and check that it does: exit code 9, with the place, when not; --json prints the object itself' \
                '--keep' 'Keep files that had to be uploaded for the question; else they are deleted with the answer, those of a kept conversation after 30 days' \
                '--no-keep' 'Not: Keep files that had to be uploaded for the question; else they are deleted with the answer, those of a kept conversation after 30 days' \
                '--web-search' 'Let the model search the web' \
                '--allowed-domain' 'Search only these sites of the web' \
                '--excluded-domain' 'Search the web without these sites' \
                '--country' 'Search the web as from this country, two letters' \
                '--news-search' 'Let the model search the news' \
                '--x-search' 'Let the model search X' \
                '--x-handle' 'Search X for posts of these users only' \
                '--excluded-x-handle' 'Search X without the posts of these users' \
                '--from-date' 'Use only what is not older than this day, as YYYY-MM-DD' \
                '--to-date' 'Use only what is not younger than this day, as YYYY-MM-DD' \
                '--max-search-results' 'Use at most this many sources' \
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
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on' \
                '--each' 'Ask once for each line of a file (.txt, .jsonl, .csv, .tsv; - is standard input); the prompt is a template: {} is the line\'s, {name} a column or member' \
                '--jobs' 'With --each: ask so many at a time' \
                '--column' 'The column of a table that holds the prompt, by name or number' \
                '--id-column' 'The column of a table that holds the id' \
                '--input-form' 'What the input is; by itself its name\'s end tells' \
                '--skip-invalid' 'Send the rest when lines are wrong or the service refuses some' \
                '--no-skip-invalid' 'Not: Send the rest when lines are wrong or the service refuses some' \
                '--retry-failed' 'Send what failed in the finished run again' \
                '--no-retry-failed' 'Not: Send what failed in the finished run again' \
                '--order' 'The order of the results' \
                '--with-input' 'Write each result with its request' \
                '--no-with-input' 'Not: Write each result with its request' \
                '--journal' 'Where the run remembers what is done; beside the input unless given'
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
                '--continue' 'Go on with the last kept conversation of this terminal, else of this folder' \
                '--no-continue' 'Not: Go on with the last kept conversation of this terminal, else of this folder' \
                '--session' 'Go on with the kept conversation of this name, or begin it' \
                '--save' 'Keep the conversation on this machine; --no-save does not' \
                '--no-save' 'Not: Keep the conversation on this machine; --no-save does not' \
                '--tool' 'A program that the model may run, as NAME=PROGRAM or NAME=PROGRAM,SCHEMA.json: arguments come on its standard input as JSON, its output goes to the model; without a file, its description is in PROGRAM.json or comes from `PROGRAM --schema`' \
                '--allow-tools' 'Run these of them without asking first: names separated by commas, or all' \
                '--tool-timeout' 'Give up on a program after this time, and tell the model so' \
                '--tool-max-output' 'Send at most this much of a program\'s output; the model is told what was cut' \
                '--max-tool-rounds' 'End, with exit code 9, when the model asks for programs more often than this in one turn' \
                '--schema' 'Ask for an answer that fits the JSON Schema in this file, and check that it does: exit code 9, with the place, when not; --json prints the object itself' \
                '--keep' 'Keep files that had to be uploaded for the question; else they are deleted with the answer, those of a kept conversation after 30 days' \
                '--no-keep' 'Not: Keep files that had to be uploaded for the question; else they are deleted with the answer, those of a kept conversation after 30 days' \
                '--web-search' 'Let the model search the web' \
                '--allowed-domain' 'Let the model search only these domains of the web' \
                '--excluded-domain' 'Let the model search the web without these domains' \
                '--web-image-search' 'Let the model search the web for images too' \
                '--web-images' 'Let the model look at the images of the pages it finds' \
                '--x-search' 'Let the model search X' \
                '--x-handle' 'Let the model search X for posts of these users only' \
                '--excluded-x-handle' 'Let the model search X without the posts of these users' \
                '--from-date' 'Search X from this day on, as YYYY-MM-DD' \
                '--to-date' 'Search X up to this day, as YYYY-MM-DD' \
                '--x-images' 'Let the model look at the images of the posts it finds' \
                '--x-videos' 'Let the model watch the videos of the posts it finds' \
                '--code' 'Let the model run code of its own on the service' \
                '--collection' 'Let the model search this collection of documents, by its id' \
                '--collection-results' 'Take at most this many pieces out of collections at a time' \
                '--mcp' 'Let the model use the tools of this MCP server, which is labelled by its host' \
                '--mcp-label' 'Another label of the MCP server' \
                '--mcp-description' 'What the MCP server is for, in words for the model' \
                '--mcp-auth' 'What proves to the MCP server who asks: @FILE, - for a line of standard input, or env:NAME' \
                '--mcp-tool' 'Let the model use only this tool of the MCP server' \
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
        case 'images generate' 'images'
            printf '%s\t%s\n' \
                '--prompt' 'What to show, or what to change; <IMAGE_0> names the first of several images' \
                '--model' 'The model to use' \
                '--n' 'Make this many images; each is billed' \
                '--aspect-ratio' 'Width to height' \
                '--resolution' 'How large the image is' \
                '--quality' 'How much work goes into it; observed, not documented' \
                '--response-format' 'How the service hands the image over; the tool saves it either way' \
                '--deferred' 'Hand the work in and poll for the images; observed, not documented' \
                '--no-deferred' 'Not: Hand the work in and poll for the images; observed, not documented' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--preview' 'Show the images in the terminal where it can' \
                '--no-preview' 'Not: Show the images in the terminal where it can' \
                '--wait' 'Wait until the job has ended; --no-wait prints its id' \
                '--no-wait' 'Not: Wait until the job has ended; --no-wait prints its id' \
                '--storage-options-filename' 'Keep the result on the service as a file of this name, and print its id' \
                '--storage-options-expires-after' 'Delete the kept file after this time, such as 7d; a number is seconds' \
                '--storage-options-public-url' 'Give the kept file a public URL: true, or a JSON object with its options' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'images edit'
            printf '%s\t%s\n' \
                '--prompt' 'What to show, or what to change; <IMAGE_0> names the first of several images' \
                '--image' 'An image to edit: a path, a URL, a data: URL, a file id or - for standard input' \
                '--images' 'An image object as JSON, or an array of them' \
                '--model' 'The model to use' \
                '--n' 'Make this many images; each is billed' \
                '--aspect-ratio' 'Width to height' \
                '--resolution' 'How large the image is' \
                '--quality' 'How much work goes into it; observed, not documented' \
                '--response-format' 'How the service hands the image over; the tool saves it either way' \
                '--deferred' 'Hand the work in and poll for the images; observed, not documented' \
                '--no-deferred' 'Not: Hand the work in and poll for the images; observed, not documented' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--preview' 'Show the images in the terminal where it can' \
                '--no-preview' 'Not: Show the images in the terminal where it can' \
                '--wait' 'Wait until the job has ended; --no-wait prints its id' \
                '--no-wait' 'Not: Wait until the job has ended; --no-wait prints its id' \
                '--image-url' 'The URL or data: URL of the image, as it is' \
                '--image-file-id' 'The id of an uploaded image' \
                '--image-image-url' 'Another name of --image-url' \
                '--image-type' 'The kind of the image object, which is image_url' \
                '--storage-options-filename' 'Keep the result on the service as a file of this name, and print its id' \
                '--storage-options-expires-after' 'Delete the kept file after this time, such as 7d; a number is seconds' \
                '--storage-options-public-url' 'Give the kept file a public URL: true, or a JSON object with its options' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'images get'
            printf '%s\t%s\n' \
                '--request-id' 'The id that a deferred request printed' \
                '--preview' 'Show the images in the terminal where it can' \
                '--no-preview' 'Not: Show the images in the terminal where it can'
        case 'images wait'
            printf '%s\t%s\n' \
                '--request-id' 'The id that a deferred request printed' \
                '--preview' 'Show the images in the terminal where it can' \
                '--no-preview' 'Not: Show the images in the terminal where it can' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'videos generate' 'videos'
            printf '%s\t%s\n' \
                '--prompt' 'What happens; <IMAGE_0> and <AUDIO_0> name the first reference' \
                '--model' 'The model to use' \
                '--image' 'The image to begin with: a path, a URL, a data: URL, a file id or - for standard input' \
                '--duration' 'How long the video is' \
                '--seconds' 'Another name of --duration' \
                '--aspect-ratio' 'Width to height' \
                '--resolution' 'How many lines the video has' \
                '--reference-image' 'An image of someone or something that is to appear, given as --image is' \
                '--reference-images' 'A reference image object as JSON, or an array of them' \
                '--reference-audios' 'A built-in voice that is to be heard, such as eve; some models only' \
                '--last-frame' 'The image to end with, given as --image is; observed, not documented' \
                '--keyframe' 'An image at a moment, as SECONDS=IMAGE, the image as --image takes it; observed, not documented' \
                '--keyframes' 'An image at a moment, as a JSON object with image and timestamp_s, or an array of them; observed, not documented' \
                '--output-upload-url' 'A signed URL to which the service puts the finished video' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--wait' 'Wait until the job has ended; --no-wait prints its id' \
                '--no-wait' 'Not: Wait until the job has ended; --no-wait prints its id' \
                '--image-url' 'The URL or data: URL of the image, as it is' \
                '--image-file-id' 'The id of an uploaded image' \
                '--image-image-url' 'Another name of --image-url' \
                '--image-type' 'The kind of the image object, which is image_url' \
                '--storage-options-filename' 'Keep the result on the service as a file of this name, and print its id' \
                '--storage-options-expires-after' 'Delete the kept file after this time, such as 7d; a number is seconds' \
                '--storage-options-public-url' 'Give the kept file a public URL: true, or a JSON object with its options' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'videos edit'
            printf '%s\t%s\n' \
                '--prompt' 'What to change, or what happens next' \
                '--video' 'The video to begin with: a path of an MP4 file, a URL, a data: URL, a file id or - for standard input' \
                '--video-url' 'The URL or data: URL of the video, as it is' \
                '--video-file-id' 'The id of an uploaded video' \
                '--model' 'The model to use' \
                '--output-upload-url' 'A signed URL to which the service puts the finished video' \
                '--wait' 'Wait until the job has ended; --no-wait prints its id' \
                '--no-wait' 'Not: Wait until the job has ended; --no-wait prints its id' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--storage-options-filename' 'Keep the result on the service as a file of this name, and print its id' \
                '--storage-options-expires-after' 'Delete the kept file after this time, such as 7d; a number is seconds' \
                '--storage-options-public-url' 'Give the kept file a public URL: true, or a JSON object with its options' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'videos extend'
            printf '%s\t%s\n' \
                '--prompt' 'What to change, or what happens next' \
                '--video' 'The video to begin with: a path of an MP4 file, a URL, a data: URL, a file id or - for standard input' \
                '--video-url' 'The URL or data: URL of the video, as it is' \
                '--video-file-id' 'The id of an uploaded video' \
                '--model' 'The model to use' \
                '--output-upload-url' 'A signed URL to which the service puts the finished video' \
                '--wait' 'Wait until the job has ended; --no-wait prints its id' \
                '--no-wait' 'Not: Wait until the job has ended; --no-wait prints its id' \
                '--duration' 'How long the new part is' \
                '--storage-options-filename' 'Keep the result on the service as a file of this name, and print its id' \
                '--storage-options-expires-after' 'Delete the kept file after this time, such as 7d; a number is seconds' \
                '--storage-options-public-url' 'Give the kept file a public URL: true, or a JSON object with its options' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'videos get'
            printf '%s\t%s\n' \
                '--request-id' 'The id that a submission printed'
        case 'videos wait'
            printf '%s\t%s\n' \
                '--request-id' 'The id that a submission printed' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'tts speak' 'tts'
            printf '%s\t%s\n' \
                '--text' 'What to say, with tags such as [pause] or <whisper>…</whisper>; - or no text reads standard input' \
                '--language' 'The language of the text, as a BCP-47 code, or auto' \
                '--voice-id' 'The voice, built in or your own; `svc tts voices` lists them' \
                '--voice' 'The voice; short for --voice-id' \
                '--output-format-codec' 'The form of the audio' \
                '--codec' 'The form of the audio; short for --output-format-codec' \
                '--output-format-sample-rate' 'Samples per second' \
                '--sample-rate' 'Samples per second; short for --output-format-sample-rate' \
                '--output-format-bit-rate' 'Bits per second; for mp3 only' \
                '--bit-rate' 'Bits per second, for mp3; short for --output-format-bit-rate' \
                '--speed' 'How fast to speak: below 1 slower, above faster' \
                '--optimize-streaming-latency' '1: the first sound comes sooner, at a small loss where pieces meet' \
                '--text-normalization' 'Turn numbers, abbreviations and symbols into words before they are spoken' \
                '--no-text-normalization' 'Not: Turn numbers, abbreviations and symbols into words before they are spoken' \
                '--with-timestamps' 'Also fetch when each character is spoken; saved beside the audio' \
                '--no-with-timestamps' 'Not: Also fetch when each character is spoken; saved beside the audio' \
                '--replace' 'How to say certain phrases, as a JSON object of phrase and spoken form; observed, not documented' \
                '--play' 'Play it while it arrives, also when it is saved' \
                '--no-play' 'Not: Play it while it arrives, also when it is saved' \
                '--split' 'Cut a text of any length at sentences into several requests; one piece of audio comes out' \
                '--no-split' 'Not: Cut a text of any length at sentences into several requests; one piece of audio comes out' \
                '--timestamps' 'Save the times of the characters in this file' \
                '--subtitles' 'Save subtitles in this file; its ending, .srt or .vtt, says in which form' \
                '--output-device' 'The speaker: its number in --list-devices, or a part of its name' \
                '--list-devices' 'Show the sound devices of this machine, with their numbers, and do nothing else' \
                '--no-list-devices' 'Not: Show the sound devices of this machine, with their numbers, and do nothing else'
        case 'tts voices'
            printf '%s\t%s\n' \
                '--sample' 'Play a sentence in this voice, or save it with --output' \
                '--output-device' 'The speaker: its number in --list-devices, or a part of its name' \
                '--list-devices' 'Show the sound devices of this machine, with their numbers, and do nothing else' \
                '--no-list-devices' 'Not: Show the sound devices of this machine, with their numbers, and do nothing else'
        case 'tts voice'
            printf '%s\t%s\n' \
                '--voice-id' 'The voice\'s id' \
                '--sample' 'Play a sentence in this voice, or save it with --output' \
                '--no-sample' 'Not: Play a sentence in this voice, or save it with --output' \
                '--output-device' 'The speaker: its number in --list-devices, or a part of its name' \
                '--list-devices' 'Show the sound devices of this machine, with their numbers, and do nothing else' \
                '--no-list-devices' 'Not: Show the sound devices of this machine, with their numbers, and do nothing else'
        case 'stt transcribe' 'stt'
            printf '%s\t%s\n' \
                '--url' 'An address from which the service fetches the audio; addresses may also be given like files' \
                '--audio-format' 'The form of raw audio: pcm, mulaw or alaw; files that say what they are need none' \
                '--sample-rate' 'Samples per second of raw audio' \
                '--sample-rate-hertz' 'Another name of --sample-rate' \
                '--language' 'The language that is spoken, such as en; with --format-text numbers, money and units are written as people do' \
                '--format-text' 'Write numbers, money and units as people do; needs --language' \
                '--no-format-text' 'Not: Write numbers, money and units as people do; needs --language' \
                '--multichannel' 'Transcribe each channel by itself' \
                '--no-multichannel' 'Not: Transcribe each channel by itself' \
                '--channels' 'How many channels raw audio has' \
                '--diarize' 'Tell the speakers apart' \
                '--no-diarize' 'Not: Tell the speakers apart' \
                '--keyterm' 'A word or name that is likely to occur; may be repeated' \
                '--filler-words' 'Keep uh, um and er' \
                '--no-filler-words' 'Not: Keep uh, um and er' \
                '--vad-threshold' 'Skip what is less likely than this to be speech; lower for quiet or noisy recordings, 0 skips nothing' \
                '--model' 'The model to use; observed, not documented' \
                '--transcript-format' 'How to write the transcript: as text, as subtitles, as JSON, or a line for each word with its times' \
                '--jobs' 'Work on so many files at once' \
                '--file' 'What to transcribe: a file of at most 500 MB, an http(s) address, or - for standard input; several may be given'
        case 'stt live'
            printf '%s\t%s\n' \
                '--input' 'Transcribe this sound file instead of the microphone, or, with -, raw audio from standard input, as --encoding, --sample-rate and --channels say' \
                '--fast' 'Send a file or standard input as fast as the service takes it, not in the time that it plays' \
                '--no-fast' 'Not: Send a file or standard input as fast as the service takes it, not in the time that it plays' \
                '--sample-rate' 'Send so many samples per second; sound of another rate is converted' \
                '--encoding' 'Send the sound in this form: 16-bit samples, or one byte a sample (G.711)' \
                '--interim-results' 'Ask for what is heard before an utterance ends' \
                '--no-interim-results' 'Not: Ask for what is heard before an utterance ends' \
                '--endpointing' 'End an utterance after so many milliseconds of silence; 0 at every pause' \
                '--language' 'The language that is spoken, such as en: numbers, money and units are then written as people do' \
                '--multichannel' 'Transcribe each channel by itself' \
                '--no-multichannel' 'Not: Transcribe each channel by itself' \
                '--channels' 'How many channels the sound has, interleaved; with --multichannel a file tells it by itself' \
                '--diarize' 'Tell the speakers apart' \
                '--no-diarize' 'Not: Tell the speakers apart' \
                '--keyterm' 'A word or name that is likely to occur; may be repeated' \
                '--filler-words' 'Keep uh, um and er' \
                '--no-filler-words' 'Not: Keep uh, um and er' \
                '--smart-turn' 'End an utterance where the speaker has probably finished: at a pause, when the probability is above this' \
                '--smart-turn-timeout' 'End the utterance after so many milliseconds of silence all the same; needs --smart-turn' \
                '--vad-threshold' 'Skip what is less likely than this to be speech; 0 skips nothing' \
                '--transcript-format' 'How to write the transcript: as text, as subtitles, as JSON, or a line for each word with its times' \
                '--reconnect' 'Connect again when the connection is lost, and send once more what was not transcribed by then' \
                '--no-reconnect' 'Not: Connect again when the connection is lost, and send once more what was not transcribed by then' \
                '--input-device' 'The microphone: its number in --list-devices, or a part of its name' \
                '--list-devices' 'Show the sound devices of this machine, with their numbers, and do nothing else' \
                '--no-list-devices' 'Not: Show the sound devices of this machine, with their numbers, and do nothing else'
        case 'realtime talk'
            printf '%s\t%s\n' \
                '--input' 'Hear this sound file instead of the microphone; - is standard input' \
                '--audio-output' 'Put what is answered into this sound file instead of the loudspeaker; - is standard output' \
                '--fast' 'Send a file as fast as the service takes it, not as fast as it was spoken' \
                '--no-fast' 'Not: Send a file as fast as the service takes it, not as fast as it was spoken' \
                '--say' 'Say this as text; several are said one after the other' \
                '--turns' 'End after this many answers' \
                '--text' 'Type and read, with no sound at all' \
                '--no-text' 'Not: Type and read, with no sound at all' \
                '--push-to-talk' 'Speak while the space bar is held, or from one press to the next' \
                '--no-push-to-talk' 'Not: Speak while the space bar is held, or from one press to the next' \
                '--transcript' 'Write down what both say; the name\'s end chooses .txt, .jsonl or .srt' \
                '--record' 'Record both sides in this WAV file: you on the left, the answers on the right' \
                '--echo-cancel' 'Take the loudspeaker\'s sound out of the microphone\'s; without it, the microphone is closed while an answer is heard' \
                '--no-echo-cancel' 'Not: Take the loudspeaker\'s sound out of the microphone\'s; without it, the microphone is closed while an answer is heard' \
                '--session-limit' 'How long the service lets a session be: its end is told in good time' \
                '--tool' 'A program that the model may run, as NAME=PROGRAM or NAME=PROGRAM,SCHEMA.json: arguments come on its standard input as JSON, its output goes to the model; without a file, its description is in PROGRAM.json or comes from `PROGRAM --schema`' \
                '--allow-tools' 'Run these of them without asking first: names separated by commas, or all' \
                '--tool-timeout' 'Give up on a program after this time, and tell the model so' \
                '--tool-max-output' 'Send at most this much of a program\'s output; the model is told what was cut' \
                '--input-device' 'The microphone: its number in --list-devices, or a part of its name' \
                '--output-device' 'The speaker: its number in --list-devices, or a part of its name' \
                '--list-devices' 'Show the sound devices of this machine, with their numbers, and do nothing else' \
                '--no-list-devices' 'Not: Show the sound devices of this machine, with their numbers, and do nothing else' \
                '--model' 'The voice model; a phone call has its own' \
                '--reasoning-effort' 'Whether the model thinks before it speaks' \
                '--call-id' 'Attach to this phone call, whose id its webhook brings' \
                '--call' 'Attach to this phone call, whose id its webhook brings' \
                '--conversation-id' 'Go on with this conversation, for half an hour after its last word' \
                '--agent-id' 'Let this agent of the console speak' \
                '--protocol-secret' 'Use this client secret of `svc realtime secret` instead of the API key' \
                '--session' 'The whole session as a JSON object; every other flag wins over it' \
                '--instructions' 'The system prompt' \
                '--voice' 'The voice that speaks, as `svc tts voices` lists them' \
                '--turn-detection' 'Who tells when a turn ends: the service, by the voice, or you, with none' \
                '--turn-detection-type' 'The type inside turn_detection; --turn-detection says the same' \
                '--turn-detection-threshold' 'How sure the service must be that it hears a voice' \
                '--turn-detection-silence-duration-ms' 'End a turn after this much silence' \
                '--turn-detection-prefix-padding-ms' 'Keep this much of the sound before a voice was noticed' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak up when nobody has said a word for this time; or none' \
                '--tools' 'A tool that the model may use, as a JSON object, or an array of them' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections, their ids separated by commas' \
                '--mcp' 'Let the model use the tools of this MCP server, which is labelled by its host; --tools takes one with a token' \
                '--resumption-enabled' 'Keep the conversation, so that it can go on after a lost connection' \
                '--no-resumption-enabled' 'Not: Keep the conversation, so that it can go on after a lost connection' \
                '--replace' 'How written phrases are spoken, as a JSON object' \
                '--audio-input-format-type' 'How the sound that is sent is coded: pcm has 16 bits, pcmu and pcma are G.711' \
                '--audio-input-format-rate' 'Samples per second of what is sent: any for pcm, 8000 for pcmu and pcma, 24000 for opus' \
                '--audio-input-transport' 'Whether sound is sent inside JSON, as base64, or in messages of its own' \
                '--audio-input-transcription-model' 'The model that writes down what is said; with it the text comes while it is spoken' \
                '--audio-input-transcription-language-hint' 'The language that will be spoken' \
                '--language-hint' 'The language that will be spoken' \
                '--audio-input-transcription-keyterms' 'A term to listen for' \
                '--keyterm' 'A term to listen for' \
                '--audio-output-format-type' 'How the sound that comes is coded' \
                '--audio-output-format-rate' 'Samples per second of what comes: as --audio-input-format-rate' \
                '--audio-output-transport' 'Whether sound comes inside JSON, as base64, or in messages of its own' \
                '--audio-output-speed' 'How fast the voice speaks' \
                '--speed' 'How fast the voice speaks'
        case 'realtime connect'
            printf '%s\t%s\n' \
                '--model' 'The voice model; a phone call has its own' \
                '--reasoning-effort' 'Whether the model thinks before it speaks' \
                '--call-id' 'Attach to this phone call, whose id its webhook brings' \
                '--call' 'Attach to this phone call, whose id its webhook brings' \
                '--conversation-id' 'Go on with this conversation, for half an hour after its last word' \
                '--agent-id' 'Let this agent of the console speak' \
                '--protocol-secret' 'Use this client secret of `svc realtime secret` instead of the API key' \
                '--linger' 'Once the input has ended and every answer is complete, stay for this time after the last message' \
                '--session' 'The whole session as a JSON object; every other flag wins over it' \
                '--instructions' 'The system prompt' \
                '--voice' 'The voice that speaks, as `svc tts voices` lists them' \
                '--turn-detection' 'Who tells when a turn ends: the service, by the voice, or you, with none' \
                '--turn-detection-type' 'The type inside turn_detection; --turn-detection says the same' \
                '--turn-detection-threshold' 'How sure the service must be that it hears a voice' \
                '--turn-detection-silence-duration-ms' 'End a turn after this much silence' \
                '--turn-detection-prefix-padding-ms' 'Keep this much of the sound before a voice was noticed' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak up when nobody has said a word for this time; or none' \
                '--tools' 'A tool that the model may use, as a JSON object, or an array of them' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections, their ids separated by commas' \
                '--mcp' 'Let the model use the tools of this MCP server, which is labelled by its host; --tools takes one with a token' \
                '--resumption-enabled' 'Keep the conversation, so that it can go on after a lost connection' \
                '--no-resumption-enabled' 'Not: Keep the conversation, so that it can go on after a lost connection' \
                '--replace' 'How written phrases are spoken, as a JSON object' \
                '--audio-input-format-type' 'How the sound that is sent is coded: pcm has 16 bits, pcmu and pcma are G.711' \
                '--audio-input-format-rate' 'Samples per second of what is sent: any for pcm, 8000 for pcmu and pcma, 24000 for opus' \
                '--audio-input-transport' 'Whether sound is sent inside JSON, as base64, or in messages of its own' \
                '--audio-input-transcription-model' 'The model that writes down what is said; with it the text comes while it is spoken' \
                '--audio-input-transcription-language-hint' 'The language that will be spoken' \
                '--language-hint' 'The language that will be spoken' \
                '--audio-input-transcription-keyterms' 'A term to listen for' \
                '--keyterm' 'A term to listen for' \
                '--audio-output-format-type' 'How the sound that comes is coded' \
                '--audio-output-format-rate' 'Samples per second of what comes: as --audio-input-format-rate' \
                '--audio-output-transport' 'Whether sound comes inside JSON, as base64, or in messages of its own' \
                '--audio-output-speed' 'How fast the voice speaks' \
                '--speed' 'How fast the voice speaks'
        case 'realtime secret'
            printf '%s\t%s\n' \
                '--expires-after' 'How long the secret can open connections, such as 10m' \
                '--expires-after-seconds' 'The same as a number' \
                '--session' 'The whole session as a JSON object; every other flag wins over it' \
                '--instructions' 'The system prompt' \
                '--voice' 'The voice that speaks, as `svc tts voices` lists them' \
                '--turn-detection' 'Who tells when a turn ends: the service, by the voice, or you, with none' \
                '--turn-detection-type' 'The type inside turn_detection; --turn-detection says the same' \
                '--turn-detection-threshold' 'How sure the service must be that it hears a voice' \
                '--turn-detection-silence-duration-ms' 'End a turn after this much silence' \
                '--turn-detection-prefix-padding-ms' 'Keep this much of the sound before a voice was noticed' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak up when nobody has said a word for this time; or none' \
                '--tools' 'A tool that the model may use, as a JSON object, or an array of them' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections, their ids separated by commas' \
                '--mcp' 'Let the model use the tools of this MCP server, which is labelled by its host; --tools takes one with a token' \
                '--resumption-enabled' 'Keep the conversation, so that it can go on after a lost connection' \
                '--no-resumption-enabled' 'Not: Keep the conversation, so that it can go on after a lost connection' \
                '--replace' 'How written phrases are spoken, as a JSON object' \
                '--audio-input-format-type' 'How the sound that is sent is coded: pcm has 16 bits, pcmu and pcma are G.711' \
                '--audio-input-format-rate' 'Samples per second of what is sent: any for pcm, 8000 for pcmu and pcma, 24000 for opus' \
                '--audio-input-transport' 'Whether sound is sent inside JSON, as base64, or in messages of its own' \
                '--audio-input-transcription-model' 'The model that writes down what is said; with it the text comes while it is spoken' \
                '--audio-input-transcription-language-hint' 'The language that will be spoken' \
                '--language-hint' 'The language that will be spoken' \
                '--audio-input-transcription-keyterms' 'A term to listen for' \
                '--keyterm' 'A term to listen for' \
                '--audio-output-format-type' 'How the sound that comes is coded' \
                '--audio-output-format-rate' 'Samples per second of what comes: as --audio-input-format-rate' \
                '--audio-output-transport' 'Whether sound comes inside JSON, as base64, or in messages of its own' \
                '--audio-output-speed' 'How fast the voice speaks' \
                '--speed' 'How fast the voice speaks' \
                '--model' 'The voice model of the session' \
                '--reasoning-effort' 'Whether the model thinks before it speaks'
        case 'phone create'
            printf '%s\t%s\n' \
                '--name' 'A name that tells what the number is for' \
                '--origin' 'Whose number it is: the service\'s, or one of your own on a SIP trunk' \
                '--phone-number' 'Your own number' \
                '--area-code' 'Choose a number of the service in this area of the USA' \
                '--webhook-url' 'Tell of incoming calls at this address' \
                '--webhook-name' 'The webhook\'s name' \
                '--webhook-auth-url' 'Exchange --webhook-auth-token for a token at this address (OAuth)' \
                '--webhook-auth-token' 'The secret that the service shows when it tells of a call' \
                '--agent-id' 'Let this agent take the calls' \
                '--sip-auth-auth-username' 'The user name that the caller\'s side must show (SIP digest)' \
                '--sip-auth-username' 'The user name that the caller\'s side must show (SIP digest)' \
                '--sip-auth-auth-password' 'The password that belongs to it' \
                '--sip-auth-password' 'The password that belongs to it' \
                '--sip-auth-allowed-addresses' 'Take calls only from this range of addresses' \
                '--secret-file' 'Put the webhook\'s signing secret, which is given out only now, into this file, which nobody else can read; without it, it is printed alone'
        case 'phone get'
            printf '%s\t%s\n' \
                '--phone-number-id' 'The number\'s id, as `svc phone list` shows it'
        case 'phone update'
            printf '%s\t%s\n' \
                '--phone-number-id' 'The number\'s id, as `svc phone list` shows it' \
                '--name' 'The number\'s new name' \
                '--agent-id' 'Let this agent take the calls' \
                '--webhook-id' 'Tell this webhook of the calls' \
                '--outbound-sms-enabled' 'Whether the number may send text messages' \
                '--no-outbound-sms-enabled' 'Not: Whether the number may send text messages' \
                '--clear' 'Take this member away, such as the agent'
        case 'phone delete'
            printf '%s\t%s\n' \
                '--phone-number-id' 'The numbers\' ids, as `svc phone list` shows them'
        case 'phone refer'
            printf '%s\t%s\n' \
                '--call-id' 'The call\'s id, which its webhook brings' \
                '--target-uri' 'Where the call goes: tel:+NUMBER, or sip:USER@HOST'
        case 'phone hangup'
            printf '%s\t%s\n' \
                '--call-id' 'The call\'s id, which its webhook brings'
        case 'phone answer'
            printf '%s\t%s\n' \
                '--call-id' 'The call\'s id, which its webhook brings' \
                '--greeting' 'Say this first, word for word; without it the model finds words of its own' \
                '--greet' 'Speak first; --no-greet waits for the caller\'s first words' \
                '--no-greet' 'Not: Speak first; --no-greet waits for the caller\'s first words' \
                '--session-limit' 'How long the service lets a session be: its end is told in good time' \
                '--session' 'The whole session as a JSON object; every other flag wins over it' \
                '--instructions' 'The system prompt' \
                '--voice' 'The voice that speaks, as `svc tts voices` lists them' \
                '--turn-detection' 'Who tells when a turn ends: the service, by the voice, or you, with none' \
                '--turn-detection-type' 'The type inside turn_detection; --turn-detection says the same' \
                '--turn-detection-threshold' 'How sure the service must be that it hears a voice' \
                '--turn-detection-silence-duration-ms' 'End a turn after this much silence' \
                '--turn-detection-prefix-padding-ms' 'Keep this much of the sound before a voice was noticed' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak up when nobody has said a word for this time; or none' \
                '--tools' 'A tool that the model may use, as a JSON object, or an array of them' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections, their ids separated by commas' \
                '--mcp' 'Let the model use the tools of this MCP server, which is labelled by its host; --tools takes one with a token' \
                '--resumption-enabled' 'Keep the conversation, so that it can go on after a lost connection' \
                '--no-resumption-enabled' 'Not: Keep the conversation, so that it can go on after a lost connection' \
                '--replace' 'How written phrases are spoken, as a JSON object' \
                '--reasoning-effort' 'Whether the model thinks before it speaks'
        case 'phone listen'
            printf '%s\t%s\n' \
                '--port' 'Listen on this port' \
                '--address' 'Listen on this address: other machines reach 127.0.0.1 only through a tunnel or a proxy, which also brings the https that senders want' \
                '--path' 'Take deliveries at this path; others are not found' \
                '--secret' 'The webhook\'s signing secret, as `phone create` gave it out; of several, any may have signed' \
                '--auth-token' 'Take only deliveries that bring this bearer token too: the webhook\'s auth_token, where no auth_url makes another one of it' \
                '--exec' 'Run this program for each event, which it gets as JSON on its standard input, with SVC_CALL_ID and SVC_EVENT_TYPE set; its output goes to standard error' \
                '--exec-jobs' 'Run so many at a time, calls that are answered included; further events wait' \
                '--exec-timeout' 'End a program that takes longer' \
                '--events' 'End after this many events' \
                '--answer' 'Answer each call, as `svc phone answer` does with the flags below, and print what both say behind the call\'s id; --format jsonl prints every event' \
                '--no-answer' 'Not: Answer each call, as `svc phone answer` does with the flags below, and print what both say behind the call\'s id; --format jsonl prints every event' \
                '--greeting' 'Say this first, word for word; without it the model finds words of its own' \
                '--greet' 'Speak first; --no-greet waits for the caller\'s first words' \
                '--no-greet' 'Not: Speak first; --no-greet waits for the caller\'s first words' \
                '--session-limit' 'How long the service lets a session be: its end is told in good time' \
                '--session' 'The whole session as a JSON object; every other flag wins over it' \
                '--instructions' 'The system prompt' \
                '--voice' 'The voice that speaks, as `svc tts voices` lists them' \
                '--turn-detection' 'Who tells when a turn ends: the service, by the voice, or you, with none' \
                '--turn-detection-type' 'The type inside turn_detection; --turn-detection says the same' \
                '--turn-detection-threshold' 'How sure the service must be that it hears a voice' \
                '--turn-detection-silence-duration-ms' 'End a turn after this much silence' \
                '--turn-detection-prefix-padding-ms' 'Keep this much of the sound before a voice was noticed' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak up when nobody has said a word for this time; or none' \
                '--tools' 'A tool that the model may use, as a JSON object, or an array of them' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections, their ids separated by commas' \
                '--mcp' 'Let the model use the tools of this MCP server, which is labelled by its host; --tools takes one with a token' \
                '--resumption-enabled' 'Keep the conversation, so that it can go on after a lost connection' \
                '--no-resumption-enabled' 'Not: Keep the conversation, so that it can go on after a lost connection' \
                '--replace' 'How written phrases are spoken, as a JSON object' \
                '--reasoning-effort' 'Whether the model thinks before it speaks'
        case 'phone verify'
            printf '%s\t%s\n' \
                '--delivery' 'The delivery\'s body, byte for byte as it came: a file, or - for standard input' \
                '--headers' 'A file with the delivery\'s headers, a line each, as `Name: value`' \
                '--webhook-id' 'The header of that name' \
                '--webhook-timestamp' 'The header of that name' \
                '--webhook-signature' 'The header of that name' \
                '--secret' 'The webhook\'s signing secret, as `phone create` gave it out; of several, any may have signed' \
                '--at' 'Judge its age as of this time, RFC 3339 or Unix seconds, for a delivery that was kept'
        case 'batches create'
            printf '%s\t%s\n' \
                '--name' 'A name for people' \
                '--input-file-id' 'Take the requests from this uploaded JSON Lines file; none can be added later'
        case 'batches list'
            printf '%s\t%s\n' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'batches get'
            printf '%s\t%s\n' \
                '--batch-id' 'The batch\'s id'
        case 'batches add'
            printf '%s\t%s\n' \
                '--batch-id' 'The batch\'s id' \
                '--file' 'A JSON Lines file with requests in either form; - reads standard input' \
                '--batch-requests' 'Requests as JSON objects, or an array of them'
        case 'batches requests'
            printf '%s\t%s\n' \
                '--batch-id' 'The batch\'s id' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'batches results'
            printf '%s\t%s\n' \
                '--batch-id' 'The batch\'s id' \
                '--limit' 'Show at most this many results' \
                '--page-size' 'Fetch this many results at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'batches cancel'
            printf '%s\t%s\n' \
                '--batch-id' 'The batch\'s id'
        case 'batches wait'
            printf '%s\t%s\n' \
                '--batch-id' 'The batch\'s id' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the batch goes on'
        case 'batches run'
            printf '%s\t%s\n' \
                '--file' 'JSON Lines in either form of a request, or prompts as .txt, .csv or .tsv; - reads standard input' \
                '--model' 'The model of prompts, and of requests that name none; svc-4.3 for prompts' \
                '--system' 'The system prompt of each prompt' \
                '--template' 'The text around a prompt: {} is the prompt, {name} a column; {{ and }} are braces' \
                '--via-file' 'Upload the requests as files instead of adding them call by call' \
                '--no-via-file' 'Not: Upload the requests as files instead of adding them call by call' \
                '--shard' 'Take every Nth request, beginning with the Kth, as K/N: one share of a job array' \
                '--name' 'The batches\' name for people; the file\'s unless given' \
                '--batch-size' 'Put at most this many requests into one batch' \
                '--call-size' 'Add at most this many requests with one call' \
                '--poll-interval' 'Ask again after this time' \
                '--wait-timeout' 'Stop waiting after this time; the batches go on' \
                '--column' 'The column of a table that holds the prompt, by name or number' \
                '--id-column' 'The column of a table that holds the id' \
                '--input-form' 'What the input is; by itself its name\'s end tells' \
                '--skip-invalid' 'Send the rest when lines are wrong or the service refuses some' \
                '--no-skip-invalid' 'Not: Send the rest when lines are wrong or the service refuses some' \
                '--retry-failed' 'Send what failed in the finished run again' \
                '--no-retry-failed' 'Not: Send what failed in the finished run again' \
                '--order' 'The order of the results' \
                '--with-input' 'Write each result with its request' \
                '--no-with-input' 'Not: Write each result with its request' \
                '--journal' 'Where the run remembers what is done; beside the input unless given'
        case 'files upload'
            printf '%s\t%s\n' \
                '--expires-after' 'Delete the file this long after the upload, such as 30d; a number is seconds' \
                '--expires-after-anchor' 'From when --expires-after-seconds counts' \
                '--expires-after-seconds' 'The same as --expires-after, in another API\'s form' \
                '--name' 'Store the file under this name; needed for standard input' \
                '--content-type' 'Say what the file holds; by itself its bytes and its name tell' \
                '--chunked' 'Send in pieces, up to 512 MB in all (observed, not documented); an upload that was cut goes on when the same command is given again' \
                '--no-chunked' 'Not: Send in pieces, up to 512 MB in all (observed, not documented); an upload that was cut goes on when the same command is given again' \
                '--file' 'The file to upload, at most 50 MB, or - for standard input; several may be given'
        case 'files list'
            printf '%s\t%s\n' \
                '--order' 'The direction of the list; always sent, because the service\'s own is not certain' \
                '--sort-by' 'What the list is sorted by' \
                '--filter' 'Only files that this AIP-160 expression matches, over name, file_id, size_bytes, content_type, created_at, expires_at, upload_status and user_defined_id' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'files get'
            printf '%s\t%s\n' \
                '--file-id' 'The file\'s id'
        case 'files update'
            printf '%s\t%s\n' \
                '--file-id' 'The file\'s id' \
                '--name' 'The file\'s new name' \
                '--content-type' 'The file\'s new content type' \
                '--data' 'A local file, or - for standard input, that becomes the new content'
        case 'files delete'
            printf '%s\t%s\n' \
                '--file-id' 'The file\'s id; several may be given'
        case 'files initialize'
            printf '%s\t%s\n' \
                '--name' 'The name of the file that is to be sent in pieces' \
                '--content-type' 'What the file holds'
        case 'files upload-chunk'
            printf '%s\t%s\n' \
                '--file-id' 'The id that `svc files initialize` printed' \
                '--chunk' 'A local file with the next piece, at most 5 MB, or - for standard input'
        case 'files download'
            printf '%s\t%s\n' \
                '--content-format' 'What to fetch: the file as it is, or the text in it' \
                '--format-text' 'Fetch the text that the service found in the file; short for --content-format text' \
                '--no-format-text' 'Not: Fetch the text that the service found in the file; short for --content-format text' \
                '--file-id' 'The file\'s id; several may be given'
        case 'files publish'
            printf '%s\t%s\n' \
                '--file-id' 'The file\'s id' \
                '--expires-after' 'Take the public address away after this time, such as 7d; a number is seconds'
        case 'files unpublish'
            printf '%s\t%s\n' \
                '--file-id' 'The file\'s id'
        case 'tokenize'
            printf '%s\t%s\n' \
                '--text' 'The text to cut into tokens; - or no text reads standard input' \
                '--model' 'The model to use' \
                '--user' 'Your end user\'s id, for abuse monitoring'
        case 'legacy completions'
            printf '%s\t%s\n' \
                '--prompt' 'The text to go on from, each further one a prompt of its own; standard input is appended when it is a pipe or a file' \
                '--model' 'The model to use; not a reasoning model' \
                '--max-tokens' 'At most this many tokens in the answer' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--n' 'Make this many answers to each prompt; all of their tokens are billed' \
                '--seed' 'Sample as deterministically as the service can' \
                '--stop' 'End the answer before this text; not for reasoning models' \
                '--echo' 'Begin the answer with the prompt' \
                '--no-echo' 'Not: Begin the answer with the prompt' \
                '--logprobs' 'Return this many likeliest tokens at each place; svc-4.20 and newer ignore it' \
                '--user' 'Your end user\'s id, for abuse monitoring' \
                '--stream' 'Receive the answer while it is made; on by itself for text and jsonl output' \
                '--no-stream' 'Not: Receive the answer while it is made; on by itself for text and jsonl output' \
                '--stream-options-include-usage' 'End a stream with the token counts; on by itself when the tool chose to stream' \
                '--no-stream-options-include-usage' 'Not: End a stream with the token counts; on by itself when the tool chose to stream'
        case 'legacy messages'
            printf '%s\t%s\n' \
                '--prompt' 'What to say to the model; standard input is appended when it is a pipe or a file' \
                '--model' 'The model to use' \
                '--system' 'The system prompt, as text or as a JSON array of text parts' \
                '--message' 'A message as role:text, with role user or assistant; in the order given' \
                '--image' 'An image beside the prompt: a path, a URL, a data: URL or - for standard input' \
                '--max-tokens' 'At most this many tokens in the answer' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--messages' 'Messages as JSON objects or an array of them; what the other flags give comes after them' \
                '--stop-sequences' 'End the answer before this text; not for reasoning models' \
                '--tools' 'A function that the model may call, as a JSON object with name and input_schema, or an array of them' \
                '--tool-choice' 'Whether tools are called: auto, any, or a JSON object that names one' \
                '--metadata-user-id' 'Your end user\'s id, for abuse monitoring' \
                '--stream' 'Receive the answer while it is made; on by itself for text and jsonl output' \
                '--no-stream' 'Not: Receive the answer while it is made; on by itself for text and jsonl output'
        case 'legacy complete'
            printf '%s\t%s\n' \
                '--prompt' 'The text to go on from; standard input is appended when it is a pipe or a file' \
                '--model' 'The model to use; not a reasoning model' \
                '--max-tokens-to-sample' 'At most this many tokens in the answer' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--stop-sequences' 'End the answer before this text' \
                '--metadata-user-id' 'Your end user\'s id, for abuse monitoring'
        case 'docs search' 'docs'
            printf '%s\t%s\n' \
                '--query' 'What to look for; - or no text reads standard input' \
                '--max-results' 'Show at most this many results'
        case 'docs get'
            printf '%s\t%s\n' \
                '--slug' 'The page\'s name, as search and list print it'
        case 'models list' 'models'
            printf '%s\t%s\n' \
                '--kind' 'Show only models of this kind' \
                '--cluster' 'Show only the models of this inference cluster'
        case 'keys create'
            printf '%s\t%s\n' \
                '--name' 'A name that tells what the key is for' \
                '--acls' 'A permission: api-key:endpoint:NAME or api-key:model:NAME, with * for all; a key needs both' \
                '--allow-all' 'Allow every endpoint and every model' \
                '--qps' 'Allow at most this many queries per second' \
                '--qpm' 'Allow at most this many queries per minute' \
                '--tpm' 'Allow at most this many tokens per minute, read and written together' \
                '--expire-time' 'Reject the key from this time on: RFC 3339, a day, or from now such as 30d' \
                '--save-profile' 'Store the secret for this profile of the configuration, instead of printing it'
        case 'keys list'
            printf '%s\t%s\n' \
                '--acl-filters' 'Show only keys with this permission' \
                '--active-only' 'Show only keys that have not expired' \
                '--no-active-only' 'Not: Show only keys that have not expired' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'keys update'
            printf '%s\t%s\n' \
                '--api-key-id' 'The key\'s id, as `svc keys list` shows it' \
                '--name' 'The key\'s new name' \
                '--acl-strings' 'A permission, in place of all that the key had' \
                '--acls' 'The same as --acl-strings, as `keys create` has it' \
                '--allow-all' 'Allow every endpoint and every model' \
                '--disabled' 'Whether the key is disabled, and its calls are refused' \
                '--no-disabled' 'Not: Whether the key is disabled, and its calls are refused' \
                '--disable' 'Disable the key: its calls are refused until it is enabled' \
                '--enable' 'Enable the key again' \
                '--qps' 'Allow at most this many queries per second' \
                '--qpm' 'Allow at most this many queries per minute' \
                '--tpm' 'Allow at most this many tokens per minute, read and written together' \
                '--expire-time' 'Reject the key from this time on: RFC 3339, a day, or from now such as 30d' \
                '--clear' 'Take this member away, such as a limit'
        case 'keys rotate'
            printf '%s\t%s\n' \
                '--api-key-id' 'The key\'s id, as `svc keys list` shows it' \
                '--expire-time' 'Reject the new secret from this time on: RFC 3339, a day, or from now such as 30d' \
                '--old-secret-expire-time' 'Accept the old secret until this time: RFC 3339, or from now such as 2h' \
                '--save-profile' 'Store the new secret for this profile of the configuration, instead of printing it'
        case 'keys delete'
            printf '%s\t%s\n' \
                '--api-key-id' 'The ids of the keys, as `svc keys list` shows them'
        case 'keys propagation'
            printf '%s\t%s\n' \
                '--api-key-id' 'The key\'s id, as `svc keys list` shows it' \
                '--wait' 'Wait until the remote job has ended' \
                '--no-wait' 'Not: Wait until the remote job has ended' \
                '--poll-interval' 'Ask again after this time, such as 5s; by itself it starts at one second and grows' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'collections create'
            printf '%s\t%s\n' \
                '--collection-name' 'The collection\'s name' \
                '--collection-description' 'What the collection holds' \
                '--field' 'A metadata field of documents, as key[:required][:unique][:inject] or a JSON object' \
                '--index-configuration-model-name' 'The embedding model' \
                '--metric-space' 'How closeness is measured in the index' \
                '--field-definitions' 'A metadata field of documents: key, required, unique, inject_into_chunk, description' \
                '--chunk-strategy' 'How documents are cut into chunks' \
                '--chunk-size' 'The longest chunk, in what --chunk-strategy counts' \
                '--chunk-overlap' 'How much a chunk shares with each of its neighbours, in the same unit' \
                '--chunk-encoding' 'The tokenizer\'s encoding, for a strategy that counts tokens' \
                '--chunk-configuration-chars-configuration-max-chunk-size-chars' 'Cut by characters: the longest chunk' \
                '--chunk-configuration-chars-configuration-chunk-overlap-chars' 'Cut by characters: the overlap' \
                '--chunk-configuration-tokens-configuration-max-chunk-size-tokens' 'Cut by tokens: the longest chunk' \
                '--chunk-configuration-tokens-configuration-chunk-overlap-tokens' 'Cut by tokens: the overlap' \
                '--chunk-configuration-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-table-configuration-max-chunk-size-tokens' 'Cut tables: the longest chunk in tokens' \
                '--chunk-configuration-table-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens' 'Cut Markdown by tokens: the longest chunk' \
                '--chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens' 'Cut Markdown by tokens: the overlap' \
                '--chunk-configuration-markdown-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-chars-configuration-max-chunk-size-chars' 'Cut Markdown by characters: the longest chunk' \
                '--chunk-configuration-markdown-chars-configuration-chunk-overlap-chars' 'Cut Markdown by characters: the overlap' \
                '--chunk-configuration-code-tokens-configuration-max-chunk-size-tokens' 'Cut code by tokens: the longest chunk' \
                '--chunk-configuration-code-tokens-configuration-chunk-overlap-tokens' 'Cut code by tokens: the overlap' \
                '--chunk-configuration-code-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-code-chars-configuration-max-chunk-size-chars' 'Cut code by characters: the longest chunk' \
                '--chunk-configuration-code-chars-configuration-chunk-overlap-chars' 'Cut code by characters: the overlap' \
                '--chunk-configuration-bytes-configuration-max-chunk-size-bytes' 'Cut by bytes: the longest chunk' \
                '--chunk-configuration-bytes-configuration-chunk-overlap-bytes' 'Cut by bytes: the overlap' \
                '--chunk-configuration-strip-whitespace' 'Remove white space at the ends of chunks' \
                '--no-chunk-configuration-strip-whitespace' 'Not: Remove white space at the ends of chunks' \
                '--chunk-configuration-inject-name-into-chunks' 'Put the document\'s name into its chunks' \
                '--no-chunk-configuration-inject-name-into-chunks' 'Not: Put the document\'s name into its chunks' \
                '--strip-whitespace' 'Remove white space at the ends of chunks' \
                '--no-strip-whitespace' 'Not: Remove white space at the ends of chunks' \
                '--inject-name' 'Put the document\'s name into its chunks' \
                '--no-inject-name' 'Not: Put the document\'s name into its chunks'
        case 'collections list'
            printf '%s\t%s\n' \
                '--filter' 'Only collections that fit, such as collection_name:manual AND documents_count:5' \
                '--order' 'In which order' \
                '--sort-by' 'By what they are sorted' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'collections get'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id'
        case 'collections update'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--collection-name' 'The collection\'s new name' \
                '--collection-description' 'What the collection holds' \
                '--add-field' 'Add or replace a metadata field, as key[:unique][:inject] or a JSON object; it cannot be required' \
                '--delete-field' 'Remove a metadata field, and its value from all documents' \
                '--field-definition-updates' 'A change of a metadata field: field_definition and operation' \
                '--chunk-strategy' 'How documents are cut into chunks' \
                '--chunk-size' 'The longest chunk, in what --chunk-strategy counts' \
                '--chunk-overlap' 'How much a chunk shares with each of its neighbours, in the same unit' \
                '--chunk-encoding' 'The tokenizer\'s encoding, for a strategy that counts tokens' \
                '--chunk-configuration-chars-configuration-max-chunk-size-chars' 'Cut by characters: the longest chunk' \
                '--chunk-configuration-chars-configuration-chunk-overlap-chars' 'Cut by characters: the overlap' \
                '--chunk-configuration-tokens-configuration-max-chunk-size-tokens' 'Cut by tokens: the longest chunk' \
                '--chunk-configuration-tokens-configuration-chunk-overlap-tokens' 'Cut by tokens: the overlap' \
                '--chunk-configuration-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-table-configuration-max-chunk-size-tokens' 'Cut tables: the longest chunk in tokens' \
                '--chunk-configuration-table-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens' 'Cut Markdown by tokens: the longest chunk' \
                '--chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens' 'Cut Markdown by tokens: the overlap' \
                '--chunk-configuration-markdown-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-chars-configuration-max-chunk-size-chars' 'Cut Markdown by characters: the longest chunk' \
                '--chunk-configuration-markdown-chars-configuration-chunk-overlap-chars' 'Cut Markdown by characters: the overlap' \
                '--chunk-configuration-code-tokens-configuration-max-chunk-size-tokens' 'Cut code by tokens: the longest chunk' \
                '--chunk-configuration-code-tokens-configuration-chunk-overlap-tokens' 'Cut code by tokens: the overlap' \
                '--chunk-configuration-code-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-code-chars-configuration-max-chunk-size-chars' 'Cut code by characters: the longest chunk' \
                '--chunk-configuration-code-chars-configuration-chunk-overlap-chars' 'Cut code by characters: the overlap' \
                '--chunk-configuration-bytes-configuration-max-chunk-size-bytes' 'Cut by bytes: the longest chunk' \
                '--chunk-configuration-bytes-configuration-chunk-overlap-bytes' 'Cut by bytes: the overlap' \
                '--chunk-configuration-strip-whitespace' 'Remove white space at the ends of chunks' \
                '--no-chunk-configuration-strip-whitespace' 'Not: Remove white space at the ends of chunks' \
                '--chunk-configuration-inject-name-into-chunks' 'Put the document\'s name into its chunks' \
                '--no-chunk-configuration-inject-name-into-chunks' 'Not: Put the document\'s name into its chunks' \
                '--strip-whitespace' 'Remove white space at the ends of chunks' \
                '--no-strip-whitespace' 'Not: Remove white space at the ends of chunks' \
                '--inject-name' 'Put the document\'s name into its chunks' \
                '--no-inject-name' 'Not: Put the document\'s name into its chunks'
        case 'collections delete'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id'
        case 'collections search'
            printf '%s\t%s\n' \
                '--query' 'What to look for' \
                '--source-collection-ids' 'A collection to search' \
                '--collection' 'The same as --source-collection-ids' \
                '--source-rag-pipeline' 'The store to search in' \
                '--rag-pipeline' 'The same as --source-rag-pipeline' \
                '--filter' 'Only documents whose metadata fit, such as year >= 2020 AND author = "Ann"' \
                '--limit' 'Return at most this many chunks' \
                '--instructions' 'Instructions that are added to the query' \
                '--group-by-keys' 'Return the best chunks of each value of this metadata key' \
                '--group-by-aggregate' 'Which chunks of a group: {"min_k":{"keys":[…],"k":N}} or max_k' \
                '--retrieval-mode-type' 'How chunks are found: by meaning, by words, or both' \
                '--mode' 'The same as --retrieval-mode-type' \
                '--retrieval-mode-search-multiplier' 'How many times more chunks are looked at than returned; for hybrid' \
                '--retrieval-mode-reranker-type' 'What orders the chunks that were found; for hybrid' \
                '--retrieval-mode-reranker-model' 'The reranker\'s model' \
                '--retrieval-mode-reranker-instructions' 'Instructions for the reranker\'s model' \
                '--retrieval-mode-reranker-k' 'The constant of reciprocal rank fusion' \
                '--retrieval-mode-reranker-embedding-weight' 'How much meaning counts in the fusion' \
                '--retrieval-mode-reranker-text-weight' 'How much words count in the fusion'
        case 'collections documents add'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--file-id' 'Ids of uploaded files, or paths of local ones, which are uploaded first' \
                '--fields' 'The values of the collection\'s metadata fields, as a JSON object' \
                '--field-value' 'One of these values, as key=value' \
                '--manifest' 'A CSV file with a header, or a JSONL file: the column path or file_id names a document, the others are its values' \
                '--recursive' 'Add all files of a folder, but for hidden ones' \
                '--no-recursive' 'Not: Add all files of a folder, but for hidden ones' \
                '--jobs' 'How many files are uploaded at a time' \
                '--wait' 'Wait until the remote job has ended' \
                '--no-wait' 'Not: Wait until the remote job has ended' \
                '--poll-interval' 'Ask again after this time, such as 5s; by itself it starts at one second and grows' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'collections documents upload'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--name' 'The document\'s name' \
                '--content-type' 'The file\'s media type' \
                '--fields' 'The values of the collection\'s metadata fields, as a JSON object' \
                '--data' 'The file'
        case 'collections documents list'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--filter' 'Only documents that fit, such as status:DOCUMENT_STATUS_FAILED AND fields.author:Ann' \
                '--order' 'In which order' \
                '--sort-by' 'By what they are sorted' \
                '--limit' 'Show at most this many items in all' \
                '--all' 'Show every item, however many pages that takes' \
                '--no-all' 'Not: Show every item, however many pages that takes' \
                '--page-size' 'Fetch this many items at a time' \
                '--pagination-token' 'Begin at the page that this token of an earlier answer names'
        case 'collections documents get'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--file-id' 'The document\'s file id' \
                '--wait' 'Wait until the remote job has ended' \
                '--no-wait' 'Not: Wait until the remote job has ended' \
                '--poll-interval' 'Ask again after this time, such as 5s; by itself it starts at one second and grows' \
                '--wait-timeout' 'Stop waiting after this time; the remote job goes on'
        case 'collections documents batch-get'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--file-ids' 'The documents\' file ids'
        case 'collections documents reindex'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--file-id' 'The document\'s file id'
        case 'collections documents remove'
            printf '%s\t%s\n' \
                '--collection-id' 'The collection\'s id' \
                '--file-id' 'The documents\' file ids'
        case 'billing info set'
            printf '%s\t%s\n' \
                '--billing-info-name' 'Who pays' \
                '--billing-info-email' 'Where invoices go' \
                '--billing-info-address-line1' 'Street and number' \
                '--billing-info-address-line2' 'Further address' \
                '--billing-info-address-city' 'City' \
                '--billing-info-address-country' 'Country, as the two letters of ISO 3166-1' \
                '--billing-info-address-postal-code' 'Postal code' \
                '--billing-info-address-state' 'State or region' \
                '--billing-info-tax-id-type' 'Kind of tax number, as the card processor names it' \
                '--billing-info-tax-number' 'Tax number' \
                '--name' 'Who pays' \
                '--email' 'Where invoices go' \
                '--line1' 'Street and number' \
                '--line2' 'Further address' \
                '--city' 'City' \
                '--country' 'Country, as the two letters of ISO 3166-1' \
                '--postal-code' 'Postal code' \
                '--state' 'State or region' \
                '--tax-id-type' 'Kind of tax number, as the card processor names it, such as eu_vat' \
                '--tax-number' 'Tax number'
        case 'billing invoices'
            printf '%s\t%s\n' \
                '--invoice-ids-invoice-ids' 'Show these invoices' \
                '--billing-cycle-year' 'Show the invoices of one month: its year' \
                '--billing-cycle-month' 'Show the invoices of one month' \
                '--since-year' 'Show the invoices from a month on: its year' \
                '--since-month' 'Show the invoices from a month on' \
                '--lines' 'Show the lines of the invoices' \
                '--no-lines' 'Not: Show the lines of the invoices' \
                '--chart' 'Draw the totals by month' \
                '--no-chart' 'Not: Draw the totals by month'
        case 'billing payment-methods set-default'
            printf '%s\t%s\n' \
                '--payment-method-id' 'The payment method\'s id, as `svc billing payment-methods list` shows it'
        case 'billing preview'
            printf '%s\t%s\n' \
                '--chart' 'Draw the amounts by line' \
                '--no-chart' 'Not: Draw the amounts by line'
        case 'billing limits set'
            printf '%s\t%s\n' \
                '--desired-soft-spending-limit' 'The new soft limit; 0 restricts use to prepaid credit' \
                '--cents' 'The amount is in US cents, not dollars' \
                '--no-cents' 'Not: The amount is in US cents, not dollars'
        case 'billing top-up'
            printf '%s\t%s\n' \
                '--amount' 'How much credit to buy' \
                '--cents' 'The amount is in US cents, not dollars' \
                '--no-cents' 'Not: The amount is in US cents, not dollars'
        case 'billing usage'
            printf '%s\t%s\n' \
                '--by' 'What a row sums up' \
                '--since' 'Count from this day on, as YYYY-MM-DD in local time, or from so long ago, such as 30d' \
                '--until' 'Count up to this day and with it, or until so long ago' \
                '--chart' 'Draw the costs' \
                '--no-chart' 'Not: Draw the costs' \
                '--emulated' 'Show what the emulator\'s answers would have cost; they are in no other sum' \
                '--no-emulated' 'Not: Show what the emulator\'s answers would have cost; they are in no other sum'
        case 'history list' 'history'
            printf '%s\t%s\n' \
                '--limit' 'Show at most this many' \
                '--all' 'Show every conversation' \
                '--no-all' 'Not: Show every conversation' \
                '--here' 'Show those that began in this folder' \
                '--no-here' 'Not: Show those that began in this folder'
        case 'history show'
            printf '%s\t%s\n' \
                '--conversation' 'Its number or its name, as `svc history` lists them'
        case 'history search'
            printf '%s\t%s\n' \
                '--text' 'Words that all stand in one message; accents and case do not count' \
                '--limit' 'Show at most this many'
        case 'history export'
            printf '%s\t%s\n' \
                '--conversation' 'Its number or its name, as `svc history` lists them' \
                '--all' 'Take every conversation' \
                '--no-all' 'Not: Take every conversation' \
                '--as' 'Markdown, one JSON array, or a JSON object per line'
        case 'history delete'
            printf '%s\t%s\n' \
                '--conversation' 'Its number or its name, as `svc history` lists them' \
                '--older-than' 'Take those with no turn for this long' \
                '--all' 'Take every conversation' \
                '--no-all' 'Not: Take every conversation'
        case 'api'
            printf '%s\t%s\n' \
                '--method' 'The HTTP method' \
                '--path' 'The path on the host, with its query' \
                '--host' 'The host, and with it the key; by itself it is chosen by the path' \
                '--repeatable' 'Allow the request to be sent again after a failure; on by itself for GET and HEAD' \
                '--no-repeatable' 'Not: Allow the request to be sent again after a failure; on by itself for GET and HEAD' \
                '--socket' 'Open a WebSocket at this path of the realtime host; each line of standard input is sent as a message, each message that comes is a line of the output' \
                '--send' 'What standard input holds: lines, of which {"binary":"base64"} is sent as bytes, or bytes that are sent as they come' \
                '--receive' 'What the output holds: lines, with bytes as {"binary":"base64"}, or the bytes alone, with text messages on standard error' \
                '--linger' 'Close the WebSocket once the input has ended and no message came for this time; by itself it stays open until the service closes it' \
                '--subprotocol' 'Offer this subprotocol in the handshake'
        case 'operations'
            printf '%s\t%s\n' \
                '--openapi' 'Print an OpenAPI 3.1 document of the requests instead' \
                '--no-openapi' 'Not: Print an OpenAPI 3.1 document of the requests instead'
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
                '--host' 'Address to listen on' \
                '--port' 'Port to listen on (default: any free port)' \
                '--state' 'Keep the state in this file, or in memory only with :memory:' \
                '--tls' 'Serve https with a certificate of its own' \
                '--no-tls' 'Not: Serve https with a certificate of its own' \
                '--cert' 'Use this certificate for https' \
                '--key' 'The private key of the certificate, as a file' \
                '--fault' 'Misbehave on purpose, such as \'POST /v1/*: status 503, times 2\'' \
                '--answers' 'A JSON file with rules that say what is answered' \
                '--seed' 'Make ids repeat: the same requests in the same order get the same ones' \
                '--clock' 'Start the emulator\'s clock at this time'
        case 'emulator call'
            printf '%s\t%s\n' \
                '--to' 'The phone number that is called, in E.164 format' \
                '--from' 'Who calls' \
                '--input' 'A WAV file with what the caller says' \
                '--dtmf' 'The keys that the caller presses after that: digits, * and #; those before a comma come first' \
                '--deliveries' 'Deliver the event so often, with the same id' \
                '--wrong-signature' 'Sign the event with another key' \
                '--no-wrong-signature' 'Not: Sign the event with another key' \
                '--timestamp-offset' 'Claim a time so many seconds off'
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
                '--cost' 'Tell tokens and cost of each answer, also off a terminal' \
                '--no-cost' 'Do not tell what answers cost' \
                '--max-cost' 'Send nothing more once this run has spent so many US dollars; what is under way then is still paid for' \
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
                case --model -m
                    echo 'ask language-models'
                    return
                case --image --file
                    echo 'file'
                    return
                case --frequency-penalty --max-completion-tokens --max-tokens --n --presence-penalty --seed --stop --web-search-options-search-context-size --tool --allow-tools --tool-timeout --tool-max-output --max-tool-rounds --schema --allowed-domain --excluded-domain --country --x-handle --excluded-x-handle --from-date --to-date --max-search-results --temperature --top-p --top-logprobs --prompt-cache-key --user --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results --poll-interval --wait-timeout --each --jobs --column --id-column --journal
                    echo 'free'
                    return
                case --reasoning-effort
                    echo 'words none low medium high'
                    return
                case --tool-choice
                    echo 'words none auto required'
                    return
                case --session
                    echo 'ask sessions'
                    return
                case --service-tier
                    echo 'words default priority auto fast'
                    return
                case --search-parameters-mode
                    echo 'words off on auto'
                    return
                case --input-form
                    echo 'words jsonl txt csv tsv'
                    return
                case --order
                    echo 'words input arrival'
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
                case --input --input-items --message --instructions --context-management --metadata --text-format --tools --mcp-auth --search-parameters-sources @1
                    echo 'at'
                    return
                case --image --file
                    echo 'file'
                    return
                case --model -m
                    echo 'ask language-models'
                    return
                case --previous-response-id --max-output-tokens --max-turns --min-p --top-k --reasoning-generate-summary --truncation --tool --allow-tools --tool-timeout --tool-max-output --max-tool-rounds --schema --allowed-domain --excluded-domain --x-handle --excluded-x-handle --from-date --to-date --collection-results --mcp --mcp-label --mcp-description --mcp-tool --temperature --top-p --top-logprobs --prompt-cache-key --user --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results
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
                case --session
                    echo 'ask sessions'
                    return
                case --collection
                    echo 'ask collections'
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
                case --model -m
                    echo 'ask language-models'
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
        case 'images generate' 'images'
            switch $argv[2]
                case --prompt --storage-options-public-url @1
                    echo 'at'
                    return
                case --model -m
                    echo 'words svc-imagine-image svc-imagine-image-quality svc-imagine-image-2.0 svc-imagine-image-pro'
                    return
                case --n --user --storage-options-filename --storage-options-expires-after --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --aspect-ratio
                    echo 'words 1:1 3:4 4:3 9:16 16:9 2:3 3:2 9:19.5 19.5:9 9:20 20:9 1:2 2:1 21:9 5:2 auto'
                    return
                case --resolution
                    echo 'words 1k 1.5k 2k'
                    return
                case --quality
                    echo 'words low medium auto'
                    return
                case --response-format
                    echo 'words url b64_json'
                    return
            end
        case 'images edit'
            switch $argv[2]
                case --prompt --images --storage-options-public-url @1
                    echo 'at'
                    return
                case --image
                    echo 'file'
                    return
                case --model -m
                    echo 'words svc-imagine-image svc-imagine-image-quality svc-imagine-image-2.0 svc-imagine-image-pro'
                    return
                case --n --user --image-url --image-image-url --image-type --storage-options-filename --storage-options-expires-after --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --aspect-ratio
                    echo 'words 1:1 3:4 4:3 9:16 16:9 2:3 3:2 9:19.5 19.5:9 9:20 20:9 1:2 2:1 21:9 5:2 auto'
                    return
                case --resolution
                    echo 'words 1k 1.5k 2k'
                    return
                case --quality
                    echo 'words low medium auto'
                    return
                case --response-format
                    echo 'words url b64_json'
                    return
                case --image-file-id
                    echo 'ask files'
                    return
            end
        case 'images get'
            switch $argv[2]
                case --request-id @1
                    echo 'free'
                    return
            end
        case 'images wait'
            switch $argv[2]
                case --request-id --poll-interval --wait-timeout @1
                    echo 'free'
                    return
            end
        case 'videos generate' 'videos'
            switch $argv[2]
                case --prompt --reference-images --keyframes --storage-options-public-url @1
                    echo 'at'
                    return
                case --model -m
                    echo 'words svc-imagine-video svc-imagine-video-1.5'
                    return
                case --image --reference-image --last-frame --keyframe
                    echo 'file'
                    return
                case --duration --seconds --output-upload-url --user --image-url --image-image-url --image-type --storage-options-filename --storage-options-expires-after --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --aspect-ratio
                    echo 'words 1:1 16:9 9:16 4:3 3:4 3:2 2:3'
                    return
                case --resolution
                    echo 'words 480p 720p 1080p'
                    return
                case --reference-audios
                    echo 'ask voices'
                    return
                case --image-file-id
                    echo 'ask files'
                    return
            end
        case 'videos edit'
            switch $argv[2]
                case --prompt --storage-options-public-url @1
                    echo 'at'
                    return
                case --video
                    echo 'file'
                    return
                case --video-url --output-upload-url --user --storage-options-filename --storage-options-expires-after --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --video-file-id
                    echo 'ask files'
                    return
                case --model -m
                    echo 'words svc-imagine-video svc-imagine-video-1.5'
                    return
            end
        case 'videos extend'
            switch $argv[2]
                case --prompt --storage-options-public-url @1
                    echo 'at'
                    return
                case --video
                    echo 'file'
                    return
                case --video-url --output-upload-url --duration --storage-options-filename --storage-options-expires-after --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --video-file-id
                    echo 'ask files'
                    return
                case --model -m
                    echo 'words svc-imagine-video svc-imagine-video-1.5'
                    return
            end
        case 'videos get'
            switch $argv[2]
                case --request-id @1
                    echo 'free'
                    return
            end
        case 'videos wait'
            switch $argv[2]
                case --request-id --poll-interval --wait-timeout @1
                    echo 'free'
                    return
            end
        case 'tts speak' 'tts'
            switch $argv[2]
                case --text --replace @1
                    echo 'at'
                    return
                case --language
                    echo 'words auto en ar-EG ar-SA ar-AE bn zh fr de hi id it ja ko pt-BR pt-PT ru es-MX es-ES tr vi'
                    return
                case --voice-id --voice
                    echo 'ask voices'
                    return
                case --output-format-codec --codec
                    echo 'words mp3 wav pcm mulaw alaw'
                    return
                case --output-format-sample-rate --sample-rate
                    echo 'words 8000 16000 22050 24000 44100 48000'
                    return
                case --output-format-bit-rate --bit-rate
                    echo 'words 32000 64000 96000 128000 192000'
                    return
                case --speed --optimize-streaming-latency --timestamps --subtitles --output-device
                    echo 'free'
                    return
            end
        case 'tts voices'
            switch $argv[2]
                case --sample
                    echo 'ask voices'
                    return
                case --output-device
                    echo 'free'
                    return
            end
        case 'tts voice'
            switch $argv[2]
                case --voice-id @1
                    echo 'ask voices'
                    return
                case --output-device
                    echo 'free'
                    return
            end
        case 'stt transcribe' 'stt'
            switch $argv[2]
                case --url --channels --keyterm --vad-threshold --jobs
                    echo 'free'
                    return
                case --audio-format
                    echo 'words pcm mulaw alaw wav mp3 ogg opus flac aac mp4 m4a mkv'
                    return
                case --sample-rate --sample-rate-hertz
                    echo 'words 8000 16000 22050 24000 44100 48000'
                    return
                case --language
                    echo 'words ar cs da nl en fil fr de hi id it ja ko mk ms fa pl pt ro ru es sv th tr vi'
                    return
                case --model -m
                    echo 'words svc-voice-transcribe-2.0 svc-voice-transcribe-1.0'
                    return
                case --transcript-format
                    echo 'words text srt vtt json words'
                    return
                case --file @rest
                    echo 'file'
                    return
            end
        case 'stt live'
            switch $argv[2]
                case --input --endpointing --channels --keyterm --smart-turn --smart-turn-timeout --vad-threshold --input-device
                    echo 'free'
                    return
                case --sample-rate
                    echo 'words 8000 16000 22050 24000 44100 48000'
                    return
                case --encoding
                    echo 'words pcm mulaw alaw'
                    return
                case --language
                    echo 'words ar cs da nl en fil fr de hi id it ja ko mk ms fa pl pt ro ru es sv th tr vi'
                    return
                case --transcript-format
                    echo 'words text srt vtt json words'
                    return
            end
        case 'realtime talk'
            switch $argv[2]
                case --input --audio-output --turns --transcript --record --session-limit --tool --allow-tools --tool-timeout --tool-max-output --input-device --output-device --call-id --call --conversation-id --agent-id --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --mcp --audio-input-transcription-language-hint --language-hint --audio-input-transcription-keyterms --keyterm --audio-output-speed --speed
                    echo 'free'
                    return
                case --say --protocol-secret --session --instructions --tools --replace
                    echo 'at'
                    return
                case --model -m
                    echo 'words svc-voice-latest svc-voice-think-fast-2.0 svc-voice-think-fast-1.0'
                    return
                case --reasoning-effort
                    echo 'words high none'
                    return
                case --voice
                    echo 'ask voices'
                    return
                case --turn-detection --turn-detection-type
                    echo 'words server_vad none'
                    return
                case --file-search
                    echo 'ask collections'
                    return
                case --type
                    echo 'words realtime'
                    return
                case --audio-input-format-type --audio-output-format-type
                    echo 'words audio/pcm audio/pcmu audio/pcma audio/opus'
                    return
                case --audio-input-format-rate --audio-output-format-rate
                    echo 'words 8000 16000 22050 24000 32000 44100 48000'
                    return
                case --audio-input-transport --audio-output-transport
                    echo 'words json binary'
                    return
                case --audio-input-transcription-model
                    echo 'words svc-transcribe'
                    return
            end
        case 'realtime connect'
            switch $argv[2]
                case --model -m
                    echo 'words svc-voice-latest svc-voice-think-fast-2.0 svc-voice-think-fast-1.0'
                    return
                case --reasoning-effort
                    echo 'words high none'
                    return
                case --call-id --call --conversation-id --agent-id --linger --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --mcp --audio-input-transcription-language-hint --language-hint --audio-input-transcription-keyterms --keyterm --audio-output-speed --speed
                    echo 'free'
                    return
                case --protocol-secret --session --instructions --tools --replace
                    echo 'at'
                    return
                case --voice
                    echo 'ask voices'
                    return
                case --turn-detection --turn-detection-type
                    echo 'words server_vad none'
                    return
                case --file-search
                    echo 'ask collections'
                    return
                case --type
                    echo 'words realtime'
                    return
                case --audio-input-format-type --audio-output-format-type
                    echo 'words audio/pcm audio/pcmu audio/pcma audio/opus'
                    return
                case --audio-input-format-rate --audio-output-format-rate
                    echo 'words 8000 16000 22050 24000 32000 44100 48000'
                    return
                case --audio-input-transport --audio-output-transport
                    echo 'words json binary'
                    return
                case --audio-input-transcription-model
                    echo 'words svc-transcribe'
                    return
            end
        case 'realtime secret'
            switch $argv[2]
                case --expires-after --expires-after-seconds --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --mcp --audio-input-transcription-language-hint --language-hint --audio-input-transcription-keyterms --keyterm --audio-output-speed --speed
                    echo 'free'
                    return
                case --session --instructions --tools --replace
                    echo 'at'
                    return
                case --voice
                    echo 'ask voices'
                    return
                case --turn-detection --turn-detection-type
                    echo 'words server_vad none'
                    return
                case --file-search
                    echo 'ask collections'
                    return
                case --type
                    echo 'words realtime'
                    return
                case --audio-input-format-type --audio-output-format-type
                    echo 'words audio/pcm audio/pcmu audio/pcma audio/opus'
                    return
                case --audio-input-format-rate --audio-output-format-rate
                    echo 'words 8000 16000 22050 24000 32000 44100 48000'
                    return
                case --audio-input-transport --audio-output-transport
                    echo 'words json binary'
                    return
                case --audio-input-transcription-model
                    echo 'words svc-transcribe'
                    return
                case --model -m
                    echo 'words svc-voice-latest svc-voice-think-fast-2.0 svc-voice-think-fast-1.0'
                    return
                case --reasoning-effort
                    echo 'words high none'
                    return
            end
        case 'phone create'
            switch $argv[2]
                case --name --phone-number --area-code --webhook-url --webhook-name --webhook-auth-url --agent-id --sip-auth-auth-username --sip-auth-username --sip-auth-allowed-addresses --secret-file @1
                    echo 'free'
                    return
                case --origin
                    echo 'words svc_provisioned byo_trunk'
                    return
                case --webhook-auth-token --sip-auth-auth-password --sip-auth-password
                    echo 'at'
                    return
            end
        case 'phone get'
            switch $argv[2]
                case --phone-number-id @1
                    echo 'ask phone-numbers'
                    return
            end
        case 'phone update'
            switch $argv[2]
                case --phone-number-id @1
                    echo 'ask phone-numbers'
                    return
                case --name --agent-id --webhook-id
                    echo 'free'
                    return
                case --clear
                    echo 'words name agent-id webhook-id outbound-sms-enabled'
                    return
            end
        case 'phone delete'
            switch $argv[2]
                case --phone-number-id @rest
                    echo 'ask phone-numbers'
                    return
            end
        case 'phone refer'
            switch $argv[2]
                case --call-id --target-uri @1 @2
                    echo 'free'
                    return
            end
        case 'phone hangup'
            switch $argv[2]
                case --call-id @1
                    echo 'free'
                    return
            end
        case 'phone answer'
            switch $argv[2]
                case --call-id --session-limit --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --mcp @1
                    echo 'free'
                    return
                case --greeting --session --instructions --tools --replace
                    echo 'at'
                    return
                case --voice
                    echo 'ask voices'
                    return
                case --turn-detection --turn-detection-type
                    echo 'words server_vad none'
                    return
                case --file-search
                    echo 'ask collections'
                    return
                case --type
                    echo 'words realtime'
                    return
                case --reasoning-effort
                    echo 'words high none'
                    return
            end
        case 'phone listen'
            switch $argv[2]
                case --port --address --path --exec --exec-jobs --exec-timeout --events --session-limit --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --mcp
                    echo 'free'
                    return
                case --secret --auth-token --greeting --session --instructions --tools --replace
                    echo 'at'
                    return
                case --voice
                    echo 'ask voices'
                    return
                case --turn-detection --turn-detection-type
                    echo 'words server_vad none'
                    return
                case --file-search
                    echo 'ask collections'
                    return
                case --type
                    echo 'words realtime'
                    return
                case --reasoning-effort
                    echo 'words high none'
                    return
            end
        case 'phone verify'
            switch $argv[2]
                case --delivery --headers --webhook-id --webhook-timestamp --webhook-signature --at @1
                    echo 'free'
                    return
                case --secret
                    echo 'at'
                    return
            end
        case 'batches create'
            switch $argv[2]
                case --name @1
                    echo 'free'
                    return
                case --input-file-id
                    echo 'ask files'
                    return
            end
        case 'batches list'
            switch $argv[2]
                case --limit --page-size --pagination-token
                    echo 'free'
                    return
            end
        case 'batches get'
            switch $argv[2]
                case --batch-id @1
                    echo 'ask batches'
                    return
            end
        case 'batches add'
            switch $argv[2]
                case --batch-id @1
                    echo 'ask batches'
                    return
                case --file @2
                    echo 'free'
                    return
                case --batch-requests
                    echo 'at'
                    return
            end
        case 'batches requests'
            switch $argv[2]
                case --batch-id @1
                    echo 'ask batches'
                    return
                case --limit --page-size --pagination-token
                    echo 'free'
                    return
            end
        case 'batches results'
            switch $argv[2]
                case --batch-id @1
                    echo 'ask batches'
                    return
                case --limit --page-size --pagination-token
                    echo 'free'
                    return
            end
        case 'batches cancel'
            switch $argv[2]
                case --batch-id @1
                    echo 'ask batches'
                    return
            end
        case 'batches wait'
            switch $argv[2]
                case --batch-id @1
                    echo 'ask batches'
                    return
                case --poll-interval --wait-timeout
                    echo 'free'
                    return
            end
        case 'batches run'
            switch $argv[2]
                case --file --shard --name --batch-size --call-size --poll-interval --wait-timeout --column --id-column --journal @1
                    echo 'free'
                    return
                case --model -m
                    echo 'ask language-models'
                    return
                case --system --template
                    echo 'at'
                    return
                case --input-form
                    echo 'words jsonl txt csv tsv'
                    return
                case --order
                    echo 'words input arrival'
                    return
            end
        case 'files upload'
            switch $argv[2]
                case --expires-after --expires-after-seconds --purpose --name --content-type
                    echo 'free'
                    return
                case --expires-after-anchor
                    echo 'words created_at'
                    return
                case --file @rest
                    echo 'file'
                    return
            end
        case 'files list'
            switch $argv[2]
                case --order
                    echo 'words asc desc'
                    return
                case --sort-by
                    echo 'words created_at filename size'
                    return
                case --filter --after --limit --page-size --pagination-token
                    echo 'free'
                    return
            end
        case 'files get'
            switch $argv[2]
                case --file-id @1
                    echo 'ask files'
                    return
            end
        case 'files update'
            switch $argv[2]
                case --file-id @1
                    echo 'ask files'
                    return
                case --name --content-type
                    echo 'free'
                    return
                case --data
                    echo 'file'
                    return
            end
        case 'files delete'
            switch $argv[2]
                case --file-id @rest
                    echo 'ask files'
                    return
            end
        case 'files initialize'
            switch $argv[2]
                case --name --content-type @1
                    echo 'free'
                    return
            end
        case 'files upload-chunk'
            switch $argv[2]
                case --file-id @1
                    echo 'ask files'
                    return
                case --chunk @2
                    echo 'file'
                    return
            end
        case 'files download'
            switch $argv[2]
                case --content-format
                    echo 'words original text'
                    return
                case --file-id @rest
                    echo 'ask files'
                    return
            end
        case 'files publish'
            switch $argv[2]
                case --file-id @1
                    echo 'ask files'
                    return
                case --expires-after
                    echo 'free'
                    return
            end
        case 'files unpublish'
            switch $argv[2]
                case --file-id @1
                    echo 'ask files'
                    return
            end
        case 'tokenize'
            switch $argv[2]
                case --text @1
                    echo 'at'
                    return
                case --model -m
                    echo 'ask language-models'
                    return
                case --user
                    echo 'free'
                    return
            end
        case 'legacy completions'
            switch $argv[2]
                case --prompt --logit-bias --suffix @rest
                    echo 'at'
                    return
                case --model -m
                    echo 'ask language-models'
                    return
                case --max-tokens --temperature --top-p --n --seed --stop --logprobs --user --best-of --frequency-penalty --presence-penalty
                    echo 'free'
                    return
            end
        case 'legacy messages'
            switch $argv[2]
                case --prompt --system --message --messages --tools --tool-choice @1
                    echo 'at'
                    return
                case --model -m
                    echo 'ask language-models'
                    return
                case --image
                    echo 'file'
                    return
                case --max-tokens --temperature --top-p --stop-sequences --metadata-user-id --top-k
                    echo 'free'
                    return
            end
        case 'legacy complete'
            switch $argv[2]
                case --prompt @1
                    echo 'at'
                    return
                case --model -m
                    echo 'ask language-models'
                    return
                case --max-tokens-to-sample --temperature --top-p --stop-sequences --metadata-user-id --top-k
                    echo 'free'
                    return
            end
        case 'docs search' 'docs'
            switch $argv[2]
                case --query @1
                    echo 'at'
                    return
                case --max-results
                    echo 'free'
                    return
            end
        case 'docs get'
            switch $argv[2]
                case --slug @1
                    echo 'free'
                    return
            end
        case 'models list' 'models'
            switch $argv[2]
                case --kind
                    echo 'words language embedding image audio video'
                    return
                case --cluster
                    echo 'free'
                    return
            end
        case 'keys create'
            switch $argv[2]
                case --name --qps --qpm --tpm --expire-time @1
                    echo 'free'
                    return
                case --acls
                    echo 'ask acls'
                    return
                case --save-profile
                    echo 'ask profiles'
                    return
            end
        case 'keys list'
            switch $argv[2]
                case --acl-filters
                    echo 'ask acls'
                    return
                case --limit --page-size --pagination-token
                    echo 'free'
                    return
            end
        case 'keys update'
            switch $argv[2]
                case --api-key-id @1
                    echo 'ask keys'
                    return
                case --name --qps --qpm --tpm --expire-time
                    echo 'free'
                    return
                case --acl-strings --acls
                    echo 'ask acls'
                    return
                case --clear
                    echo 'words name qps qpm tpm expire-time acl-strings'
                    return
            end
        case 'keys rotate'
            switch $argv[2]
                case --api-key-id @1
                    echo 'ask keys'
                    return
                case --expire-time --old-secret-expire-time
                    echo 'free'
                    return
                case --save-profile
                    echo 'ask profiles'
                    return
            end
        case 'keys delete'
            switch $argv[2]
                case --api-key-id @rest
                    echo 'ask keys'
                    return
            end
        case 'keys propagation'
            switch $argv[2]
                case --api-key-id @1
                    echo 'ask keys'
                    return
                case --poll-interval --wait-timeout
                    echo 'free'
                    return
            end
        case 'collections create'
            switch $argv[2]
                case --collection-name --field --version --chunk-size --chunk-overlap --chunk-encoding --chunk-configuration-chars-configuration-max-chunk-size-chars --chunk-configuration-chars-configuration-chunk-overlap-chars --chunk-configuration-tokens-configuration-max-chunk-size-tokens --chunk-configuration-tokens-configuration-chunk-overlap-tokens --chunk-configuration-tokens-configuration-encoding-name --chunk-configuration-ast-configuration-max-chunk-size-tokens --chunk-configuration-ast-configuration-encoding-name --chunk-configuration-table-configuration-max-chunk-size-tokens --chunk-configuration-table-configuration-encoding-name --chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens --chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens --chunk-configuration-markdown-tokens-configuration-encoding-name --chunk-configuration-markdown-chars-configuration-max-chunk-size-chars --chunk-configuration-markdown-chars-configuration-chunk-overlap-chars --chunk-configuration-code-tokens-configuration-max-chunk-size-tokens --chunk-configuration-code-tokens-configuration-chunk-overlap-tokens --chunk-configuration-code-tokens-configuration-encoding-name --chunk-configuration-code-chars-configuration-max-chunk-size-chars --chunk-configuration-code-chars-configuration-chunk-overlap-chars --chunk-configuration-bytes-configuration-max-chunk-size-bytes --chunk-configuration-bytes-configuration-chunk-overlap-bytes @1
                    echo 'free'
                    return
                case --collection-description --field-definitions
                    echo 'at'
                    return
                case --index-configuration-model-name
                    echo 'ask models'
                    return
                case --metric-space
                    echo 'words HNSW_METRIC_UNKNOWN HNSW_METRIC_COSINE HNSW_METRIC_EUCLIDEAN HNSW_METRIC_INNER_PRODUCT'
                    return
                case --chunk-strategy
                    echo 'words chars tokens ast table markdown-tokens markdown-chars code-tokens code-chars bytes'
                    return
            end
        case 'collections list'
            switch $argv[2]
                case --filter --limit --page-size --pagination-token
                    echo 'free'
                    return
                case --order
                    echo 'words ORDERING_UNKNOWN ORDERING_ASCENDING ORDERING_DESCENDING'
                    return
                case --sort-by
                    echo 'words COLLECTIONS_SORT_BY_NAME COLLECTIONS_SORT_BY_AGE'
                    return
            end
        case 'collections get'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
            end
        case 'collections update'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --collection-name --add-field --delete-field --chunk-size --chunk-overlap --chunk-encoding --chunk-configuration-chars-configuration-max-chunk-size-chars --chunk-configuration-chars-configuration-chunk-overlap-chars --chunk-configuration-tokens-configuration-max-chunk-size-tokens --chunk-configuration-tokens-configuration-chunk-overlap-tokens --chunk-configuration-tokens-configuration-encoding-name --chunk-configuration-ast-configuration-max-chunk-size-tokens --chunk-configuration-ast-configuration-encoding-name --chunk-configuration-table-configuration-max-chunk-size-tokens --chunk-configuration-table-configuration-encoding-name --chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens --chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens --chunk-configuration-markdown-tokens-configuration-encoding-name --chunk-configuration-markdown-chars-configuration-max-chunk-size-chars --chunk-configuration-markdown-chars-configuration-chunk-overlap-chars --chunk-configuration-code-tokens-configuration-max-chunk-size-tokens --chunk-configuration-code-tokens-configuration-chunk-overlap-tokens --chunk-configuration-code-tokens-configuration-encoding-name --chunk-configuration-code-chars-configuration-max-chunk-size-chars --chunk-configuration-code-chars-configuration-chunk-overlap-chars --chunk-configuration-bytes-configuration-max-chunk-size-bytes --chunk-configuration-bytes-configuration-chunk-overlap-bytes
                    echo 'free'
                    return
                case --collection-description --field-definition-updates
                    echo 'at'
                    return
                case --chunk-strategy
                    echo 'words chars tokens ast table markdown-tokens markdown-chars code-tokens code-chars bytes'
                    return
            end
        case 'collections delete'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
            end
        case 'collections search'
            switch $argv[2]
                case --query --instructions --group-by-aggregate @1
                    echo 'at'
                    return
                case --source-collection-ids --collection
                    echo 'ask collections'
                    return
                case --source-rag-pipeline --rag-pipeline
                    echo 'words chroma_db es'
                    return
                case --filter --limit --group-by-keys --retrieval-mode-search-multiplier --retrieval-mode-reranker-model --retrieval-mode-reranker-instructions --retrieval-mode-reranker-k --retrieval-mode-reranker-embedding-weight --retrieval-mode-reranker-text-weight
                    echo 'free'
                    return
                case --retrieval-mode-type --mode
                    echo 'words hybrid semantic keyword'
                    return
                case --retrieval-mode-reranker-type
                    echo 'words reranker_model rrf'
                    return
                case --ranking-metric
                    echo 'words RANKING_METRIC_UNKNOWN RANKING_METRIC_L2_DISTANCE RANKING_METRIC_COSINE_SIMILARITY'
                    return
            end
        case 'collections documents add'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --file-id @rest
                    echo 'ask files'
                    return
                case --fields
                    echo 'at'
                    return
                case --field-value --jobs --poll-interval --wait-timeout
                    echo 'free'
                    return
                case --manifest
                    echo 'file'
                    return
            end
        case 'collections documents upload'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --name --content-type
                    echo 'free'
                    return
                case --fields
                    echo 'at'
                    return
                case --data
                    echo 'file'
                    return
            end
        case 'collections documents list'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --filter --name --limit --page-size --pagination-token
                    echo 'free'
                    return
                case --order
                    echo 'words ORDERING_UNKNOWN ORDERING_ASCENDING ORDERING_DESCENDING'
                    return
                case --sort-by
                    echo 'words DOCUMENTS_SORT_BY_NAME DOCUMENTS_SORT_BY_SIZE DOCUMENTS_SORT_BY_AGE'
                    return
            end
        case 'collections documents get'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --file-id @2
                    echo 'ask files'
                    return
                case --poll-interval --wait-timeout
                    echo 'free'
                    return
            end
        case 'collections documents batch-get'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --file-ids @rest
                    echo 'ask files'
                    return
            end
        case 'collections documents reindex'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --file-id @2
                    echo 'ask files'
                    return
            end
        case 'collections documents remove'
            switch $argv[2]
                case --collection-id @1
                    echo 'ask collections'
                    return
                case --file-id @rest
                    echo 'ask files'
                    return
            end
        case 'billing info set'
            switch $argv[2]
                case --billing-info-name --billing-info-email --billing-info-address-line1 --billing-info-address-line2 --billing-info-address-city --billing-info-address-country --billing-info-address-postal-code --billing-info-address-state --billing-info-tax-id-type --billing-info-tax-number --name --email --line1 --line2 --city --country --postal-code --state --tax-id-type --tax-number
                    echo 'free'
                    return
            end
        case 'billing invoices'
            switch $argv[2]
                case --invoice-ids-invoice-ids --billing-cycle-year --billing-cycle-month --since-year --since-month @rest
                    echo 'free'
                    return
            end
        case 'billing payment-methods set-default'
            switch $argv[2]
                case --payment-method-id @1
                    echo 'ask payment-methods'
                    return
            end
        case 'billing limits set'
            switch $argv[2]
                case --desired-soft-spending-limit @1
                    echo 'free'
                    return
            end
        case 'billing top-up'
            switch $argv[2]
                case --amount @1
                    echo 'free'
                    return
            end
        case 'billing usage'
            switch $argv[2]
                case --by
                    echo 'words day model command profile'
                    return
                case --since --until
                    echo 'free'
                    return
            end
        case 'history list' 'history'
            switch $argv[2]
                case --limit
                    echo 'free'
                    return
            end
        case 'history show'
            switch $argv[2]
                case --conversation @1
                    echo 'ask conversations'
                    return
            end
        case 'history search'
            switch $argv[2]
                case --text --limit @rest
                    echo 'free'
                    return
            end
        case 'history export'
            switch $argv[2]
                case --conversation @rest
                    echo 'ask conversations'
                    return
                case --as
                    echo 'words md json jsonl'
                    return
            end
        case 'history delete'
            switch $argv[2]
                case --conversation @rest
                    echo 'ask conversations'
                    return
                case --older-than
                    echo 'free'
                    return
            end
        case 'api'
            switch $argv[2]
                case --method @1
                    echo 'words GET POST PUT PATCH DELETE HEAD OPTIONS get post'
                    return
                case --path --socket --linger --subprotocol @2
                    echo 'free'
                    return
                case --host
                    echo 'words inference management docs'
                    return
                case --send --receive
                    echo 'words lines binary'
                    return
            end
        case 'config get'
            switch $argv[2]
                case --name @1
                    echo 'ask settings'
                    return
            end
        case 'config set'
            switch $argv[2]
                case --name @1
                    echo 'ask settings'
                    return
                case --value @2
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
                case --host --port --state --cert --key --fault --answers --seed --clock
                    echo 'free'
                    return
            end
        case 'emulator call'
            switch $argv[2]
                case --to --from --dtmf --deliveries --timestamp-offset
                    echo 'free'
                    return
                case --input
                    echo 'file'
                    return
            end
    end
    switch $argv[2]
        case --profile -p
            echo 'ask profiles'
            return
        case --format -f
            echo 'words text json jsonl raw'
            return
        case --jq --header -H --set --timeout --connect-timeout --idle-timeout --retries --max-wait --max-cost --base-url --management-url --realtime-url --docs-url --team-id
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
        case ask
            set -l line (commandline -opc)
            for word in ($line[1] __complete $kind[2] $line[2..-1] 2>/dev/null)
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
