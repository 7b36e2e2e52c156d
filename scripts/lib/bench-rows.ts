/**
 * What is measured and how much it may cost. One entry is one line of the result: to watch another path, add its program
 * to `bench.ts` and its budget here.
 */
export interface Row {
  /** As the table shows it. */
  readonly label: string
  readonly program: string
  /** The program that it is a multiple of. */
  readonly against: string
  readonly metric: "time" | "memory"
  /** Largest accepted ratio; a row without one is for comparison only. */
  readonly budget?: number
  /** Why it is not met, or cannot be measured; shown only then. */
  readonly known?: string
}

export const BASELINE = "console.log"
export const VERSION = "--version"
export const HELP = "--help"
export const ONE_SHOT = "one-shot"
export const DOCTOR = "doctor"
export const SIGNED_IN = "one-shot, signed in with Google"
/** `bench-bare-run.ts`: fetches, parses the stream, prints. */
export const BARE_RUN = "the barest run"
export const ONE_SERVER = "one-shot with one server"
export const TEN_SERVERS = "one-shot with 10 servers"
export const CALL = "call of a server's tool"
export const BARE_CALL = "call by the SDK's client"
export const LISTING = "10,000 tools"
export const BARE_LISTING = "10,000 tools by the SDK's client"
export const LARGE_RESULT = "result of 50 MB"
export const BARE_LARGE_RESULT = "result of 50 MB by the SDK's client"
export const MANY_TOOLS_RUN = "one-shot with 10,000 tools"
export const REFERENCE_VERSION = "reference --version"
export const REFERENCE_ONE_SHOT = "reference one-shot"

export const ROWS: ReadonlyArray<Row> = [
  {
    label: "--version",
    program: VERSION,
    against: BASELINE,
    metric: "time",
    budget: 1,
    known:
      "the same runtime starts in both; ours has hundreds of chunks behind it, and loads three of them to look at its arguments"
  },
  { label: "--help", program: HELP, against: BASELINE, metric: "time", budget: 2 },
  { label: "one-shot prompt", program: ONE_SHOT, against: BARE_RUN, metric: "time", budget: 5 },
  {
    label: "one-shot prompt, peak memory",
    program: ONE_SHOT,
    against: BARE_RUN,
    metric: "memory",
    budget: 2.2,
    known:
      "while it waits for the model, about 28 MiB are touched pages of the executable, the runtime's code above all, and 28 MiB are heap: the modules of a run, their functions and objects; of the bare program 11 MiB and 2 MiB"
  },
  { label: "doctor", program: DOCTOR, against: ONE_SHOT, metric: "time", budget: 3 },
  {
    label: "one-shot prompt, signed in with Google",
    program: SIGNED_IN,
    against: ONE_SHOT,
    metric: "time",
    budget: 1.15
  }
]

/** Only with `--reference`. */
export const REFERENCE_ROWS: ReadonlyArray<Row> = [
  { label: "--version", program: VERSION, against: REFERENCE_VERSION, metric: "time", budget: 1 / 150 },
  { label: "one-shot prompt", program: ONE_SHOT, against: REFERENCE_ONE_SHOT, metric: "time", budget: 1 / 35 },
  {
    label: "one-shot prompt, peak memory",
    program: ONE_SHOT,
    against: REFERENCE_ONE_SHOT,
    metric: "memory",
    budget: 1 / 5
  }
]

export const TOOL_TURN = "tool turn"
export const EARLY_TURN = "turn 10"
export const LATE_TURN = "turn 1,000"
export const ONE_READ = "turn with one read"
export const FIFTY_READS = "turn with 50 reads"
export const HUNDRED_READS = "turn with 100 reads"
export const GREP = "grep_search"
export const RG = "rg"
export const GLOB = "glob"
export const RG_FILES = "rg --files"
export const FIRST_SHELL_CALL = "first shell call"
export const LATER_SHELL_CALL = "later shell calls"
export const FLOOD = "2 GB of shell output"
export const CAT = "cat of the same"
export const FLOOD_GROWTH = "growth by 2 GB of shell output"
export const GROWTH_LIMIT = "64 MiB"
export const DECISION = "policy decision"
export const SHELL_DECISION = "policy decision on a shell line"
export const EVERYDAY_DECISION = "policy decision on a line of every day"
export const EVERYDAY_GRAMMAR = "reading the line with the grammar"
export const EMPTY_FOLDER = "one-shot in an empty folder"
export const LARGE_FOLDER = "one-shot among 500,000 files"

export const time = (label: string, program: string, against: string, budget: number): Row => ({
  label,
  program,
  against,
  metric: "time",
  budget
})

