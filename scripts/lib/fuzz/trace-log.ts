/** Reads what `strace -f -y` wrote: which process belongs to which line, and what each line did. */

export interface TraceEvent {
  readonly kind: "reads" | "writes" | "starts" | "connects" | "signals"
  /** Real where the kernel says so; for connections the address. */
  readonly path: string
  /** Real path of the program that did it. */
  readonly program: string
  /** What was opened is a folder. */
  readonly isFolder: boolean
  readonly failed: boolean
  /** As it stands in the log. */
  readonly text: string
}

interface Call {
  readonly process: number
  readonly name: string
  readonly text: string
}

/** `given`: the folder of the driver's own files, which belong to no line. */
export const readTrace = (log: string, lines: number, given: string): ReadonlyArray<ReadonlyArray<TraceEvent>> => {
  const calls = callsIn(log)
  const owners = ownersOf(calls)
  const traces: ReadonlyArray<Array<TraceEvent>> = Array.from({ length: lines }, () => [])
  const programs = new Map<number, string>()
  for (const call of calls) {
    const owner = owners.get(call.process)
    const program = programs.get(call.process) ?? programs.get(owner?.parent ?? -1) ?? ""
    programs.set(call.process, program)
    const event = eventOf(call, program)
    if (event === undefined) continue
    if (event.kind === "starts" && !event.failed) programs.set(call.process, event.path)
    if (!event.path.startsWith(`${given}/`)) traces[owner?.line ?? -1]?.push(event)
  }
  return traces
}

/** Calls that were interrupted by others in the log are put together again, where they ended. */
const callsIn = (log: string): ReadonlyArray<Call> => {
  const calls: Array<Call> = []
  const begun = new Map<number, string>()
  for (const line of log.split("\n")) {
    const parted = /^(\d+) +(.*)$/s.exec(line)
    const [, id = "", said = ""] = parted ?? []
    const process = Number(id)
    if (said.endsWith(" <unfinished ...>")) {
      begun.set(process, said.slice(0, -" <unfinished ...>".length))
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(said)
    const text = resumed === null ? said : `${begun.get(process) ?? ""}${resumed[1] ?? ""}`
    const name = /^(\w+)\(/.exec(text)?.[1]
    if (name !== undefined) calls.push({ process, name, text })
  }
  return calls
}

interface Owner {
  readonly line: number
  readonly parent: number
}

/** The first process is the driver: what it forks behind a mark belongs to that line, with all that comes of it. */
const ownersOf = (calls: ReadonlyArray<Call>): ReadonlyMap<number, Owner> => {
  const driver = calls[0]?.process
  const parents = new Map<number, number>()
  const lineOf = new Map<number, number>()
  let line = -1
  for (const { name, process, text } of calls) {
    const mark = process === driver ? /"\/line\/(\d+|end)"/.exec(text)?.[1] : undefined
    if (mark !== undefined) line = Number(mark)
    const child = /^(?:v?fork|clone3?)$/.test(name) ? /= (\d+)(?:<.*>)?$/.exec(text)?.[1] : undefined
    if (child === undefined) continue
    parents.set(Number(child), process)
    if (process === driver) lineOf.set(Number(child), line)
  }
  const owners = new Map<number, Owner>()
  for (const [child, parent] of parents) {
    let at = child
    for (let next = parents.get(at); next !== undefined && next !== driver; next = parents.get(at)) at = next
    owners.set(child, { line: lineOf.get(at) ?? -1, parent })
  }
  return owners
}

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"'
const OPEN = new RegExp(`^(?:open|creat)\\(${QUOTED}|^openat2?\\((?:AT_FDCWD|\\d+)<(.*?)>, ${QUOTED}`, "s")
const EXEC = new RegExp(`^execve(?:at)?\\((?:(?:AT_FDCWD|\\d+)<(.*?)>, )?${QUOTED}`, "s")
const ANY_PATH = new RegExp(`(?:(?:AT_FDCWD|\\d+)<(.*?)>, )?${QUOTED}`, "s")
const RESULT = /\) += (-?\d+)(?:<(.*)>)?(?:\(deleted\))?(?: [A-Z].*)?$/s

const eventOf = ({ name, text }: Call, program: string): TraceEvent | undefined => {
  const result = RESULT.exec(text)
  const failed = result === null || result[1]?.startsWith("-") === true
  const made = (kind: TraceEvent["kind"], path: string, isFolder = false): TraceEvent => ({
    kind,
    path,
    program,
    isFolder,
    failed,
    text
  })
  if (/^(?:v?fork|clone3?)$/.test(name)) return undefined
  if (name === "execve" || name === "execveat") {
    const [, folder = "", path = ""] = EXEC.exec(text) ?? []
    // What is not there was only looked for, in one folder of the search path after the other.
    return /ENOENT|ENOTDIR/.test(text.slice(-60)) ? undefined : made("starts", joined(folder, unescaped(path)))
  }
  if (/^(?:open|openat|openat2|creat)$/.test(name)) {
    const [, plain, folder = "", path = ""] = OPEN.exec(text) ?? []
    const real = failed ? joined(folder, unescaped(plain ?? path)) : unescaped(result?.[2] ?? "")
    const isWritten = name === "creat" || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(text.slice(-200))
    return made(isWritten ? "writes" : "reads", real, /O_DIRECTORY/.test(text))
  }
  if (name === "connect" || name === "bind") return made("connects", /\{.*\}/s.exec(text)?.[0] ?? text)
  if (name === "kill" || name === "ptrace") return made("signals", text)
  const [, folder = "", path] = ANY_PATH.exec(text) ?? []
  // Some take a descriptor alone.
  const opened = /\(\d+<(.*?)>/.exec(text)?.[1] ?? ""
  return made("writes", path === undefined ? unescaped(opened) : joined(folder, unescaped(path)))
}

const joined = (folder: string, path: string): string =>
  path.startsWith("/") || folder === "" ? path : `${folder}/${path}`

const NAMED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" }

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{1,3}|.)/gs, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (NAMED[code] ?? code)
  )
