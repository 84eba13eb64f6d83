# bash completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $1.
_svc_words() {
  case $1 in
    ('') REPLY='chat responses images videos tts stt realtime phone batches files tokenize legacy docs models keys collections billing history api operations auth config completion emulator doctor help' ;;
    ('help') REPLY='chat responses images videos tts stt realtime phone batches tokenize legacy docs models keys collections billing history api operations auth config completion doctor commands emulator formatting environment exit-codes files tools voice' ;;
    ('chat') REPLY='create deferred' ;;
    ('responses') REPLY='create get compact delete inputs' ;;
    ('images') REPLY='generate edit get wait' ;;
    ('videos') REPLY='generate edit extend get wait' ;;
    ('tts') REPLY='speak voices voice' ;;
    ('stt') REPLY='transcribe live' ;;
    ('realtime') REPLY='talk connect secret' ;;
    ('phone') REPLY='create list get update delete refer hangup answer listen verify' ;;
    ('batches') REPLY='create list get add requests results cancel wait run' ;;
    ('files') REPLY='upload list get update delete initialize upload-chunk download publish unpublish' ;;
    ('legacy') REPLY='completions messages complete' ;;
    ('docs') REPLY='search list get' ;;
    ('models') REPLY='list' ;;
    ('keys') REPLY='create list update rotate delete propagation endpoints self' ;;
    ('collections') REPLY='create list get update delete search documents' ;;
    ('collections documents') REPLY='add upload list get batch-get reindex remove' ;;
    ('billing') REPLY='info invoices payment-methods preview limits balance top-up usage' ;;
    ('billing info') REPLY='get set' ;;
    ('billing payment-methods') REPLY='list set-default' ;;
    ('billing limits') REPLY='get set' ;;
    ('history') REPLY='list show search export delete' ;;
    ('auth') REPLY='login logout status' ;;
    ('config') REPLY='get set list path' ;;
    ('emulator') REPLY='call' ;;
    (*) REPLY= ;;
  esac
}

