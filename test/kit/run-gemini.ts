/**
 * Starts the compiled binary the way a user's shell does, with nothing inherited from the machine that runs the tests:
 * own home, own working folder, no keys, no proxies.
 */
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import type { ModelServer } from "./model-server.ts"
import { checkOutput } from "./output-contract.ts"

export const BINARY = resolve(import.meta.dir, "../../dist/gemini")

/** A run that takes longer hangs: it is killed, and the test fails. Far above what any run needs on a slow machine. */
const HANG_AFTER_MS = 25_000

export type Stdin =
  /** `/dev/null`. */
  | "null"
  /** No descriptor 0 at all, as after `<&-`. */
  | "closed"
  /** A pipe on which nothing comes and which stays open until the run has ended. */
  | "silent"
  /** A pipe with these bytes, then its end. */
  | { readonly pipe: string | Uint8Array }
  /** A pipe that gets one piece after the other, with a pause before each. */
  | { readonly slowly: ReadonlyArray<string>; readonly everyMs: number }
  | { readonly file: string }

export interface RunOptions {
  /** Sets the base URL and a key. */
  readonly server?: Pick<ModelServer, "url">
  /** `undefined` removes a variable of the clean environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: Stdin
  readonly cwd?: string
}

export interface RunResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export interface RunningProcess {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  /** Everything on stdout so far. */
  readonly stdoutSoFar: () => string
  readonly stderrSoFar: () => string
  readonly result: Promise<RunResult>
}

/** Temporary folders of one test, and runs inside them. */
export interface Workspace extends AsyncDisposable {
  readonly root: string
  readonly home: string
  /** The working folder of runs, as a real path. */
  readonly cwd: string
  /** Writes a file below the root, with its folders. Returns its path. */
  readonly write: (path: string, content: string | Uint8Array) => Promise<string>
  readonly read: (path: string) => Promise<string>
  readonly run: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<RunResult>
  readonly start: (args: ReadonlyArray<string>, options?: RunOptions) => RunningProcess
  /** A shell script in which `$GEMINI` is the binary: for pipes, redirections and limits. */
  readonly shell: (script: string, options?: RunOptions) => Promise<RunResult>
  /**
   * A script for `shell` whose second part runs as somebody who must obey permissions: the super-user, as whom tests often
   * run in a container, need not.
   */
  readonly unprivileged: (prepare: string, script: string) => string
}

export const newWorkspace = async (): Promise<Workspace> => {
  if (!existsSync(BINARY)) throw new Error(`${BINARY} is missing: run scripts/build first`)
  const root = await realpath(await mkdtemp(join(tmpdir(), "gemini-test-")))
  const [home, cwd, temp] = [join(root, "home"), join(root, "work"), join(root, "tmp")]
  for (const folder of [home, cwd, temp, join(root, "system")]) await mkdir(folder)

  const start = (command: ReadonlyArray<string>, options: RunOptions): RunningProcess =>
    startProcess(command, { cwd, ...options, env: { ...environmentOf(root, options.server), ...options.env } })

  return {
    root,
    home,
    cwd,
    write: async (path, content) => {
      const target = resolve(root, path)
      // As the program keeps it: otherwise every run would begin with closing it.
      const isPrivate = target.startsWith(join(home, ".gemini"))
      await mkdir(dirname(target), { recursive: true, mode: isPrivate ? 0o700 : 0o777 })
      await writeFile(target, content, { mode: isPrivate ? 0o600 : 0o666 })
      return target
    },
    read: (path) => readFile(resolve(root, path), "utf8"),
    start: (args, options = {}) => start([BINARY, ...args], options),
    run: (args, options = {}) => start([BINARY, ...args], options).result,
    shell: (script, options = {}) => start(["/bin/bash", "-c", script], options).result,
    unprivileged: (prepare, script) =>
      process.getuid?.() === 0
        ? `chmod 755 "${root}" && ${prepare} && exec setpriv --reuid=65534 --regid=65534 --clear-groups bash -c '${script}'`
        : `${prepare} && ${script}`,
    [Symbol.asyncDispose]: async () => {
      // Tests take permissions away; without them the folder could not be removed.
      await chmod(home, 0o755)
      await rm(root, { recursive: true, force: true })
    }
  }
}

/** The variables of a run: what every shell has, a home of its own, and the scripted model if there is one. */
export const environmentOf = (root: string, server: RunOptions["server"]): Record<string, string> => ({
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  LANG: "C.UTF-8",
  HOME: join(root, "home"),
  TMPDIR: join(root, "tmp"),
  GEMINI: BINARY,
  GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(root, "system/settings.json"),
  GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(root, "system/system-defaults.json"),
  GEMINI_CLI_TRUST_WORKSPACE: "true",
  ...(server === undefined ? {} : { GEMINI_API_KEY: "test-key", GOOGLE_GEMINI_BASE_URL: server.url })
})

const startProcess = (
  command: ReadonlyArray<string>,
  options: RunOptions & { readonly cwd: string }
): RunningProcess => {
  const stdin = options.stdin ?? "null"
  const child = Bun.spawn(stdin === "closed" ? ["/bin/sh", "-c", 'exec "$@" <&-', "sh", ...command] : [...command], {
    cwd: options.cwd,
    env: { ...options.env },
    stdin: typeof stdin === "object" && "file" in stdin ? Bun.file(stdin.file) : needsPipe(stdin) ? "pipe" : "ignore",
    stdout: "pipe",
    stderr: "pipe"
  })
  const fed = feed(child.stdin, stdin)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  let hung = false
  const watchdog = setTimeout(() => {
    hung = true
    child.kill("SIGKILL")
  }, HANG_AFTER_MS)

  const result = async (): Promise<RunResult> => {
    const exitCode = await child.exited
    clearTimeout(watchdog)
    await Promise.all([stdout.done, stderr.done, fed])
    const outcome = { stdout: stdout.text(), stderr: stderr.text(), exitCode }
    if (hung) throw new Error(`the run hung: ${command.join(" ")}\n${JSON.stringify(outcome, null, 2).slice(0, 4000)}`)
    if (child.signalCode !== null) throw new Error(`the run was killed by ${child.signalCode}: ${outcome.stderr}`)
    if (command[0] === BINARY) checkOutput(outcome)
    return outcome
  }
  return {
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    stdoutSoFar: stdout.text,
    stderrSoFar: stderr.text,
    result: result()
  }
}

const needsPipe = (stdin: Stdin): boolean => stdin === "silent" || typeof stdin === "object"

const feed = async (sink: Bun.FileSink | number | undefined, stdin: Stdin): Promise<void> => {
  if (typeof sink !== "object" || typeof stdin !== "object") return
  try {
    if ("pipe" in stdin) await sink.write(stdin.pipe)
    if ("slowly" in stdin) {
      for (const piece of stdin.slowly) {
        await Bun.sleep(stdin.everyMs)
        await sink.write(piece)
        await sink.flush()
      }
    }
    await sink.end()
  } catch {
    // The program ended without reading everything: what it made of that is for the test to judge.
  }
}

const collect = (stream: ReadableStream<Uint8Array>) => {
  const decoder = new TextDecoder()
  let text = ""
  const drain = async () => {
    for await (const piece of stream) text += decoder.decode(piece, { stream: true })
    text += decoder.decode()
  }
  return { done: drain(), text: () => text }
}
