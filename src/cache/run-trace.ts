/**
 * What a run did, as far as its answer may be kept: which files it read, and the first thing that speaks against it. Only
 * tools whose every effect is known here count as reading; all others, and those of later versions, do not.
 */
import { dirname, resolve } from "node:path"
import type { ProtocolEvent } from "../protocol/event.ts"
import { markOf, marksBelow, type SourceMark } from "./file-marks.ts"

type Args = Readonly<Record<string, unknown>>

type Reading =
  | { readonly kind: "file" | "names" | "tree"; readonly argument?: string }
  /** It touches nothing outside the run. */
  | { readonly kind: "nothing" }

const READING: Readonly<Record<string, Reading>> = {
  read_file: { kind: "file", argument: "file_path" },
  list_directory: { kind: "names", argument: "dir_path" },
  glob: { kind: "tree", argument: "dir_path" },
  grep_search: { kind: "tree", argument: "dir_path" },
  read_many_files: { kind: "tree" },
  update_topic: { kind: "nothing" },
  write_todos: { kind: "nothing" },
  enter_plan_mode: { kind: "nothing" },
  activate_skill: { kind: "nothing" },
  invoke_agent: { kind: "nothing" },
  complete_task: { kind: "nothing" }
}

const WEB = new Set(["web_fetch", "google_web_search"])
export const SHELL = "run_shell_command"

export interface TraceOptions {
  readonly cwd: string
  /** Of context files: they are read where a tool goes. */
  readonly contextNames: ReadonlyArray<string>
}

export class RunTrace {
  readonly #cwd: string
  readonly #contextNames: ReadonlyArray<string>
  readonly #files = new Set<string>()
  readonly #trees = new Set<string>()
  readonly events: Array<ProtocolEvent> = []
  /** Why the answer cannot be kept, as the end of a sentence. */
  against: string | undefined

  constructor({ contextNames, cwd }: TraceOptions) {
    this.#cwd = cwd
    this.#contextNames = contextNames
  }

  /** `readsOnly`: of a shell command, what the policy knows about it. */
  see(event: ProtocolEvent, readsOnly: boolean): void {
    if (!COSTS.has(event._tag)) this.events.push(event)
    if (event._tag === "HookStarted") this.#object(`it ran the hook ${event.name}`)
    // Its commands ran before it was a prompt, and may say something else the next time.
    if (event._tag === "RunHalted") this.#object("a hook ended it")
    if (event._tag === "Subagent" && event.event._tag === "ToolFinished") this.#call(event.event, readsOnly)
    if (event._tag === "ToolFinished") this.#call(event, readsOnly)
  }

  reads(path: string): void {
    this.#files.add(resolve(this.#cwd, path))
  }

  readsTree(path: string): void {
    this.#trees.add(resolve(this.#cwd, path))
  }

  /** `undefined`: there is more than can be kept an eye on. */
  marks(): ReadonlyArray<SourceMark> | undefined {
    const marks = new Map<string, SourceMark>()
    for (const path of [...this.#files].flatMap((file) => [file, ...this.#contextAround(file)])) {
      const mark = markOf(path)
      if (mark === undefined) return undefined
      marks.set(path, mark)
    }
    for (const tree of this.#trees) {
      const below = marksBelow(tree)
      if (below === undefined) return undefined
      for (const mark of below) marks.set(mark.path, mark)
    }
    return [...marks.values()]
  }

  #call(
    {
      args = {},
      name,
      server
    }: { readonly args?: Args | undefined; readonly name: string; readonly server?: string | undefined },
    readsOnly: boolean
  ) {
    if (server !== undefined) return this.#object(`it asked the MCP server ${server} (${name})`)
    if (WEB.has(name)) return this.#object(`it asked the web (${name})`)
    if (name === SHELL) {
      return readsOnly ? this.readsTree(this.#cwd) : this.#object("it ran a command that is not known to only read")
    }
    const reading = READING[name]
    if (reading === undefined || !Object.hasOwn(READING, name)) return this.#object(`it called ${name}`)
    if (reading.kind === "nothing") return
    const given = reading.argument === undefined ? undefined : args[reading.argument]
    const path = typeof given === "string" && given !== "" ? given : "."
    if (reading.kind === "tree") this.readsTree(path)
    else this.reads(path)
  }

  #object(why: string): void {
    this.against ??= why
  }

  /** Context files that are, or could come to be, between the working folder and a file. */
  #contextAround(file: string): ReadonlyArray<string> {
    const found: Array<string> = []
    for (let folder = dirname(file); folder.startsWith(`${this.#cwd}/`); folder = dirname(folder)) {
      found.push(...this.#contextNames.map((name) => resolve(folder, name)))
    }
    return found
  }
}

/** An answer from here costs nothing, and took no time. */
const COSTS: ReadonlySet<ProtocolEvent["_tag"]> = new Set<ProtocolEvent["_tag"]>([
  "RunStarted",
  "UserMessage",
  "RequestFinished",
  "RequestFailed",
  "RetryScheduled",
  "ToolProgress",
  "ChatCompressed"
])