# The flags of the command $1.
_svc_flags() {
  case $1 in
    ('chat create'|'chat') REPLY='--prompt --model --system --message --image --file --messages --deferred --no-deferred --frequency-penalty --max-completion-tokens --n --presence-penalty --reasoning-effort --response-format --seed --stop --stream-options-include-usage --no-stream-options-include-usage --tool-choice --tools --continue --no-continue --session --save --no-save --tool --allow-tools --tool-timeout --tool-max-output --max-tool-rounds --schema --keep --no-keep --web-search --allowed-domain --excluded-domain --country --news-search --x-search --x-handle --excluded-x-handle --from-date --to-date --max-search-results --temperature --top-p --logprobs --no-logprobs --top-logprobs --parallel-tool-calls --no-parallel-tool-calls --prompt-cache-key --service-tier --user --stream --no-stream --search-parameters-mode --search-parameters-sources --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results --search-parameters-return-citations --no-search-parameters-return-citations --wait --no-wait --poll-interval --wait-timeout --each --jobs --column --id-column --input-form --skip-invalid --no-skip-invalid --retry-failed --no-retry-failed --restart --no-restart --order --with-input --no-with-input --journal' ;;
    ('chat deferred') REPLY='--request-id --wait --no-wait --poll-interval --wait-timeout' ;;
    ('responses create'|'responses') REPLY='--input --input-items --message --image --file --model --instructions --previous-response-id --store --no-store --include --max-output-tokens --max-turns --min-p --top-k --reasoning-effort --flat-reasoning-effort --text-format --tool-choice --tools --continue --no-continue --session --save --no-save --tool --allow-tools --tool-timeout --tool-max-output --max-tool-rounds --schema --keep --no-keep --web-search --allowed-domain --excluded-domain --web-image-search --web-images --x-search --x-handle --excluded-x-handle --from-date --to-date --x-images --x-videos --code --collection --collection-results --mcp --mcp-label --mcp-description --mcp-auth --mcp-tool --temperature --top-p --logprobs --no-logprobs --top-logprobs --parallel-tool-calls --no-parallel-tool-calls --prompt-cache-key --service-tier --user --stream --no-stream --search-parameters-mode --search-parameters-sources --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results --search-parameters-return-citations --no-search-parameters-return-citations' ;;
    ('responses get') REPLY='--response-id' ;;
    ('responses compact') REPLY='--input --input-items --message --image --file --model' ;;
    ('responses delete') REPLY='--response-id' ;;
    ('responses inputs') REPLY='--response-id --order --limit --all --no-all --page-size --pagination-token' ;;
    ('images generate'|'images') REPLY='--prompt --model --n --aspect-ratio --resolution --quality --response-format --deferred --no-deferred --user --preview --no-preview --wait --no-wait --storage-options-filename --storage-options-expires-after --storage-options-public-url --poll-interval --wait-timeout' ;;
    ('images edit') REPLY='--prompt --image --images --model --n --aspect-ratio --resolution --quality --response-format --deferred --no-deferred --user --preview --no-preview --wait --no-wait --image-url --image-file-id --image-image-url --image-type --storage-options-filename --storage-options-expires-after --storage-options-public-url --poll-interval --wait-timeout' ;;
    ('images get') REPLY='--request-id --preview --no-preview' ;;
    ('images wait') REPLY='--request-id --preview --no-preview --poll-interval --wait-timeout' ;;
    ('videos generate'|'videos') REPLY='--prompt --model --image --duration --seconds --aspect-ratio --resolution --reference-image --reference-images --reference-audios --last-frame --keyframe --keyframes --output-upload-url --user --wait --no-wait --image-url --image-file-id --image-image-url --image-type --storage-options-filename --storage-options-expires-after --storage-options-public-url --poll-interval --wait-timeout' ;;
    ('videos edit') REPLY='--prompt --video --video-url --video-file-id --model --output-upload-url --wait --no-wait --user --storage-options-filename --storage-options-expires-after --storage-options-public-url --poll-interval --wait-timeout' ;;
    ('videos extend') REPLY='--prompt --video --video-url --video-file-id --model --output-upload-url --wait --no-wait --duration --storage-options-filename --storage-options-expires-after --storage-options-public-url --poll-interval --wait-timeout' ;;
    ('videos get') REPLY='--request-id' ;;
    ('videos wait') REPLY='--request-id --poll-interval --wait-timeout' ;;
    ('tts speak'|'tts') REPLY='--text --language --voice-id --voice --output-format-codec --codec --output-format-sample-rate --sample-rate --output-format-bit-rate --bit-rate --speed --optimize-streaming-latency --text-normalization --no-text-normalization --with-timestamps --no-with-timestamps --replace --play --no-play --split --no-split --timestamps --subtitles --output-device --list-devices --no-list-devices' ;;
    ('tts voices') REPLY='--sample --output-device --list-devices --no-list-devices' ;;
    ('tts voice') REPLY='--voice-id --sample --no-sample --output-device --list-devices --no-list-devices' ;;
    ('stt transcribe'|'stt') REPLY='--url --audio-format --sample-rate --sample-rate-hertz --language --format-text --no-format-text --multichannel --no-multichannel --channels --diarize --no-diarize --keyterm --filler-words --no-filler-words --vad-threshold --model --transcript-format --jobs --file' ;;
    ('stt live') REPLY='--input --fast --no-fast --sample-rate --encoding --interim-results --no-interim-results --endpointing --language --multichannel --no-multichannel --channels --diarize --no-diarize --keyterm --filler-words --no-filler-words --smart-turn --smart-turn-timeout --vad-threshold --transcript-format --reconnect --no-reconnect --input-device --list-devices --no-list-devices' ;;
    ('realtime talk') REPLY='--input --audio-output --fast --no-fast --say --turns --text --no-text --push-to-talk --no-push-to-talk --transcript --record --echo-cancel --no-echo-cancel --session-limit --tool --allow-tools --tool-timeout --tool-max-output --input-device --output-device --list-devices --no-list-devices --model --reasoning-effort --call-id --call --conversation-id --agent-id --protocol-secret --session --instructions --voice --turn-detection --turn-detection-type --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --tools --web-search --x-search --file-search --mcp --resumption-enabled --no-resumption-enabled --replace --audio-input-format-type --audio-input-format-rate --audio-input-transport --audio-input-transcription-model --audio-input-transcription-language-hint --language-hint --audio-input-transcription-keyterms --keyterm --audio-output-format-type --audio-output-format-rate --audio-output-transport --audio-output-speed --speed' ;;
    ('realtime connect') REPLY='--model --reasoning-effort --call-id --call --conversation-id --agent-id --protocol-secret --linger --session --instructions --voice --turn-detection --turn-detection-type --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --tools --web-search --x-search --file-search --mcp --resumption-enabled --no-resumption-enabled --replace --audio-input-format-type --audio-input-format-rate --audio-input-transport --audio-input-transcription-model --audio-input-transcription-language-hint --language-hint --audio-input-transcription-keyterms --keyterm --audio-output-format-type --audio-output-format-rate --audio-output-transport --audio-output-speed --speed' ;;
    ('realtime secret') REPLY='--expires-after --expires-after-seconds --session --instructions --voice --turn-detection --turn-detection-type --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --tools --web-search --x-search --file-search --mcp --resumption-enabled --no-resumption-enabled --replace --audio-input-format-type --audio-input-format-rate --audio-input-transport --audio-input-transcription-model --audio-input-transcription-language-hint --language-hint --audio-input-transcription-keyterms --keyterm --audio-output-format-type --audio-output-format-rate --audio-output-transport --audio-output-speed --speed --model --reasoning-effort' ;;
    ('phone create') REPLY='--name --origin --phone-number --area-code --webhook-url --webhook-name --webhook-auth-url --webhook-auth-token --agent-id --sip-auth-auth-username --sip-auth-username --sip-auth-auth-password --sip-auth-password --sip-auth-allowed-addresses --secret-file' ;;
    ('phone get') REPLY='--phone-number-id' ;;
    ('phone update') REPLY='--phone-number-id --name --agent-id --webhook-id --outbound-sms-enabled --no-outbound-sms-enabled --clear' ;;
    ('phone delete') REPLY='--phone-number-id' ;;
    ('phone refer') REPLY='--call-id --target-uri' ;;
    ('phone hangup') REPLY='--call-id' ;;
    ('phone answer') REPLY='--call-id --greeting --greet --no-greet --session-limit --session --instructions --voice --turn-detection --turn-detection-type --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --tools --web-search --x-search --file-search --mcp --resumption-enabled --no-resumption-enabled --replace --reasoning-effort' ;;
    ('phone listen') REPLY='--port --address --path --secret --auth-token --exec --exec-jobs --exec-timeout --events --answer --no-answer --greeting --greet --no-greet --session-limit --session --instructions --voice --turn-detection --turn-detection-type --turn-detection-threshold --turn-detection-silence-duration-ms --turn-detection-prefix-padding-ms --turn-detection-idle-timeout-ms --tools --web-search --x-search --file-search --mcp --resumption-enabled --no-resumption-enabled --replace --reasoning-effort' ;;
    ('phone verify') REPLY='--delivery --headers --webhook-id --webhook-timestamp --webhook-signature --secret --at' ;;
    ('batches create') REPLY='--name --input-file-id' ;;
    ('batches list') REPLY='--limit --all --no-all --page-size --pagination-token' ;;
    ('batches get') REPLY='--batch-id' ;;
    ('batches add') REPLY='--batch-id --file --batch-requests' ;;
    ('batches requests') REPLY='--batch-id --limit --all --no-all --page-size --pagination-token' ;;
    ('batches results') REPLY='--batch-id --limit --page-size --pagination-token' ;;
    ('batches cancel') REPLY='--batch-id' ;;
    ('batches wait') REPLY='--batch-id --poll-interval --wait-timeout' ;;
    ('batches run') REPLY='--file --model --system --template --via-file --no-via-file --shard --name --batch-size --call-size --poll-interval --wait-timeout --column --id-column --input-form --skip-invalid --no-skip-invalid --retry-failed --no-retry-failed --restart --no-restart --order --with-input --no-with-input --journal' ;;
    ('files upload') REPLY='--expires-after --expires-after-anchor --expires-after-seconds --name --content-type --chunked --no-chunked --file' ;;
    ('files list') REPLY='--order --sort-by --filter --limit --all --no-all --page-size --pagination-token' ;;
    ('files get') REPLY='--file-id' ;;
    ('files update') REPLY='--file-id --name --content-type --data' ;;
    ('files delete') REPLY='--file-id' ;;
    ('files initialize') REPLY='--name --content-type' ;;
    ('files upload-chunk') REPLY='--file-id --chunk' ;;
    ('files download') REPLY='--content-format --format-text --no-format-text --file-id' ;;
    ('files publish') REPLY='--file-id --expires-after' ;;
    ('files unpublish') REPLY='--file-id' ;;
    ('tokenize') REPLY='--text --model --user' ;;
    ('legacy completions') REPLY='--prompt --model --max-tokens --temperature --top-p --n --seed --stop --echo --no-echo --logprobs --user --stream --no-stream --stream-options-include-usage --no-stream-options-include-usage' ;;
    ('legacy messages') REPLY='--prompt --model --system --message --image --max-tokens --temperature --top-p --messages --stop-sequences --tools --tool-choice --metadata-user-id --stream --no-stream' ;;
    ('legacy complete') REPLY='--prompt --model --max-tokens-to-sample --temperature --top-p --stop-sequences --metadata-user-id' ;;
    ('docs search'|'docs') REPLY='--query --max-results' ;;
    ('docs get') REPLY='--slug' ;;
    ('models list'|'models') REPLY='--kind --cluster' ;;
    ('keys create') REPLY='--name --acls --allow-all --qps --qpm --tpm --expire-time --save-profile' ;;
    ('keys list') REPLY='--acl-filters --active-only --no-active-only --limit --all --no-all --page-size --pagination-token' ;;
    ('keys update') REPLY='--api-key-id --name --acl-strings --acls --allow-all --disabled --no-disabled --disable --enable --qps --qpm --tpm --expire-time --clear' ;;
    ('keys rotate') REPLY='--api-key-id --expire-time --old-secret-expire-time --save-profile' ;;
    ('keys delete') REPLY='--api-key-id' ;;
    ('keys propagation') REPLY='--api-key-id --wait --no-wait --poll-interval --wait-timeout' ;;
    ('collections create') REPLY='--collection-name --collection-description --field --index-configuration-model-name --metric-space --field-definitions --chunk-strategy --chunk-size --chunk-overlap --chunk-encoding --chunk-configuration-chars-configuration-max-chunk-size-chars --chunk-configuration-chars-configuration-chunk-overlap-chars --chunk-configuration-tokens-configuration-max-chunk-size-tokens --chunk-configuration-tokens-configuration-chunk-overlap-tokens --chunk-configuration-tokens-configuration-encoding-name --chunk-configuration-table-configuration-max-chunk-size-tokens --chunk-configuration-table-configuration-encoding-name --chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens --chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens --chunk-configuration-markdown-tokens-configuration-encoding-name --chunk-configuration-markdown-chars-configuration-max-chunk-size-chars --chunk-configuration-markdown-chars-configuration-chunk-overlap-chars --chunk-configuration-code-tokens-configuration-max-chunk-size-tokens --chunk-configuration-code-tokens-configuration-chunk-overlap-tokens --chunk-configuration-code-tokens-configuration-encoding-name --chunk-configuration-code-chars-configuration-max-chunk-size-chars --chunk-configuration-code-chars-configuration-chunk-overlap-chars --chunk-configuration-bytes-configuration-max-chunk-size-bytes --chunk-configuration-bytes-configuration-chunk-overlap-bytes --chunk-configuration-strip-whitespace --no-chunk-configuration-strip-whitespace --chunk-configuration-inject-name-into-chunks --no-chunk-configuration-inject-name-into-chunks --strip-whitespace --no-strip-whitespace --inject-name --no-inject-name' ;;
    ('collections list') REPLY='--filter --order --sort-by --limit --all --no-all --page-size --pagination-token' ;;
    ('collections get') REPLY='--collection-id' ;;
    ('collections update') REPLY='--collection-id --collection-name --collection-description --add-field --delete-field --field-definition-updates --chunk-strategy --chunk-size --chunk-overlap --chunk-encoding --chunk-configuration-chars-configuration-max-chunk-size-chars --chunk-configuration-chars-configuration-chunk-overlap-chars --chunk-configuration-tokens-configuration-max-chunk-size-tokens --chunk-configuration-tokens-configuration-chunk-overlap-tokens --chunk-configuration-tokens-configuration-encoding-name --chunk-configuration-table-configuration-max-chunk-size-tokens --chunk-configuration-table-configuration-encoding-name --chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens --chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens --chunk-configuration-markdown-tokens-configuration-encoding-name --chunk-configuration-markdown-chars-configuration-max-chunk-size-chars --chunk-configuration-markdown-chars-configuration-chunk-overlap-chars --chunk-configuration-code-tokens-configuration-max-chunk-size-tokens --chunk-configuration-code-tokens-configuration-chunk-overlap-tokens --chunk-configuration-code-tokens-configuration-encoding-name --chunk-configuration-code-chars-configuration-max-chunk-size-chars --chunk-configuration-code-chars-configuration-chunk-overlap-chars --chunk-configuration-bytes-configuration-max-chunk-size-bytes --chunk-configuration-bytes-configuration-chunk-overlap-bytes --chunk-configuration-strip-whitespace --no-chunk-configuration-strip-whitespace --chunk-configuration-inject-name-into-chunks --no-chunk-configuration-inject-name-into-chunks --strip-whitespace --no-strip-whitespace --inject-name --no-inject-name' ;;
    ('collections delete') REPLY='--collection-id' ;;
    ('collections search') REPLY='--query --source-collection-ids --collection --source-rag-pipeline --rag-pipeline --filter --limit --instructions --group-by-keys --group-by-aggregate --retrieval-mode-type --mode --retrieval-mode-search-multiplier --retrieval-mode-reranker-type --retrieval-mode-reranker-model --retrieval-mode-reranker-instructions --retrieval-mode-reranker-k --retrieval-mode-reranker-embedding-weight --retrieval-mode-reranker-text-weight' ;;
    ('collections documents add') REPLY='--collection-id --file-id --fields --field-value --manifest --recursive --no-recursive --jobs --wait --no-wait --poll-interval --wait-timeout' ;;
    ('collections documents upload') REPLY='--collection-id --name --content-type --fields --data' ;;
    ('collections documents list') REPLY='--collection-id --filter --order --sort-by --limit --all --no-all --page-size --pagination-token' ;;
    ('collections documents get') REPLY='--collection-id --file-id --wait --no-wait --poll-interval --wait-timeout' ;;
    ('collections documents batch-get') REPLY='--collection-id --file-ids' ;;
    ('collections documents reindex') REPLY='--collection-id --file-id' ;;
    ('collections documents remove') REPLY='--collection-id --file-id' ;;
    ('billing info set') REPLY='--billing-info-name --billing-info-email --billing-info-address-line1 --billing-info-address-line2 --billing-info-address-city --billing-info-address-country --billing-info-address-postal-code --billing-info-address-state --billing-info-tax-id-type --billing-info-tax-number --name --email --line1 --line2 --city --country --postal-code --state --tax-id-type --tax-number' ;;
    ('billing invoices') REPLY='--invoice-ids-invoice-ids --billing-cycle-year --billing-cycle-month --since-year --since-month --lines --no-lines --chart --no-chart' ;;
    ('billing payment-methods set-default') REPLY='--payment-method-id' ;;
    ('billing preview') REPLY='--chart --no-chart' ;;
    ('billing limits set') REPLY='--desired-soft-spending-limit --cents --no-cents' ;;
    ('billing top-up') REPLY='--amount --cents --no-cents' ;;
    ('billing usage') REPLY='--by --since --until --chart --no-chart --emulated --no-emulated' ;;
    ('history list'|'history') REPLY='--limit --all --no-all --here --no-here' ;;
    ('history show') REPLY='--conversation' ;;
    ('history search') REPLY='--text --limit' ;;
    ('history export') REPLY='--conversation --all --no-all --as' ;;
    ('history delete') REPLY='--conversation --older-than --all --no-all' ;;
    ('api') REPLY='--method --path --host --repeatable --no-repeatable --socket --send --receive --linger --subprotocol' ;;
    ('operations') REPLY='--openapi --no-openapi' ;;
    ('auth login') REPLY='--management --no-management --check --no-check' ;;
    ('auth logout') REPLY='--management --no-management' ;;
    ('config get') REPLY='--name' ;;
    ('config set') REPLY='--name --value' ;;
    ('completion') REPLY='--shell' ;;
    ('emulator') REPLY='--host --port --state --tls --no-tls --cert --key --fault --answers --seed --clock' ;;
    ('emulator call') REPLY='--to --from --input --dtmf --deliveries --wrong-signature --no-wrong-signature --timestamp-offset' ;;
    (*) REPLY= ;;
  esac
  REPLY+=' --profile --format --json --jq --output --force --header --body --set --timeout --connect-timeout --idle-timeout --retries --max-wait --dry-run --curl --verbose --quiet --cost --no-cost --max-cost --color --no-progress --no-stdin --yes --base-url --management-url --realtime-url --docs-url --team-id --help --help-all'
}

