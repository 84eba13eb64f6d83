# fish completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $argv[1].
function __svc_words
    switch $argv[1]
        case ''
            printf '%s\t%s\n' \
                'chat' 'Ask a model and print its answer' \
                'responses' 'Ask a model with server-side tools; store and continue conversations' \
                'images' 'Make and edit images' \
                'videos' 'Make, edit and extend videos' \
                'tts' 'Turn text into speech' \
                'stt' 'Turn speech into text' \
                'realtime' 'Talk to a model by voice or with raw events' \
                'phone' 'Manage phone numbers and answer calls' \
                'batches' 'Send many requests at once at a reduced price, and fetch the results' \
                'files' 'Manage files for use in requests' \
                'tokenize' 'Split text into tokens' \
                'legacy' 'Deprecated text operations' \
                'docs' 'Search and read the service\'s documentation' \
                'models' 'List the team\'s models with prices and limits' \
                'keys' 'Manage API keys' \
                'collections' 'Manage and search document collections' \
                'billing' 'Manage credit, invoices, limits and payment methods' \
                'history' 'Read, search and delete conversations saved on this machine' \
                'api' 'Send an authenticated request to any path' \
                'operations' 'List every operation and its flags' \
                'auth' 'Store, remove and inspect API keys' \
                'config' 'Read and change the configuration' \
                'completion' 'Print the completion script of a shell' \
                'emulator' 'Run a local emulator of the service' \
                'doctor' 'Check configuration, keys and connectivity' \
                'help' 'Explain a command or a topic'
        case 'help'
            printf '%s\t%s\n' \
                'chat' 'Ask a model and print its answer' \
                'responses' 'Ask a model with server-side tools; store and continue conversations' \
                'images' 'Make and edit images' \
                'videos' 'Make, edit and extend videos' \
                'tts' 'Turn text into speech' \
                'stt' 'Turn speech into text' \
                'realtime' 'Talk to a model by voice or with raw events' \
                'phone' 'Manage phone numbers and answer calls' \
                'batches' 'Send many requests at once at a reduced price, and fetch the results' \
                'tokenize' 'Split text into tokens' \
                'legacy' 'Deprecated text operations' \
                'docs' 'Search and read the service\'s documentation' \
                'models' 'List the team\'s models with prices and limits' \
                'keys' 'Manage API keys' \
                'collections' 'Manage and search document collections' \
                'billing' 'Manage credit, invoices, limits and payment methods' \
                'history' 'Read, search and delete conversations saved on this machine' \
                'api' 'Send an authenticated request to any path' \
                'operations' 'List every operation and its flags' \
                'auth' 'Store, remove and inspect API keys' \
                'config' 'Read and change the configuration' \
                'completion' 'Print the completion script of a shell' \
                'doctor' 'Check configuration, keys and connectivity' \
                'commands' 'Every command and its request' \
                'emulator' 'The emulator, and how tests control it' \
                'formatting' 'Output formats' \
                'environment' 'Environment variables' \
                'exit-codes' 'Exit codes' \
                'files' 'How files are read, written and saved' \
                'tools' 'Tools and searches a model may use' \
                'voice' 'Speech and audio devices'
        case 'chat'
            printf '%s\t%s\n' \
                'create' 'Ask a model and print its answer' \
                'deferred' 'Fetch a deferred answer (works only once)'
        case 'responses'
            printf '%s\t%s\n' \
                'create' 'Ask a model with server-side tools, and print its answer' \
                'get' 'Print a stored response' \
                'compact' 'Compact a conversation into one input item' \
                'delete' 'Delete a stored response' \
                'inputs' 'List the input items of a stored response'
        case 'images'
            printf '%s\t%s\n' \
                'generate' 'Generate images from a prompt and save them' \
                'edit' 'Edit one image or combine several, and save the result' \
                'get' 'Fetch deferred images if they are ready' \
                'wait' 'Wait for deferred images and save them'
        case 'videos'
            printf '%s\t%s\n' \
                'generate' 'Generate a video from a prompt, image or references' \
                'edit' 'Change a video' \
                'extend' 'Extend a video' \
                'get' 'Check a video\'s progress once' \
                'wait' 'Wait for a video and download it'
        case 'tts'
            printf '%s\t%s\n' \
                'speak' 'Turn text into speech: play it, save it, or pipe it' \
                'voices' 'List the voices' \
                'voice' 'Show one voice'
        case 'stt'
            printf '%s\t%s\n' \
                'transcribe' 'Transcribe recordings' \
                'live' 'Transcribe live from a microphone, a file or a pipe'
        case 'realtime'
            printf '%s\t%s\n' \
                'talk' 'Talk to a model by microphone and speaker, files or text' \
                'connect' 'Exchange the events of a realtime session as JSON Lines' \
                'secret' 'Create a short-lived client secret for realtime sessions'
        case 'phone'
            printf '%s\t%s\n' \
                'create' 'Set up a phone number for an agent or a webhook' \
                'list' 'List the phone numbers' \
                'get' 'Show a phone number' \
                'update' 'Change a phone number\'s name or call routing' \
                'delete' 'Release phone numbers' \
                'refer' 'Transfer a call to another number or SIP URI' \
                'hangup' 'End a phone call' \
                'answer' 'Answer a phone call: configure, greet and follow it' \
                'listen' 'Receive and verify phone-call webhooks' \
                'verify' 'Verify a webhook delivery'
        case 'batches'
            printf '%s\t%s\n' \
                'create' 'Create a batch' \
                'list' 'List batches with their counts' \
                'get' 'Print a batch: its counts, cost and times' \
                'add' 'Add requests to a batch' \
                'requests' 'List the requests of a batch with their states' \
                'results' 'Print the results of a batch, finished or not' \
                'cancel' 'Cancel the pending requests of a batch; finished results are kept' \
                'wait' 'Wait until a batch is finished' \
                'run' 'Send any number of requests from a file, each exactly once, and fetch the results'
        case 'files'
            printf '%s\t%s\n' \
                'upload' 'Upload files' \
                'list' 'List the team\'s files' \
                'get' 'Show a file\'s metadata' \
                'update' 'Change a file\'s name, type or content (--set for other fields)' \
                'delete' 'Delete files' \
                'initialize' 'Start a chunked upload' \
                'upload-chunk' 'Upload the next chunk' \
                'download' 'Save or print the content of files' \
                'publish' 'Give a file a public URL' \
                'unpublish' 'Revoke a file\'s public URL'
        case 'legacy'
            printf '%s\t%s\n' \
                'completions' 'Complete a text' \
                'messages' 'Ask a model in another API\'s message format' \
                'complete' 'Complete a text, in another API\'s format'
        case 'docs'
            printf '%s\t%s\n' \
                'search' 'Search the service\'s documentation' \
                'list' 'List the pages of the service\'s documentation' \
                'get' 'Print a page of the service\'s documentation'
        case 'models'
            printf '%s\t%s\n' \
                'list' 'List the team\'s models with prices and limits'
        case 'keys'
            printf '%s\t%s\n' \
                'create' 'Create an API key and print its secret, which is shown only once' \
                'list' 'List the team\'s API keys: all for an admin, else your own' \
                'update' 'Change an API key\'s name, permissions, limits or expiry' \
                'rotate' 'Rotate an API key: print a new secret, expire the old one' \
                'delete' 'Delete API keys permanently' \
                'propagation' 'Show which inference clusters have an API key' \
                'endpoints' 'List the endpoints that permissions can name' \
                'self' 'Show the API key in use: permissions, team, status'
        case 'collections'
            printf '%s\t%s\n' \
                'create' 'Create a collection' \
                'list' 'List collections' \
                'get' 'Show a collection' \
                'update' 'Change a collection: name, chunks, metadata fields' \
                'delete' 'Delete a collection and its documents; keep files' \
                'search' 'Search collections for matching passages' \
                'documents' 'Further verbs'
        case 'collections documents'
            printf '%s\t%s\n' \
                'add' 'Add files to a collection: file IDs or local paths' \
                'upload' 'Upload a file and add it, in one step' \
                'list' 'List a collection\'s documents' \
                'get' 'Show a document and its status' \
                'batch-get' 'Show several documents' \
                'reindex' 'Reindex a document' \
                'remove' 'Remove documents from a collection, not the files'
        case 'billing'
            printf '%s\t%s\n' \
                'info' 'Further verbs' \
                'invoices' 'List or chart invoices' \
                'payment-methods' 'Further verbs' \
                'preview' 'Preview this month\'s invoice and the remaining credit and limit' \
                'limits' 'Further verbs' \
                'balance' 'Show the prepaid credit and its changes' \
                'top-up' 'Buy prepaid credit with the default payment method' \
                'usage' 'Show what requests from this machine cost, from local records'
        case 'billing info'
            printf '%s\t%s\n' \
                'get' 'Show the billing details' \
                'set' 'Replace the billing details (every field)'
        case 'billing payment-methods'
            printf '%s\t%s\n' \
                'list' 'List payment methods; they are added and removed in the web console' \
                'set-default' 'Set the default method'
        case 'billing limits'
            printf '%s\t%s\n' \
                'get' 'Show the limits on postpaid use' \
                'set' 'Set the soft limit on postpaid use, up to the hard limit'
        case 'history'
            printf '%s\t%s\n' \
                'list' 'List saved conversations, newest first' \
                'show' 'Show a conversation' \
                'search' 'Search saved conversations' \
                'export' 'Export conversations' \
                'delete' 'Delete conversations permanently'
        case 'auth'
            printf '%s\t%s\n' \
                'login' 'Store an API key and the service\'s URL for this profile' \
                'logout' 'Remove this profile\'s stored key' \
                'status' 'Show the keys in use and where they come from'
        case 'config'
            printf '%s\t%s\n' \
                'get' 'Print a setting' \
                'set' 'Change a setting, such as base_url, of this profile' \
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
                '--prompt' 'The prompt; piped or redirected standard input is appended' \
                '--model' 'Model to use' \
                '--system' 'System prompt' \
                '--message' 'Add a message, in order, as ROLE:TEXT; ROLE is system, developer, user or assistant' \
                '--image' 'Attach an image: a path, URL, data: URL, file ID, or - for standard input' \
                '--file' 'Attach a file: a path, URL or file ID' \
                '--messages' 'Messages as JSON objects or an array of them; messages from other flags follow' \
                '--deferred' 'Submit the request, print its ID and fetch the answer later' \
                '--no-deferred' 'Not: Submit the request, print its ID and fetch the answer later' \
                '--frequency-penalty' 'Penalise frequent tokens; not for reasoning models' \
                '--max-completion-tokens' 'Limit the answer to N visible tokens' \
                '--n' 'Generate N answers; all are billed' \
                '--presence-penalty' 'Penalise tokens already used; not for svc-3 or reasoning models' \
                '--reasoning-effort' 'Reasoning effort; svc-4.3 only' \
                '--response-format' 'Answer format: text, json_object, or a JSON schema (@FILE or inline); a complete format object is sent as is' \
                '--seed' 'Seed for (mostly) repeatable sampling' \
                '--stop' 'Stop the answer before this text; not for reasoning models' \
                '--stream-options-include-usage' 'End a stream with token counts; on by default when svc chose to stream' \
                '--no-stream-options-include-usage' 'Not: End a stream with token counts; on by default when svc chose to stream' \
                '--tool-choice' 'Tool choice: none, auto, required, or a JSON object naming a function' \
                '--tools' 'A function the model may call, as a JSON object or array' \
                '--continue' 'Continue the last conversation of this terminal, or else this directory' \
                '--no-continue' 'Not: Continue the last conversation of this terminal, or else this directory' \
                '--session' 'Continue the saved conversation NAME, or start it' \
                '--save' 'Save the conversation on this machine' \
                '--no-save' 'Not: Save the conversation on this machine' \
                '--tool' 'Offer the model a tool, as NAME=PROGRAM[,SCHEMA.json]: PROGRAM reads JSON arguments from standard input, and its output is the result; the schema defaults to PROGRAM.json or `PROGRAM --schema`' \
                '--allow-tools' 'Run these tools without asking: comma-separated names, or all' \
                '--tool-timeout' 'Abort a tool call after this time; the model is informed' \
                '--tool-max-output' 'Truncate a tool\'s output to this size; the model is informed' \
                '--max-tool-rounds' 'Maximum tool rounds per turn; exceeding it exits with 9' \
                '--schema' 'Require an answer that matches the JSON Schema in FILE; a mismatch exits with 9. --json prints the object alone' \
                '--keep' 'Keep files uploaded for the prompt; otherwise they are deleted after the answer, or after 30 days in a saved conversation' \
                '--no-keep' 'Not: Keep files uploaded for the prompt; otherwise they are deleted after the answer, or after 30 days in a saved conversation' \
                '--web-search' 'Let the model search the web' \
                '--allowed-domain' 'Search only these sites' \
                '--excluded-domain' 'Exclude these sites' \
                '--country' 'Search as from this country (two letters)' \
                '--news-search' 'Let the model search the news' \
                '--x-search' 'Let the model search X' \
                '--x-handle' 'Search only posts by these X users' \
                '--excluded-x-handle' 'Exclude posts by these X users' \
                '--from-date' 'Use only sources from this date on (YYYY-MM-DD)' \
                '--to-date' 'Use only sources up to this date (YYYY-MM-DD)' \
                '--max-search-results' 'Use at most N sources' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--logprobs' 'Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--no-logprobs' 'Not: Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--top-logprobs' 'Return the N likeliest tokens per position; needs --logprobs' \
                '--parallel-tool-calls' 'Allow several tool calls in one answer' \
                '--no-parallel-tool-calls' 'Not: Allow several tool calls in one answer' \
                '--prompt-cache-key' 'Key that lets requests with a common prefix share a cache' \
                '--service-tier' 'Scheduling and billing tier' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--stream' 'Stream the answer; on by default for text and jsonl output' \
                '--no-stream' 'Not: Stream the answer; on by default for text and jsonl output' \
                '--search-parameters-mode' 'When to search for sources' \
                '--search-parameters-sources' 'Source to search, as a JSON object with type web, x, news or rss' \
                '--search-parameters-from-date' 'Use only sources from this date on (YYYY-MM-DD)' \
                '--search-parameters-to-date' 'Use only sources up to this date (YYYY-MM-DD)' \
                '--search-parameters-max-search-results' 'Use at most N sources' \
                '--search-parameters-return-citations' 'Return the URLs of the sources used' \
                '--no-search-parameters-return-citations' 'Not: Return the URLs of the sources used' \
                '--wait' 'Wait for the job to finish' \
                '--no-wait' 'Not: Wait for the job to finish' \
                '--poll-interval' 'Poll at this interval, such as 5s; by default 1s, then longer' \
                '--wait-timeout' 'Stop waiting after this time; the job continues' \
                '--each' 'Ask once per line of FILE (.txt, .jsonl, .csv, .tsv; - is standard input); in the prompt, {} is the line and {name} a column or field' \
                '--jobs' 'With --each: number of concurrent requests' \
                '--column' 'Column of the table that holds the prompt, by name or number (default: the first)' \
                '--id-column' 'Column of the table that holds the request id' \
                '--input-form' 'Format of the input (default: by the file name\'s extension)' \
                '--skip-invalid' 'Skip invalid lines, and requests that the service refuses' \
                '--no-skip-invalid' 'Not: Skip invalid lines, and requests that the service refuses' \
                '--retry-failed' 'Send the failed and unknown requests of a finished run again' \
                '--no-retry-failed' 'Not: Send the failed and unknown requests of a finished run again' \
                '--restart' 'Start over: forget what was sent before and send every request' \
                '--no-restart' 'Not: Start over: forget what was sent before and send every request' \
                '--order' 'Order of the results: as in the input, or as they arrive' \
                '--with-input' 'Include the request in each result' \
                '--no-with-input' 'Not: Include the request in each result' \
                '--journal' 'File that records the run\'s progress (default: beside the input)'
        case 'chat deferred'
            printf '%s\t%s\n' \
                '--request-id' 'Request ID printed on submission' \
                '--wait' 'Wait for the job to finish' \
                '--no-wait' 'Not: Wait for the job to finish' \
                '--poll-interval' 'Poll at this interval, such as 5s; by default 1s, then longer' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'responses create' 'responses'
            printf '%s\t%s\n' \
                '--input' 'The prompt; piped or redirected standard input is appended' \
                '--input-items' 'Input items as JSON: messages, earlier output, function results, a compaction' \
                '--message' 'Add a message, in order, as ROLE:TEXT; ROLE is system, developer, user or assistant' \
                '--image' 'Attach an image: a path, URL, data: URL, file ID, or - for standard input' \
                '--file' 'Attach a file: a path, URL or file ID' \
                '--model' 'Model to use' \
                '--instructions' 'System prompt of a new conversation' \
                '--previous-response-id' 'Continue the conversation of this stored response' \
                '--store' 'Store input and response on the service for 30 days' \
                '--no-store' 'Not: Store input and response on the service for 30 days' \
                '--include' 'Additional output data, such as reasoning.encrypted_content' \
                '--max-output-tokens' 'Limit output plus reasoning to N tokens' \
                '--max-turns' 'Limit server-side tool rounds to N' \
                '--min-p' 'Drop tokens below this fraction of the top token\'s probability' \
                '--top-k' 'Sample from the N likeliest tokens only' \
                '--reasoning-effort' 'Reasoning effort; svc-4.3 only' \
                '--flat-reasoning-effort' 'The field reasoning_effort, used if reasoning is unset' \
                '--text-format' 'Answer format: text, json_object, or a JSON schema (@FILE or inline); a complete format object is sent as is' \
                '--tool-choice' 'Tool choice: none, auto, required, or a JSON object naming a function' \
                '--tools' 'Tool the model may use, as a JSON object or array' \
                '--continue' 'Continue the last conversation of this terminal, or else this directory' \
                '--no-continue' 'Not: Continue the last conversation of this terminal, or else this directory' \
                '--session' 'Continue the saved conversation NAME, or start it' \
                '--save' 'Save the conversation on this machine' \
                '--no-save' 'Not: Save the conversation on this machine' \
                '--tool' 'Offer the model a tool, as NAME=PROGRAM[,SCHEMA.json]: PROGRAM reads JSON arguments from standard input, and its output is the result; the schema defaults to PROGRAM.json or `PROGRAM --schema`' \
                '--allow-tools' 'Run these tools without asking: comma-separated names, or all' \
                '--tool-timeout' 'Abort a tool call after this time; the model is informed' \
                '--tool-max-output' 'Truncate a tool\'s output to this size; the model is informed' \
                '--max-tool-rounds' 'Maximum tool rounds per turn; exceeding it exits with 9' \
                '--schema' 'Require an answer that matches the JSON Schema in FILE; a mismatch exits with 9. --json prints the object alone' \
                '--keep' 'Keep files uploaded for the prompt; otherwise they are deleted after the answer, or after 30 days in a saved conversation' \
                '--no-keep' 'Not: Keep files uploaded for the prompt; otherwise they are deleted after the answer, or after 30 days in a saved conversation' \
                '--web-search' 'Let the model search the web' \
                '--allowed-domain' 'Search only these domains' \
                '--excluded-domain' 'Exclude these domains from web search' \
                '--web-image-search' 'Include images in web search' \
                '--web-images' 'Let the model view images in web results' \
                '--x-search' 'Let the model search X' \
                '--x-handle' 'Search only posts by these X users' \
                '--excluded-x-handle' 'Exclude posts by these X users' \
                '--from-date' 'Search X from this date on (YYYY-MM-DD)' \
                '--to-date' 'Search X up to this date (YYYY-MM-DD)' \
                '--x-images' 'Let the model view images in posts' \
                '--x-videos' 'Let the model view videos in posts' \
                '--code' 'Let the model run code on the service' \
                '--collection' 'Let the model search this collection (ID)' \
                '--collection-results' 'Return at most N chunks per collection search' \
                '--mcp' 'Let the model use this MCP server; its label is the host name' \
                '--mcp-label' 'Label of the MCP server' \
                '--mcp-description' 'Description of the MCP server, for the model' \
                '--mcp-auth' 'Token for the MCP server: @FILE, env:NAME, or - for a line of standard input' \
                '--mcp-tool' 'Allow only this tool of the MCP server' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--logprobs' 'Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--no-logprobs' 'Not: Return log probabilities of output tokens; svc-4.20 and newer ignore it' \
                '--top-logprobs' 'Return the N likeliest tokens per position; needs --logprobs' \
                '--parallel-tool-calls' 'Allow several tool calls in one answer' \
                '--no-parallel-tool-calls' 'Not: Allow several tool calls in one answer' \
                '--prompt-cache-key' 'Key that lets requests with a common prefix share a cache' \
                '--service-tier' 'Scheduling and billing tier' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--stream' 'Stream the answer; on by default for text and jsonl output' \
                '--no-stream' 'Not: Stream the answer; on by default for text and jsonl output' \
                '--search-parameters-mode' 'When to search for sources' \
                '--search-parameters-sources' 'Source to search, as a JSON object with type web, x, news or rss' \
                '--search-parameters-from-date' 'Use only sources from this date on (YYYY-MM-DD)' \
                '--search-parameters-to-date' 'Use only sources up to this date (YYYY-MM-DD)' \
                '--search-parameters-max-search-results' 'Use at most N sources' \
                '--search-parameters-return-citations' 'Return the URLs of the sources used' \
                '--no-search-parameters-return-citations' 'Not: Return the URLs of the sources used'
        case 'responses get'
            printf '%s\t%s\n' \
                '--response-id' 'ID of a stored response'
        case 'responses compact'
            printf '%s\t%s\n' \
                '--input' 'The prompt; piped or redirected standard input is appended' \
                '--input-items' 'Input items as JSON: messages, earlier output, function results, a compaction' \
                '--message' 'Add a message, in order, as ROLE:TEXT; ROLE is system, developer, user or assistant' \
                '--image' 'Attach an image: a path, URL, data: URL, file ID, or - for standard input' \
                '--file' 'Attach a file: a path, URL or file ID' \
                '--model' 'Model to use'
        case 'responses delete'
            printf '%s\t%s\n' \
                '--response-id' 'ID of a stored response'
        case 'responses inputs'
            printf '%s\t%s\n' \
                '--response-id' 'ID of a stored response' \
                '--order' 'Sort direction' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'images generate' 'images'
            printf '%s\t%s\n' \
                '--prompt' 'What to generate or change; <IMAGE_0> is the first of several images' \
                '--model' 'Model to use' \
                '--n' 'Generate N images; each is billed' \
                '--aspect-ratio' 'Aspect ratio' \
                '--resolution' 'Image resolution' \
                '--quality' 'Image quality; observed, not documented' \
                '--response-format' 'How the service returns the image; svc saves it either way' \
                '--deferred' 'Submit a job and poll for the images; observed, not documented' \
                '--no-deferred' 'Not: Submit a job and poll for the images; observed, not documented' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--preview' 'Preview the images if the terminal can' \
                '--no-preview' 'Not: Preview the images if the terminal can' \
                '--wait' 'Wait for the job to finish; --no-wait prints its ID' \
                '--no-wait' 'Not: Wait for the job to finish; --no-wait prints its ID' \
                '--storage-options-filename' 'Store the result as a file on the service, and print its ID' \
                '--storage-options-expires-after' 'Delete the stored file after this time, such as 7d, or seconds' \
                '--storage-options-public-url' 'Give the stored file a public URL: true, or JSON options' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'images edit'
            printf '%s\t%s\n' \
                '--prompt' 'What to generate or change; <IMAGE_0> is the first of several images' \
                '--image' 'Image to edit: a path, URL, data: URL, file ID, or - for standard input' \
                '--images' 'Image object as JSON, or an array' \
                '--model' 'Model to use' \
                '--n' 'Generate N images; each is billed' \
                '--aspect-ratio' 'Aspect ratio' \
                '--resolution' 'Image resolution' \
                '--quality' 'Image quality; observed, not documented' \
                '--response-format' 'How the service returns the image; svc saves it either way' \
                '--deferred' 'Submit a job and poll for the images; observed, not documented' \
                '--no-deferred' 'Not: Submit a job and poll for the images; observed, not documented' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--preview' 'Preview the images if the terminal can' \
                '--no-preview' 'Not: Preview the images if the terminal can' \
                '--wait' 'Wait for the job to finish; --no-wait prints its ID' \
                '--no-wait' 'Not: Wait for the job to finish; --no-wait prints its ID' \
                '--image-url' 'URL or data: URL of the image, passed as is' \
                '--image-file-id' 'File ID of an uploaded image' \
                '--image-image-url' 'Alias of --image-url' \
                '--image-type' 'Type of the image object: image_url' \
                '--storage-options-filename' 'Store the result as a file on the service, and print its ID' \
                '--storage-options-expires-after' 'Delete the stored file after this time, such as 7d, or seconds' \
                '--storage-options-public-url' 'Give the stored file a public URL: true, or JSON options' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'images get'
            printf '%s\t%s\n' \
                '--request-id' 'Request ID printed on submission' \
                '--preview' 'Preview the images if the terminal can' \
                '--no-preview' 'Not: Preview the images if the terminal can'
        case 'images wait'
            printf '%s\t%s\n' \
                '--request-id' 'Request ID printed on submission' \
                '--preview' 'Preview the images if the terminal can' \
                '--no-preview' 'Not: Preview the images if the terminal can' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'videos generate' 'videos'
            printf '%s\t%s\n' \
                '--prompt' 'What to generate; <IMAGE_0> and <AUDIO_0> are the first references' \
                '--model' 'Model to use' \
                '--image' 'First frame: a path, URL, data: URL, file ID, or - for standard input' \
                '--duration' 'Length of the video' \
                '--seconds' 'Alias of --duration' \
                '--aspect-ratio' 'Aspect ratio' \
                '--resolution' 'Video resolution' \
                '--reference-image' 'Image of a person or object to show; same forms as --image' \
                '--reference-images' 'Reference image object as JSON, or an array' \
                '--reference-audios' 'Built-in voice to use, such as eve; some models only' \
                '--last-frame' 'Last frame; same forms as --image; observed, not documented' \
                '--keyframe' 'Image at a time, as SECONDS=IMAGE; observed, not documented' \
                '--keyframes' 'Image at a time, as JSON with image and timestamp_s, or an array; observed, not documented' \
                '--output-upload-url' 'Signed URL the service uploads the finished video to' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--wait' 'Wait for the job to finish; --no-wait prints its ID' \
                '--no-wait' 'Not: Wait for the job to finish; --no-wait prints its ID' \
                '--image-url' 'URL or data: URL of the image, passed as is' \
                '--image-file-id' 'File ID of an uploaded image' \
                '--image-image-url' 'Alias of --image-url' \
                '--image-type' 'Type of the image object: image_url' \
                '--storage-options-filename' 'Store the result as a file on the service, and print its ID' \
                '--storage-options-expires-after' 'Delete the stored file after this time, such as 7d, or seconds' \
                '--storage-options-public-url' 'Give the stored file a public URL: true, or JSON options' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'videos edit'
            printf '%s\t%s\n' \
                '--prompt' 'What to change, or what happens next' \
                '--video' 'Source video: an MP4 path, URL, data: URL, file ID, or - for standard input' \
                '--video-url' 'URL or data: URL of the video, passed as is' \
                '--video-file-id' 'File ID of an uploaded video' \
                '--model' 'Model to use' \
                '--output-upload-url' 'Signed URL the service uploads the finished video to' \
                '--wait' 'Wait for the job to finish; --no-wait prints its ID' \
                '--no-wait' 'Not: Wait for the job to finish; --no-wait prints its ID' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--storage-options-filename' 'Store the result as a file on the service, and print its ID' \
                '--storage-options-expires-after' 'Delete the stored file after this time, such as 7d, or seconds' \
                '--storage-options-public-url' 'Give the stored file a public URL: true, or JSON options' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'videos extend'
            printf '%s\t%s\n' \
                '--prompt' 'What to change, or what happens next' \
                '--video' 'Source video: an MP4 path, URL, data: URL, file ID, or - for standard input' \
                '--video-url' 'URL or data: URL of the video, passed as is' \
                '--video-file-id' 'File ID of an uploaded video' \
                '--model' 'Model to use' \
                '--output-upload-url' 'Signed URL the service uploads the finished video to' \
                '--wait' 'Wait for the job to finish; --no-wait prints its ID' \
                '--no-wait' 'Not: Wait for the job to finish; --no-wait prints its ID' \
                '--duration' 'Length of the extension' \
                '--storage-options-filename' 'Store the result as a file on the service, and print its ID' \
                '--storage-options-expires-after' 'Delete the stored file after this time, such as 7d, or seconds' \
                '--storage-options-public-url' 'Give the stored file a public URL: true, or JSON options' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'videos get'
            printf '%s\t%s\n' \
                '--request-id' 'Job ID printed on submission'
        case 'videos wait'
            printf '%s\t%s\n' \
                '--request-id' 'Job ID printed on submission' \
                '--poll-interval' 'Poll at this interval' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'tts speak' 'tts'
            printf '%s\t%s\n' \
                '--text' 'Text to speak, with tags like [pause] or <whisper>…</whisper>; omit or use - for standard input' \
                '--language' 'Language of the text: a BCP-47 code, or auto' \
                '--voice-id' 'Voice, built-in or custom; `svc tts voices` lists them' \
                '--voice' 'Voice; short for --voice-id' \
                '--output-format-codec' 'Audio format' \
                '--codec' 'Audio codec; short for --output-format-codec' \
                '--output-format-sample-rate' 'Sample rate' \
                '--sample-rate' 'Sample rate; short for --output-format-sample-rate' \
                '--output-format-bit-rate' 'Bit rate; mp3 only' \
                '--bit-rate' 'Bit rate, for mp3; short for --output-format-bit-rate' \
                '--speed' 'Speaking speed: below 1 is slower, above 1 faster' \
                '--optimize-streaming-latency' '1 lowers latency, with slightly lower quality between chunks' \
                '--text-normalization' 'Expand numbers, abbreviations and symbols into words' \
                '--no-text-normalization' 'Not: Expand numbers, abbreviations and symbols into words' \
                '--with-timestamps' 'Fetch character timestamps; saved next to the audio' \
                '--no-with-timestamps' 'Not: Fetch character timestamps; saved next to the audio' \
                '--replace' 'Pronunciations, as a JSON object of phrase and spoken form; observed, not documented' \
                '--play' 'Play while receiving, even with --output' \
                '--no-play' 'Not: Play while receiving, even with --output' \
                '--split' 'Split a long text at sentences into several requests, and join the audio' \
                '--no-split' 'Not: Split a long text at sentences into several requests, and join the audio' \
                '--timestamps' 'Save character timestamps to FILE' \
                '--subtitles' 'Save subtitles to FILE (.srt or .vtt)' \
                '--output-device' 'Output device: its --list-devices number, or part of its name' \
                '--list-devices' 'List audio devices with their numbers, and exit' \
                '--no-list-devices' 'Not: List audio devices with their numbers, and exit'
        case 'tts voices'
            printf '%s\t%s\n' \
                '--sample' 'Play a sentence in this voice, or save it with --output' \
                '--output-device' 'Output device: its --list-devices number, or part of its name' \
                '--list-devices' 'List audio devices with their numbers, and exit' \
                '--no-list-devices' 'Not: List audio devices with their numbers, and exit'
        case 'tts voice'
            printf '%s\t%s\n' \
                '--voice-id' 'Voice ID' \
                '--sample' 'Play a sentence in this voice, or save it with --output' \
                '--no-sample' 'Not: Play a sentence in this voice, or save it with --output' \
                '--output-device' 'Output device: its --list-devices number, or part of its name' \
                '--list-devices' 'List audio devices with their numbers, and exit' \
                '--no-list-devices' 'Not: List audio devices with their numbers, and exit'
        case 'stt transcribe' 'stt'
            printf '%s\t%s\n' \
                '--url' 'URL the service fetches the audio from; URLs may also be given as FILE' \
                '--audio-format' 'Encoding of raw audio: pcm, mulaw or alaw; not needed for other files' \
                '--sample-rate' 'Sample rate of raw audio' \
                '--sample-rate-hertz' 'Alias of --sample-rate' \
                '--language' 'Spoken language, such as en; --format-text uses it to format numbers, money and units' \
                '--format-text' 'Format numbers, money and units; needs --language' \
                '--no-format-text' 'Not: Format numbers, money and units; needs --language' \
                '--multichannel' 'Transcribe channels separately' \
                '--no-multichannel' 'Not: Transcribe channels separately' \
                '--channels' 'Number of channels of raw audio' \
                '--diarize' 'Label the speakers' \
                '--no-diarize' 'Not: Label the speakers' \
                '--keyterm' 'Word or name to expect; may be repeated' \
                '--filler-words' 'Include uh, um and er in the transcript' \
                '--no-filler-words' 'Not: Include uh, um and er in the transcript' \
                '--vad-threshold' 'Speech detection threshold: lower it for quiet or noisy recordings, 0 turns detection off' \
                '--model' 'Model to use; observed, not documented' \
                '--transcript-format' 'Transcript format: text, subtitles, JSON, or one timed word per line' \
                '--jobs' 'Process N files at a time' \
                '--file' 'Audio to transcribe: files up to 500 MB, http(s) URLs, or - for standard input'
        case 'stt live'
            printf '%s\t%s\n' \
                '--input' 'Transcribe an audio file instead of the microphone; - reads raw audio (see --encoding, --sample-rate, --channels)' \
                '--fast' 'Send the input as fast as the service accepts it, not in real time' \
                '--no-fast' 'Not: Send the input as fast as the service accepts it, not in real time' \
                '--sample-rate' 'Sample rate to send; audio at other rates is resampled' \
                '--encoding' 'Audio encoding to send: 16-bit pcm, or 8-bit G.711' \
                '--interim-results' 'Request interim results' \
                '--no-interim-results' 'Not: Request interim results' \
                '--endpointing' 'End an utterance after N ms of silence; 0: at every pause' \
                '--language' 'Spoken language, such as en; also formats numbers, money and units' \
                '--multichannel' 'Transcribe channels separately' \
                '--no-multichannel' 'Not: Transcribe channels separately' \
                '--channels' 'Number of interleaved channels; a file with --multichannel needs none' \
                '--diarize' 'Label the speakers' \
                '--no-diarize' 'Not: Label the speakers' \
                '--keyterm' 'Word or name to expect; may be repeated' \
                '--filler-words' 'Include uh, um and er in the transcript' \
                '--no-filler-words' 'Not: Include uh, um and er in the transcript' \
                '--smart-turn' 'End an utterance at a pause if the probability that the speaker has finished exceeds this' \
                '--smart-turn-timeout' 'End the utterance after N ms of silence in any case; needs --smart-turn' \
                '--vad-threshold' 'Speech detection threshold; 0 turns detection off' \
                '--transcript-format' 'Transcript format: text, subtitles, JSON, or one timed word per line' \
                '--reconnect' 'Reconnect if the connection is lost, and resend untranscribed audio' \
                '--no-reconnect' 'Not: Reconnect if the connection is lost, and resend untranscribed audio' \
                '--input-device' 'Input device: its --list-devices number, or part of its name' \
                '--list-devices' 'List audio devices with their numbers, and exit' \
                '--no-list-devices' 'Not: List audio devices with their numbers, and exit'
        case 'realtime talk'
            printf '%s\t%s\n' \
                '--input' 'Read audio from FILE, not the microphone; - is standard input' \
                '--audio-output' 'Write answers to an audio file instead of the speaker; - is standard output' \
                '--fast' 'Send the file as fast as the service accepts it, not in real time' \
                '--no-fast' 'Not: Send the file as fast as the service accepts it, not in real time' \
                '--say' 'Send this text; repeat to send several in turn' \
                '--turns' 'Exit after N answers' \
                '--text' 'Use text only, no audio' \
                '--no-text' 'Not: Use text only, no audio' \
                '--push-to-talk' 'Talk while the space bar is held, or between two presses' \
                '--no-push-to-talk' 'Not: Talk while the space bar is held, or between two presses' \
                '--transcript' 'Save a transcript to FILE (.txt, .jsonl or .srt)' \
                '--record' 'Record a WAV file: you on the left channel, the answers on the right' \
                '--echo-cancel' 'Cancel speaker echo; without it, the microphone is muted during playback' \
                '--no-echo-cancel' 'Not: Cancel speaker echo; without it, the microphone is muted during playback' \
                '--session-limit' 'The service\'s session limit; svc warns before it is reached' \
                '--tool' 'Offer the model a tool, as NAME=PROGRAM[,SCHEMA.json]: PROGRAM reads JSON arguments from standard input, and its output is the result; the schema defaults to PROGRAM.json or `PROGRAM --schema`' \
                '--allow-tools' 'Run these tools without asking: comma-separated names, or all' \
                '--tool-timeout' 'Abort a tool call after this time; the model is informed' \
                '--tool-max-output' 'Truncate a tool\'s output to this size; the model is informed' \
                '--input-device' 'Input device: its --list-devices number, or part of its name' \
                '--output-device' 'Output device: its --list-devices number, or part of its name' \
                '--list-devices' 'List audio devices with their numbers, and exit' \
                '--no-list-devices' 'Not: List audio devices with their numbers, and exit' \
                '--model' 'Voice model; a phone call has its own' \
                '--reasoning-effort' 'Let the model reason before it speaks' \
                '--call-id' 'Attach to this phone call (ID from its webhook)' \
                '--call' 'Attach to this phone call (ID from its webhook)' \
                '--conversation-id' 'Resume this conversation, up to 30 minutes after it ended' \
                '--agent-id' 'Use this agent from the console' \
                '--protocol-secret' 'Use a client secret from `svc realtime secret` instead of the API key' \
                '--session' 'Session configuration as JSON; other flags override it' \
                '--instructions' 'System prompt' \
                '--voice' 'Voice of the answers; `svc tts voices` lists them' \
                '--turn-detection' 'Turn detection: by the service, or manual with none' \
                '--turn-detection-type' 'Alias of --turn-detection' \
                '--turn-detection-threshold' 'Speech detection threshold' \
                '--turn-detection-silence-duration-ms' 'End a turn after N ms of silence' \
                '--turn-detection-prefix-padding-ms' 'Include this much audio from before speech started' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak after this much silence; or none' \
                '--tools' 'Tool the model may use, as a JSON object or array' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections (comma-separated IDs)' \
                '--mcp' 'Let the model use this MCP server, labelled by its host; use --tools if it needs a token' \
                '--resumption-enabled' 'Allow resuming the conversation after a lost connection' \
                '--no-resumption-enabled' 'Not: Allow resuming the conversation after a lost connection' \
                '--replace' 'Pronunciations, as a JSON object of phrase and spoken form' \
                '--audio-input-format-type' 'Input audio encoding: pcm is 16-bit, pcmu and pcma are G.711' \
                '--audio-input-format-rate' 'Input sample rate: any for pcm, 8000 for pcmu and pcma, 24000 for opus' \
                '--audio-input-transport' 'Send audio as base64 in JSON, or as binary messages' \
                '--audio-input-transcription-model' 'Transcription model; setting one enables live transcripts' \
                '--audio-input-transcription-language-hint' 'Spoken language' \
                '--language-hint' 'Spoken language' \
                '--audio-input-transcription-keyterms' 'Term to expect; may improve recognition' \
                '--keyterm' 'Term to expect; may improve recognition' \
                '--audio-output-format-type' 'Output audio encoding' \
                '--audio-output-format-rate' 'Output sample rate; see --audio-input-format-rate' \
                '--audio-output-transport' 'Receive audio as base64 in JSON, or as binary messages' \
                '--audio-output-speed' 'Speaking speed' \
                '--speed' 'Speaking speed'
        case 'realtime connect'
            printf '%s\t%s\n' \
                '--model' 'Voice model; a phone call has its own' \
                '--reasoning-effort' 'Let the model reason before it speaks' \
                '--call-id' 'Attach to this phone call (ID from its webhook)' \
                '--call' 'Attach to this phone call (ID from its webhook)' \
                '--conversation-id' 'Resume this conversation, up to 30 minutes after it ended' \
                '--agent-id' 'Use this agent from the console' \
                '--protocol-secret' 'Use a client secret from `svc realtime secret` instead of the API key' \
                '--linger' 'Disconnect this long after the last message, once input and answers are done' \
                '--session' 'Session configuration as JSON; other flags override it' \
                '--instructions' 'System prompt' \
                '--voice' 'Voice of the answers; `svc tts voices` lists them' \
                '--turn-detection' 'Turn detection: by the service, or manual with none' \
                '--turn-detection-type' 'Alias of --turn-detection' \
                '--turn-detection-threshold' 'Speech detection threshold' \
                '--turn-detection-silence-duration-ms' 'End a turn after N ms of silence' \
                '--turn-detection-prefix-padding-ms' 'Include this much audio from before speech started' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak after this much silence; or none' \
                '--tools' 'Tool the model may use, as a JSON object or array' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections (comma-separated IDs)' \
                '--mcp' 'Let the model use this MCP server, labelled by its host; use --tools if it needs a token' \
                '--resumption-enabled' 'Allow resuming the conversation after a lost connection' \
                '--no-resumption-enabled' 'Not: Allow resuming the conversation after a lost connection' \
                '--replace' 'Pronunciations, as a JSON object of phrase and spoken form' \
                '--audio-input-format-type' 'Input audio encoding: pcm is 16-bit, pcmu and pcma are G.711' \
                '--audio-input-format-rate' 'Input sample rate: any for pcm, 8000 for pcmu and pcma, 24000 for opus' \
                '--audio-input-transport' 'Send audio as base64 in JSON, or as binary messages' \
                '--audio-input-transcription-model' 'Transcription model; setting one enables live transcripts' \
                '--audio-input-transcription-language-hint' 'Spoken language' \
                '--language-hint' 'Spoken language' \
                '--audio-input-transcription-keyterms' 'Term to expect; may improve recognition' \
                '--keyterm' 'Term to expect; may improve recognition' \
                '--audio-output-format-type' 'Output audio encoding' \
                '--audio-output-format-rate' 'Output sample rate; see --audio-input-format-rate' \
                '--audio-output-transport' 'Receive audio as base64 in JSON, or as binary messages' \
                '--audio-output-speed' 'Speaking speed' \
                '--speed' 'Speaking speed'
        case 'realtime secret'
            printf '%s\t%s\n' \
                '--expires-after' 'Lifetime of the client secret, such as 10m' \
                '--expires-after-seconds' 'Lifetime in seconds' \
                '--session' 'Session configuration as JSON; other flags override it' \
                '--instructions' 'System prompt' \
                '--voice' 'Voice of the answers; `svc tts voices` lists them' \
                '--turn-detection' 'Turn detection: by the service, or manual with none' \
                '--turn-detection-type' 'Alias of --turn-detection' \
                '--turn-detection-threshold' 'Speech detection threshold' \
                '--turn-detection-silence-duration-ms' 'End a turn after N ms of silence' \
                '--turn-detection-prefix-padding-ms' 'Include this much audio from before speech started' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak after this much silence; or none' \
                '--tools' 'Tool the model may use, as a JSON object or array' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections (comma-separated IDs)' \
                '--mcp' 'Let the model use this MCP server, labelled by its host; use --tools if it needs a token' \
                '--resumption-enabled' 'Allow resuming the conversation after a lost connection' \
                '--no-resumption-enabled' 'Not: Allow resuming the conversation after a lost connection' \
                '--replace' 'Pronunciations, as a JSON object of phrase and spoken form' \
                '--audio-input-format-type' 'Input audio encoding: pcm is 16-bit, pcmu and pcma are G.711' \
                '--audio-input-format-rate' 'Input sample rate: any for pcm, 8000 for pcmu and pcma, 24000 for opus' \
                '--audio-input-transport' 'Send audio as base64 in JSON, or as binary messages' \
                '--audio-input-transcription-model' 'Transcription model; setting one enables live transcripts' \
                '--audio-input-transcription-language-hint' 'Spoken language' \
                '--language-hint' 'Spoken language' \
                '--audio-input-transcription-keyterms' 'Term to expect; may improve recognition' \
                '--keyterm' 'Term to expect; may improve recognition' \
                '--audio-output-format-type' 'Output audio encoding' \
                '--audio-output-format-rate' 'Output sample rate; see --audio-input-format-rate' \
                '--audio-output-transport' 'Receive audio as base64 in JSON, or as binary messages' \
                '--audio-output-speed' 'Speaking speed' \
                '--speed' 'Speaking speed' \
                '--model' 'Voice model of the session' \
                '--reasoning-effort' 'Let the model reason before it speaks'
        case 'phone create'
            printf '%s\t%s\n' \
                '--name' 'Descriptive name' \
                '--origin' 'Number source: the service, or your own SIP trunk' \
                '--phone-number' 'Your own number' \
                '--area-code' 'US area code of the service\'s number' \
                '--webhook-url' 'Webhook URL for incoming calls' \
                '--webhook-name' 'The webhook\'s name' \
                '--webhook-auth-url' 'URL that exchanges --webhook-auth-token for a token (OAuth)' \
                '--webhook-auth-token' 'Token the service sends with each webhook' \
                '--agent-id' 'Agent that answers the calls' \
                '--sip-auth-auth-username' 'SIP digest user name required of callers' \
                '--sip-auth-username' 'SIP digest user name required of callers' \
                '--sip-auth-auth-password' 'SIP digest password' \
                '--sip-auth-password' 'SIP digest password' \
                '--sip-auth-allowed-addresses' 'Accept calls only from this IP range' \
                '--secret-file' 'Save the webhook\'s signing secret, shown only once, to this private file instead of printing it'
        case 'phone get'
            printf '%s\t%s\n' \
                '--phone-number-id' 'Number ID, from `svc phone list`'
        case 'phone update'
            printf '%s\t%s\n' \
                '--phone-number-id' 'Number ID, from `svc phone list`' \
                '--name' 'New name of the number' \
                '--agent-id' 'Agent that answers the calls' \
                '--webhook-id' 'Send calls to this webhook' \
                '--outbound-sms-enabled' 'Allow the number to send text messages' \
                '--no-outbound-sms-enabled' 'Not: Allow the number to send text messages' \
                '--clear' 'Clear this field, such as the agent'
        case 'phone delete'
            printf '%s\t%s\n' \
                '--phone-number-id' 'Number IDs, from `svc phone list`'
        case 'phone refer'
            printf '%s\t%s\n' \
                '--call-id' 'Call ID, from its webhook' \
                '--target-uri' 'Transfer target: tel:+NUMBER or sip:USER@HOST'
        case 'phone hangup'
            printf '%s\t%s\n' \
                '--call-id' 'Call ID, from its webhook'
        case 'phone answer'
            printf '%s\t%s\n' \
                '--call-id' 'Call ID, from its webhook' \
                '--greeting' 'Exact greeting; without it, the model chooses its own' \
                '--greet' 'Speak first; --no-greet waits for the caller' \
                '--no-greet' 'Not: Speak first; --no-greet waits for the caller' \
                '--session-limit' 'The service\'s session limit; svc warns before it is reached' \
                '--session' 'Session configuration as JSON; other flags override it' \
                '--instructions' 'System prompt' \
                '--voice' 'Voice of the answers; `svc tts voices` lists them' \
                '--turn-detection' 'Turn detection: by the service, or manual with none' \
                '--turn-detection-type' 'Alias of --turn-detection' \
                '--turn-detection-threshold' 'Speech detection threshold' \
                '--turn-detection-silence-duration-ms' 'End a turn after N ms of silence' \
                '--turn-detection-prefix-padding-ms' 'Include this much audio from before speech started' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak after this much silence; or none' \
                '--tools' 'Tool the model may use, as a JSON object or array' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections (comma-separated IDs)' \
                '--mcp' 'Let the model use this MCP server, labelled by its host; use --tools if it needs a token' \
                '--resumption-enabled' 'Allow resuming the conversation after a lost connection' \
                '--no-resumption-enabled' 'Not: Allow resuming the conversation after a lost connection' \
                '--replace' 'Pronunciations, as a JSON object of phrase and spoken form' \
                '--reasoning-effort' 'Let the model reason before it speaks'
        case 'phone listen'
            printf '%s\t%s\n' \
                '--port' 'Port to listen on' \
                '--address' 'Address to listen on; behind 127.0.0.1, an HTTPS proxy or tunnel must forward deliveries' \
                '--path' 'Accept deliveries at this path; others get 404' \
                '--secret' 'Webhook signing secret from `phone create`; repeat to accept any of several' \
                '--auth-token' 'Require this bearer token: the webhook\'s auth_token, unless auth_url exchanges it' \
                '--exec' 'Run this program for each event, with the event\'s JSON on standard input and SVC_CALL_ID and SVC_EVENT_TYPE set; its output goes to standard error' \
                '--exec-jobs' 'Limit concurrent programs and answered calls to N; other events wait' \
                '--exec-timeout' 'Kill a program after this time' \
                '--events' 'Exit after N events' \
                '--answer' 'Answer each call, as `svc phone answer` does with the flags below, and print a transcript prefixed with its ID; --format jsonl prints every event' \
                '--no-answer' 'Not: Answer each call, as `svc phone answer` does with the flags below, and print a transcript prefixed with its ID; --format jsonl prints every event' \
                '--greeting' 'Exact greeting; without it, the model chooses its own' \
                '--greet' 'Speak first; --no-greet waits for the caller' \
                '--no-greet' 'Not: Speak first; --no-greet waits for the caller' \
                '--session-limit' 'The service\'s session limit; svc warns before it is reached' \
                '--session' 'Session configuration as JSON; other flags override it' \
                '--instructions' 'System prompt' \
                '--voice' 'Voice of the answers; `svc tts voices` lists them' \
                '--turn-detection' 'Turn detection: by the service, or manual with none' \
                '--turn-detection-type' 'Alias of --turn-detection' \
                '--turn-detection-threshold' 'Speech detection threshold' \
                '--turn-detection-silence-duration-ms' 'End a turn after N ms of silence' \
                '--turn-detection-prefix-padding-ms' 'Include this much audio from before speech started' \
                '--turn-detection-idle-timeout-ms' 'Let the model speak after this much silence; or none' \
                '--tools' 'Tool the model may use, as a JSON object or array' \
                '--web-search' 'Let the model search the web' \
                '--x-search' 'Let the model search X' \
                '--file-search' 'Let the model search these collections (comma-separated IDs)' \
                '--mcp' 'Let the model use this MCP server, labelled by its host; use --tools if it needs a token' \
                '--resumption-enabled' 'Allow resuming the conversation after a lost connection' \
                '--no-resumption-enabled' 'Not: Allow resuming the conversation after a lost connection' \
                '--replace' 'Pronunciations, as a JSON object of phrase and spoken form' \
                '--reasoning-effort' 'Let the model reason before it speaks'
        case 'phone verify'
            printf '%s\t%s\n' \
                '--delivery' 'Raw body of the delivery: a file, or - for standard input' \
                '--headers' 'File with the delivery\'s headers, one `Name: value` per line' \
                '--webhook-id' 'Value of the header of that name' \
                '--webhook-timestamp' 'Value of the header of that name' \
                '--webhook-signature' 'Value of the header of that name' \
                '--secret' 'Webhook signing secret from `phone create`; repeat to accept any of several' \
                '--at' 'Check a saved delivery\'s age as of this time (RFC 3339 or Unix seconds)'
        case 'batches create'
            printf '%s\t%s\n' \
                '--name' 'Name of the batch, for display' \
                '--input-file-id' 'Create the batch from this uploaded JSON Lines file; no requests can be added later'
        case 'batches list'
            printf '%s\t%s\n' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'batches get'
            printf '%s\t%s\n' \
                '--batch-id' 'Id of the batch'
        case 'batches add'
            printf '%s\t%s\n' \
                '--batch-id' 'Id of the batch' \
                '--file' 'JSON Lines file of requests, in either form; - reads standard input' \
                '--batch-requests' 'Requests as JSON objects, or an array of them'
        case 'batches requests'
            printf '%s\t%s\n' \
                '--batch-id' 'Id of the batch' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'batches results'
            printf '%s\t%s\n' \
                '--batch-id' 'Id of the batch' \
                '--limit' 'Maximum number of results to print' \
                '--page-size' 'Number of results per page' \
                '--pagination-token' 'Start at the page with this token, from an earlier response'
        case 'batches cancel'
            printf '%s\t%s\n' \
                '--batch-id' 'Id of the batch'
        case 'batches wait'
            printf '%s\t%s\n' \
                '--batch-id' 'Id of the batch' \
                '--poll-interval' 'Time between status checks' \
                '--wait-timeout' 'Stop waiting after this time; the batch keeps running'
        case 'batches run'
            printf '%s\t%s\n' \
                '--file' 'JSON Lines file of requests, or prompts as .txt, .csv or .tsv; - reads standard input' \
                '--model' 'Model for prompts and for requests without one (default for prompts: svc-4.3)' \
                '--system' 'System prompt sent with each prompt' \
                '--template' 'Template for each prompt: `{}` is the prompt, `{name}` a CSV column; `{{` and `}}` are literal braces' \
                '--via-file' 'Upload the requests as files instead of adding them with API calls' \
                '--no-via-file' 'Not: Upload the requests as files instead of adding them with API calls' \
                '--shard' 'Send only every Nth request, starting with the Kth, as K/N: one task of a job array' \
                '--name' 'Name of the batches, for display (default: the file name)' \
                '--batch-size' 'Maximum number of requests per batch' \
                '--call-size' 'Maximum number of requests added per API call' \
                '--poll-interval' 'Time between status checks' \
                '--wait-timeout' 'Stop waiting after this time; the batches keep running' \
                '--column' 'Column of the table that holds the prompt, by name or number (default: the first)' \
                '--id-column' 'Column of the table that holds the request id' \
                '--input-form' 'Format of the input (default: by the file name\'s extension)' \
                '--skip-invalid' 'Skip invalid lines, and requests that the service refuses' \
                '--no-skip-invalid' 'Not: Skip invalid lines, and requests that the service refuses' \
                '--retry-failed' 'Send the failed and unknown requests of a finished run again' \
                '--no-retry-failed' 'Not: Send the failed and unknown requests of a finished run again' \
                '--restart' 'Start over: forget what was sent before and send every request' \
                '--no-restart' 'Not: Start over: forget what was sent before and send every request' \
                '--order' 'Order of the results: as in the input, or as they arrive' \
                '--with-input' 'Include the request in each result' \
                '--no-with-input' 'Not: Include the request in each result' \
                '--journal' 'File that records the run\'s progress (default: beside the input)'
        case 'files upload'
            printf '%s\t%s\n' \
                '--expires-after' 'Delete the file this long after the upload, such as 30d, or seconds' \
                '--expires-after-anchor' 'Start of --expires-after-seconds' \
                '--expires-after-seconds' 'Another API\'s form of --expires-after' \
                '--name' 'Store the file under this name; needed for standard input' \
                '--content-type' 'Content type (default: detected from content and name)' \
                '--chunked' 'Upload in chunks, up to 512 MB (observed, not documented); rerun the command to resume an interrupted upload' \
                '--no-chunked' 'Not: Upload in chunks, up to 512 MB (observed, not documented); rerun the command to resume an interrupted upload' \
                '--file' 'Files to upload, at most 50 MB each, or - for standard input'
        case 'files list'
            printf '%s\t%s\n' \
                '--order' 'Sort direction; always sent, as the service\'s default is unknown' \
                '--sort-by' 'Sort key' \
                '--filter' 'Filter by AIP-160 expression over name, file_id, size_bytes, content_type, created_at, expires_at, upload_status and user_defined_id' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'files get'
            printf '%s\t%s\n' \
                '--file-id' 'ID of the file'
        case 'files update'
            printf '%s\t%s\n' \
                '--file-id' 'ID of the file' \
                '--name' 'New name of the file' \
                '--content-type' 'New content type of the file' \
                '--data' 'New content: a local file, or - for standard input'
        case 'files delete'
            printf '%s\t%s\n' \
                '--file-id' 'File IDs'
        case 'files initialize'
            printf '%s\t%s\n' \
                '--name' 'Name of the file to upload' \
                '--content-type' 'Content type of the file'
        case 'files upload-chunk'
            printf '%s\t%s\n' \
                '--file-id' 'Upload ID, from `svc files initialize`' \
                '--chunk' 'Next chunk, at most 5 MB: a file, or - for standard input'
        case 'files download'
            printf '%s\t%s\n' \
                '--content-format' 'Fetch the original file, or its extracted text' \
                '--format-text' 'Fetch the extracted text; short for --content-format text' \
                '--no-format-text' 'Not: Fetch the extracted text; short for --content-format text' \
                '--file-id' 'File IDs'
        case 'files publish'
            printf '%s\t%s\n' \
                '--file-id' 'ID of the file' \
                '--expires-after' 'Expire the public URL after this time, such as 7d, or seconds'
        case 'files unpublish'
            printf '%s\t%s\n' \
                '--file-id' 'ID of the file'
        case 'tokenize'
            printf '%s\t%s\n' \
                '--text' 'Text to split; omit or use - for standard input' \
                '--model' 'Model to use' \
                '--user' 'End-user ID, for abuse monitoring'
        case 'legacy completions'
            printf '%s\t%s\n' \
                '--prompt' 'Text to complete; each argument is a separate prompt; piped standard input is appended' \
                '--model' 'Model to use; not a reasoning model' \
                '--max-tokens' 'Limit the answer to N tokens' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--n' 'Generate N answers per prompt; all are billed' \
                '--seed' 'Seed for (mostly) repeatable sampling' \
                '--stop' 'Stop the answer before this text; not for reasoning models' \
                '--echo' 'Include the prompt in the answer' \
                '--no-echo' 'Not: Include the prompt in the answer' \
                '--logprobs' 'Return the N likeliest tokens per position; svc-4.20 and newer ignore it' \
                '--user' 'End-user ID, for abuse monitoring' \
                '--stream' 'Stream the answer; on by default for text and jsonl output' \
                '--no-stream' 'Not: Stream the answer; on by default for text and jsonl output' \
                '--stream-options-include-usage' 'End a stream with token counts; on by default when svc chose to stream' \
                '--no-stream-options-include-usage' 'Not: End a stream with token counts; on by default when svc chose to stream'
        case 'legacy messages'
            printf '%s\t%s\n' \
                '--prompt' 'The prompt; piped or redirected standard input is appended' \
                '--model' 'Model to use' \
                '--system' 'System prompt: text, or a JSON array of text parts' \
                '--message' 'Add a message, in order, as ROLE:TEXT; ROLE is user or assistant' \
                '--image' 'Attach an image: a path, URL, data: URL, or - for standard input' \
                '--max-tokens' 'Limit the answer to N tokens' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--messages' 'Messages as JSON objects or an array of them; messages from other flags follow' \
                '--stop-sequences' 'Stop the answer before this text; not for reasoning models' \
                '--tools' 'Function the model may call, as a JSON object with name and input_schema, or an array' \
                '--tool-choice' 'Tool choice: auto, any, or a JSON object naming a tool' \
                '--metadata-user-id' 'End-user ID, for abuse monitoring' \
                '--stream' 'Stream the answer; on by default for text and jsonl output' \
                '--no-stream' 'Not: Stream the answer; on by default for text and jsonl output'
        case 'legacy complete'
            printf '%s\t%s\n' \
                '--prompt' 'Text to complete; piped or redirected standard input is appended' \
                '--model' 'Model to use; not a reasoning model' \
                '--max-tokens-to-sample' 'Limit the answer to N tokens' \
                '--temperature' 'Sampling temperature' \
                '--top-p' 'Nucleus sampling; change this or the temperature, not both' \
                '--stop-sequences' 'Stop the answer before this text' \
                '--metadata-user-id' 'End-user ID, for abuse monitoring'
        case 'docs search' 'docs'
            printf '%s\t%s\n' \
                '--query' 'Search query; omit or use - for standard input' \
                '--max-results' 'Show at most N results'
        case 'docs get'
            printf '%s\t%s\n' \
                '--slug' 'Page name, from search or list'
        case 'models list' 'models'
            printf '%s\t%s\n' \
                '--kind' 'Show only models of this type' \
                '--cluster' 'Show only models of this inference cluster'
        case 'keys create'
            printf '%s\t%s\n' \
                '--name' 'Descriptive name' \
                '--acls' 'Permission: api-key:endpoint:NAME or api-key:model:NAME, * for all; a key needs both' \
                '--allow-all' 'Allow every endpoint and every model' \
                '--qps' 'Limit to N queries per second' \
                '--qpm' 'Limit to N queries per minute' \
                '--tpm' 'Limit to N tokens per minute, input and output together' \
                '--expire-time' 'Expire the key at this time: RFC 3339, a date, or from now (30d)' \
                '--save-profile' 'Store the secret for this profile instead of printing it'
        case 'keys list'
            printf '%s\t%s\n' \
                '--acl-filters' 'Show only keys with this permission' \
                '--active-only' 'Show only keys that have not expired' \
                '--no-active-only' 'Not: Show only keys that have not expired' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'keys update'
            printf '%s\t%s\n' \
                '--api-key-id' 'Key ID, from `svc keys list`' \
                '--name' 'New name of the key' \
                '--acl-strings' 'Replace all permissions with this one' \
                '--acls' 'Alias of --acl-strings' \
                '--allow-all' 'Allow every endpoint and every model' \
                '--disabled' 'Disable the key, so its requests are refused' \
                '--no-disabled' 'Not: Disable the key, so its requests are refused' \
                '--disable' 'Disable the key until it is enabled again' \
                '--enable' 'Enable the key again' \
                '--qps' 'Limit to N queries per second' \
                '--qpm' 'Limit to N queries per minute' \
                '--tpm' 'Limit to N tokens per minute, input and output together' \
                '--expire-time' 'Expire the key at this time: RFC 3339, a date, or from now (30d)' \
                '--clear' 'Clear this field, such as a limit'
        case 'keys rotate'
            printf '%s\t%s\n' \
                '--api-key-id' 'Key ID, from `svc keys list`' \
                '--expire-time' 'Expire the new secret at this time: RFC 3339, a date, or from now (30d)' \
                '--old-secret-expire-time' 'Accept the old secret until this time: RFC 3339, or from now (2h)' \
                '--save-profile' 'Store the new secret for this profile instead of printing it'
        case 'keys delete'
            printf '%s\t%s\n' \
                '--api-key-id' 'Key IDs, from `svc keys list`'
        case 'keys propagation'
            printf '%s\t%s\n' \
                '--api-key-id' 'Key ID, from `svc keys list`' \
                '--wait' 'Wait for the job to finish' \
                '--no-wait' 'Not: Wait for the job to finish' \
                '--poll-interval' 'Poll at this interval, such as 5s; by default 1s, then longer' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'collections create'
            printf '%s\t%s\n' \
                '--collection-name' 'Name of the collection' \
                '--collection-description' 'Description of the collection' \
                '--field' 'Metadata field, as key[:required][:unique][:inject] or a JSON object' \
                '--index-configuration-model-name' 'The embedding model' \
                '--metric-space' 'Distance metric of the index' \
                '--field-definitions' 'Metadata field: key, required, unique, inject_into_chunk, description' \
                '--chunk-strategy' 'How to split documents into chunks' \
                '--chunk-size' 'Maximum chunk size, in --chunk-strategy units' \
                '--chunk-overlap' 'Overlap between adjacent chunks, in the same unit' \
                '--chunk-encoding' 'The tokenizer\'s encoding, for a strategy that counts tokens' \
                '--chunk-configuration-chars-configuration-max-chunk-size-chars' 'Maximum chunk size, in characters' \
                '--chunk-configuration-chars-configuration-chunk-overlap-chars' 'Chunk overlap, in characters' \
                '--chunk-configuration-tokens-configuration-max-chunk-size-tokens' 'Maximum chunk size, in tokens' \
                '--chunk-configuration-tokens-configuration-chunk-overlap-tokens' 'Chunk overlap, in tokens' \
                '--chunk-configuration-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-table-configuration-max-chunk-size-tokens' 'Tables: maximum chunk size, in tokens' \
                '--chunk-configuration-table-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens' 'Markdown: maximum chunk size, in tokens' \
                '--chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens' 'Markdown: chunk overlap, in tokens' \
                '--chunk-configuration-markdown-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-chars-configuration-max-chunk-size-chars' 'Markdown: maximum chunk size, in characters' \
                '--chunk-configuration-markdown-chars-configuration-chunk-overlap-chars' 'Markdown: chunk overlap, in characters' \
                '--chunk-configuration-code-tokens-configuration-max-chunk-size-tokens' 'Code: maximum chunk size, in tokens' \
                '--chunk-configuration-code-tokens-configuration-chunk-overlap-tokens' 'Code: chunk overlap, in tokens' \
                '--chunk-configuration-code-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-code-chars-configuration-max-chunk-size-chars' 'Code: maximum chunk size, in characters' \
                '--chunk-configuration-code-chars-configuration-chunk-overlap-chars' 'Code: chunk overlap, in characters' \
                '--chunk-configuration-bytes-configuration-max-chunk-size-bytes' 'Maximum chunk size, in bytes' \
                '--chunk-configuration-bytes-configuration-chunk-overlap-bytes' 'Chunk overlap, in bytes' \
                '--chunk-configuration-strip-whitespace' 'Trim whitespace around chunks' \
                '--no-chunk-configuration-strip-whitespace' 'Not: Trim whitespace around chunks' \
                '--chunk-configuration-inject-name-into-chunks' 'Add the document name to each chunk' \
                '--no-chunk-configuration-inject-name-into-chunks' 'Not: Add the document name to each chunk' \
                '--strip-whitespace' 'Trim whitespace around chunks' \
                '--no-strip-whitespace' 'Not: Trim whitespace around chunks' \
                '--inject-name' 'Add the document name to each chunk' \
                '--no-inject-name' 'Not: Add the document name to each chunk'
        case 'collections list'
            printf '%s\t%s\n' \
                '--filter' 'Filter by expression, such as collection_name:manual AND documents_count:5' \
                '--order' 'Sort direction' \
                '--sort-by' 'Sort key' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'collections get'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection'
        case 'collections update'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--collection-name' 'New name of the collection' \
                '--collection-description' 'Description of the collection' \
                '--add-field' 'Add or replace a metadata field, as key[:unique][:inject] or a JSON object; it cannot be required' \
                '--delete-field' 'Remove a metadata field, and its value from all documents' \
                '--field-definition-updates' 'Metadata field change: field_definition and operation' \
                '--chunk-strategy' 'How to split documents into chunks' \
                '--chunk-size' 'Maximum chunk size, in --chunk-strategy units' \
                '--chunk-overlap' 'Overlap between adjacent chunks, in the same unit' \
                '--chunk-encoding' 'The tokenizer\'s encoding, for a strategy that counts tokens' \
                '--chunk-configuration-chars-configuration-max-chunk-size-chars' 'Maximum chunk size, in characters' \
                '--chunk-configuration-chars-configuration-chunk-overlap-chars' 'Chunk overlap, in characters' \
                '--chunk-configuration-tokens-configuration-max-chunk-size-tokens' 'Maximum chunk size, in tokens' \
                '--chunk-configuration-tokens-configuration-chunk-overlap-tokens' 'Chunk overlap, in tokens' \
                '--chunk-configuration-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-table-configuration-max-chunk-size-tokens' 'Tables: maximum chunk size, in tokens' \
                '--chunk-configuration-table-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens' 'Markdown: maximum chunk size, in tokens' \
                '--chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens' 'Markdown: chunk overlap, in tokens' \
                '--chunk-configuration-markdown-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-markdown-chars-configuration-max-chunk-size-chars' 'Markdown: maximum chunk size, in characters' \
                '--chunk-configuration-markdown-chars-configuration-chunk-overlap-chars' 'Markdown: chunk overlap, in characters' \
                '--chunk-configuration-code-tokens-configuration-max-chunk-size-tokens' 'Code: maximum chunk size, in tokens' \
                '--chunk-configuration-code-tokens-configuration-chunk-overlap-tokens' 'Code: chunk overlap, in tokens' \
                '--chunk-configuration-code-tokens-configuration-encoding-name' 'The tokenizer\'s encoding' \
                '--chunk-configuration-code-chars-configuration-max-chunk-size-chars' 'Code: maximum chunk size, in characters' \
                '--chunk-configuration-code-chars-configuration-chunk-overlap-chars' 'Code: chunk overlap, in characters' \
                '--chunk-configuration-bytes-configuration-max-chunk-size-bytes' 'Maximum chunk size, in bytes' \
                '--chunk-configuration-bytes-configuration-chunk-overlap-bytes' 'Chunk overlap, in bytes' \
                '--chunk-configuration-strip-whitespace' 'Trim whitespace around chunks' \
                '--no-chunk-configuration-strip-whitespace' 'Not: Trim whitespace around chunks' \
                '--chunk-configuration-inject-name-into-chunks' 'Add the document name to each chunk' \
                '--no-chunk-configuration-inject-name-into-chunks' 'Not: Add the document name to each chunk' \
                '--strip-whitespace' 'Trim whitespace around chunks' \
                '--no-strip-whitespace' 'Not: Trim whitespace around chunks' \
                '--inject-name' 'Add the document name to each chunk' \
                '--no-inject-name' 'Not: Add the document name to each chunk'
        case 'collections delete'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection'
        case 'collections search'
            printf '%s\t%s\n' \
                '--query' 'Search query' \
                '--source-collection-ids' 'ID of a collection to search' \
                '--collection' 'Alias of --source-collection-ids' \
                '--source-rag-pipeline' 'Store to search' \
                '--rag-pipeline' 'Alias of --source-rag-pipeline' \
                '--filter' 'Filter by metadata, such as year >= 2020 AND author = "Ann"' \
                '--limit' 'Return at most N chunks' \
                '--instructions' 'Instructions added to the query' \
                '--group-by-keys' 'Return the best chunks of each value of this metadata key' \
                '--group-by-aggregate' 'Which chunks of a group: {"min_k":{"keys":[…],"k":N}} or max_k' \
                '--retrieval-mode-type' 'Search mode: semantic, keyword or hybrid' \
                '--mode' 'Alias of --retrieval-mode-type' \
                '--retrieval-mode-search-multiplier' 'Candidates to examine per returned chunk; for hybrid' \
                '--retrieval-mode-reranker-type' 'Reranker; for hybrid' \
                '--retrieval-mode-reranker-model' 'The reranker\'s model' \
                '--retrieval-mode-reranker-instructions' 'Instructions for the reranker\'s model' \
                '--retrieval-mode-reranker-k' 'The constant of reciprocal rank fusion' \
                '--retrieval-mode-reranker-embedding-weight' 'Semantic weight in the fusion' \
                '--retrieval-mode-reranker-text-weight' 'Keyword weight in the fusion'
        case 'collections documents add'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--file-id' 'File IDs, or local paths to upload first' \
                '--fields' 'Metadata values, as a JSON object' \
                '--field-value' 'One metadata value, as key=value' \
                '--manifest' 'CSV with header, or JSONL: path or file_id identifies the document, other columns are metadata' \
                '--recursive' 'Add a directory\'s files, except hidden ones' \
                '--no-recursive' 'Not: Add a directory\'s files, except hidden ones' \
                '--jobs' 'Number of concurrent uploads' \
                '--wait' 'Wait for the job to finish' \
                '--no-wait' 'Not: Wait for the job to finish' \
                '--poll-interval' 'Poll at this interval, such as 5s; by default 1s, then longer' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'collections documents upload'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--name' 'Name of the document' \
                '--content-type' 'Content type of the file' \
                '--fields' 'Metadata values, as a JSON object' \
                '--data' 'The file'
        case 'collections documents list'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--filter' 'Filter by expression, such as status:DOCUMENT_STATUS_FAILED AND fields.author:Ann' \
                '--order' 'Sort direction' \
                '--sort-by' 'Sort key' \
                '--limit' 'Show at most N items' \
                '--all' 'Show all items, from all pages' \
                '--no-all' 'Not: Show all items, from all pages' \
                '--page-size' 'Fetch N items per page' \
                '--pagination-token' 'Start at the page token from an earlier response'
        case 'collections documents get'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--file-id' 'File ID of the document' \
                '--wait' 'Wait for the job to finish' \
                '--no-wait' 'Not: Wait for the job to finish' \
                '--poll-interval' 'Poll at this interval, such as 5s; by default 1s, then longer' \
                '--wait-timeout' 'Stop waiting after this time; the job continues'
        case 'collections documents batch-get'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--file-ids' 'File IDs of the documents'
        case 'collections documents reindex'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--file-id' 'File ID of the document'
        case 'collections documents remove'
            printf '%s\t%s\n' \
                '--collection-id' 'ID of the collection' \
                '--file-id' 'File IDs of the documents'
        case 'billing info set'
            printf '%s\t%s\n' \
                '--billing-info-name' 'Name of the payer' \
                '--billing-info-email' 'E-mail address for invoices' \
                '--billing-info-address-line1' 'Street and number' \
                '--billing-info-address-line2' 'Second address line' \
                '--billing-info-address-city' 'City' \
                '--billing-info-address-country' 'Country code (ISO 3166-1, two letters)' \
                '--billing-info-address-postal-code' 'Postal code' \
                '--billing-info-address-state' 'State or region' \
                '--billing-info-tax-id-type' 'Tax ID type, as the payment processor calls it' \
                '--billing-info-tax-number' 'Tax ID' \
                '--name' 'Name of the payer' \
                '--email' 'E-mail address for invoices' \
                '--line1' 'Street and number' \
                '--line2' 'Second address line' \
                '--city' 'City' \
                '--country' 'Country code (ISO 3166-1, two letters)' \
                '--postal-code' 'Postal code' \
                '--state' 'State or region' \
                '--tax-id-type' 'Tax ID type, as the payment processor calls it, such as eu_vat' \
                '--tax-number' 'Tax ID'
        case 'billing invoices'
            printf '%s\t%s\n' \
                '--invoice-ids-invoice-ids' 'Show only these invoices' \
                '--billing-cycle-year' 'Year of the month to show' \
                '--billing-cycle-month' 'Month to show' \
                '--since-year' 'Year of the first month to show' \
                '--since-month' 'First month to show' \
                '--lines' 'Show the invoice lines' \
                '--no-lines' 'Not: Show the invoice lines' \
                '--chart' 'Chart monthly totals' \
                '--no-chart' 'Not: Chart monthly totals'
        case 'billing payment-methods set-default'
            printf '%s\t%s\n' \
                '--payment-method-id' 'Payment method ID, from `svc billing payment-methods list`'
        case 'billing preview'
            printf '%s\t%s\n' \
                '--chart' 'Chart the amounts by line' \
                '--no-chart' 'Not: Chart the amounts by line'
        case 'billing limits set'
            printf '%s\t%s\n' \
                '--desired-soft-spending-limit' 'New soft limit; 0 allows prepaid credit only' \
                '--cents' 'The amount is in US cents, not dollars' \
                '--no-cents' 'Not: The amount is in US cents, not dollars'
        case 'billing top-up'
            printf '%s\t%s\n' \
                '--amount' 'Amount of credit to buy' \
                '--cents' 'The amount is in US cents, not dollars' \
                '--no-cents' 'Not: The amount is in US cents, not dollars'
        case 'billing usage'
            printf '%s\t%s\n' \
                '--by' 'Group the costs by this' \
                '--since' 'Start date: YYYY-MM-DD in local time, or a time ago, such as 30d' \
                '--until' 'End date (inclusive), or a time ago' \
                '--chart' 'Chart the costs' \
                '--no-chart' 'Not: Chart the costs' \
                '--emulated' 'Show what emulator answers would have cost (never in other totals)' \
                '--no-emulated' 'Not: Show what emulator answers would have cost (never in other totals)'
        case 'history list' 'history'
            printf '%s\t%s\n' \
                '--limit' 'Show at most N conversations' \
                '--all' 'Show every conversation' \
                '--no-all' 'Not: Show every conversation' \
                '--here' 'Show those started in this directory' \
                '--no-here' 'Not: Show those started in this directory'
        case 'history show'
            printf '%s\t%s\n' \
                '--conversation' 'Number or name, as shown by `svc history`'
        case 'history search'
            printf '%s\t%s\n' \
                '--text' 'Words that must all occur in a message; ignores case and accents' \
                '--limit' 'Show at most N conversations'
        case 'history export'
            printf '%s\t%s\n' \
                '--conversation' 'Number or name, as shown by `svc history`' \
                '--all' 'Select every conversation' \
                '--no-all' 'Not: Select every conversation' \
                '--as' 'Markdown, one JSON array, or a JSON object per line'
        case 'history delete'
            printf '%s\t%s\n' \
                '--conversation' 'Number or name, as shown by `svc history`' \
                '--older-than' 'Select those inactive for this long' \
                '--all' 'Select every conversation' \
                '--no-all' 'Not: Select every conversation'
        case 'api'
            printf '%s\t%s\n' \
                '--method' 'The HTTP method' \
                '--path' 'The path on the host, with its query' \
                '--host' 'Host, and thus the key (default: chosen by path)' \
                '--repeatable' 'Allow retries after a failure; on by default for GET and HEAD' \
                '--no-repeatable' 'Not: Allow retries after a failure; on by default for GET and HEAD' \
                '--socket' 'Open a WebSocket at this path of the realtime host; standard input and output carry one message per line' \
                '--send' 'Format of standard input: lines ({"binary":"base64"} is sent as bytes), or raw bytes' \
                '--receive' 'Output format: lines (bytes as {"binary":"base64"}), or raw bytes with text on standard error' \
                '--linger' 'Close the WebSocket this long after input ends without a message; otherwise it stays open' \
                '--subprotocol' 'Offer this subprotocol in the handshake'
        case 'operations'
            printf '%s\t%s\n' \
                '--openapi' 'Print an OpenAPI 3.1 document instead' \
                '--no-openapi' 'Not: Print an OpenAPI 3.1 document instead'
        case 'auth login'
            printf '%s\t%s\n' \
                '--management' 'Use the management key, not the API key' \
                '--no-management' 'Not: Use the management key, not the API key' \
                '--check' 'Check the key with the service before storing it' \
                '--no-check' 'Not: Check the key with the service before storing it'
        case 'auth logout'
            printf '%s\t%s\n' \
                '--management' 'Use the management key, not the API key' \
                '--no-management' 'Not: Use the management key, not the API key'
        case 'config get'
            printf '%s\t%s\n' \
                '--name' 'Setting, such as base_url or model'
        case 'config set'
            printf '%s\t%s\n' \
                '--name' 'Setting, such as base_url or model' \
                '--value' 'New value; an empty one removes the setting'
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
                '--profile' 'Use this configuration profile, or `emulator`' \
                '--format' 'Set the output format' \
                '--json' 'Write one JSON document; the same as --format json' \
                '--jq' 'Filter the JSON result with a jq expression' \
                '--output' 'Write the result to a file' \
                '--force' 'Overwrite an existing output file' \
                '--header' 'Add an HTTP header; may be repeated' \
                '--body' 'Use this request body; flags override it' \
                '--set' 'Set any body field, documented or not; may be repeated' \
                '--timeout' 'Fail if the whole request takes longer (default: 1h)' \
                '--connect-timeout' 'Fail if no connection is established in this time (default: 30s)' \
                '--idle-timeout' 'Fail if no data moves for this long (default: 5m)' \
                '--retries' 'Retry a failed request up to N times (default: 2)' \
                '--max-wait' 'Wait out a Retry-After of at most this long (default: 60s)' \
                '--dry-run' 'Print the request instead of sending it' \
                '--curl' 'Print an equivalent curl command instead of sending' \
                '--verbose' 'Log requests, responses and retries to standard error' \
                '--quiet' 'Print only the result and errors' \
                '--cost' 'Always print the tokens and cost of each answer' \
                '--no-cost' 'Do not print costs' \
                '--max-cost' 'Send no more requests after spending USD; requests in flight are still billed' \
                '--color' 'Choose when to use colour' \
                '--no-progress' 'Show no progress' \
                '--no-stdin' 'Ignore standard input' \
                '--yes' 'Skip confirmation prompts' \
                '--base-url' 'Use this inference service URL' \
                '--management-url' 'Use this management service URL' \
                '--realtime-url' 'Use this realtime service URL' \
                '--docs-url' 'Use this documentation service URL' \
                '--team-id' 'Use this team for management operations' \
                '--help' 'Show help' \
                '--help-all' 'Show help with every flag'
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
