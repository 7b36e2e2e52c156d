/** Help pages. Made by scripts/generate.ts from the option table and the sub-commands: change those instead. */
export const rootHelp = `An agent for the terminal that talks to Gemini models.

Usage
  gemini [options] [words...]     chat; the words are the first prompt
  gemini -p TEXT [options]        answer one prompt and exit
  command | gemini [-p TEXT]      the same; piped input comes first
  gemini <command> ...            see Commands

Prompt
  -p, --prompt TEXT           Answer this prompt and exit. Piped input is put
                              before it.
  -i, --prompt-interactive TEXT
                              Send this prompt first, then go on as a chat.
      --stdin-timeout TIME    With -p: how long to wait for the first byte of
                              piped input (default 10s, 0 = for ever).
      --input-format FORMAT   With -o stream-json: read prompts from stdin, one
                              JSON object a line. One of: text, stream-json.
      --strict-input          A line of that stream that cannot be read ends the
                              run with 42.
  -f, --file PATH             Attach this file: text, picture, sound, video or
                              PDF; - is standard input. Repeatable.
      --system-prompt TEXT|@FILE
                              In place of the built-in system prompt.
      --append-system-prompt TEXT|@FILE
                              Behind the system prompt. Repeatable.

Approval and trust
      --permission-prompts WHO
                              Who is asked about calls: nobody, or the input
                              stream. One of: none, stream.
      --permission-timeout TIME
                              How long the input stream may take to answer
                              (default 60s).
      --approval-mode MODE    Which tool calls run without a question. One of:
                              default, auto_edit, yolo, plan.
  -y, --yolo                  Approve every tool call; short for
                              --approval-mode=yolo.
      --policy PATHS          Policy files or folders, in place of policyPaths.
      --admin-policy PATHS    Policy files or folders of the admin tier, in
                              place of adminPolicyPaths.
      --allowed-tools NAMES   Tools that run without a question, such as
                              run_shell_command(git log).
      --tools NAMES           Offer the model only these tools; an empty name
                              offers none.
      --no-tools              Offer the model no tools.
      --exclude-tools NAMES   Do not offer these tools.
      --skip-trust            Trust the working folder for this run.
  -s, --sandbox[=NAME]        Run inside a sandbox, or fail with exit 44 where
                              none can be used.
      --fail-on-denied        Exit 56 when a tool call was denied.

Model and output
  -m, --model NAME            Model or alias (default: GEMINI_MODEL, then
                              model.name, then auto).
      --thinking LEVEL        How much the model thinks: off, low, medium, high,
                              or a number of tokens.
      --tier TIER             Service tier: flex is half the price and slow,
                              auto is flex as long as that answers. One of:
                              standard, flex, priority, auto.
  -o, --output-format FORMAT  Print the answer, one JSON document, or one JSON
                              event a line. One of: text, json, stream-json.
      --output-schema FILE|JSON
                              The answer must be JSON that fits this JSON
                              Schema; otherwise exit 57.
      --last-message-file FILE
                              Also write the final answer to this file.
      --events FILE|fd:N      Also write the events of stream-json to this file
                              or descriptor.
      --code                  Print only the code blocks of the final answer.
      --estimate              Print what the request would hold, in tokens and
                              cost, and send nothing.
      --cache[=DIR]           Answer from what was kept while the question and
                              its files are the same (default: ~/.gemini/cache).
      --raw-output            Do not remove escape sequences from the model's
                              text.
      --accept-raw-output-risk
                              Raw output without its warning.
  -q, --quiet                 Nothing on stderr but errors.
      --verbose               Thoughts, calls, compression and agents too: on
                              stderr, or as events of stream-json.
      --no-progress           No status line while the run waits.
      --screen-reader         Plain output that reads well aloud.

Limits
      --max-turns N           Stop after this many model turns (exit 53, as for
                              every limit).
      --max-time TIME         Stop after this time: 90s, 10m, 1h; a bare number
                              is seconds.
      --max-tool-calls N      Stop after this many tool calls.
      --max-tokens N          Stop when the run has used this many tokens in
                              total.
      --max-cost USD          Stop when the run has cost this much.
      --on-quota fail|wait|fallback[:MODEL]
                              What to do when a quota is used up.

Workspace
  -C, --cwd DIR               Work in this folder.
      --include-directories PATHS
                              More folders that belong to the workspace.
      --ignore-env            Do not read .env files of the project.
      --bare                  Prompt and model only: no context files, hooks,
                              servers or extensions.
      --settings FILE|JSON    One more settings file, above those of the user
                              and the project.
  -w, --worktree [NAME]       Work in a git worktree under .gemini/worktrees; it
                              stays where the run leaves changes in it.

Sessions
  -r, --resume [ID]           Go on with a session: latest, its number in
                              --list-sessions, or its id.
      --continue              Go on with the last conversation; what scripts
                              asked once with -p does not count.
      --fork                  With --resume or --continue: go on in a copy and
                              leave the session as it is.
      --session-id ID         Start a new session with this id.
      --session-file FILE     Start a new session from an exported one.
      --ephemeral             Record no session and write nothing under the home
                              folder.
      --list-sessions         List the sessions of this project and exit.
      --delete-session ID     Delete a session by number or id and exit.

Extensions and servers
  -e, --extensions NAMES      Use only these extensions; none turns all of them
                              off.
  -l, --list-extensions       List the extensions and exit.
      --allowed-mcp-server-names NAMES
                              Start only these MCP servers.
      --mcp-config FILE|JSON  MCP servers for this run. Repeatable.
      --strict-mcp-config     Only the servers of --mcp-config.
      --acp                   Serve an editor over the Agent Client Protocol on
                              stdin and stdout.

Testing
      --record FILE           Record every call of the model into this cassette.
      --replay FILE           Take the model's answers from this cassette: no
                              key, no network.
      --on-miss HOW           With --replay: what to do about a call that was
                              not recorded (default: fail, exit 54). One of:
                              fail, live, record.
      --replay-tools          With --replay: take results of tools from the
                              cassette too, and run nothing.
      --replay-gaps           With --replay: let answers arrive as slowly as
                              they did.

Other
      --demo                  Try it with a built-in model: no key, no network.
  -d, --debug                 Say on stderr what is done and why.
      --profile               Say on stderr how long the parts of the start
                              took, and what was loaded.
  -v, --version               Print the version.
  -h, --help                  Print this help.

Commands
  config                      Show, check and change settings.
  auth                        Sign in with Google, and see how requests are
                              authenticated.
  mcp                         Manage MCP servers.
  a2a                         Offer this agent to other agents (A2A).
  extensions                  Manage extensions.
  skills                      Manage skills.
  hooks                       Manage hooks: programs that run at points of the
                              agent's work.
  policy                      Look at rules and try them.
  tools                       The tools that the model is offered.
  sessions                    Recorded conversations.
  undo                        Take back what a run changed in files.
  stats                       Tokens, cost and times of past runs.
  doctor                      Check what runs depend on; exit 1 when something
                              would stop one.
  cache                       Answers that --cache kept.
  cassette                    Recordings of model calls, made by --record.
  models                      Known models: names, windows, prices, tiers and
                              stand-ins.
  budget                      One budget for many processes: dollars, tokens,
                              requests, rates.
  schema                      The JSON Schemas of what programs read and write.
  sandbox                     Try the sandbox, and run a command in it.
  run                         Run a prompt that is a program, also by #!.
  batch                       Answer thousands of prompts from a file,
                              resumable.
  update                      Put another version of this program in its place.
  completion                  Print the completion script of a shell.

Exit codes
  0     the run did what was asked
  1     wrong arguments, or the model could not be reached or gave no answer
  41    no usable credentials
  42    no prompt, or input that cannot be used
  44    a sandbox was asked for and cannot be had
  52    settings that cannot be used
  53    a limit of the run was reached
  54    a tool failed in a way that ends the run
  55    the folder is not trusted and the request needs that
  58    some items of a batch failed
  70    a defect of this program
  130   cancelled

Examples
  # ask about a file
  gemini -p "why does this fail?" < build.log
  # ask about the output of a program
  git diff | gemini -p "write a commit message"
  # use the answer in a script
  gemini -p "list the risks" -o json | jq -r .response
  # never wait longer than that
  gemini -p "summarise" --max-time 2m < notes.md
`