# What stands for the value of the flag $2 of the command $1, or for its argument @1, @2,
# ... and @rest; empty when nothing does.
_svc_values() {
  REPLY=
  case $1 in
    ('chat create'|'chat')
      case $2 in
        (--prompt|--system|--message|--messages|--logit-bias|--response-format|--tools|--web-search-options-filters|--web-search-options-user-location|--search-parameters-sources|@1) REPLY='at' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--image|--file) REPLY='file' ;;
        (--frequency-penalty|--max-completion-tokens|--max-tokens|--n|--presence-penalty|--seed|--stop|--web-search-options-search-context-size|--tool|--allow-tools|--tool-timeout|--tool-max-output|--max-tool-rounds|--schema|--allowed-domain|--excluded-domain|--country|--x-handle|--excluded-x-handle|--from-date|--to-date|--max-search-results|--temperature|--top-p|--top-logprobs|--prompt-cache-key|--user|--search-parameters-from-date|--search-parameters-to-date|--search-parameters-max-search-results|--poll-interval|--wait-timeout|--each|--jobs|--column|--id-column|--journal) REPLY='free' ;;
        (--reasoning-effort) REPLY='words none low medium high' ;;
        (--tool-choice) REPLY='words none auto required' ;;
        (--session) REPLY='ask sessions' ;;
        (--service-tier) REPLY='words default priority auto fast' ;;
        (--search-parameters-mode) REPLY='words off on auto' ;;
        (--input-form) REPLY='words jsonl txt csv tsv' ;;
        (--order) REPLY='words input arrival' ;;
      esac
      ;;
    ('chat deferred')
      case $2 in
        (--request-id|--poll-interval|--wait-timeout|@1) REPLY='free' ;;
      esac
      ;;
    ('responses create'|'responses')
      case $2 in
        (--input|--input-items|--message|--instructions|--context-management|--metadata|--text-format|--tools|--mcp-auth|--search-parameters-sources|@1) REPLY='at' ;;
        (--image|--file) REPLY='file' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--previous-response-id|--max-output-tokens|--max-turns|--min-p|--top-k|--reasoning-generate-summary|--truncation|--tool|--allow-tools|--tool-timeout|--tool-max-output|--max-tool-rounds|--schema|--allowed-domain|--excluded-domain|--x-handle|--excluded-x-handle|--from-date|--to-date|--collection-results|--mcp|--mcp-label|--mcp-description|--mcp-tool|--temperature|--top-p|--top-logprobs|--prompt-cache-key|--user|--search-parameters-from-date|--search-parameters-to-date|--search-parameters-max-search-results) REPLY='free' ;;
        (--include) REPLY='words reasoning.encrypted_content web_search_call.action.sources code_interpreter_call.outputs file_search_call.results no_inline_citations' ;;
        (--reasoning-effort|--flat-reasoning-effort) REPLY='words none low medium high' ;;
        (--reasoning-summary) REPLY='words auto concise detailed' ;;
        (--tool-choice) REPLY='words none auto required' ;;
        (--session) REPLY='ask sessions' ;;
        (--collection) REPLY='ask collections' ;;
        (--service-tier) REPLY='words default priority auto fast' ;;
        (--search-parameters-mode) REPLY='words off on auto' ;;
      esac
      ;;
    ('responses get')
      case $2 in
        (--response-id|@1) REPLY='free' ;;
      esac
      ;;
    ('responses compact')
      case $2 in
        (--input|--input-items|--message|@1) REPLY='at' ;;
        (--image|--file) REPLY='file' ;;
        (--model|-m) REPLY='ask language-models' ;;
      esac
      ;;
    ('responses delete')
      case $2 in
        (--response-id|@1) REPLY='free' ;;
      esac
      ;;
    ('responses inputs')
      case $2 in
        (--response-id|--limit|--page-size|--pagination-token|@1) REPLY='free' ;;
        (--order) REPLY='words asc desc' ;;
      esac
      ;;
    ('images generate'|'images')
      case $2 in
        (--prompt|--storage-options-public-url|@1) REPLY='at' ;;
        (--model|-m) REPLY='words svc-imagine-image svc-imagine-image-quality svc-imagine-image-2.0 svc-imagine-image-pro' ;;
        (--n|--user|--storage-options-filename|--storage-options-expires-after|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--aspect-ratio) REPLY='words 1:1 3:4 4:3 9:16 16:9 2:3 3:2 9:19.5 19.5:9 9:20 20:9 1:2 2:1 21:9 5:2 auto' ;;
        (--resolution) REPLY='words 1k 1.5k 2k' ;;
        (--quality) REPLY='words low medium auto' ;;
        (--response-format) REPLY='words url b64_json' ;;
      esac
      ;;
    ('images edit')
      case $2 in
        (--prompt|--images|--storage-options-public-url|@1) REPLY='at' ;;
        (--image) REPLY='file' ;;
        (--model|-m) REPLY='words svc-imagine-image svc-imagine-image-quality svc-imagine-image-2.0 svc-imagine-image-pro' ;;
        (--n|--user|--image-url|--image-image-url|--image-type|--storage-options-filename|--storage-options-expires-after|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--aspect-ratio) REPLY='words 1:1 3:4 4:3 9:16 16:9 2:3 3:2 9:19.5 19.5:9 9:20 20:9 1:2 2:1 21:9 5:2 auto' ;;
        (--resolution) REPLY='words 1k 1.5k 2k' ;;
        (--quality) REPLY='words low medium auto' ;;
        (--response-format) REPLY='words url b64_json' ;;
        (--image-file-id) REPLY='ask files' ;;
      esac
      ;;
    ('images get')
      case $2 in
        (--request-id|@1) REPLY='free' ;;
      esac
      ;;
    ('images wait')
      case $2 in
        (--request-id|--poll-interval|--wait-timeout|@1) REPLY='free' ;;
      esac
      ;;
    ('videos generate'|'videos')
      case $2 in
        (--prompt|--reference-images|--keyframes|--storage-options-public-url|@1) REPLY='at' ;;
        (--model|-m) REPLY='words svc-imagine-video svc-imagine-video-1.5' ;;
        (--image|--reference-image|--last-frame|--keyframe) REPLY='file' ;;
        (--duration|--seconds|--output-upload-url|--user|--image-url|--image-image-url|--image-type|--storage-options-filename|--storage-options-expires-after|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--aspect-ratio) REPLY='words 1:1 16:9 9:16 4:3 3:4 3:2 2:3' ;;
        (--resolution) REPLY='words 480p 720p 1080p' ;;
        (--reference-audios) REPLY='ask voices' ;;
        (--image-file-id) REPLY='ask files' ;;
      esac
      ;;
    ('videos edit')
      case $2 in
        (--prompt|--storage-options-public-url|@1) REPLY='at' ;;
        (--video) REPLY='file' ;;
        (--video-url|--output-upload-url|--user|--storage-options-filename|--storage-options-expires-after|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--video-file-id) REPLY='ask files' ;;
        (--model|-m) REPLY='words svc-imagine-video svc-imagine-video-1.5' ;;
      esac
      ;;
    ('videos extend')
      case $2 in
        (--prompt|--storage-options-public-url|@1) REPLY='at' ;;
        (--video) REPLY='file' ;;
        (--video-url|--output-upload-url|--duration|--storage-options-filename|--storage-options-expires-after|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--video-file-id) REPLY='ask files' ;;
        (--model|-m) REPLY='words svc-imagine-video svc-imagine-video-1.5' ;;
      esac
      ;;
    ('videos get')
      case $2 in
        (--request-id|@1) REPLY='free' ;;
      esac
      ;;
    ('videos wait')
      case $2 in
        (--request-id|--poll-interval|--wait-timeout|@1) REPLY='free' ;;
      esac
      ;;
    ('tts speak'|'tts')
      case $2 in
        (--text|--replace|@1) REPLY='at' ;;
        (--language) REPLY='words auto en ar-EG ar-SA ar-AE bn zh fr de hi id it ja ko pt-BR pt-PT ru es-MX es-ES tr vi' ;;
        (--voice-id|--voice) REPLY='ask voices' ;;
        (--output-format-codec|--codec) REPLY='words mp3 wav pcm mulaw alaw' ;;
        (--output-format-sample-rate|--sample-rate) REPLY='words 8000 16000 22050 24000 44100 48000' ;;
        (--output-format-bit-rate|--bit-rate) REPLY='words 32000 64000 96000 128000 192000' ;;
        (--speed|--optimize-streaming-latency|--timestamps|--subtitles|--output-device) REPLY='free' ;;
      esac
      ;;
    ('tts voices')
      case $2 in
        (--sample) REPLY='ask voices' ;;
        (--output-device) REPLY='free' ;;
      esac
      ;;
    ('tts voice')
      case $2 in
        (--voice-id|@1) REPLY='ask voices' ;;
        (--output-device) REPLY='free' ;;
      esac
      ;;
    ('stt transcribe'|'stt')
      case $2 in
        (--url|--channels|--keyterm|--vad-threshold|--jobs) REPLY='free' ;;
        (--audio-format) REPLY='words pcm mulaw alaw wav mp3 ogg opus flac aac mp4 m4a mkv' ;;
        (--sample-rate|--sample-rate-hertz) REPLY='words 8000 16000 22050 24000 44100 48000' ;;
        (--language) REPLY='words ar cs da nl en fil fr de hi id it ja ko mk ms fa pl pt ro ru es sv th tr vi' ;;
        (--model|-m) REPLY='words svc-voice-transcribe-2.0 svc-voice-transcribe-1.0' ;;
        (--transcript-format) REPLY='words text srt vtt json words' ;;
        (--file|@rest) REPLY='file' ;;
      esac
      ;;
    ('stt live')
      case $2 in
        (--input|--endpointing|--channels|--keyterm|--smart-turn|--smart-turn-timeout|--vad-threshold|--input-device) REPLY='free' ;;
        (--sample-rate) REPLY='words 8000 16000 22050 24000 44100 48000' ;;
        (--encoding) REPLY='words pcm mulaw alaw' ;;
        (--language) REPLY='words ar cs da nl en fil fr de hi id it ja ko mk ms fa pl pt ro ru es sv th tr vi' ;;
        (--transcript-format) REPLY='words text srt vtt json words' ;;
      esac
      ;;
    ('realtime talk')
      case $2 in
        (--input|--audio-output|--turns|--transcript|--record|--session-limit|--tool|--allow-tools|--tool-timeout|--tool-max-output|--input-device|--output-device|--call-id|--call|--conversation-id|--agent-id|--turn-detection-threshold|--turn-detection-silence-duration-ms|--turn-detection-prefix-padding-ms|--turn-detection-idle-timeout-ms|--mcp|--audio-input-transcription-language-hint|--language-hint|--audio-input-transcription-keyterms|--keyterm|--audio-output-speed|--speed) REPLY='free' ;;
        (--say|--protocol-secret|--session|--instructions|--tools|--replace) REPLY='at' ;;
        (--model|-m) REPLY='words svc-voice-latest svc-voice-think-fast-2.0 svc-voice-think-fast-1.0' ;;
        (--reasoning-effort) REPLY='words high none' ;;
        (--voice) REPLY='ask voices' ;;
        (--turn-detection|--turn-detection-type) REPLY='words server_vad none' ;;
        (--file-search) REPLY='ask collections' ;;
        (--type) REPLY='words realtime' ;;
        (--audio-input-format-type|--audio-output-format-type) REPLY='words audio/pcm audio/pcmu audio/pcma audio/opus' ;;
        (--audio-input-format-rate|--audio-output-format-rate) REPLY='words 8000 16000 22050 24000 32000 44100 48000' ;;
        (--audio-input-transport|--audio-output-transport) REPLY='words json binary' ;;
        (--audio-input-transcription-model) REPLY='words svc-transcribe' ;;
      esac
      ;;
    ('realtime connect')
      case $2 in
        (--model|-m) REPLY='words svc-voice-latest svc-voice-think-fast-2.0 svc-voice-think-fast-1.0' ;;
        (--reasoning-effort) REPLY='words high none' ;;
        (--call-id|--call|--conversation-id|--agent-id|--linger|--turn-detection-threshold|--turn-detection-silence-duration-ms|--turn-detection-prefix-padding-ms|--turn-detection-idle-timeout-ms|--mcp|--audio-input-transcription-language-hint|--language-hint|--audio-input-transcription-keyterms|--keyterm|--audio-output-speed|--speed) REPLY='free' ;;
        (--protocol-secret|--session|--instructions|--tools|--replace) REPLY='at' ;;
        (--voice) REPLY='ask voices' ;;
        (--turn-detection|--turn-detection-type) REPLY='words server_vad none' ;;
        (--file-search) REPLY='ask collections' ;;
        (--type) REPLY='words realtime' ;;
        (--audio-input-format-type|--audio-output-format-type) REPLY='words audio/pcm audio/pcmu audio/pcma audio/opus' ;;
        (--audio-input-format-rate|--audio-output-format-rate) REPLY='words 8000 16000 22050 24000 32000 44100 48000' ;;
        (--audio-input-transport|--audio-output-transport) REPLY='words json binary' ;;
        (--audio-input-transcription-model) REPLY='words svc-transcribe' ;;
      esac
      ;;
    ('realtime secret')
      case $2 in
        (--expires-after|--expires-after-seconds|--turn-detection-threshold|--turn-detection-silence-duration-ms|--turn-detection-prefix-padding-ms|--turn-detection-idle-timeout-ms|--mcp|--audio-input-transcription-language-hint|--language-hint|--audio-input-transcription-keyterms|--keyterm|--audio-output-speed|--speed) REPLY='free' ;;
        (--session|--instructions|--tools|--replace) REPLY='at' ;;
        (--voice) REPLY='ask voices' ;;
        (--turn-detection|--turn-detection-type) REPLY='words server_vad none' ;;
        (--file-search) REPLY='ask collections' ;;
        (--type) REPLY='words realtime' ;;
        (--audio-input-format-type|--audio-output-format-type) REPLY='words audio/pcm audio/pcmu audio/pcma audio/opus' ;;
        (--audio-input-format-rate|--audio-output-format-rate) REPLY='words 8000 16000 22050 24000 32000 44100 48000' ;;
        (--audio-input-transport|--audio-output-transport) REPLY='words json binary' ;;
        (--audio-input-transcription-model) REPLY='words svc-transcribe' ;;
        (--model|-m) REPLY='words svc-voice-latest svc-voice-think-fast-2.0 svc-voice-think-fast-1.0' ;;
        (--reasoning-effort) REPLY='words high none' ;;
      esac
      ;;
    ('phone create')
      case $2 in
        (--name|--phone-number|--area-code|--webhook-url|--webhook-name|--webhook-auth-url|--agent-id|--sip-auth-auth-username|--sip-auth-username|--sip-auth-allowed-addresses|--secret-file|@1) REPLY='free' ;;
        (--origin) REPLY='words svc_provisioned byo_trunk' ;;
        (--webhook-auth-token|--sip-auth-auth-password|--sip-auth-password) REPLY='at' ;;
      esac
      ;;
    ('phone get')
      case $2 in
        (--phone-number-id|@1) REPLY='ask phone-numbers' ;;
      esac
      ;;
    ('phone update')
      case $2 in
        (--phone-number-id|@1) REPLY='ask phone-numbers' ;;
        (--name|--agent-id|--webhook-id) REPLY='free' ;;
        (--clear) REPLY='words name agent-id webhook-id outbound-sms-enabled' ;;
      esac
      ;;
    ('phone delete')
      case $2 in
        (--phone-number-id|@rest) REPLY='ask phone-numbers' ;;
      esac
      ;;
    ('phone refer')
      case $2 in
        (--call-id|--target-uri|@1|@2) REPLY='free' ;;
      esac
      ;;
    ('phone hangup')
      case $2 in
        (--call-id|@1) REPLY='free' ;;
      esac
      ;;
    ('phone answer')
      case $2 in
        (--call-id|--session-limit|--turn-detection-threshold|--turn-detection-silence-duration-ms|--turn-detection-prefix-padding-ms|--turn-detection-idle-timeout-ms|--mcp|@1) REPLY='free' ;;
        (--greeting|--session|--instructions|--tools|--replace) REPLY='at' ;;
        (--voice) REPLY='ask voices' ;;
        (--turn-detection|--turn-detection-type) REPLY='words server_vad none' ;;
        (--file-search) REPLY='ask collections' ;;
        (--type) REPLY='words realtime' ;;
        (--reasoning-effort) REPLY='words high none' ;;
      esac
      ;;
    ('phone listen')
      case $2 in
        (--port|--address|--path|--exec|--exec-jobs|--exec-timeout|--events|--session-limit|--turn-detection-threshold|--turn-detection-silence-duration-ms|--turn-detection-prefix-padding-ms|--turn-detection-idle-timeout-ms|--mcp) REPLY='free' ;;
        (--secret|--auth-token|--greeting|--session|--instructions|--tools|--replace) REPLY='at' ;;
        (--voice) REPLY='ask voices' ;;
        (--turn-detection|--turn-detection-type) REPLY='words server_vad none' ;;
        (--file-search) REPLY='ask collections' ;;
        (--type) REPLY='words realtime' ;;
        (--reasoning-effort) REPLY='words high none' ;;
      esac
      ;;
    ('phone verify')
      case $2 in
        (--delivery|--headers|--webhook-id|--webhook-timestamp|--webhook-signature|--at|@1) REPLY='free' ;;
        (--secret) REPLY='at' ;;
      esac
      ;;
    ('batches create')
      case $2 in
        (--name|@1) REPLY='free' ;;
        (--input-file-id) REPLY='ask files' ;;
      esac
      ;;
    ('batches list')
      case $2 in
        (--limit|--page-size|--pagination-token) REPLY='free' ;;
      esac
      ;;
    ('batches get')
      case $2 in
        (--batch-id|@1) REPLY='ask batches' ;;
      esac
      ;;
    ('batches add')
      case $2 in
        (--batch-id|@1) REPLY='ask batches' ;;
        (--file|@2) REPLY='free' ;;
        (--batch-requests) REPLY='at' ;;
      esac
      ;;
    ('batches requests')
      case $2 in
        (--batch-id|@1) REPLY='ask batches' ;;
        (--limit|--page-size|--pagination-token) REPLY='free' ;;
      esac
      ;;
    ('batches results')
      case $2 in
        (--batch-id|@1) REPLY='ask batches' ;;
        (--limit|--page-size|--pagination-token) REPLY='free' ;;
      esac
      ;;
    ('batches cancel')
      case $2 in
        (--batch-id|@1) REPLY='ask batches' ;;
      esac
      ;;
    ('batches wait')
      case $2 in
        (--batch-id|@1) REPLY='ask batches' ;;
        (--poll-interval|--wait-timeout) REPLY='free' ;;
      esac
      ;;
    ('batches run')
      case $2 in
        (--file|--shard|--name|--batch-size|--call-size|--poll-interval|--wait-timeout|--column|--id-column|--journal|@1) REPLY='free' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--system|--template) REPLY='at' ;;
        (--input-form) REPLY='words jsonl txt csv tsv' ;;
        (--order) REPLY='words input arrival' ;;
      esac
      ;;
    ('files upload')
      case $2 in
        (--expires-after|--expires-after-seconds|--purpose|--name|--content-type) REPLY='free' ;;
        (--expires-after-anchor) REPLY='words created_at' ;;
        (--file|@rest) REPLY='file' ;;
      esac
      ;;
    ('files list')
      case $2 in
        (--order) REPLY='words asc desc' ;;
        (--sort-by) REPLY='words created_at filename size' ;;
        (--filter|--after|--limit|--page-size|--pagination-token) REPLY='free' ;;
      esac
      ;;
    ('files get')
      case $2 in
        (--file-id|@1) REPLY='ask files' ;;
      esac
      ;;
    ('files update')
      case $2 in
        (--file-id|@1) REPLY='ask files' ;;
        (--name|--content-type) REPLY='free' ;;
        (--data) REPLY='file' ;;
      esac
      ;;
    ('files delete')
      case $2 in
        (--file-id|@rest) REPLY='ask files' ;;
      esac
      ;;
    ('files initialize')
      case $2 in
        (--name|--content-type|@1) REPLY='free' ;;
      esac
      ;;
    ('files upload-chunk')
      case $2 in
        (--file-id|@1) REPLY='ask files' ;;
        (--chunk|@2) REPLY='file' ;;
      esac
      ;;
    ('files download')
      case $2 in
        (--content-format) REPLY='words original text' ;;
        (--file-id|@rest) REPLY='ask files' ;;
      esac
      ;;
    ('files publish')
      case $2 in
        (--file-id|@1) REPLY='ask files' ;;
        (--expires-after) REPLY='free' ;;
      esac
      ;;
    ('files unpublish')
      case $2 in
        (--file-id|@1) REPLY='ask files' ;;
      esac
      ;;
    ('tokenize')
      case $2 in
        (--text|@1) REPLY='at' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--user) REPLY='free' ;;
      esac
      ;;
    ('legacy completions')
      case $2 in
        (--prompt|--logit-bias|--suffix|@rest) REPLY='at' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--max-tokens|--temperature|--top-p|--n|--seed|--stop|--logprobs|--user|--best-of|--frequency-penalty|--presence-penalty) REPLY='free' ;;
      esac
      ;;
    ('legacy messages')
      case $2 in
        (--prompt|--system|--message|--messages|--tools|--tool-choice|@1) REPLY='at' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--image) REPLY='file' ;;
        (--max-tokens|--temperature|--top-p|--stop-sequences|--metadata-user-id|--top-k) REPLY='free' ;;
      esac
      ;;
    ('legacy complete')
      case $2 in
        (--prompt|@1) REPLY='at' ;;
        (--model|-m) REPLY='ask language-models' ;;
        (--max-tokens-to-sample|--temperature|--top-p|--stop-sequences|--metadata-user-id|--top-k) REPLY='free' ;;
      esac
      ;;
    ('docs search'|'docs')
      case $2 in
        (--query|@1) REPLY='at' ;;
        (--max-results) REPLY='free' ;;
      esac
      ;;
    ('docs get')
      case $2 in
        (--slug|@1) REPLY='free' ;;
      esac
      ;;
    ('models list'|'models')
      case $2 in
        (--kind) REPLY='words language embedding image audio video' ;;
        (--cluster) REPLY='free' ;;
      esac
      ;;
    ('keys create')
      case $2 in
        (--name|--qps|--qpm|--tpm|--expire-time|@1) REPLY='free' ;;
        (--acls) REPLY='ask acls' ;;
        (--save-profile) REPLY='ask profiles' ;;
      esac
      ;;
    ('keys list')
      case $2 in
        (--acl-filters) REPLY='ask acls' ;;
        (--limit|--page-size|--pagination-token) REPLY='free' ;;
      esac
      ;;
    ('keys update')
      case $2 in
        (--api-key-id|@1) REPLY='ask keys' ;;
        (--name|--qps|--qpm|--tpm|--expire-time) REPLY='free' ;;
        (--acl-strings|--acls) REPLY='ask acls' ;;
        (--clear) REPLY='words name qps qpm tpm expire-time acl-strings' ;;
      esac
      ;;
    ('keys rotate')
      case $2 in
        (--api-key-id|@1) REPLY='ask keys' ;;
        (--expire-time|--old-secret-expire-time) REPLY='free' ;;
        (--save-profile) REPLY='ask profiles' ;;
      esac
      ;;
    ('keys delete')
      case $2 in
        (--api-key-id|@rest) REPLY='ask keys' ;;
      esac
      ;;
    ('keys propagation')
      case $2 in
        (--api-key-id|@1) REPLY='ask keys' ;;
        (--poll-interval|--wait-timeout) REPLY='free' ;;
      esac
      ;;
    ('collections create')
      case $2 in
        (--collection-name|--field|--version|--chunk-size|--chunk-overlap|--chunk-encoding|--chunk-configuration-chars-configuration-max-chunk-size-chars|--chunk-configuration-chars-configuration-chunk-overlap-chars|--chunk-configuration-tokens-configuration-max-chunk-size-tokens|--chunk-configuration-tokens-configuration-chunk-overlap-tokens|--chunk-configuration-tokens-configuration-encoding-name|--chunk-configuration-ast-configuration-max-chunk-size-tokens|--chunk-configuration-ast-configuration-encoding-name|--chunk-configuration-table-configuration-max-chunk-size-tokens|--chunk-configuration-table-configuration-encoding-name|--chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens|--chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens|--chunk-configuration-markdown-tokens-configuration-encoding-name|--chunk-configuration-markdown-chars-configuration-max-chunk-size-chars|--chunk-configuration-markdown-chars-configuration-chunk-overlap-chars|--chunk-configuration-code-tokens-configuration-max-chunk-size-tokens|--chunk-configuration-code-tokens-configuration-chunk-overlap-tokens|--chunk-configuration-code-tokens-configuration-encoding-name|--chunk-configuration-code-chars-configuration-max-chunk-size-chars|--chunk-configuration-code-chars-configuration-chunk-overlap-chars|--chunk-configuration-bytes-configuration-max-chunk-size-bytes|--chunk-configuration-bytes-configuration-chunk-overlap-bytes|@1) REPLY='free' ;;
        (--collection-description|--field-definitions) REPLY='at' ;;
        (--index-configuration-model-name) REPLY='ask models' ;;
        (--metric-space) REPLY='words HNSW_METRIC_UNKNOWN HNSW_METRIC_COSINE HNSW_METRIC_EUCLIDEAN HNSW_METRIC_INNER_PRODUCT' ;;
        (--chunk-strategy) REPLY='words chars tokens ast table markdown-tokens markdown-chars code-tokens code-chars bytes' ;;
      esac
      ;;
    ('collections list')
      case $2 in
        (--filter|--limit|--page-size|--pagination-token) REPLY='free' ;;
        (--order) REPLY='words ORDERING_UNKNOWN ORDERING_ASCENDING ORDERING_DESCENDING' ;;
        (--sort-by) REPLY='words COLLECTIONS_SORT_BY_NAME COLLECTIONS_SORT_BY_AGE' ;;
      esac
      ;;
    ('collections get')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
      esac
      ;;
    ('collections update')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--collection-name|--add-field|--delete-field|--chunk-size|--chunk-overlap|--chunk-encoding|--chunk-configuration-chars-configuration-max-chunk-size-chars|--chunk-configuration-chars-configuration-chunk-overlap-chars|--chunk-configuration-tokens-configuration-max-chunk-size-tokens|--chunk-configuration-tokens-configuration-chunk-overlap-tokens|--chunk-configuration-tokens-configuration-encoding-name|--chunk-configuration-ast-configuration-max-chunk-size-tokens|--chunk-configuration-ast-configuration-encoding-name|--chunk-configuration-table-configuration-max-chunk-size-tokens|--chunk-configuration-table-configuration-encoding-name|--chunk-configuration-markdown-tokens-configuration-max-chunk-size-tokens|--chunk-configuration-markdown-tokens-configuration-chunk-overlap-tokens|--chunk-configuration-markdown-tokens-configuration-encoding-name|--chunk-configuration-markdown-chars-configuration-max-chunk-size-chars|--chunk-configuration-markdown-chars-configuration-chunk-overlap-chars|--chunk-configuration-code-tokens-configuration-max-chunk-size-tokens|--chunk-configuration-code-tokens-configuration-chunk-overlap-tokens|--chunk-configuration-code-tokens-configuration-encoding-name|--chunk-configuration-code-chars-configuration-max-chunk-size-chars|--chunk-configuration-code-chars-configuration-chunk-overlap-chars|--chunk-configuration-bytes-configuration-max-chunk-size-bytes|--chunk-configuration-bytes-configuration-chunk-overlap-bytes) REPLY='free' ;;
        (--collection-description|--field-definition-updates) REPLY='at' ;;
        (--chunk-strategy) REPLY='words chars tokens ast table markdown-tokens markdown-chars code-tokens code-chars bytes' ;;
      esac
      ;;
    ('collections delete')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
      esac
      ;;
    ('collections search')
      case $2 in
        (--query|--instructions|--group-by-aggregate|@1) REPLY='at' ;;
        (--source-collection-ids|--collection) REPLY='ask collections' ;;
        (--source-rag-pipeline|--rag-pipeline) REPLY='words chroma_db es' ;;
        (--filter|--limit|--group-by-keys|--retrieval-mode-search-multiplier|--retrieval-mode-reranker-model|--retrieval-mode-reranker-instructions|--retrieval-mode-reranker-k|--retrieval-mode-reranker-embedding-weight|--retrieval-mode-reranker-text-weight) REPLY='free' ;;
        (--retrieval-mode-type|--mode) REPLY='words hybrid semantic keyword' ;;
        (--retrieval-mode-reranker-type) REPLY='words reranker_model rrf' ;;
        (--ranking-metric) REPLY='words RANKING_METRIC_UNKNOWN RANKING_METRIC_L2_DISTANCE RANKING_METRIC_COSINE_SIMILARITY' ;;
      esac
      ;;
    ('collections documents add')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--file-id|@rest) REPLY='ask files' ;;
        (--fields) REPLY='at' ;;
        (--field-value|--jobs|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--manifest) REPLY='file' ;;
      esac
      ;;
    ('collections documents upload')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--name|--content-type) REPLY='free' ;;
        (--fields) REPLY='at' ;;
        (--data) REPLY='file' ;;
      esac
      ;;
    ('collections documents list')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--filter|--name|--limit|--page-size|--pagination-token) REPLY='free' ;;
        (--order) REPLY='words ORDERING_UNKNOWN ORDERING_ASCENDING ORDERING_DESCENDING' ;;
        (--sort-by) REPLY='words DOCUMENTS_SORT_BY_NAME DOCUMENTS_SORT_BY_SIZE DOCUMENTS_SORT_BY_AGE' ;;
      esac
      ;;
    ('collections documents get')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--file-id|@2) REPLY='ask files' ;;
        (--poll-interval|--wait-timeout) REPLY='free' ;;
      esac
      ;;
    ('collections documents batch-get')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--file-ids|@rest) REPLY='ask files' ;;
      esac
      ;;
    ('collections documents reindex')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--file-id|@2) REPLY='ask files' ;;
      esac
      ;;
    ('collections documents remove')
      case $2 in
        (--collection-id|@1) REPLY='ask collections' ;;
        (--file-id|@rest) REPLY='ask files' ;;
      esac
      ;;
    ('billing info set')
      case $2 in
        (--billing-info-name|--billing-info-email|--billing-info-address-line1|--billing-info-address-line2|--billing-info-address-city|--billing-info-address-country|--billing-info-address-postal-code|--billing-info-address-state|--billing-info-tax-id-type|--billing-info-tax-number|--name|--email|--line1|--line2|--city|--country|--postal-code|--state|--tax-id-type|--tax-number) REPLY='free' ;;
      esac
      ;;
    ('billing invoices')
      case $2 in
        (--invoice-ids-invoice-ids|--billing-cycle-year|--billing-cycle-month|--since-year|--since-month|@rest) REPLY='free' ;;
      esac
      ;;
    ('billing payment-methods set-default')
      case $2 in
        (--payment-method-id|@1) REPLY='ask payment-methods' ;;
      esac
      ;;
    ('billing limits set')
      case $2 in
        (--desired-soft-spending-limit|@1) REPLY='free' ;;
      esac
      ;;
    ('billing top-up')
      case $2 in
        (--amount|@1) REPLY='free' ;;
      esac
      ;;
    ('billing usage')
      case $2 in
        (--by) REPLY='words day model command profile' ;;
        (--since|--until) REPLY='free' ;;
      esac
      ;;
    ('history list'|'history')
      case $2 in
        (--limit) REPLY='free' ;;
      esac
      ;;
    ('history show')
      case $2 in
        (--conversation|@1) REPLY='ask conversations' ;;
      esac
      ;;
    ('history search')
      case $2 in
        (--text|--limit|@rest) REPLY='free' ;;
      esac
      ;;
    ('history export')
      case $2 in
        (--conversation|@rest) REPLY='ask conversations' ;;
        (--as) REPLY='words md json jsonl' ;;
      esac
      ;;
    ('history delete')
      case $2 in
        (--conversation|@rest) REPLY='ask conversations' ;;
        (--older-than) REPLY='free' ;;
      esac
      ;;
    ('api')
      case $2 in
        (--method|@1) REPLY='words GET POST PUT PATCH DELETE HEAD OPTIONS get post' ;;
        (--path|--socket|--linger|--subprotocol|@2) REPLY='free' ;;
        (--host) REPLY='words inference management docs' ;;
        (--send|--receive) REPLY='words lines binary' ;;
      esac
      ;;
    ('config get')
      case $2 in
        (--name|@1) REPLY='ask settings' ;;
      esac
      ;;
    ('config set')
      case $2 in
        (--name|@1) REPLY='ask settings' ;;
        (--value|@2) REPLY='free' ;;
      esac
      ;;
    ('completion')
      case $2 in
        (--shell|@1) REPLY='words bash zsh fish' ;;
      esac
      ;;
    ('emulator')
      case $2 in
        (--host|--port|--state|--cert|--key|--fault|--answers|--seed|--clock) REPLY='free' ;;
      esac
      ;;
    ('emulator call')
      case $2 in
        (--to|--from|--dtmf|--deliveries|--timestamp-offset) REPLY='free' ;;
        (--input) REPLY='file' ;;
      esac
      ;;
  esac
  [[ -n $REPLY ]] && return
  case $2 in
    (--profile|-p) REPLY='ask profiles' ;;
    (--format|-f) REPLY='words text json jsonl raw' ;;
    (--jq|--header|-H|--set|--timeout|--connect-timeout|--idle-timeout|--retries|--max-wait|--max-cost|--base-url|--management-url|--realtime-url|--docs-url|--team-id) REPLY='free' ;;
    (--output|-o) REPLY='file' ;;
    (--body) REPLY='at' ;;
    (--color) REPLY='words auto always never' ;;
  esac
}