/** Only with `--mcp`. */
export const SERVER_ROWS: ReadonlyArray<Row> = [
  time("10 servers at the start", TEN_SERVERS, ONE_SERVER, 1.2),
  time("2,000 calls of a server's tool", CALL, BARE_CALL, 1.3),
  time("10,000 tools of a server", LISTING, BARE_LISTING, 1.5),
  { label: "10,000 tools, peak memory", program: MANY_TOOLS_RUN, against: ONE_SERVER, metric: "memory", budget: 3 },
  time("result of 50 MB", LARGE_RESULT, BARE_LARGE_RESULT, 1.3)
]

export const CONFINED_BWRAP = "a command, confined by bwrap"
export const CONFINED_LANDLOCK = "a command, confined by Landlock"
export const BARE_WALLS = "bwrap with the same walls"
export const CONFINED_ONE_SHOT = "one-shot, with a sandbox"
export const UNCONFINED_ONE_SHOT = "one-shot, without a sandbox"

/** Only with `--sandbox`. */
export const SANDBOX_ROWS: ReadonlyArray<Row> = [
  time("a command in bwrap", CONFINED_BWRAP, BARE_WALLS, 1.3),
  time("a command in Landlock", CONFINED_LANDLOCK, BARE_WALLS, 1),
  time("a sandbox that no command uses", CONFINED_ONE_SHOT, UNCONFINED_ONE_SHOT, 1.05)
]

/** Only with `--tools`. */
export const TOOL_ROWS: ReadonlyArray<Row> = [
  time("one more tool turn", TOOL_TURN, ONE_SHOT, 1 / 5),
  time("turn 1,000", LATE_TURN, EARLY_TURN, 1.3),
  time("50 reads in one turn", FIFTY_READS, ONE_READ, 10),
  time("100 reads in one turn", HUNDRED_READS, ONE_READ, 20),
  time("grep_search in 200,000 files", GREP, RG, 1.2),
  time("glob in 200,000 files", GLOB, RG_FILES, 1.2),
  time("first shell call", FIRST_SHELL_CALL, LATER_SHELL_CALL, 10),
  time("policy decision", DECISION, TOOL_TURN, 1 / 20),
  time("policy decision, shell line", SHELL_DECISION, TOOL_TURN, 1 / 4),
  time("policy decision, everyday lines", EVERYDAY_DECISION, EVERYDAY_GRAMMAR, 9),
  time("2 GB of shell output", FLOOD, CAT, 5),
  { label: "2 GB of shell output, memory", program: FLOOD_GROWTH, against: GROWTH_LIMIT, metric: "memory", budget: 1 },
  time("one-shot among 500,000 files", LARGE_FOLDER, EMPTY_FOLDER, 1.5)
]

export const ASSEMBLY = "request in an empty folder"
export const ASSEMBLY_LARGE = "request among 500,000 files"
export const ASSEMBLY_MANY = "request with 200 context files"
export const EARLY_MEMORY = "turn 300"
export const LATE_MEMORY = "turn 1,000, memory"
export const FULL_WINDOW = "a history of 1 M tokens"
export const FULL_WINDOW_LIMIT = "400 MiB"
export const LONG_ANSWER = "20 MB of model text"
export const SDK_READER = "reading and printing it with the official SDK"
export const FIRST_TOKEN = "first token, from its arrival until it is printed"
export const BARE_TOKEN = "the same of the barest program, and 1 ms"
export const BARE_READER = "reading, printing and keeping it, and no more"

export const memory = (label: string, program: string, against: string, budget: number): Row => ({
  label,
  program,
  against,
  metric: "memory",
  budget
})

/** Only with `--loop`. */
export const LOOP_ROWS: ReadonlyArray<Row> = [
  time("request in an empty folder", ASSEMBLY, BASELINE, 20),
  time("request among 500,000 files", ASSEMBLY_LARGE, ASSEMBLY, 1.5),
  time("request with 200 context files", ASSEMBLY_MANY, ASSEMBLY, 1.5),
  memory("turn 1,000, peak memory", LATE_MEMORY, EARLY_MEMORY, 1.3),
  memory("a history of 1 M tokens, peak memory", FULL_WINDOW, FULL_WINDOW_LIMIT, 1),
  time("first token", FIRST_TOKEN, BARE_TOKEN, 1),
  time("20 MB of model text", LONG_ANSWER, SDK_READER, 1.5),
  time("20 MB of model text", LONG_ANSWER, BARE_READER, 1.5)
]