export const subcommandHelp: Readonly<Record<string, string>> = {
  config: `gemini config: Show, check and change settings.

Usage
  gemini config <command> [options]

Commands
  list                        Every setting that is set, and where.
    --all                     Also settings that have their default.
  get <key>                   The value of one setting.
  explain <key>               What every file says about it, and which one
                              counts.
  set <key> <value>           Change a setting.
    -s, --scope SCOPE         Which file is changed. One of: user, project
                              (default: user).
  unset <key>                 Remove a setting.
    -s, --scope SCOPE         Which file is changed. One of: user, project
                              (default: user).
  init                        Write a settings file with every setting as a
                              comment, and its schema for editors.
    -s, --scope SCOPE         Which file is changed. One of: user, project
                              (default: user).
  path                        The settings files that are read.
  validate                    Check the settings and what a run would read
                              beside them: servers, hooks, rules, skills,
                              agents, commands, extensions; exit 1 when
                              something is wrong.

Options
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini config explain model.name
  gemini config set model.name flash --scope project
`,
  auth: `gemini auth: Sign in with Google, and see how requests are authenticated.

Usage
  gemini auth <command> [options]

Commands
  login                       Sign in with a Google account.
  status                      How requests are authenticated, and for whom. Asks
                              nobody but with --quota.
    --json                    Print JSON.
    --quota                   Ask the server what is left of each model's quota.
  logout                      Forget the sign-in with Google. Other machines
                              stay signed in.
  token                       Print an access token of the account, for a
                              script.
    --yes                     Also where the output is no terminal.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini auth login
  gemini auth status --json
  curl -H "Authorization: Bearer $(gemini auth token --yes)" ...
`,
  mcp: `gemini mcp: Manage MCP servers.

Usage
  gemini mcp <command> [options]

Commands
  add <name> <commandOrUrl> [args...]
                              Add a server, or replace one of the same name.
    -s, --scope SCOPE         Where it is stored. One of: user, project
                              (default: project).
    -t, --transport KIND      How to reach it. One of: stdio, sse, http
                              (default: stdio).
    -e, --env KEY=VALUE       Variable of the server.
    -H, --header 'KEY: VALUE'
                              Header of each request.
    --timeout MS              Limit of one request in milliseconds.
    --trust                   Run its tools without a question.
    --description TEXT        What the server is for.
    --include-tools NAMES     Only these of its tools.
    --exclude-tools NAMES     All of its tools but these.
  remove <name>               Remove a server.
    -s, --scope SCOPE         Where it is stored. One of: user, project
                              (default: project).
  list                        Connect to each server and show its state.
    --json                    Print JSON.
  enable <name>               Turn a server on.
    --session                 For the present session only.
  disable <name>              Turn a server off.
    --session                 For the present session only.
  test <name>                 Start a server and check what it offers; exit 1
                              when something is wrong.
    --json                    Print JSON.
  login <name>                Log in to a server and keep the login.
  logout <name>               Forget the login of a server.
  serve                       Offer this agent to others as an MCP server on
                              standard input and output.
    -m, --model NAME          The model of runs.
    --approval-mode MODE      Of runs, and the freest that a client can ask for.
                              One of: default, auto_edit, yolo, plan.
    --skip-trust              Folders of runs count as trusted.
    --include-directories PATHS
                              More folders that runs may work in, beside the
                              present one.
    --policy PATHS            Policy files or folders of runs.
    --admin-policy PATHS      The same for the admin tier.
    --allowed-tools NAMES     Tools that run without a question.
    --max-turns N             Most model turns of a run.
    --max-time TIME           Longest time of a run: 90s, 10m.
    --max-tool-calls N        Most tool calls of a run.
    --max-tokens N            Most tokens of a run.
    --max-cost USD            Most that a run may cost.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini mcp add docs npx -y @acme/docs-server
  gemini mcp add -t http docs https://docs.example.com/mcp
`,
  a2a: `gemini a2a: Offer this agent to other agents (A2A).

Usage
  gemini a2a <command> [options]

Commands
  serve                       Take tasks of other agents over HTTP.
    --port N                  Where to listen; without it CODER_AGENT_PORT, or a
                              free one.
    --host ADDR               Another address than this machine's own; needs
                              GEMINI_A2A_TOKEN.
    --workspace DIR           The folder of every task; without it callers name
                              one.
    --no-token                Let in whoever reaches the port of this machine.
    -m, --model NAME          The model of tasks.
    --approval-mode MODE      Of tasks. One of: default, auto_edit, yolo, plan.
    --skip-trust              Folders of tasks count as trusted.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini a2a serve --port 41242
  gemini a2a serve --workspace . --approval-mode auto_edit
`,
  extensions: `gemini extensions: Manage extensions.

Usage
  gemini extensions <command> [options]

Commands
  install <source>            Install from a URL, github:owner/repo or a local
                              folder.
    --ref REF                 Branch, tag or commit.
    --auto-update             Keep it up to date.
    --pre-release             Take pre-releases too.
    --skip-settings           Do not ask for its settings.
    --consent                 Agree to the security notice beforehand.
  uninstall [names...]        Remove extensions, by name or source.
    --all                     Remove all of them.
  list                        List what is installed.
    -o, --output-format FORMAT
                              How to print it. One of: text, json (default:
                              text).
  update [name]               Update one extension or all.
    --all                     Update all of them.
  disable <name>              Turn one off.
    -s, --scope SCOPE         Where it is stored. One of: user, workspace
                              (default: user).
  enable <name>               Turn one on.
    -s, --scope SCOPE         Where it is stored (default: both). One of: user,
                              workspace.
  link <path>                 Use a local folder in place.
    --consent                 Agree to the security notice beforehand.
  new <path> [template]       Create one, empty or from a template.
  validate <path>             Check a folder; exit 1 when something is wrong.
  config [name] [setting]     Ask for the settings of one, or of all.
    -s, --scope SCOPE         Where it is stored. One of: user, workspace
                              (default: user).

Options
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini extensions install github:acme/docs-extension
  gemini extensions disable docs --scope workspace
`,
  skills: `gemini skills: Manage skills.

Usage
  gemini skills <command> [options]

Commands
  list                        List skills.
    --all                     Built-in ones too.
  enable <name>               Turn one on.
  disable <name>              Turn one off.
    -s, --scope SCOPE         Where it is stored. One of: user, workspace
                              (default: workspace).
  install <source>            Install from a git URL, a folder or a .skill file.
    -s, --scope SCOPE         Where it is stored. One of: user, workspace
                              (default: user).
    --path FOLDER             Folder inside the source.
    --consent                 Agree to the security notice beforehand.
  link <path>                 Use a local folder in place.
    -s, --scope SCOPE         Where it is stored. One of: user, workspace
                              (default: user).
    --consent                 Agree to the security notice beforehand.
  uninstall <name>            Remove one.
    -s, --scope SCOPE         Where it is stored. One of: user, workspace
                              (default: user).

Options
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.
`,
  hooks: `gemini hooks: Manage hooks: programs that run at points of the agent's work.

Usage
  gemini hooks <command> [options]

Commands
  list                        All hooks, where they come from and whether they
                              run.
    --json                    Print JSON.
    --skip-trust              As if the folder were trusted.
  test <event>                Run the hooks of an event with sample input, and
                              say what the agent would do. 1 when one fails.
    --tool NAME               The tool of the sample call.
    --input JSON              An object that is laid over the sample input.
    --json                    Print JSON.
    --skip-trust              As if the folder were trusted.
  migrate                     Take over hooks of another agent.
    --from-claude             From .claude/settings.json.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini hooks test BeforeTool --tool run_shell_command
`,
  policy: `gemini policy: Look at rules and try them.

Usage
  gemini policy <command> [options]

Commands
  list                        The rules in force, first match first; with --mode
                              those of that mode. Exit 1 when a policy file has
                              errors.
  test [command...]           What would happen to a shell command in quotes, or
                              to a call of --tool, and why: exit 0 allow, 2 ask,
                              3 deny. Judged as where a person can be asked;
                              what a run with -p makes of it is added.
    --tool NAME               A call of this tool.
    --args JSON               Its arguments.
    --headless                Judge as for -p, where a question is a denial.
    --interactive             Judge as where a person can be asked (default).

Options
      --json                  Print JSON.
      --mode MODE             The approval mode of the run. One of: default,
                              auto_edit, yolo, plan.
      --cwd FOLDER            As if started in this folder.
      --skip-trust            As if the folder were trusted.
      --policy PATHS          Policy files or folders, in place of policyPaths.
      --admin-policy PATHS    The same for the admin tier.
      --allowed-tools NAMES   Tools that run without a question.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini policy test 'git push --force'
  gemini policy test --headless --policy ci.toml 'npm publish'
  gemini policy test --tool write_file --args '{"file_path": "a.txt"}'
`,
  tools: `gemini tools: The tools that the model is offered.

Usage
  gemini tools <command> [options]

Commands
  list                        All tools: offered or hidden, and why. JSON has
                              the whole declarations.
  show <name>                 The declaration of one.

Options
      --json                  Print JSON.
  -m, --model NAME            As this model is told.
      --mode MODE             The approval mode of the run. One of: default,
                              auto_edit, yolo, plan.
      --cwd FOLDER            As if started in this folder.
      --skip-trust            As if the folder were trusted.
      --policy PATHS          Policy files or folders, in place of policyPaths.
      --admin-policy PATHS    The same for the admin tier.
      --allowed-tools NAMES   Tools that run without a question.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.
`,
  sessions: `gemini sessions: Recorded conversations.

Usage
  gemini sessions <command> [options]

Commands
  list                        Those of this project.
  show <id>                   Print one.
  search <words...>           Find what was said.
  export <id> [file]          Write one to a .json, .jsonl or .md file, or print
                              it as JSON.
  delete <id>                 Delete one, with everything that was kept for it.
  verify [id]                 Check the files; exit 1 when something is wrong.
  summarize [id]              Ask a model for a title of one, or of the newest
                              20 without.
  fork <id>                   Copy one under a new id, which is printed.
  prune                       Delete what the settings of
                              general.sessionRetention let go.
    --dry-run                 Only say what would be deleted.

Options
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini sessions search migration plan
  gemini sessions export latest talk.md
`,
  undo: `gemini undo: Take back what a run changed in files.

Usage
  gemini undo [run|session] [options]
  gemini undo <command> [options]

Commands
  list                        What can be taken back.

Options
      --json                  Print JSON.
  -y, --yes                   Do it without asking.
      --dry-run               Only show what would be done.
      --force                 Also overwrite what was changed since the run.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini undo
  gemini undo --dry-run
  gemini undo 3f2a91c0-1 --yes
`,
  stats: `gemini stats: Tokens, cost and times of past runs.

Usage
  gemini stats [session] [options]

Options
      --json                  Print JSON.
  -a, --all                   Sessions of all projects.
      --session ID            Only this session.
      --since TIME            Only the last hours or days: 24h, 7d.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.
`,
  doctor: `gemini doctor: Check what runs depend on; exit 1 when something would stop one.

Usage
  gemini doctor [options]

Options
      --json                  Print JSON.
      --online                Also ask the service about the model, and connect
                              to MCP servers of the network.
      --skip-trust            As if the folder were trusted.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini doctor
  gemini doctor --online
  gemini doctor --json | jq '.checks[] | select(.status != "ok")'
`,
  cache: `gemini cache: Answers that --cache kept.

Usage
  gemini cache <command> [options]

Commands
  list                        What is kept, the newest first.
  show <key>                  One of them: its question, its files, its answer.
  clear                       Remove all of them.
  prune                       Remove old ones (default: older than 30d).
    --older TIME              Only those that are older: 30d, 12h.

Options
      --dir DIR               Where answers are kept (default: GEMINI_CACHE,
                              else ~/.gemini/cache).
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini cache list
  gemini cache prune --older 30d
`,
  cassette: `gemini cassette: Recordings of model calls, made by --record.

Usage
  gemini cassette <command> [options]

Commands
  show <file>                 The recorded calls, or one of them.
    --entry N                 The whole of one entry, counted from 1.
  verify [file...]            Whether it is whole, and holds nothing that looks
                              like a key (exit 1).
  prune <file>                Take out entries that a later recording replaced.
    --last-only               Keep only what the last run recorded.
    --dry-run                 Only say what would be taken out.

Options
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini cassette show tests/tape.jsonl
  gemini cassette verify tests/*.jsonl
`,
  models: `gemini models: Known models: names, windows, prices, tiers and stand-ins.

Usage
  gemini models [options]

Options
      --json                  Print JSON.
      --online                Ask the service which models it offers, and mark
                              the differences.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini models
  gemini models --json | jq -r '.models[].id'
  gemini models --online
`,
  budget: `gemini budget: One budget for many processes: dollars, tokens, requests, rates.

Usage
  gemini budget <command> [options]

Commands
  init <file>                 Make a budget. Names at least one limit.
    --usd DOLLARS             What all requests together may cost.
    --tokens N                Tokens that all requests together may take.
    --requests N              Requests that may be sent.
    --rpm N                   Requests within a minute; more of them wait.
    --tpm N                   Tokens within a minute; requests beyond that wait.
    --force                   Replace what is there, with all that it counted.
  show [file]                 What is used of it, and what requests reserve at
                              this moment.
    --json                    Print JSON.
  reset [file]                Begin anew with the same limits. Requests under
                              way keep their reservations.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini budget init team.json --usd 5 --requests 100 --rpm 60
  GEMINI_BUDGET=team.json gemini -p hello
  gemini budget show team.json --json
`,
  schema: `gemini schema: The JSON Schemas of what programs read and write.

Usage
  gemini schema [options]
  gemini schema <command> [options]

Commands
  check <name> <file>         Whether a file fits; each fault with its line. -
                              is standard input.
  json                        The document of -o json.
  stream-json                 A line of -o stream-json.
  input-stream                A line of --input-format stream-json.
  settings                    settings.json, of the user and of projects.
  policy                      A policy file.
  hooks                       What a hook reads, and what it may answer.
  session                     A line of a session file.
  cassette                    A line of a cassette.

Options
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini schema stream-json > events.schema.json
  gemini schema check settings .gemini/settings.json
`,
  sandbox: `gemini sandbox: Try the sandbox, and run a command in it.

Usage
  gemini sandbox <command> [options]

Commands
  check                       What a run here is kept to, each promise tried;
                              exit 1 when one does not hold, 44 without any
                              sandbox.
    --json                    Print JSON.
  run <command> [args...]     Run one command as a sandboxed run would; its exit
                              code is the result.
    --read-only               As commands that run without a question: nothing
                              is written, no network.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini sandbox check
  GEMINI_SANDBOX=landlock gemini sandbox run -- make test
`,
  run: `gemini run: Run a prompt that is a program, also by #!.

Usage
  gemini run [file-and-arguments...] [options]

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini run review.prompt src/main.ts
  #!/usr/bin/env -S gemini run
`,
  batch: `gemini batch: Answer thousands of prompts from a file, resumable.

Usage
  gemini batch [input.jsonl] [options]
  gemini batch <command> [options]

Commands
  status <out.jsonl>          Show how far a batch is, and how its jobs stand.
    --json                    Print JSON.
  collect <out.jsonl>         Fetch the answers of the jobs of a batch (--via
                              api), when they have ended.
    --no-wait                 Fetch what is there, and do not wait for the rest
                              (exit 1 where something is missing).
    --poll TIME               Time between two looks (default 5s, growing to
                              60s).
  cancel <out.jsonl>          End the jobs of a batch (--via api), and keep what
                              they have answered.
  merge [out.jsonl...]        Join the outputs of shards, and check that nothing
                              is missing or twice.
    -O, --output FILE         Where the joined answers go (default: standard
                              output).

Options
  -O, --output FILE           Where answers go, one line an item; - is standard
                              output, without a journal.
  -p, --prompt TEMPLATE       The prompt of each item: {{name}} stands for a
                              field. Default: the field prompt.
      --key FIELD             The field by which an item is known (default: id,
                              else its line).
      --file-field FIELD      The field that names a file, or a list of files,
                              to attach.
      --csv                   The input is CSV with a header.
      --glob PATTERN          Instead of an input: each file is an item, and
                              goes to the model.
  -o, --output-format FORMAT  A JSON object a line, or the answers only (default
                              json). One of: json, text.
      --ordered               Answers in the order of the input.
      --errors FILE           Also write the items that failed to this file.
      --report FILE           Write totals, causes of errors and percentiles as
                              JSON.
      --events FILE|fd:N      Write what happens as JSON lines.
  -q, --quiet                 No progress, no summary.
      --via WAY               live: now; flex: half the price, and slower; api:
                              on Google's batch engine, half the price, within a
                              day. One of: live, flex, api.
      --gcs gs://BUCKET/FOLDER
                              With --via api and Vertex AI: where requests and
                              answers lie.
      --detach                With --via api: make the jobs and leave; gemini
                              batch collect fetches the answers.
      --poll TIME             With --via api: time between two looks at the jobs
                              (default 5s, growing to 60s).
      --reroute WAY           With --via api: how items are asked that a job did
                              not answer (default none: they are errors). One
                              of: flex, live, none.
      --cached-context FILE   What all items have in common, sent once and kept
                              by the service.
      --tier TIER             Service tier: flex is half the price and slow
                              (default standard). One of: standard, flex,
                              priority, auto.
  -j, --concurrency N         Items at once (default 8, at most 256).
      --retries N             How often a request that failed is sent again
                              (default 3).
      --on-quota ACTION       What to do when a quota is used up (default fail,
                              exit 53). One of: fail, wait.
  -m, --model NAME            Model or alias.
      --output-schema FILE|JSON
                              Each answer must be JSON that fits this JSON
                              Schema.
      --max-cost USD          No item is begun once the batch has cost this
                              much.
      --max-tokens N          No item is begun once the batch has used so many
                              tokens.
      --max-turns N           Turns of one item at most.
      --item-max-time TIME    Time of one item at most: 90s, 10m.
      --item-max-cost USD     Cost of one item at most.
      --bare                  Nothing of the project: that is the default,
                              unless --context.
      --context               With the context, the tools and the servers of the
                              project, as in a run that is not bare.
      --tools LIST            Built-in tools that the model is offered (default:
                              none; with --context those of the settings).
      --approval-mode MODE    What tools may do without a question. One of:
                              default, auto_edit, yolo, plan.
      --worktree-per-item     Each item edits a copy of the git repository; the
                              difference is the patch of its answer.
      --policy PATH           Policy file or folder.
      --append-system-prompt TEXT|@FILE
                              What the model is told before each item.
      --thinking LEVEL        off, low, medium, high, or a number of tokens.
      --shard I/N             Only the items of the I-th of N parts; the output
                              is called OUT.I-of-N.
      --retry-errors          Ask the items that failed again.
      --changed               Go on with other options or another input: ask
                              again only what is asked otherwise now.
      --restart               Begin anew; the old files are kept as .1.
      --skip-trust            As if the folder were trusted.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini batch tickets.jsonl -O out.jsonl -p "Classify: {{text}}"
  gemini batch --glob 'src/**/*.ts' -p 'Review this file.' -O reviews.jsonl
`,
  update: `gemini update: Put another version of this program in its place.

Usage
  gemini update [options]

Options
      --check                 Only say whether there is a newer version; exit 1
                              when there is.
      --to V                  This version, also an older one; --version does
                              the same.
      --json                  Print JSON.
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  gemini update --check
  gemini update
  gemini update --to 0.61.1
`,
  completion: `gemini completion: Print the completion script of a shell.

Usage
  gemini completion <command> [options]

Commands
  bash                        For bash.
  zsh                         For zsh.
  fish                        For fish.

Options
  -d, --debug                 Say on stderr what is done and why.
  -h, --help                  Print this help.

Examples
  source <(gemini completion bash)    in ~/.bashrc
  source <(gemini completion zsh)     in ~/.zshrc, after compinit
  gemini completion fish | source     in ~/.config/fish/config.fish
`
}
