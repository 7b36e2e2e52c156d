/**
 * How long the parts of the start took. It is kept in every run, because nobody knows before the settings are read
 * whether it will be asked for; so a part costs two looks at two clocks, and nothing else.
 */
import { Effect } from "effect"

/** `cli_startup` is the whole: from the start of the process until there is somebody to talk to. */
export type StartPhase =
  | "load_program"
  | "parse_arguments"
  | "load_settings"
  | "load_cli_config"
  | "setup_terminal"
  | "authenticate"
  | "discover_tools"
  | "initialize_app"
  | "load_builtin_commands"
  | "cli_startup"

export interface PhaseTime {
  readonly name: StartPhase
  /** Milliseconds after the start of the process. */
  readonly from: number
  readonly durationMs: number
  /** Processor time of the whole process meanwhile, in microseconds. */
  readonly userMicros: number
  readonly systemMicros: number
}

export interface StartProfile {
  /** A part that ends. One that fails or is cancelled counts as unfinished. */
  readonly during: <A, E, R>(name: StartPhase, part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The same for a part that is no effect. */
  readonly of: <A>(name: StartPhase, part: () => A) => A
  /** The start is over. `false`: it was already, since a later session of the same process is no start. */
  readonly ready: (options?: { readonly keepsChunks: boolean }) => boolean
  /** In the order in which they ended. */
  readonly phases: () => ReadonlyArray<PhaseTime>
  readonly unfinished: () => ReadonlyArray<StartPhase>
  /** Files that were loaded when the start was over, where somebody wants to know. */
  readonly chunks: () => ReadonlyArray<string>
}

/** What is loaded by now: chunks of the binary, or sources where they run as they are. */
export const loadedChunks = (): ReadonlyArray<string> => Object.keys(require.cache)

/** What the process has done before anybody could ask is its first phase. */
export const makeStartProfile = (): StartProfile => {
  const ended: Array<PhaseTime> = []
  const open = new Set<StartPhase>()
  let chunks: ReadonlyArray<string> = []
  const isKnown = (name: StartPhase) => open.has(name) || ended.some((phase) => phase.name === name)
  const end = (name: StartPhase, begun: Stamp) => {
    open.delete(name)
    ended.push(phaseSince(name, begun))
  }
  const begin = (name: StartPhase): Stamp => {
    open.add(name)
    return now()
  }
  end("load_program", PROCESS_START)
  return {
    during: (name, part) =>
      Effect.suspend(() => {
        if (isKnown(name)) return part
        const begun = begin(name)
        return Effect.tap(part, () => end(name, begun))
      }),
    of: (name, part) => {
      if (isKnown(name)) return part()
      const begun = begin(name)
      const made = part()
      end(name, begun)
      return made
    },
    ready: ({ keepsChunks } = { keepsChunks: false }) => {
      if (isKnown("cli_startup")) return false
      end("cli_startup", PROCESS_START)
      if (keepsChunks) chunks = loadedChunks()
      return true
    },
    phases: () => ended,
    unfinished: () => [...open],
    chunks: () => chunks
  }
}

interface Stamp {
  readonly at: number
  readonly cpu: { readonly user: number; readonly system: number }
}

const PROCESS_START: Stamp = { at: 0, cpu: { user: 0, system: 0 } }

const now = (): Stamp => ({ at: performance.now(), cpu: process.cpuUsage() })

const phaseSince = (name: StartPhase, { at, cpu }: Stamp): PhaseTime => {
  const { at: end, cpu: used } = now()
  return {
    name,
    from: at,
    durationMs: end - at,
    userMicros: used.user - cpu.user,
    systemMicros: used.system - cpu.system
  }
}