# Adds to COMPREPLY what the kind of value $1 allows for the word $2.
_svc_offer() {
  local path words IFS=$' \t\n'
  case $1,$2 in
    ('words '*) COMPREPLY+=($(compgen -W "${1#words }" -- "$2")) ;;
    ('ask '*)
      # The candidates hold nothing that the shell would expand.
      words=$("${COMP_WORDS[0]}" __complete "${1#ask }" "${COMP_WORDS[@]:1}" 2>/dev/null)
      COMPREPLY+=($(compgen -W "$words" -- "$2"))
      ;;
    (file,*)
      compopt -o filenames 2>/dev/null
      while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "$2")
      ;;
    (at,@*)
      compopt -o nospace 2>/dev/null
      while IFS= read -r path; do
        if [[ -d $path ]]; then path+=/; else path+=' '; fi
        COMPREPLY+=("@$(_svc_quote "$path")")
      done < <(compgen -f -- "${2#@}")
      ;;
  esac
}

# $1 as a word of the shell, but for a blank or slash at its end.
_svc_quote() {
  local last=${1: -1}
  printf '%q%s' "${1%?}" "$last"
}

_svc() {
  local current=$2 command= flag= glue= settled= dashes= taken= value= word REPLY
  local -i i place=0 last=COMP_CWORD
  COMPREPLY=()
  # bash cuts words at =, : and @, so one value may come in several pieces; in $2, which is what
  # will be replaced, the @ is there again.
  if [[ $current == @* && ${COMP_WORDS[last]} != [=:@]* ]]; then
    last+=-1
  elif [[ ${COMP_WORDS[last]} == : ]]; then
    current= last+=1
  elif [[ ${COMP_WORDS[last]} == [=:]*: ]]; then
    return
  fi
  for ((i = 1; i < last; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == [=:@]* ]]; then
      [[ $word == @ && -z $flag ]] && settled=1 place+=1
      value+=$word
      glue=1
    elif [[ -n $glue ]]; then
      value+=$word
      glue= flag=
    elif [[ -n $flag ]]; then
      taken=$flag value=$word
      flag=
    elif [[ -z $dashes && $word == -- ]]; then
      dashes=1 taken=
    elif [[ -z $dashes && $word == -?* ]]; then
      taken=
      _svc_values "$command" "$word"
      [[ -n $REPLY ]] && flag=$word
    else
      taken=
      _svc_words "$command"
      if [[ -z $settled$dashes && " $REPLY " == *" $word "* ]]; then
        command+=${command:+ }$word
      else
        settled=1
        place+=1
      fi
    fi
  done
  if [[ -n $flag ]]; then
    _svc_values "$command" "$flag"
    _svc_offer "$REPLY" "$current"
  elif [[ -n $glue && -n $taken ]]; then
    # Of candidates with colons only what is not typed yet is offered.
    _svc_values "$command" "$taken"
    [[ $REPLY == 'ask '* || $REPLY == 'words '* ]] && _svc_offer "$REPLY" "$value$current"
    COMPREPLY=("${COMPREPLY[@]#"$value"}")
  elif [[ -n $glue ]]; then
    return
  elif [[ -z $dashes && $current == -* ]]; then
    _svc_flags "$command"
    _svc_offer "words $REPLY" "$current"
  else
    if [[ -z $settled$dashes ]]; then
      _svc_words "$command"
      _svc_offer "words $REPLY" "$current"
    fi
    _svc_values "$command" "@$((place + 1))"
    [[ -n $REPLY ]] || _svc_values "$command" @rest
    _svc_offer "$REPLY" "$current"
  fi
}

complete -F _svc svc