export const EARLY_RECORD = "recording turn 10"
export const LATE_RECORD = "recording turn 10,000"
export const RESUME = "resume of 100 MB"
export const RESUME_EDITS = "resume of 100 MB of edits"
export const SESSION_SIZE = "100 MB"
export const LIST = "list of 2,000 sessions"
export const COVERED_SHELL = "shell call among 100,000 files"
export const CHECKPOINT = "checkpoint of 100,000 files"
export const GIT_ADD = "git add of the same"
export const UNDO = "undo of 1,000 files"
export const REPLACE = "1,000 files written and renamed"

/** Only with `--sessions`. */
export const SESSION_ROWS: ReadonlyArray<Row> = [
  time("recording turn 10,000", LATE_RECORD, EARLY_RECORD, 1.3),
  time("resume of a 100 MB session", RESUME, ONE_SHOT, 6),
  memory("resume of a 100 MB session, memory", RESUME, SESSION_SIZE, 1.5),
  time("resume of 100 MB of edits, never compressed", RESUME_EDITS, ONE_SHOT, 10),
  memory("resume of 100 MB of edits, memory", RESUME_EDITS, SESSION_SIZE, 1.5),
  time("list of 2,000 sessions", LIST, ONE_SHOT, 4),
  time("shell call among 100,000 files, one changed", COVERED_SHELL, GIT_ADD, 5),
  time("checkpoint of 100,000 files, one changed", CHECKPOINT, GIT_ADD, 3),
  time("undo of 1,000 files", UNDO, REPLACE, 4)
]

export const ONE_SECOND = "one second"

export const FIRST_PROMPT = "first prompt of a conversation"
export const FIRST_REQUEST = "request of a one-shot run"
export const EARLY_CONVERSATION = "conversation after 50 prompts"
export const LATE_CONVERSATION = "conversation after 500 prompts"
export const ECHO = "echo of a key at rest"
export const ECHO_UNDER_LOAD = "echo of a key under load"
export const FIRST_TAB = "first Tab in 200,000 files"
export const LATER_TAB = "later Tab in 200,000 files"
export const FILE_LISTING = "rg --files of the same"

/** Only with `--line`. */
export const LINE_ROWS: ReadonlyArray<Row> = [
  time("time to the first prompt", FIRST_PROMPT, FIRST_REQUEST, 1.2),
  {
    label: "memory after 500 prompts",
    program: LATE_CONVERSATION,
    against: EARLY_CONVERSATION,
    metric: "memory",
    budget: 1.3
  },
  time("echo of a key while 20 MB stream in", ECHO_UNDER_LOAD, ECHO, 10),
  time("first Tab in 200,000 files", FIRST_TAB, FILE_LISTING, 4),
  time("later Tab in 200,000 files", LATER_TAB, FILE_LISTING, 1 / 2)
]

export const INITIALIZED = "initialize of an editor"
export const ONE_SESSION = "one session of an editor"
export const HUNDRED_SESSIONS = "100 sessions of an editor"
export const EDITOR_TOKEN = "first token at an editor"
export const HEADLESS_TOKEN = "first token of a headless conversation, and 2 ms"
export const UPDATES = "10,000 updates"
export const UNREAD = "an editor that does not read"
export const READ = "an editor at rest"

/** Only with `--editors`. */
export const EDITOR_ROWS: ReadonlyArray<Row> = [
  time("--acp answers initialize", INITIALIZED, FIRST_REQUEST, 1.2),
  memory("100 sessions in one process", HUNDRED_SESSIONS, ONE_SESSION, 2),
  time("prompt to first token", EDITOR_TOKEN, HEADLESS_TOKEN, 1),
  time("10,000 updates", UPDATES, ONE_SECOND, 1),
  memory("2 s of 40 MB that nobody reads", UNREAD, READ, 1.5)
]

export const SAID_NOTHING = "one-shot, telemetry not mentioned"
export const TOLD_TO_NOBODY = "one-shot, telemetry off"
export const FIRST_RECORDS = "after 10,000 records"
export const MANY_RECORDS = "after 100,000 records"
export const TOLD_TO_FILE = "one-shot with telemetry to a file"
export const TOLD_TO_COLLECTOR = "one-shot with telemetry over HTTP"
export const RECORDS = "10,000 records"

/** Only with `--telemetry`. */
export const TELEMETRY_ROWS: ReadonlyArray<Row> = [
  // Nothing is loaded for it, which a test makes sure of; what is left is the noise of the machine.
  { label: "telemetry off", program: TOLD_TO_NOBODY, against: SAID_NOTHING, metric: "time", budget: 1.05 },
  { label: "telemetry to a file", program: TOLD_TO_FILE, against: ONE_SHOT, metric: "time", budget: 2.5 },
  { label: "telemetry over OTLP/HTTP", program: TOLD_TO_COLLECTOR, against: ONE_SHOT, metric: "time", budget: 2.5 },
  { label: "10,000 records to a file", program: RECORDS, against: ONE_SECOND, metric: "time", budget: 1 },
  { label: "100,000 records, memory", program: MANY_RECORDS, against: FIRST_RECORDS, metric: "memory", budget: 1.2 }
]

