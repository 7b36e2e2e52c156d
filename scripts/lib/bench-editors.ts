/**
 * The group of the bench about `--acp`: how soon it answers, what sessions weigh, how soon a word of the model is there,
 * and what becomes of words that an editor does not read.
 */
import { serveAnswers, timeToRequest, weighed } from "./bench-line.ts"
import {
  EDITOR_TOKEN,
  FIRST_REQUEST,
  HEADLESS_TOKEN,
  HUNDRED_SESSIONS,
  INITIALIZED,
  ONE_SECOND,
  ONE_SESSION,
  READ,
  UNREAD,
  UPDATES
} from "./bench-rows.ts"
import type { Subject } from "./bench-tools-run.ts"
import { PIECE, serveAnswer } from "./long-answer.ts"
import { type Measured, median, timed } from "./measure.ts"

interface EditorBench extends Subject {
  readonly rounds: number
  readonly onPart: (name: string) => void
}

export const measureEditors = async (bench: EditorBench): Promise<Measured> => {
  bench.onPart("starts behind an editor")
  const starts = await measureStarts(bench)
  bench.onPart("100 sessions")
  const sessions = await measureSessions(bench)
  bench.onPart("first tokens")
  const tokens = await measureTokens(bench)
  bench.onPart("10,000 updates, and 40 MB that nobody reads")
  return new Map([...starts, ...sessions, ...tokens, ...(await measureFloods(bench))])
}

interface LineProgram extends AsyncDisposable {
  readonly pid: number
  readonly write: (message: object) => void
  /** Reads until a message fits. */
  readonly read: (fits: (message: Record<string, never>) => boolean) => Promise<Record<string, never>>
}

const start = (subject: Subject, args: ReadonlyArray<string>): LineProgram => {
  const child = Bun.spawn([subject.binary, "-m", "scripted", ...args], {
    cwd: subject.cwd,
    env: { ...subject.env },
    stdio: ["pipe", "pipe", "ignore"]
  })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let lines: Array<string> = []
  let rest = ""
  return {
    pid: child.pid,
    write: (message) => {
      void child.stdin.write(`${JSON.stringify(message)}\n`)
      void child.stdin.flush()
    },
    read: async (fits) => {
      while (true) {
        for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
          const message = JSON.parse(line)
          if (fits(message)) return message
        }
        const { done, value } = await reader.read()
        if (done) throw new Error("the program ended before it said what was waited for")
        lines = (rest + decoder.decode(value, { stream: true })).split("\n")
        rest = lines.pop() ?? ""
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await child.exited
    }
  }
}

interface Editor extends LineProgram {
  readonly ask: (method: string, params: object) => Promise<Record<string, never>>
  /** Only asks. */
  readonly send: (method: string, params: object) => number
}

const startEditor = async (subject: Subject): Promise<Editor> => {
  const program = start(subject, ["--acp"])
  let count = 0
  const send = (method: string, params: object) => {
    program.write({ jsonrpc: "2.0", id: ++count, method, params })
    return count
  }
  const ask = (method: string, params: object) => {
    const own = send(method, params)
    return program.read(({ id }) => id === own)
  }
  await ask("initialize", { protocolVersion: 1 })
  return { ...program, ask, send }
}

const newSession = async (editor: Editor, { cwd }: Subject): Promise<string> => {
  const { result } = await editor.ask("session/new", { cwd, mcpServers: [] })
  return String(Object(result).sessionId)
}

const promptOf = (sessionId: string) => ({ sessionId, prompt: [{ type: "text", text: "hi" }] })

const since = (begin: number): number => (Bun.nanoseconds() - begin) / 1e6

/** They take turns. */
const measureStarts = async (bench: EditorBench): Promise<Measured> => {
  const initialized: Array<number> = []
  const requests: Array<number> = []
  for (let round = 0; round < bench.rounds; round++) {
    const begin = Bun.nanoseconds()
    await using _ = await startEditor(bench)
    initialized.push(since(begin))
    requests.push(await timeToRequest(bench))
  }
  return new Map([
    [INITIALIZED, timed(median(initialized))],
    [FIRST_REQUEST, timed(median(requests))]
  ])
}

const SESSIONS = 100

const measureSessions = async (bench: EditorBench): Promise<Measured> => {
  await using editor = await startEditor(bench)
  await editor.ask("session/prompt", promptOf(await newSession(editor, bench)))
  // What is left over from the start goes in the first quiet moment.
  await Bun.sleep(500)
  const one = weighed(editor.pid)
  for (let count = 1; count < SESSIONS; count++) await newSession(editor, bench)
  await Bun.sleep(500)
  return new Map([
    [ONE_SESSION, one],
    [HUNDRED_SESSIONS, weighed(editor.pid)]
  ])
}

const TOKENS = 30
const MARGIN_MS = 2

/** The same prompts in a conversation over standard input, with and without an editor; they take turns. */
const measureTokens = async (bench: EditorBench): Promise<Measured> => {
  await using model = serveAnswers(() => "ok")
  const subject = { ...bench, env: { ...bench.env, GOOGLE_GEMINI_BASE_URL: model.url } }
  await using editor = await startEditor(subject)
  await using headless = start(subject, "--input-format stream-json -o stream-json".split(" "))
  const sessionId = await newSession(editor, subject)
  const [atEditor, atHeadless]: [Array<number>, Array<number>] = [[], []]
  for (let count = 0; count < TOKENS; count++) {
    let begin = Bun.nanoseconds()
    const id = editor.send("session/prompt", promptOf(sessionId))
    await editor.read((message) => JSON.stringify(message).includes("agent_message_chunk"))
    atEditor.push(since(begin))
    await editor.read((message) => message.id === id)
    begin = Bun.nanoseconds()
    headless.write({ type: "user", message: { role: "user", content: "hi" } })
    await headless.read(({ role, type }) => type === "message" && role === "assistant")
    atHeadless.push(since(begin))
    await headless.read(({ type }) => type === "result")
  }
  const warm = (times: ReadonlyArray<number>) => median(times.slice(5))
  return new Map([
    [EDITOR_TOKEN, timed(warm(atEditor))],
    [HEADLESS_TOKEN, timed(warm(atHeadless) + MARGIN_MS)]
  ])
}

const PIECES = 10_000

const measureFloods = async (bench: EditorBench): Promise<Measured> => {
  using model = serveAnswer(PIECES * PIECE)
  using flood = serveAnswer(20 * PIECES * PIECE)
  const at = (server: { readonly url: URL }) => ({
    ...bench,
    env: { ...bench.env, GOOGLE_GEMINI_BASE_URL: server.url.origin }
  })
  await using reading = await startEditor(at(model))
  const readingId = await newSession(reading, bench)
  const begin = Bun.nanoseconds()
  await reading.ask("session/prompt", promptOf(readingId))
  const took = since(begin)
  await using unread = await startEditor(at(flood))
  const unreadId = await newSession(unread, bench)
  await Bun.sleep(500)
  const rest = weighed(unread.pid)
  unread.send("session/prompt", promptOf(unreadId))
  await Bun.sleep(2_000)
  return new Map([
    [UPDATES, timed(took)],
    [ONE_SECOND, timed(1_000)],
    [READ, rest],
    [UNREAD, weighed(unread.pid)]
  ])
}
