/** Completion scripts by shell. Made by scripts/generate.ts from the option table and the sub-commands: change those instead. */
export const completions: Readonly<Record<string, string>> = {
  bash: `# bash completion for gemini; load it with the line that \`gemini completion --help\` shows
_gemini_offer() {
  local lead="" typed=$current
  if [[ $typed == *,* ]]; then
    lead=\${typed%,*},
    typed=\${typed##*,}
  fi
  local word
  COMPREPLY=()
  for word in "$@"; do
    [[ $word == "$typed"* ]] && COMPREPLY+=("$lead$word")
  done
}
# Words that name themselves: nothing in them may act when bash reads the line.
_gemini_words() {
  local word hint
  while IFS=$'	' read -r word hint; do [[ $word =~ ^[A-Za-z0-9_.,:/@=+-]+$ ]] && printf '%s
' "$word"; done < <(GEMINI_COMPLETION_WORDS="$*" "\${COMP_WORDS[0]}" completion bash 2>/dev/null)
}
_gemini() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]}
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $first in
    help)
      ((COMP_CWORD == 2)) && _gemini_offer $(_gemini_words topics) config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion
      ((COMP_CWORD > 1)) && return
      ;;
    config)
      case $previous in
        -s|--scope)
          _gemini_offer user project
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --all --scope --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list get explain set unset init path validate
      elif [[ \${COMP_WORDS[2]} == get ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words settings)
      elif [[ \${COMP_WORDS[2]} == explain ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words settings)
      elif [[ \${COMP_WORDS[2]} == set ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words settings)
      elif [[ \${COMP_WORDS[2]} == set ]] && ((COMP_CWORD == 4)); then
        _gemini_offer $(_gemini_words values "\${COMP_WORDS[3]}")
      elif [[ \${COMP_WORDS[2]} == unset ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words settings)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    auth)
      if [[ $current == -* ]]; then
        _gemini_offer --json --quota --yes --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer login status logout token
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    mcp)
      case $previous in
        -s|--scope)
          _gemini_offer user project
          return
          ;;
        -t|--transport|--type)
          _gemini_offer stdio sse http
          return
          ;;
        -e|--env|-H|--header|--timeout|--description|--include-tools|--max-turns|--max-time|--max-tool-calls|--max-tokens|--max-cost)
          :
          return
          ;;
        --exclude-tools|--allowed-tools)
          _gemini_offer $(_gemini_words tools)
          return
          ;;
        -m|--model)
          _gemini_offer $(_gemini_words models)
          return
          ;;
        --approval-mode)
          _gemini_offer default auto_edit yolo plan
          return
          ;;
        --include-directories|--policy|--admin-policy)
          COMPREPLY=($(compgen -f -- "$current"))
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --scope --transport --env --header --timeout --trust --description --include-tools --exclude-tools --json --session --model --approval-mode --skip-trust --include-directories --policy --admin-policy --allowed-tools --max-turns --max-time --max-tool-calls --max-tokens --max-cost --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer add remove list enable disable test login logout serve
      elif [[ \${COMP_WORDS[2]} == remove ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words servers)
      elif [[ \${COMP_WORDS[2]} == enable ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words servers)
      elif [[ \${COMP_WORDS[2]} == disable ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words servers)
      elif [[ \${COMP_WORDS[2]} == test ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words servers)
      elif [[ \${COMP_WORDS[2]} == login ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words servers)
      elif [[ \${COMP_WORDS[2]} == logout ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words servers)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    a2a)
      case $previous in
        --port|--host|--workspace)
          :
          return
          ;;
        -m|--model)
          _gemini_offer $(_gemini_words models)
          return
          ;;
        --approval-mode)
          _gemini_offer default auto_edit yolo plan
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --port --host --workspace --no-token --model --approval-mode --skip-trust --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer serve
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    extensions|extension)
      case $previous in
        --ref)
          :
          return
          ;;
        -o|--output-format)
          _gemini_offer text json
          return
          ;;
        -s|--scope)
          _gemini_offer user workspace
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --ref --auto-update --pre-release --skip-settings --consent --json --all --output-format --scope --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer install uninstall list update disable enable link new validate config
      elif [[ \${COMP_WORDS[2]} == uninstall ]] && ((COMP_CWORD >= 3)); then
        _gemini_offer $(_gemini_words extensions)
      elif [[ \${COMP_WORDS[2]} == update ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words extensions)
      elif [[ \${COMP_WORDS[2]} == disable ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words extensions)
      elif [[ \${COMP_WORDS[2]} == enable ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words extensions)
      elif [[ \${COMP_WORDS[2]} == config ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words extensions)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    skills|skill)
      case $previous in
        -s|--scope)
          _gemini_offer user workspace
          return
          ;;
        --path)
          COMPREPLY=($(compgen -f -- "$current"))
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --all --json --scope --path --consent --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list enable disable install link uninstall
      elif [[ \${COMP_WORDS[2]} == enable ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words skills)
      elif [[ \${COMP_WORDS[2]} == disable ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words skills)
      elif [[ \${COMP_WORDS[2]} == uninstall ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words skills)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    hooks|hook)
      case $previous in
        --tool)
          _gemini_offer $(_gemini_words tools)
          return
          ;;
        --input)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --skip-trust --tool --input --from-claude --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list test migrate
      elif [[ \${COMP_WORDS[2]} == test ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words hook-events)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    policy)
      case $previous in
        --mode|--approval-mode)
          _gemini_offer default auto_edit yolo plan
          return
          ;;
        --cwd|--policy|--admin-policy)
          COMPREPLY=($(compgen -f -- "$current"))
          return
          ;;
        --allowed-tools|--tool)
          _gemini_offer $(_gemini_words tools)
          return
          ;;
        --args)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --mode --cwd --skip-trust --policy --admin-policy --allowed-tools --tool --args --headless --interactive --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list test
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    tools)
      case $previous in
        -m|--model)
          _gemini_offer $(_gemini_words models)
          return
          ;;
        --mode|--approval-mode)
          _gemini_offer default auto_edit yolo plan
          return
          ;;
        --cwd|--policy|--admin-policy)
          COMPREPLY=($(compgen -f -- "$current"))
          return
          ;;
        --allowed-tools)
          _gemini_offer $(_gemini_words tools)
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --model --mode --cwd --skip-trust --policy --admin-policy --allowed-tools --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list show
      elif [[ \${COMP_WORDS[2]} == show ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words tools)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    sessions)
      if [[ $current == -* ]]; then
        _gemini_offer --json --dry-run --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list show search export delete verify summarize fork prune
      elif [[ \${COMP_WORDS[2]} == show ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words sessions)
      elif [[ \${COMP_WORDS[2]} == export ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words sessions)
      elif [[ \${COMP_WORDS[2]} == delete ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words sessions)
      elif [[ \${COMP_WORDS[2]} == verify ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words sessions)
      elif [[ \${COMP_WORDS[2]} == summarize ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words sessions)
      elif [[ \${COMP_WORDS[2]} == fork ]] && ((COMP_CWORD == 3)); then
        _gemini_offer $(_gemini_words sessions)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    undo)
      if [[ $current == -* ]]; then
        _gemini_offer --json --yes --dry-run --force --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list $(_gemini_words sessions)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    stats)
      case $previous in
        --session)
          _gemini_offer $(_gemini_words sessions)
          return
          ;;
        --since)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --all --session --since --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer  $(_gemini_words sessions)
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    doctor)
      if [[ $current == -* ]]; then
        _gemini_offer --json --online --skip-trust --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer 
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    cache)
      case $previous in
        --dir|--older)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --dir --json --older --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer list show clear prune
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    cassette)
      case $previous in
        --entry)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --entry --last-only --dry-run --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer show verify prune
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    models)
      if [[ $current == -* ]]; then
        _gemini_offer --json --online --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer 
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    budget)
      case $previous in
        --usd|--tokens|--requests|--rpm|--tpm)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --usd --tokens --requests --rpm --tpm --force --json --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer init show reset
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    schema)
      if [[ $current == -* ]]; then
        _gemini_offer --json --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer check json stream-json input-stream settings policy hooks session cassette
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    sandbox)
      if [[ $current == -* ]]; then
        _gemini_offer --json --read-only --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer check run
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    run)
      if [[ $current == -* ]]; then
        _gemini_offer --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer 
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    batch)
      case $previous in
        --poll|-p|--prompt|--key|--file-field|--glob|--events|--gcs|-j|--concurrency|--retries|--output-schema|--max-cost|--max-tokens|--max-turns|--item-max-time|--item-max-cost|--append-system-prompt|--thinking|--shard)
          :
          return
          ;;
        -O|--output|--errors|--report|--cached-context|--policy)
          COMPREPLY=($(compgen -f -- "$current"))
          return
          ;;
        -o|--output-format)
          _gemini_offer json text
          return
          ;;
        --via)
          _gemini_offer live flex api
          return
          ;;
        --reroute)
          _gemini_offer flex live none
          return
          ;;
        --tier)
          _gemini_offer standard flex priority auto
          return
          ;;
        --on-quota)
          _gemini_offer fail wait
          return
          ;;
        -m|--model)
          _gemini_offer $(_gemini_words models)
          return
          ;;
        --tools)
          _gemini_offer $(_gemini_words tools)
          return
          ;;
        --approval-mode)
          _gemini_offer default auto_edit yolo plan
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --json --skip-trust --no-wait --poll --quiet --output --prompt --key --file-field --csv --glob --output-format --ordered --errors --report --events --via --gcs --detach --reroute --cached-context --tier --concurrency --retries --on-quota --model --output-schema --max-cost --max-tokens --max-turns --item-max-time --item-max-cost --bare --context --tools --approval-mode --worktree-per-item --policy --append-system-prompt --thinking --shard --retry-errors --changed --restart --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer status collect cancel merge
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    update)
      case $previous in
        --to|--version)
          :
          return
          ;;
      esac
      if [[ $current == -* ]]; then
        _gemini_offer --check --to --json --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer 
      fi
      ((COMP_CWORD > 1)) && return
      ;;
    completion)
      if [[ $current == -* ]]; then
        _gemini_offer --debug --help
      elif ((COMP_CWORD == 2)); then
        _gemini_offer bash zsh fish
      fi
      ((COMP_CWORD > 1)) && return
      ;;
  esac
  case $previous in
    -p|--prompt|-i|--prompt-interactive|--stdin-timeout|--permission-timeout|--system-prompt|--append-system-prompt|--thinking|--output-schema|--events|--max-turns|--max-time|--max-tool-calls|--max-tokens|--max-cost|--on-quota|-C|--cwd|--settings|-w|--worktree|--session-id|--mcp-config)
      :
      return
      ;;
    --input-format)
      _gemini_offer text stream-json
      return
      ;;
    --permission-prompts)
      _gemini_offer none stream
      return
      ;;
    -f|--file|--last-message-file|--policy|--admin-policy|--include-directories|--session-file|--record|--replay)
      COMPREPLY=($(compgen -f -- "$current"))
      return
      ;;
    -m|--model)
      _gemini_offer $(_gemini_words models)
      return
      ;;
    --tier)
      _gemini_offer standard flex priority auto
      return
      ;;
    -o|--output-format)
      _gemini_offer text json stream-json
      return
      ;;
    --approval-mode)
      _gemini_offer default auto_edit yolo plan
      return
      ;;
    --allowed-tools|--tools|--exclude-tools)
      _gemini_offer $(_gemini_words tools)
      return
      ;;
    -r|--resume|--delete-session)
      _gemini_offer $(_gemini_words sessions)
      return
      ;;
    -e|--extensions)
      _gemini_offer $(_gemini_words extensions)
      return
      ;;
    --allowed-mcp-server-names)
      _gemini_offer $(_gemini_words servers)
      return
      ;;
    --on-miss)
      _gemini_offer fail live record
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    _gemini_offer --prompt --prompt-interactive --stdin-timeout --input-format --strict-input --permission-prompts --permission-timeout --file --system-prompt --append-system-prompt --model --thinking --tier --output-format --output-schema --last-message-file --events --code --estimate --cache --raw-output --accept-raw-output-risk --quiet --verbose --no-progress --screen-reader --approval-mode --yolo --policy --admin-policy --allowed-tools --tools --no-tools --exclude-tools --skip-trust --sandbox --fail-on-denied --max-turns --max-time --max-tool-calls --max-tokens --max-cost --on-quota --cwd --include-directories --ignore-env --bare --settings --worktree --resume --continue --fork --session-id --session-file --ephemeral --list-sessions --delete-session --extensions --list-extensions --allowed-mcp-server-names --mcp-config --strict-mcp-config --acp --record --replay --on-miss --replay-tools --replay-gaps --demo --debug --profile --version --help
  elif ((COMP_CWORD == 1)); then
    _gemini_offer config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help version
  fi
}
complete -o default -F _gemini gemini
`,
  zsh: `#compdef gemini
# zsh completion for gemini; load it with the line that \`gemini completion --help\` shows
_gemini_words() {
  local -a found
  local word hint
  while IFS=$'	' read -r word hint; do
    found+=("\${word//:/\\\\:}\${hint:+:}\${hint}")
  done < <(GEMINI_COMPLETION_WORDS="$*" \${words[1]} completion zsh 2>/dev/null)
  _describe -t words word found
}
_gemini_second() {
  local kind=$1
  shift
  (($#)) && compadd -- "$@"
  [[ -n $kind ]] && _gemini_words $kind
}
_gemini_rest() {
  case "$1:\${words[3]}:$CURRENT" in
    config:get:4) _gemini_words settings ;;
    config:explain:4) _gemini_words settings ;;
    config:set:4) _gemini_words settings ;;
    config:set:5) _gemini_words values \${words[4]} ;;
    config:unset:4) _gemini_words settings ;;
    mcp:remove:4) _gemini_words servers ;;
    mcp:enable:4) _gemini_words servers ;;
    mcp:disable:4) _gemini_words servers ;;
    mcp:test:4) _gemini_words servers ;;
    mcp:login:4) _gemini_words servers ;;
    mcp:logout:4) _gemini_words servers ;;
    extensions:uninstall:*) _gemini_words extensions ;;
    extensions:update:4) _gemini_words extensions ;;
    extensions:disable:4) _gemini_words extensions ;;
    extensions:enable:4) _gemini_words extensions ;;
    extensions:config:4) _gemini_words extensions ;;
    skills:enable:4) _gemini_words skills ;;
    skills:disable:4) _gemini_words skills ;;
    skills:uninstall:4) _gemini_words skills ;;
    hooks:test:4) _gemini_words hook-events ;;
    tools:show:4) _gemini_words tools ;;
    sessions:show:4) _gemini_words sessions ;;
    sessions:export:4) _gemini_words sessions ;;
    sessions:delete:4) _gemini_words sessions ;;
    sessions:verify:4) _gemini_words sessions ;;
    sessions:summarize:4) _gemini_words sessions ;;
    sessions:fork:4) _gemini_words sessions ;;
    *) _files ;;
  esac
}
_gemini() {
  local -a commands=(
    'config:Show, check and change settings.'
    'auth:Sign in with Google, and see how requests are authenticated.'
    'mcp:Manage MCP servers.'
    'a2a:Offer this agent to other agents (A2A).'
    'extensions:Manage extensions.'
    'skills:Manage skills.'
    'hooks:Manage hooks\\: programs that run at points of the agent'\\''s work.'
    'policy:Look at rules and try them.'
    'tools:The tools that the model is offered.'
    'sessions:Recorded conversations.'
    'undo:Take back what a run changed in files.'
    'stats:Tokens, cost and times of past runs.'
    'doctor:Check what runs depend on; exit 1 when something would stop one.'
    'cache:Answers that --cache kept.'
    'cassette:Recordings of model calls, made by --record.'
    'models:Known models\\: names, windows, prices, tiers and stand-ins.'
    'budget:One budget for many processes\\: dollars, tokens, requests, rates.'
    'schema:The JSON Schemas of what programs read and write.'
    'sandbox:Try the sandbox, and run a command in it.'
    'run:Run a prompt that is a program, also by #!.'
    'batch:Answer thousands of prompts from a file, resumable.'
    'update:Put another version of this program in its place.'
    'completion:Print the completion script of a shell.'
    'help:Print a help page or a page of the manual.'
    'version:Print the version.'
  )
  case \${words[2]} in
  help)
    ((CURRENT == 3)) && { _gemini_words topics; compadd config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion; }
    ;;
  config)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list get explain set unset init path validate' \\
      '*: : _gemini_rest config' \\
      '--json[Print JSON.]' \\
      '--all[Also settings that have their default.]' \\
      '(-s --scope)'{-s+,--scope=}'[Which file is changed.]:SCOPE:(user project)' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  auth)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" login status logout token' \\
      '*: : _gemini_rest auth' \\
      '--json[Print JSON.]' \\
      '--quota[Ask the server what is left of each model'\\''s quota.]' \\
      '--yes[Also where the output is no terminal.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  mcp)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" add remove list enable disable test login logout serve' \\
      '*: : _gemini_rest mcp' \\
      '(-s --scope)'{-s+,--scope=}'[Where it is stored.]:SCOPE:(user project)' \\
      '(-t --transport --type)'{-t+,--transport=,--type=}'[How to reach it.]:KIND:(stdio sse http)' \\
      '(-e --env)'{-e+,--env=}'[Variable of the server.]:KEY=VALUE:' \\
      '(-H --header)'{-H+,--header=}'[Header of each request.]:'\\''KEY\\: VALUE'\\'':' \\
      '--timeout=[Limit of one request in milliseconds.]:MS:' \\
      '--trust[Run its tools without a question.]' \\
      '--description=[What the server is for.]:TEXT:' \\
      '--include-tools=[Only these of its tools.]:NAMES:' \\
      '--exclude-tools=[All of its tools but these.]:NAMES: _gemini_words tools' \\
      '--json[Print JSON.]' \\
      '--session[For the present session only.]' \\
      '(-m --model)'{-m+,--model=}'[The model of runs.]:NAME: _gemini_words models' \\
      '--approval-mode=[Of runs, and the freest that a client can ask for.]:MODE:(default auto_edit yolo plan)' \\
      '--skip-trust[Folders of runs count as trusted.]' \\
      '--include-directories=[More folders that runs may work in, beside the present one.]:PATHS:_files' \\
      '--policy=[Policy files or folders of runs.]:PATHS:_files' \\
      '--admin-policy=[The same for the admin tier.]:PATHS:_files' \\
      '--allowed-tools=[Tools that run without a question.]:NAMES: _gemini_words tools' \\
      '--max-turns=[Most model turns of a run.]:N:' \\
      '--max-time=[Longest time of a run\\: 90s, 10m.]:TIME:' \\
      '--max-tool-calls=[Most tool calls of a run.]:N:' \\
      '--max-tokens=[Most tokens of a run.]:N:' \\
      '--max-cost=[Most that a run may cost.]:USD:' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  a2a)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" serve' \\
      '*: : _gemini_rest a2a' \\
      '--port=[Where to listen; without it CODER_AGENT_PORT, or a free one.]:N:' \\
      '--host=[Another address than this machine'\\''s own; needs GEMINI_A2A_TOKEN.]:ADDR:' \\
      '--workspace=[The folder of every task; without it callers name one.]:DIR:' \\
      '--no-token[Let in whoever reaches the port of this machine.]' \\
      '(-m --model)'{-m+,--model=}'[The model of tasks.]:NAME: _gemini_words models' \\
      '--approval-mode=[Of tasks.]:MODE:(default auto_edit yolo plan)' \\
      '--skip-trust[Folders of tasks count as trusted.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  extensions|extension)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" install uninstall list update disable enable link new validate config' \\
      '*: : _gemini_rest extensions' \\
      '--ref=[Branch, tag or commit.]:REF:' \\
      '--auto-update[Keep it up to date.]' \\
      '--pre-release[Take pre-releases too.]' \\
      '--skip-settings[Do not ask for its settings.]' \\
      '--consent[Agree to the security notice beforehand.]' \\
      '--json[Print JSON.]' \\
      '--all[Remove all of them.]' \\
      '(-o --output-format)'{-o+,--output-format=}'[How to print it.]:FORMAT:(text json)' \\
      '(-s --scope)'{-s+,--scope=}'[Where it is stored.]:SCOPE:(user workspace)' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  skills|skill)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list enable disable install link uninstall' \\
      '*: : _gemini_rest skills' \\
      '--all[Built-in ones too.]' \\
      '--json[Print JSON.]' \\
      '(-s --scope)'{-s+,--scope=}'[Where it is stored.]:SCOPE:(user workspace)' \\
      '--path=[Folder inside the source.]:FOLDER:_files' \\
      '--consent[Agree to the security notice beforehand.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  hooks|hook)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list test migrate' \\
      '*: : _gemini_rest hooks' \\
      '--json[Print JSON.]' \\
      '--skip-trust[As if the folder were trusted.]' \\
      '--tool=[The tool of the sample call.]:NAME: _gemini_words tools' \\
      '--input=[An object that is laid over the sample input.]:JSON:' \\
      '--from-claude[From .claude/settings.json.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  policy)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list test' \\
      '*: : _gemini_rest policy' \\
      '--json[Print JSON.]' \\
      '(--mode --approval-mode)'{--mode=,--approval-mode=}'[The approval mode of the run.]:MODE:(default auto_edit yolo plan)' \\
      '--cwd=[As if started in this folder.]:FOLDER:_files' \\
      '--skip-trust[As if the folder were trusted.]' \\
      '--policy=[Policy files or folders, in place of policyPaths.]:PATHS:_files' \\
      '--admin-policy=[The same for the admin tier.]:PATHS:_files' \\
      '--allowed-tools=[Tools that run without a question.]:NAMES: _gemini_words tools' \\
      '--tool=[A call of this tool.]:NAME: _gemini_words tools' \\
      '--args=[Its arguments.]:JSON:' \\
      '--headless[Judge as for -p, where a question is a denial.]' \\
      '--interactive[Judge as where a person can be asked (default).]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  tools)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list show' \\
      '*: : _gemini_rest tools' \\
      '--json[Print JSON.]' \\
      '(-m --model)'{-m+,--model=}'[As this model is told.]:NAME: _gemini_words models' \\
      '(--mode --approval-mode)'{--mode=,--approval-mode=}'[The approval mode of the run.]:MODE:(default auto_edit yolo plan)' \\
      '--cwd=[As if started in this folder.]:FOLDER:_files' \\
      '--skip-trust[As if the folder were trusted.]' \\
      '--policy=[Policy files or folders, in place of policyPaths.]:PATHS:_files' \\
      '--admin-policy=[The same for the admin tier.]:PATHS:_files' \\
      '--allowed-tools=[Tools that run without a question.]:NAMES: _gemini_words tools' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  sessions)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list show search export delete verify summarize fork prune' \\
      '*: : _gemini_rest sessions' \\
      '--json[Print JSON.]' \\
      '--dry-run[Only say what would be deleted.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  undo)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "sessions" list' \\
      '*: : _gemini_rest undo' \\
      '--json[Print JSON.]' \\
      '(-y --yes)'{-y,--yes}'[Do it without asking.]' \\
      '--dry-run[Only show what would be done.]' \\
      '--force[Also overwrite what was changed since the run.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  stats)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "sessions" ' \\
      '*: : _gemini_rest stats' \\
      '--json[Print JSON.]' \\
      '(-a --all)'{-a,--all}'[Sessions of all projects.]' \\
      '--session=[Only this session.]:ID: _gemini_words sessions' \\
      '--since=[Only the last hours or days\\: 24h, 7d.]:TIME:' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  doctor)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" ' \\
      '*: : _gemini_rest doctor' \\
      '--json[Print JSON.]' \\
      '--online[Also ask the service about the model, and connect to MCP servers of the network.]' \\
      '--skip-trust[As if the folder were trusted.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  cache)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" list show clear prune' \\
      '*: : _gemini_rest cache' \\
      '--dir=[Where answers are kept (default\\: GEMINI_CACHE, else ~/.gemini/cache).]:DIR:' \\
      '--json[Print JSON.]' \\
      '--older=[Only those that are older\\: 30d, 12h.]:TIME:' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  cassette)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" show verify prune' \\
      '*: : _gemini_rest cassette' \\
      '--json[Print JSON.]' \\
      '--entry=[The whole of one entry, counted from 1.]:N:' \\
      '--last-only[Keep only what the last run recorded.]' \\
      '--dry-run[Only say what would be taken out.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  models)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" ' \\
      '*: : _gemini_rest models' \\
      '--json[Print JSON.]' \\
      '--online[Ask the service which models it offers, and mark the differences.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  budget)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" init show reset' \\
      '*: : _gemini_rest budget' \\
      '--usd=[What all requests together may cost.]:DOLLARS:' \\
      '--tokens=[Tokens that all requests together may take.]:N:' \\
      '--requests=[Requests that may be sent.]:N:' \\
      '--rpm=[Requests within a minute; more of them wait.]:N:' \\
      '--tpm=[Tokens within a minute; requests beyond that wait.]:N:' \\
      '--force[Replace what is there, with all that it counted.]' \\
      '--json[Print JSON.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  schema)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" check json stream-json input-stream settings policy hooks session cassette' \\
      '*: : _gemini_rest schema' \\
      '--json[Print JSON.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  sandbox)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" check run' \\
      '*: : _gemini_rest sandbox' \\
      '--json[Print JSON.]' \\
      '--read-only[As commands that run without a question\\: nothing is written, no network.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  run)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" ' \\
      '*: : _gemini_rest run' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  batch)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" status collect cancel merge' \\
      '*: : _gemini_rest batch' \\
      '--json[Print JSON.]' \\
      '--skip-trust[As if the folder were trusted.]' \\
      '--no-wait[Fetch what is there, and do not wait for the rest (exit 1 where something is missing).]' \\
      '--poll=[Time between two looks (default 5s, growing to 60s).]:TIME:' \\
      '(-q --quiet)'{-q,--quiet}'[No progress, no summary.]' \\
      '(-O --output)'{-O+,--output=}'[Where the joined answers go (default\\: standard output).]:FILE:_files' \\
      '(-p --prompt)'{-p+,--prompt=}'[The prompt of each item\\: {{name}} stands for a field. Default\\: the field prompt.]:TEMPLATE:' \\
      '--key=[The field by which an item is known (default\\: id, else its line).]:FIELD:' \\
      '--file-field=[The field that names a file, or a list of files, to attach.]:FIELD:' \\
      '--csv[The input is CSV with a header.]' \\
      '--glob=[Instead of an input\\: each file is an item, and goes to the model.]:PATTERN:' \\
      '(-o --output-format)'{-o+,--output-format=}'[A JSON object a line, or the answers only (default json).]:FORMAT:(json text)' \\
      '--ordered[Answers in the order of the input.]' \\
      '--errors=[Also write the items that failed to this file.]:FILE:_files' \\
      '--report=[Write totals, causes of errors and percentiles as JSON.]:FILE:_files' \\
      '--events=[Write what happens as JSON lines.]:FILE|fd\\:N:' \\
      '--via=[live\\: now; flex\\: half the price, and slower; api\\: on Google'\\''s batch engine, half the price, within a day.]:WAY:(live flex api)' \\
      '--gcs=[With --via api and Vertex AI\\: where requests and answers lie.]:gs\\://BUCKET/FOLDER:' \\
      '--detach[With --via api\\: make the jobs and leave; gemini batch collect fetches the answers.]' \\
      '--reroute=[With --via api\\: how items are asked that a job did not answer (default none\\: they are errors).]:WAY:(flex live none)' \\
      '--cached-context=[What all items have in common, sent once and kept by the service.]:FILE:_files' \\
      '--tier=[Service tier\\: flex is half the price and slow (default standard).]:TIER:(standard flex priority auto)' \\
      '(-j --concurrency)'{-j+,--concurrency=}'[Items at once (default 8, at most 256).]:N:' \\
      '--retries=[How often a request that failed is sent again (default 3).]:N:' \\
      '--on-quota=[What to do when a quota is used up (default fail, exit 53).]:ACTION:(fail wait)' \\
      '(-m --model)'{-m+,--model=}'[Model or alias.]:NAME: _gemini_words models' \\
      '--output-schema=[Each answer must be JSON that fits this JSON Schema.]:FILE|JSON:' \\
      '--max-cost=[No item is begun once the batch has cost this much.]:USD:' \\
      '--max-tokens=[No item is begun once the batch has used so many tokens.]:N:' \\
      '--max-turns=[Turns of one item at most.]:N:' \\
      '--item-max-time=[Time of one item at most\\: 90s, 10m.]:TIME:' \\
      '--item-max-cost=[Cost of one item at most.]:USD:' \\
      '--bare[Nothing of the project\\: that is the default, unless --context.]' \\
      '--context[With the context, the tools and the servers of the project, as in a run that is not bare.]' \\
      '--tools=[Built-in tools that the model is offered (default\\: none; with --context those of the settings).]:LIST: _gemini_words tools' \\
      '--approval-mode=[What tools may do without a question.]:MODE:(default auto_edit yolo plan)' \\
      '--worktree-per-item[Each item edits a copy of the git repository; the difference is the patch of its answer.]' \\
      '--policy=[Policy file or folder.]:PATH:_files' \\
      '--append-system-prompt=[What the model is told before each item.]:TEXT|@FILE:' \\
      '--thinking=[off, low, medium, high, or a number of tokens.]:LEVEL:' \\
      '--shard=[Only the items of the I-th of N parts; the output is called OUT.I-of-N.]:I/N:' \\
      '--retry-errors[Ask the items that failed again.]' \\
      '--changed[Go on with other options or another input\\: ask again only what is asked otherwise now.]' \\
      '--restart[Begin anew; the old files are kept as .1.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  update)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" ' \\
      '*: : _gemini_rest update' \\
      '--check[Only say whether there is a newer version; exit 1 when there is.]' \\
      '(--to --version)'{--to=,--version=}'[This version, also an older one; --version does the same.]:V:' \\
      '--json[Print JSON.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  completion)
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "" bash zsh fish' \\
      '*: : _gemini_rest completion' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  *)
    _arguments -s \\
      '1: :{_describe command commands}' \\
      '*: :_files' \\
      '(-p --prompt)'{-p+,--prompt=}'[Answer this prompt and exit. Piped input is put before it.]:TEXT:' \\
      '(-i --prompt-interactive)'{-i+,--prompt-interactive=}'[Send this prompt first, then go on as a chat.]:TEXT:' \\
      '--stdin-timeout=[With -p\\: how long to wait for the first byte of piped input (default 10s, 0 = for ever).]:TIME:' \\
      '--input-format=[With -o stream-json\\: read prompts from stdin, one JSON object a line.]:FORMAT:(text stream-json)' \\
      '--strict-input[A line of that stream that cannot be read ends the run with 42.]' \\
      '--permission-prompts=[Who is asked about calls\\: nobody, or the input stream.]:WHO:(none stream)' \\
      '--permission-timeout=[How long the input stream may take to answer (default 60s).]:TIME:' \\
      '(-f --file)'{-f+,--file=}'[Attach this file\\: text, picture, sound, video or PDF; - is standard input. Repeatable.]:PATH:_files' \\
      '--system-prompt=[In place of the built-in system prompt.]:TEXT|@FILE:' \\
      '--append-system-prompt=[Behind the system prompt. Repeatable.]:TEXT|@FILE:' \\
      '(-m --model)'{-m+,--model=}'[Model or alias (default\\: GEMINI_MODEL, then model.name, then auto).]:NAME: _gemini_words models' \\
      '--thinking=[How much the model thinks\\: off, low, medium, high, or a number of tokens.]:LEVEL:' \\
      '--tier=[Service tier\\: flex is half the price and slow, auto is flex as long as that answers.]:TIER:(standard flex priority auto)' \\
      '(-o --output-format)'{-o+,--output-format=}'[Print the answer, one JSON document, or one JSON event a line.]:FORMAT:(text json stream-json)' \\
      '--output-schema=[The answer must be JSON that fits this JSON Schema; otherwise exit 57.]:FILE|JSON:' \\
      '--last-message-file=[Also write the final answer to this file.]:FILE:_files' \\
      '--events=[Also write the events of stream-json to this file or descriptor.]:FILE|fd\\:N:' \\
      '--code[Print only the code blocks of the final answer.]' \\
      '--estimate[Print what the request would hold, in tokens and cost, and send nothing.]' \\
      '--cache[Answer from what was kept while the question and its files are the same (default\\: ~/.gemini/cache).]' \\
      '--raw-output[Do not remove escape sequences from the model'\\''s text.]' \\
      '--accept-raw-output-risk[Raw output without its warning.]' \\
      '(-q --quiet)'{-q,--quiet}'[Nothing on stderr but errors.]' \\
      '--verbose[Thoughts, calls, compression and agents too\\: on stderr, or as events of stream-json.]' \\
      '--no-progress[No status line while the run waits.]' \\
      '--screen-reader[Plain output that reads well aloud.]' \\
      '--approval-mode=[Which tool calls run without a question.]:MODE:(default auto_edit yolo plan)' \\
      '(-y --yolo)'{-y,--yolo}'[Approve every tool call; short for --approval-mode=yolo.]' \\
      '--policy=[Policy files or folders, in place of policyPaths.]:PATHS:_files' \\
      '--admin-policy=[Policy files or folders of the admin tier, in place of adminPolicyPaths.]:PATHS:_files' \\
      '--allowed-tools=[Tools that run without a question, such as run_shell_command(git log).]:NAMES: _gemini_words tools' \\
      '--tools=[Offer the model only these tools; an empty name offers none.]:NAMES: _gemini_words tools' \\
      '--no-tools[Offer the model no tools.]' \\
      '--exclude-tools=[Do not offer these tools.]:NAMES: _gemini_words tools' \\
      '--skip-trust[Trust the working folder for this run.]' \\
      '(-s --sandbox)'{-s,--sandbox}'[Run inside a sandbox, or fail with exit 44 where none can be used.]' \\
      '--fail-on-denied[Exit 56 when a tool call was denied.]' \\
      '--max-turns=[Stop after this many model turns (exit 53, as for every limit).]:N:' \\
      '--max-time=[Stop after this time\\: 90s, 10m, 1h; a bare number is seconds.]:TIME:' \\
      '--max-tool-calls=[Stop after this many tool calls.]:N:' \\
      '--max-tokens=[Stop when the run has used this many tokens in total.]:N:' \\
      '--max-cost=[Stop when the run has cost this much.]:USD:' \\
      '--on-quota=[What to do when a quota is used up.]:fail|wait|fallback\\[\\:MODEL\\]:' \\
      '(-C --cwd)'{-C+,--cwd=}'[Work in this folder.]:DIR:' \\
      '--include-directories=[More folders that belong to the workspace.]:PATHS:_files' \\
      '--ignore-env[Do not read .env files of the project.]' \\
      '--bare[Prompt and model only\\: no context files, hooks, servers or extensions.]' \\
      '--settings=[One more settings file, above those of the user and the project.]:FILE|JSON:' \\
      '(-w --worktree)'{-w+,--worktree=}'[Work in a git worktree under .gemini/worktrees; it stays where the run leaves changes in it.]:NAME:' \\
      '(-r --resume)'{-r+,--resume=}'[Go on with a session\\: latest, its number in --list-sessions, or its id.]:ID: _gemini_words sessions' \\
      '--continue[Go on with the last conversation; what scripts asked once with -p does not count.]' \\
      '--fork[With --resume or --continue\\: go on in a copy and leave the session as it is.]' \\
      '--session-id=[Start a new session with this id.]:ID:' \\
      '--session-file=[Start a new session from an exported one.]:FILE:_files' \\
      '--ephemeral[Record no session and write nothing under the home folder.]' \\
      '--list-sessions[List the sessions of this project and exit.]' \\
      '--delete-session=[Delete a session by number or id and exit.]:ID: _gemini_words sessions' \\
      '(-e --extensions)'{-e+,--extensions=}'[Use only these extensions; none turns all of them off.]:NAMES: _gemini_words extensions' \\
      '(-l --list-extensions)'{-l,--list-extensions}'[List the extensions and exit.]' \\
      '--allowed-mcp-server-names=[Start only these MCP servers.]:NAMES: _gemini_words servers' \\
      '--mcp-config=[MCP servers for this run. Repeatable.]:FILE|JSON:' \\
      '--strict-mcp-config[Only the servers of --mcp-config.]' \\
      '(--acp --experimental-acp)'{--acp,--experimental-acp}'[Serve an editor over the Agent Client Protocol on stdin and stdout.]' \\
      '--record=[Record every call of the model into this cassette.]:FILE:_files' \\
      '--replay=[Take the model'\\''s answers from this cassette\\: no key, no network.]:FILE:_files' \\
      '--on-miss=[With --replay\\: what to do about a call that was not recorded (default\\: fail, exit 54).]:HOW:(fail live record)' \\
      '--replay-tools[With --replay\\: take results of tools from the cassette too, and run nothing.]' \\
      '--replay-gaps[With --replay\\: let answers arrive as slowly as they did.]' \\
      '--demo[Try it with a built-in model\\: no key, no network.]' \\
      '(-d --debug)'{-d,--debug}'[Say on stderr what is done and why.]' \\
      '--profile[Say on stderr how long the parts of the start took, and what was loaded.]' \\
      '(-v --version)'{-v,--version}'[Print the version.]' \\
      '(-h --help)'{-h,--help}'[Print this help.]'
    ;;
  esac
}
compdef _gemini gemini
`,
  fish: `# fish completion for gemini; load it with the line that \`gemini completion --help\` shows
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s p -l prompt -x -d 'Answer this prompt and exit. Piped input is put before it.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s i -l prompt-interactive -x -d 'Send this prompt first, then go on as a chat.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l stdin-timeout -x -d 'With -p: how long to wait for the first byte of piped input (default 10s, 0 = for ever).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l input-format -x -a 'text stream-json' -d 'With -o stream-json: read prompts from stdin, one JSON object a line.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l strict-input -d 'A line of that stream that cannot be read ends the run with 42.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l permission-prompts -x -a 'none stream' -d 'Who is asked about calls: nobody, or the input stream.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l permission-timeout -x -d 'How long the input stream may take to answer (default 60s).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s f -l file -r -F -d 'Attach this file: text, picture, sound, video or PDF; - is standard input. Repeatable.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l system-prompt -x -d 'In place of the built-in system prompt.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l append-system-prompt -x -d 'Behind the system prompt. Repeatable.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s m -l model -x -a '(GEMINI_COMPLETION_WORDS="models " gemini completion fish 2>/dev/null)' -d 'Model or alias (default: GEMINI_MODEL, then model.name, then auto).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l thinking -x -d 'How much the model thinks: off, low, medium, high, or a number of tokens.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l tier -x -a 'standard flex priority auto' -d 'Service tier: flex is half the price and slow, auto is flex as long as that answers.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s o -l output-format -x -a 'text json stream-json' -d 'Print the answer, one JSON document, or one JSON event a line.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l output-schema -x -d 'The answer must be JSON that fits this JSON Schema; otherwise exit 57.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l last-message-file -r -F -d 'Also write the final answer to this file.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l events -x -d 'Also write the events of stream-json to this file or descriptor.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l code -d 'Print only the code blocks of the final answer.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l estimate -d 'Print what the request would hold, in tokens and cost, and send nothing.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l cache -d 'Answer from what was kept while the question and its files are the same (default: ~/.gemini/cache).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l raw-output -d 'Do not remove escape sequences from the model\\'s text.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l accept-raw-output-risk -d 'Raw output without its warning.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s q -l quiet -d 'Nothing on stderr but errors.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l verbose -d 'Thoughts, calls, compression and agents too: on stderr, or as events of stream-json.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l no-progress -d 'No status line while the run waits.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l screen-reader -d 'Plain output that reads well aloud.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l approval-mode -x -a 'default auto_edit yolo plan' -d 'Which tool calls run without a question.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s y -l yolo -d 'Approve every tool call; short for --approval-mode=yolo.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l policy -r -F -d 'Policy files or folders, in place of policyPaths.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l admin-policy -r -F -d 'Policy files or folders of the admin tier, in place of adminPolicyPaths.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l allowed-tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Tools that run without a question, such as run_shell_command(git log).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Offer the model only these tools; an empty name offers none.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l no-tools -d 'Offer the model no tools.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l exclude-tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Do not offer these tools.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l skip-trust -d 'Trust the working folder for this run.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s s -l sandbox -d 'Run inside a sandbox, or fail with exit 44 where none can be used.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l fail-on-denied -d 'Exit 56 when a tool call was denied.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l max-turns -x -d 'Stop after this many model turns (exit 53, as for every limit).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l max-time -x -d 'Stop after this time: 90s, 10m, 1h; a bare number is seconds.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l max-tool-calls -x -d 'Stop after this many tool calls.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l max-tokens -x -d 'Stop when the run has used this many tokens in total.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l max-cost -x -d 'Stop when the run has cost this much.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l on-quota -x -d 'What to do when a quota is used up.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s C -l cwd -x -d 'Work in this folder.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l include-directories -r -F -d 'More folders that belong to the workspace.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l ignore-env -d 'Do not read .env files of the project.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l bare -d 'Prompt and model only: no context files, hooks, servers or extensions.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l settings -x -d 'One more settings file, above those of the user and the project.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s w -l worktree -x -d 'Work in a git worktree under .gemini/worktrees; it stays where the run leaves changes in it.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s r -l resume -x -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)' -d 'Go on with a session: latest, its number in --list-sessions, or its id.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l continue -d 'Go on with the last conversation; what scripts asked once with -p does not count.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l fork -d 'With --resume or --continue: go on in a copy and leave the session as it is.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l session-id -x -d 'Start a new session with this id.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l session-file -r -F -d 'Start a new session from an exported one.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l ephemeral -d 'Record no session and write nothing under the home folder.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l list-sessions -d 'List the sessions of this project and exit.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l delete-session -x -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)' -d 'Delete a session by number or id and exit.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s e -l extensions -x -a '(GEMINI_COMPLETION_WORDS="extensions " gemini completion fish 2>/dev/null)' -d 'Use only these extensions; none turns all of them off.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s l -l list-extensions -d 'List the extensions and exit.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l allowed-mcp-server-names -x -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)' -d 'Start only these MCP servers.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l mcp-config -x -d 'MCP servers for this run. Repeatable.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l strict-mcp-config -d 'Only the servers of --mcp-config.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l acp -l experimental-acp -d 'Serve an editor over the Agent Client Protocol on stdin and stdout.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l record -r -F -d 'Record every call of the model into this cassette.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l replay -r -F -d 'Take the model\\'s answers from this cassette: no key, no network.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l on-miss -x -a 'fail live record' -d 'With --replay: what to do about a call that was not recorded (default: fail, exit 54).'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l replay-tools -d 'With --replay: take results of tools from the cassette too, and run nothing.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l replay-gaps -d 'With --replay: let answers arrive as slowly as they did.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l demo -d 'Try it with a built-in model: no key, no network.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -l profile -d 'Say on stderr how long the parts of the start took, and what was loaded.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s v -l version -d 'Print the version.'
complete -c gemini -n 'not __fish_seen_subcommand_from config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion help' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a help -d 'Print a help page or a page of the manual.'
complete -c gemini -n __fish_use_subcommand -f -a version -d 'Print the version.'
complete -c gemini -n '__fish_seen_subcommand_from help' -f -a 'config auth mcp a2a extensions skills hooks policy tools sessions undo stats doctor cache cassette models budget schema sandbox run batch update completion (GEMINI_COMPLETION_WORDS="topics " gemini completion fish 2>/dev/null)'
complete -c gemini -n __fish_use_subcommand -f -a config -d 'Show, check and change settings.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a list -d 'Every setting that is set, and where.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a get -d 'The value of one setting.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a explain -d 'What every file says about it, and which one counts.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a set -d 'Change a setting.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a unset -d 'Remove a setting.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a init -d 'Write a settings file with every setting as a comment, and its schema for editors.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a path -d 'The settings files that are read.'
complete -c gemini -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from list get explain set unset init path validate' -f -a validate -d 'Check the settings and what a run would read beside them: servers, hooks, rules, skills, agents, commands, extensions; exit 1 when something is wrong.'
complete -c gemini -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from get; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="settings " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from explain; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="settings " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from set; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="settings " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from set; and test (count (commandline -opc)) -eq 4' -f -a '(GEMINI_COMPLETION_WORDS="values "(commandline -opc)[4] gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from unset; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="settings " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from config' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from config' -l all -d 'Also settings that have their default.'
complete -c gemini -n '__fish_seen_subcommand_from config' -s s -l scope -x -a 'user project' -d 'Which file is changed.'
complete -c gemini -n '__fish_seen_subcommand_from config' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from config' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a auth -d 'Sign in with Google, and see how requests are authenticated.'
complete -c gemini -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from login status logout token' -f -a login -d 'Sign in with a Google account.'
complete -c gemini -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from login status logout token' -f -a status -d 'How requests are authenticated, and for whom. Asks nobody but with --quota.'
complete -c gemini -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from login status logout token' -f -a logout -d 'Forget the sign-in with Google. Other machines stay signed in.'
complete -c gemini -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from login status logout token' -f -a token -d 'Print an access token of the account, for a script.'
complete -c gemini -n '__fish_seen_subcommand_from auth' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from auth' -l quota -d 'Ask the server what is left of each model\\'s quota.'
complete -c gemini -n '__fish_seen_subcommand_from auth' -l yes -d 'Also where the output is no terminal.'
complete -c gemini -n '__fish_seen_subcommand_from auth' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from auth' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a mcp -d 'Manage MCP servers.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a add -d 'Add a server, or replace one of the same name.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a remove -d 'Remove a server.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a list -d 'Connect to each server and show its state.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a enable -d 'Turn a server on.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a disable -d 'Turn a server off.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a test -d 'Start a server and check what it offers; exit 1 when something is wrong.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a login -d 'Log in to a server and keep the login.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a logout -d 'Forget the login of a server.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and not __fish_seen_subcommand_from add remove list enable disable test login logout serve' -f -a serve -d 'Offer this agent to others as an MCP server on standard input and output.'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and __fish_seen_subcommand_from remove; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and __fish_seen_subcommand_from enable; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and __fish_seen_subcommand_from disable; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and __fish_seen_subcommand_from test; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and __fish_seen_subcommand_from login; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from mcp; and __fish_seen_subcommand_from logout; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="servers " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s s -l scope -x -a 'user project' -d 'Where it is stored.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s t -l transport -l type -x -a 'stdio sse http' -d 'How to reach it.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s e -l env -x -d 'Variable of the server.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s H -l header -x -d 'Header of each request.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l timeout -x -d 'Limit of one request in milliseconds.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l trust -d 'Run its tools without a question.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l description -x -d 'What the server is for.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l include-tools -x -d 'Only these of its tools.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l exclude-tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'All of its tools but these.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l session -d 'For the present session only.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s m -l model -x -a '(GEMINI_COMPLETION_WORDS="models " gemini completion fish 2>/dev/null)' -d 'The model of runs.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l approval-mode -x -a 'default auto_edit yolo plan' -d 'Of runs, and the freest that a client can ask for.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l skip-trust -d 'Folders of runs count as trusted.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l include-directories -r -F -d 'More folders that runs may work in, beside the present one.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l policy -r -F -d 'Policy files or folders of runs.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l admin-policy -r -F -d 'The same for the admin tier.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l allowed-tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Tools that run without a question.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l max-turns -x -d 'Most model turns of a run.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l max-time -x -d 'Longest time of a run: 90s, 10m.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l max-tool-calls -x -d 'Most tool calls of a run.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l max-tokens -x -d 'Most tokens of a run.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -l max-cost -x -d 'Most that a run may cost.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from mcp' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a a2a -d 'Offer this agent to other agents (A2A).'
complete -c gemini -n '__fish_seen_subcommand_from a2a; and not __fish_seen_subcommand_from serve' -f -a serve -d 'Take tasks of other agents over HTTP.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -l port -x -d 'Where to listen; without it CODER_AGENT_PORT, or a free one.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -l host -x -d 'Another address than this machine\\'s own; needs GEMINI_A2A_TOKEN.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -l workspace -x -d 'The folder of every task; without it callers name one.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -l no-token -d 'Let in whoever reaches the port of this machine.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -s m -l model -x -a '(GEMINI_COMPLETION_WORDS="models " gemini completion fish 2>/dev/null)' -d 'The model of tasks.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -l approval-mode -x -a 'default auto_edit yolo plan' -d 'Of tasks.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -l skip-trust -d 'Folders of tasks count as trusted.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from a2a' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a extensions -d 'Manage extensions.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a install -d 'Install from a URL, github:owner/repo or a local folder.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a uninstall -d 'Remove extensions, by name or source.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a list -d 'List what is installed.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a update -d 'Update one extension or all.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a disable -d 'Turn one off.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a enable -d 'Turn one on.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a link -d 'Use a local folder in place.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a new -d 'Create one, empty or from a template.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a validate -d 'Check a folder; exit 1 when something is wrong.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and not __fish_seen_subcommand_from install uninstall list update disable enable link new validate config' -f -a config -d 'Ask for the settings of one, or of all.'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and __fish_seen_subcommand_from uninstall; and test (count (commandline -opc)) -ge 3' -f -a '(GEMINI_COMPLETION_WORDS="extensions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and __fish_seen_subcommand_from update; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="extensions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and __fish_seen_subcommand_from disable; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="extensions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and __fish_seen_subcommand_from enable; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="extensions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from extensions; and __fish_seen_subcommand_from config; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="extensions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l ref -x -d 'Branch, tag or commit.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l auto-update -d 'Keep it up to date.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l pre-release -d 'Take pre-releases too.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l skip-settings -d 'Do not ask for its settings.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l consent -d 'Agree to the security notice beforehand.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -l all -d 'Remove all of them.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -s o -l output-format -x -a 'text json' -d 'How to print it.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -s s -l scope -x -a 'user workspace' -d 'Where it is stored.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from extensions' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a skills -d 'Manage skills.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and not __fish_seen_subcommand_from list enable disable install link uninstall' -f -a list -d 'List skills.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and not __fish_seen_subcommand_from list enable disable install link uninstall' -f -a enable -d 'Turn one on.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and not __fish_seen_subcommand_from list enable disable install link uninstall' -f -a disable -d 'Turn one off.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and not __fish_seen_subcommand_from list enable disable install link uninstall' -f -a install -d 'Install from a git URL, a folder or a .skill file.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and not __fish_seen_subcommand_from list enable disable install link uninstall' -f -a link -d 'Use a local folder in place.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and not __fish_seen_subcommand_from list enable disable install link uninstall' -f -a uninstall -d 'Remove one.'
complete -c gemini -n '__fish_seen_subcommand_from skills; and __fish_seen_subcommand_from enable; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="skills " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from skills; and __fish_seen_subcommand_from disable; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="skills " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from skills; and __fish_seen_subcommand_from uninstall; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="skills " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from skills' -l all -d 'Built-in ones too.'
complete -c gemini -n '__fish_seen_subcommand_from skills' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from skills' -s s -l scope -x -a 'user workspace' -d 'Where it is stored.'
complete -c gemini -n '__fish_seen_subcommand_from skills' -l path -r -F -d 'Folder inside the source.'
complete -c gemini -n '__fish_seen_subcommand_from skills' -l consent -d 'Agree to the security notice beforehand.'
complete -c gemini -n '__fish_seen_subcommand_from skills' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from skills' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a hooks -d 'Manage hooks: programs that run at points of the agent\\'s work.'
complete -c gemini -n '__fish_seen_subcommand_from hooks; and not __fish_seen_subcommand_from list test migrate' -f -a list -d 'All hooks, where they come from and whether they run.'
complete -c gemini -n '__fish_seen_subcommand_from hooks; and not __fish_seen_subcommand_from list test migrate' -f -a test -d 'Run the hooks of an event with sample input, and say what the agent would do. 1 when one fails.'
complete -c gemini -n '__fish_seen_subcommand_from hooks; and not __fish_seen_subcommand_from list test migrate' -f -a migrate -d 'Take over hooks of another agent.'
complete -c gemini -n '__fish_seen_subcommand_from hooks; and __fish_seen_subcommand_from test; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="hook-events " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -l skip-trust -d 'As if the folder were trusted.'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -l tool -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'The tool of the sample call.'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -l input -x -d 'An object that is laid over the sample input.'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -l from-claude -d 'From .claude/settings.json.'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from hooks' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a policy -d 'Look at rules and try them.'
complete -c gemini -n '__fish_seen_subcommand_from policy; and not __fish_seen_subcommand_from list test' -f -a list -d 'The rules in force, first match first; with --mode those of that mode. Exit 1 when a policy file has errors.'
complete -c gemini -n '__fish_seen_subcommand_from policy; and not __fish_seen_subcommand_from list test' -f -a test -d 'What would happen to a shell command in quotes, or to a call of --tool, and why: exit 0 allow, 2 ask, 3 deny. Judged as where a person can be asked; what a run with -p makes of it is added.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l mode -l approval-mode -x -a 'default auto_edit yolo plan' -d 'The approval mode of the run.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l cwd -r -F -d 'As if started in this folder.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l skip-trust -d 'As if the folder were trusted.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l policy -r -F -d 'Policy files or folders, in place of policyPaths.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l admin-policy -r -F -d 'The same for the admin tier.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l allowed-tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Tools that run without a question.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l tool -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'A call of this tool.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l args -x -d 'Its arguments.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l headless -d 'Judge as for -p, where a question is a denial.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -l interactive -d 'Judge as where a person can be asked (default).'
complete -c gemini -n '__fish_seen_subcommand_from policy' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from policy' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a tools -d 'The tools that the model is offered.'
complete -c gemini -n '__fish_seen_subcommand_from tools; and not __fish_seen_subcommand_from list show' -f -a list -d 'All tools: offered or hidden, and why. JSON has the whole declarations.'
complete -c gemini -n '__fish_seen_subcommand_from tools; and not __fish_seen_subcommand_from list show' -f -a show -d 'The declaration of one.'
complete -c gemini -n '__fish_seen_subcommand_from tools; and __fish_seen_subcommand_from show; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -s m -l model -x -a '(GEMINI_COMPLETION_WORDS="models " gemini completion fish 2>/dev/null)' -d 'As this model is told.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l mode -l approval-mode -x -a 'default auto_edit yolo plan' -d 'The approval mode of the run.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l cwd -r -F -d 'As if started in this folder.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l skip-trust -d 'As if the folder were trusted.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l policy -r -F -d 'Policy files or folders, in place of policyPaths.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l admin-policy -r -F -d 'The same for the admin tier.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -l allowed-tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Tools that run without a question.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from tools' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a sessions -d 'Recorded conversations.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a list -d 'Those of this project.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a show -d 'Print one.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a search -d 'Find what was said.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a export -d 'Write one to a .json, .jsonl or .md file, or print it as JSON.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a delete -d 'Delete one, with everything that was kept for it.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a verify -d 'Check the files; exit 1 when something is wrong.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a summarize -d 'Ask a model for a title of one, or of the newest 20 without.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a fork -d 'Copy one under a new id, which is printed.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and not __fish_seen_subcommand_from list show search export delete verify summarize fork prune' -f -a prune -d 'Delete what the settings of general.sessionRetention let go.'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and __fish_seen_subcommand_from show; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and __fish_seen_subcommand_from export; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and __fish_seen_subcommand_from delete; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and __fish_seen_subcommand_from verify; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and __fish_seen_subcommand_from summarize; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from sessions; and __fish_seen_subcommand_from fork; and test (count (commandline -opc)) -eq 3' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from sessions' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from sessions' -l dry-run -d 'Only say what would be deleted.'
complete -c gemini -n '__fish_seen_subcommand_from sessions' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from sessions' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a undo -d 'Take back what a run changed in files.'
complete -c gemini -n '__fish_seen_subcommand_from undo; and not __fish_seen_subcommand_from list' -f -a list -d 'What can be taken back.'
complete -c gemini -n '__fish_seen_subcommand_from undo; and test (count (commandline -opc)) -eq 2' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from undo' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from undo' -s y -l yes -d 'Do it without asking.'
complete -c gemini -n '__fish_seen_subcommand_from undo' -l dry-run -d 'Only show what would be done.'
complete -c gemini -n '__fish_seen_subcommand_from undo' -l force -d 'Also overwrite what was changed since the run.'
complete -c gemini -n '__fish_seen_subcommand_from undo' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from undo' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a stats -d 'Tokens, cost and times of past runs.'
complete -c gemini -n '__fish_seen_subcommand_from stats; and test (count (commandline -opc)) -eq 2' -f -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)'
complete -c gemini -n '__fish_seen_subcommand_from stats' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from stats' -s a -l all -d 'Sessions of all projects.'
complete -c gemini -n '__fish_seen_subcommand_from stats' -l session -x -a '(GEMINI_COMPLETION_WORDS="sessions " gemini completion fish 2>/dev/null)' -d 'Only this session.'
complete -c gemini -n '__fish_seen_subcommand_from stats' -l since -x -d 'Only the last hours or days: 24h, 7d.'
complete -c gemini -n '__fish_seen_subcommand_from stats' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from stats' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a doctor -d 'Check what runs depend on; exit 1 when something would stop one.'
complete -c gemini -n '__fish_seen_subcommand_from doctor' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from doctor' -l online -d 'Also ask the service about the model, and connect to MCP servers of the network.'
complete -c gemini -n '__fish_seen_subcommand_from doctor' -l skip-trust -d 'As if the folder were trusted.'
complete -c gemini -n '__fish_seen_subcommand_from doctor' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from doctor' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a cache -d 'Answers that --cache kept.'
complete -c gemini -n '__fish_seen_subcommand_from cache; and not __fish_seen_subcommand_from list show clear prune' -f -a list -d 'What is kept, the newest first.'
complete -c gemini -n '__fish_seen_subcommand_from cache; and not __fish_seen_subcommand_from list show clear prune' -f -a show -d 'One of them: its question, its files, its answer.'
complete -c gemini -n '__fish_seen_subcommand_from cache; and not __fish_seen_subcommand_from list show clear prune' -f -a clear -d 'Remove all of them.'
complete -c gemini -n '__fish_seen_subcommand_from cache; and not __fish_seen_subcommand_from list show clear prune' -f -a prune -d 'Remove old ones (default: older than 30d).'
complete -c gemini -n '__fish_seen_subcommand_from cache' -l dir -x -d 'Where answers are kept (default: GEMINI_CACHE, else ~/.gemini/cache).'
complete -c gemini -n '__fish_seen_subcommand_from cache' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from cache' -l older -x -d 'Only those that are older: 30d, 12h.'
complete -c gemini -n '__fish_seen_subcommand_from cache' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from cache' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a cassette -d 'Recordings of model calls, made by --record.'
complete -c gemini -n '__fish_seen_subcommand_from cassette; and not __fish_seen_subcommand_from show verify prune' -f -a show -d 'The recorded calls, or one of them.'
complete -c gemini -n '__fish_seen_subcommand_from cassette; and not __fish_seen_subcommand_from show verify prune' -f -a verify -d 'Whether it is whole, and holds nothing that looks like a key (exit 1).'
complete -c gemini -n '__fish_seen_subcommand_from cassette; and not __fish_seen_subcommand_from show verify prune' -f -a prune -d 'Take out entries that a later recording replaced.'
complete -c gemini -n '__fish_seen_subcommand_from cassette' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from cassette' -l entry -x -d 'The whole of one entry, counted from 1.'
complete -c gemini -n '__fish_seen_subcommand_from cassette' -l last-only -d 'Keep only what the last run recorded.'
complete -c gemini -n '__fish_seen_subcommand_from cassette' -l dry-run -d 'Only say what would be taken out.'
complete -c gemini -n '__fish_seen_subcommand_from cassette' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from cassette' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a models -d 'Known models: names, windows, prices, tiers and stand-ins.'
complete -c gemini -n '__fish_seen_subcommand_from models' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from models' -l online -d 'Ask the service which models it offers, and mark the differences.'
complete -c gemini -n '__fish_seen_subcommand_from models' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from models' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a budget -d 'One budget for many processes: dollars, tokens, requests, rates.'
complete -c gemini -n '__fish_seen_subcommand_from budget; and not __fish_seen_subcommand_from init show reset' -f -a init -d 'Make a budget. Names at least one limit.'
complete -c gemini -n '__fish_seen_subcommand_from budget; and not __fish_seen_subcommand_from init show reset' -f -a show -d 'What is used of it, and what requests reserve at this moment.'
complete -c gemini -n '__fish_seen_subcommand_from budget; and not __fish_seen_subcommand_from init show reset' -f -a reset -d 'Begin anew with the same limits. Requests under way keep their reservations.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l usd -x -d 'What all requests together may cost.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l tokens -x -d 'Tokens that all requests together may take.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l requests -x -d 'Requests that may be sent.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l rpm -x -d 'Requests within a minute; more of them wait.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l tpm -x -d 'Tokens within a minute; requests beyond that wait.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l force -d 'Replace what is there, with all that it counted.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from budget' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a schema -d 'The JSON Schemas of what programs read and write.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a check -d 'Whether a file fits; each fault with its line. - is standard input.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a json -d 'The document of -o json.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a stream-json -d 'A line of -o stream-json.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a input-stream -d 'A line of --input-format stream-json.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a settings -d 'settings.json, of the user and of projects.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a policy -d 'A policy file.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a hooks -d 'What a hook reads, and what it may answer.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a session -d 'A line of a session file.'
complete -c gemini -n '__fish_seen_subcommand_from schema; and not __fish_seen_subcommand_from check json stream-json input-stream settings policy hooks session cassette' -f -a cassette -d 'A line of a cassette.'
complete -c gemini -n '__fish_seen_subcommand_from schema' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from schema' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from schema' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a sandbox -d 'Try the sandbox, and run a command in it.'
complete -c gemini -n '__fish_seen_subcommand_from sandbox; and not __fish_seen_subcommand_from check run' -f -a check -d 'What a run here is kept to, each promise tried; exit 1 when one does not hold, 44 without any sandbox.'
complete -c gemini -n '__fish_seen_subcommand_from sandbox; and not __fish_seen_subcommand_from check run' -f -a run -d 'Run one command as a sandboxed run would; its exit code is the result.'
complete -c gemini -n '__fish_seen_subcommand_from sandbox' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from sandbox' -l read-only -d 'As commands that run without a question: nothing is written, no network.'
complete -c gemini -n '__fish_seen_subcommand_from sandbox' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from sandbox' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a run -d 'Run a prompt that is a program, also by #!.'
complete -c gemini -n '__fish_seen_subcommand_from run' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from run' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a batch -d 'Answer thousands of prompts from a file, resumable.'
complete -c gemini -n '__fish_seen_subcommand_from batch; and not __fish_seen_subcommand_from status collect cancel merge' -f -a status -d 'Show how far a batch is, and how its jobs stand.'
complete -c gemini -n '__fish_seen_subcommand_from batch; and not __fish_seen_subcommand_from status collect cancel merge' -f -a collect -d 'Fetch the answers of the jobs of a batch (--via api), when they have ended.'
complete -c gemini -n '__fish_seen_subcommand_from batch; and not __fish_seen_subcommand_from status collect cancel merge' -f -a cancel -d 'End the jobs of a batch (--via api), and keep what they have answered.'
complete -c gemini -n '__fish_seen_subcommand_from batch; and not __fish_seen_subcommand_from status collect cancel merge' -f -a merge -d 'Join the outputs of shards, and check that nothing is missing or twice.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l skip-trust -d 'As if the folder were trusted.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l no-wait -d 'Fetch what is there, and do not wait for the rest (exit 1 where something is missing).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l poll -x -d 'Time between two looks (default 5s, growing to 60s).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s q -l quiet -d 'No progress, no summary.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s O -l output -r -F -d 'Where the joined answers go (default: standard output).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s p -l prompt -x -d 'The prompt of each item: {{name}} stands for a field. Default: the field prompt.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l key -x -d 'The field by which an item is known (default: id, else its line).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l file-field -x -d 'The field that names a file, or a list of files, to attach.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l csv -d 'The input is CSV with a header.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l glob -x -d 'Instead of an input: each file is an item, and goes to the model.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s o -l output-format -x -a 'json text' -d 'A JSON object a line, or the answers only (default json).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l ordered -d 'Answers in the order of the input.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l errors -r -F -d 'Also write the items that failed to this file.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l report -r -F -d 'Write totals, causes of errors and percentiles as JSON.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l events -x -d 'Write what happens as JSON lines.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l via -x -a 'live flex api' -d 'live: now; flex: half the price, and slower; api: on Google\\'s batch engine, half the price, within a day.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l gcs -x -d 'With --via api and Vertex AI: where requests and answers lie.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l detach -d 'With --via api: make the jobs and leave; gemini batch collect fetches the answers.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l reroute -x -a 'flex live none' -d 'With --via api: how items are asked that a job did not answer (default none: they are errors).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l cached-context -r -F -d 'What all items have in common, sent once and kept by the service.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l tier -x -a 'standard flex priority auto' -d 'Service tier: flex is half the price and slow (default standard).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s j -l concurrency -x -d 'Items at once (default 8, at most 256).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l retries -x -d 'How often a request that failed is sent again (default 3).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l on-quota -x -a 'fail wait' -d 'What to do when a quota is used up (default fail, exit 53).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s m -l model -x -a '(GEMINI_COMPLETION_WORDS="models " gemini completion fish 2>/dev/null)' -d 'Model or alias.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l output-schema -x -d 'Each answer must be JSON that fits this JSON Schema.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l max-cost -x -d 'No item is begun once the batch has cost this much.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l max-tokens -x -d 'No item is begun once the batch has used so many tokens.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l max-turns -x -d 'Turns of one item at most.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l item-max-time -x -d 'Time of one item at most: 90s, 10m.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l item-max-cost -x -d 'Cost of one item at most.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l bare -d 'Nothing of the project: that is the default, unless --context.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l context -d 'With the context, the tools and the servers of the project, as in a run that is not bare.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l tools -x -a '(GEMINI_COMPLETION_WORDS="tools " gemini completion fish 2>/dev/null)' -d 'Built-in tools that the model is offered (default: none; with --context those of the settings).'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l approval-mode -x -a 'default auto_edit yolo plan' -d 'What tools may do without a question.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l worktree-per-item -d 'Each item edits a copy of the git repository; the difference is the patch of its answer.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l policy -r -F -d 'Policy file or folder.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l append-system-prompt -x -d 'What the model is told before each item.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l thinking -x -d 'off, low, medium, high, or a number of tokens.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l shard -x -d 'Only the items of the I-th of N parts; the output is called OUT.I-of-N.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l retry-errors -d 'Ask the items that failed again.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l changed -d 'Go on with other options or another input: ask again only what is asked otherwise now.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -l restart -d 'Begin anew; the old files are kept as .1.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from batch' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a update -d 'Put another version of this program in its place.'
complete -c gemini -n '__fish_seen_subcommand_from update' -l check -d 'Only say whether there is a newer version; exit 1 when there is.'
complete -c gemini -n '__fish_seen_subcommand_from update' -l to -l version -x -d 'This version, also an older one; --version does the same.'
complete -c gemini -n '__fish_seen_subcommand_from update' -l json -d 'Print JSON.'
complete -c gemini -n '__fish_seen_subcommand_from update' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from update' -s h -l help -d 'Print this help.'
complete -c gemini -n __fish_use_subcommand -f -a completion -d 'Print the completion script of a shell.'
complete -c gemini -n '__fish_seen_subcommand_from completion; and not __fish_seen_subcommand_from bash zsh fish' -f -a bash -d 'For bash.'
complete -c gemini -n '__fish_seen_subcommand_from completion; and not __fish_seen_subcommand_from bash zsh fish' -f -a zsh -d 'For zsh.'
complete -c gemini -n '__fish_seen_subcommand_from completion; and not __fish_seen_subcommand_from bash zsh fish' -f -a fish -d 'For fish.'
complete -c gemini -n '__fish_seen_subcommand_from completion' -s d -l debug -d 'Say on stderr what is done and why.'
complete -c gemini -n '__fish_seen_subcommand_from completion' -s h -l help -d 'Print this help.'
`
}