export const ONE_PROMPT = "one-shot, processor time"
export const NEXT_PROMPT = "one more prompt of the input stream, processor time"
export const CACHE_HIT = "an answer from the cache"
export const SETTINGS_READ = "config get"
export const SERVED_TURNS = "100 tool turns from a server"
export const REPLAYED_TURNS = "100 tool turns from a cassette"

/** Only with `--pipelines`. */
export const PIPELINE_ROWS: ReadonlyArray<Row> = [
  { label: "one more prompt of a process", program: NEXT_PROMPT, against: ONE_PROMPT, metric: "time", budget: 0.1 },
  { label: "an answer from the cache", program: CACHE_HIT, against: SETTINGS_READ, metric: "time", budget: 1.1 },
  { label: "100 tool turns replayed", program: REPLAYED_TURNS, against: SERVED_TURNS, metric: "time", budget: 0.8 }
]

export const FIVE_HOOKS = "five hooks"

export const ONE_AGENT = "a run with one sub-agent"
export const EIGHT_AGENTS = "a run with 8 sub-agents at once"
export const NO_AGENTS = "one-shot without agents of one's own"
export const FIFTY_AGENTS = "one-shot with 50 agents"
export const NO_EXTENSIONS = "one-shot without extensions"
export const FIFTY_EXTENSIONS = "one-shot with 50 extensions"

/** Only with `--extend`. Five programs are started, one after the other; agents work side by side. */
export const EXTEND_ROWS: ReadonlyArray<Row> = [
  { label: "5 hooks that do nothing", program: FIVE_HOOKS, against: BASELINE, metric: "time", budget: 5 },
  { label: "8 sub-agents at once", program: EIGHT_AGENTS, against: ONE_AGENT, metric: "time", budget: 2 },
  { label: "50 agents installed", program: FIFTY_AGENTS, against: NO_AGENTS, metric: "time", budget: 1.5 },
  { label: "50 extensions installed", program: FIFTY_EXTENSIONS, against: NO_EXTENSIONS, metric: "time", budget: 1.5 }
]

export const EMPTY_HOME = "one-shot in an empty home"
export const FULL_HOME = "one-shot in a full home"
export const FULL_HOME_TOLD = "one-shot in a full home, all of it told"

/** Only with `--home`. */
export const HOME_ROWS: ReadonlyArray<Row> = [
  { label: "a full home", program: FULL_HOME, against: EMPTY_HOME, metric: "time", budget: 1.5 },
  { label: "a full home, all of it told", program: FULL_HOME_TOLD, against: EMPTY_HOME, metric: "time", budget: 1.5 }
]

export const BATCH_SLOW = "batch of 1,000 items at 64 on a 50 ms model"
export const BATCH_IDEAL = "the time that nobody can beat"
export const BATCH_ITEM = "item of a batch, CPU"
export const BATCH_ONE_RUN = "one-shot run, CPU"
export const BATCH_MANY = "batch of 100,000 items"
export const BATCH_FEW = "batch of 1,000 items"
export const BATCH_RESUME = "state of a batch with 1,000,000 items done"
export const BATCH_BARE_JOURNAL = "parsing each line of its journal"

export const BATCH_RESUME_LIMIT = "200 MiB"

export const BATCH_ROWS: ReadonlyArray<Row> = [
  {
    label: BATCH_SLOW,
    program: BATCH_SLOW,
    against: BATCH_IDEAL,
    metric: "time",
    budget: 1 / 0.95,
    known:
      "an item is a whole run of the chat loop, 2 to 4 ms of one thread: 64 at once on a 50 ms model leave 0.8 ms for each"
  },
  { label: BATCH_ITEM, program: BATCH_ITEM, against: BATCH_ONE_RUN, metric: "time", budget: 1 / 10 },
  { label: `${BATCH_MANY}, peak memory`, program: BATCH_MANY, against: BATCH_FEW, metric: "memory", budget: 1.5 },
  { label: BATCH_RESUME, program: BATCH_RESUME, against: BATCH_BARE_JOURNAL, metric: "time", budget: 3 },
  { label: `${BATCH_RESUME}, memory`, program: BATCH_RESUME, against: BATCH_RESUME_LIMIT, metric: "memory", budget: 1 }
]
