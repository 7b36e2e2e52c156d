/** The parts of the bench that are measured on request: a flag, what it adds, and who measures it. */

import { measureBatches } from "./bench-batch.ts"
import { measureEditors } from "./bench-editors.ts"
import { measureExtend } from "./bench-extend.ts"
import { measureHome } from "./bench-home.ts"
import { measureLine } from "./bench-line.ts"
import { measureLoop } from "./bench-loop.ts"
import { measureServers } from "./bench-mcp.ts"
import { measurePipelines } from "./bench-pipelines.ts"
import {
  BATCH_ROWS,
  EDITOR_ROWS,
  EXTEND_ROWS,
  HOME_ROWS,
  LINE_ROWS,
  LOOP_ROWS,
  PIPELINE_ROWS,
  type Row,
  SANDBOX_ROWS,
  SERVER_ROWS,
  SESSION_ROWS,
  TELEMETRY_ROWS,
  TOOL_ROWS
} from "./bench-rows.ts"
import { measureSandbox } from "./bench-sandbox.ts"
import { measureScale, SCALE_ROWS } from "./bench-scale.ts"
import { measureSessions } from "./bench-sessions.ts"
import { measureTelemetry } from "./bench-telemetry.ts"
import { measureTools, type ToolBench } from "./bench-tools.ts"
import { measureUndo } from "./bench-undo.ts"
import type { Measured } from "./measure.ts"

export interface BenchGroup {
  readonly flag: string
  readonly about: string
  readonly rows: ReadonlyArray<Row>
  readonly measure: (bench: ToolBench & { readonly rounds: number }) => Promise<Measured>
}

export const GROUPS: ReadonlyArray<BenchGroup> = [
  {
    flag: "tools",
    about: "runs with tool calls: long conversations, searches, shell output; takes a few minutes",
    rows: TOOL_ROWS,
    measure: measureTools
  },
  {
    flag: "loop",
    about: "the loop itself: large surroundings, full windows, long answers; takes a few minutes",
    rows: LOOP_ROWS,
    measure: measureLoop
  },
  {
    flag: "sessions",
    about: "recording, resuming and listing sessions, checkpoints and undo",
    rows: SESSION_ROWS,
    measure: async (bench) => new Map([...(await measureSessions(bench)), ...(await measureUndo(bench))])
  },
  {
    flag: "line",
    about: "conversations at a terminal: the first prompt, 500 of them, keys under load, completion",
    rows: LINE_ROWS,
    measure: ({ scratch, ...bench }) => measureLine({ ...bench, cwd: scratch })
  },
  {
    flag: "editors",
    about: "the program behind an editor: its start, 100 sessions, the first token, one that does not read",
    rows: EDITOR_ROWS,
    measure: ({ scratch, ...bench }) => measureEditors({ ...bench, cwd: scratch })
  },
  {
    flag: "mcp",
    about: "runs with MCP servers: many of them, many calls, many tools, a large result",
    rows: SERVER_ROWS,
    measure: measureServers
  },
  {
    flag: "telemetry",
    about: "runs with telemetry on, and how fast records are taken",
    rows: TELEMETRY_ROWS,
    measure: measureTelemetry
  },
  {
    flag: "extend",
    about: "what hooks, agents and extensions add to a short run",
    rows: EXTEND_ROWS,
    measure: measureExtend
  },
  {
    flag: "pipelines",
    about: "many prompts of one process, kept answers, and 100 tool turns from a cassette",
    rows: PIPELINE_ROWS,
    measure: measurePipelines
  },
  {
    flag: "batch",
    about: "batches: speed, CPU and memory of their items, and going on after a million; takes some minutes",
    rows: BATCH_ROWS,
    measure: measureBatches
  },
  {
    flag: "home",
    about: "a start in a home with 200 skills against an empty one",
    rows: HOME_ROWS,
    measure: measureHome
  },
  {
    flag: "sandbox",
    about: "what confined commands cost, and a sandbox that is not used",
    rows: SANDBOX_ROWS,
    measure: measureSandbox
  },
  {
    flag: "scale",
    about: "files, sessions, runs and outputs of uncommon size; takes half an hour and 10 GB of disk",
    rows: SCALE_ROWS,
    measure: (bench) => measureScale(bench)
  }
]

export const groupUsage = GROUPS.map(({ about, flag }) => `  ${`--${flag}`.padEnd(12)}  also measure ${about}`).join(
  "\n"
)
