/**
 * The third group of the bench: a conversation at the terminal. How soon one can type, how soon a key is answered, and
 * whether a long conversation stays as small as a short one.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { say } from "../../test/kit/replies.ts"
import { bodyOf } from "../../test/kit/reply-bytes.ts"
import { measureCompletion, measureEcho } from "./bench-line-keys.ts"
import { INVITATION, startLineRun } from "./bench-line-run.ts"
import { EARLY_CONVERSATION, FIRST_PROMPT, FIRST_REQUEST, LATE_CONVERSATION } from "./bench-rows.ts"
import { growSources } from "./bench-tools-files.ts"
import type { Subject } from "./bench-tools-run.ts"
import { type Measured, type Measurement, median, timed } from "./measure.ts"

export interface LineBench extends Subject {
  readonly rounds: number
  readonly onPart: (name: string) => void
}

export const measureLine = async (bench: LineBench): Promise<Measured> => {
  bench.onPart("first prompts")
  const start = await measureFirstPrompt(bench)
  bench.onPart("500 prompts")
  const long = await measureLongConversation(bench)
  bench.onPart("keys under load")
  const echo = await measureEcho(bench)
  bench.onPart("completion in 200,000 files")
  const sources = join(bench.cwd, "sources")
  growSources(sources)
  return new Map([...start, ...long, ...echo, ...(await measureCompletion({ ...bench, cwd: sources }))])
}

/** From the start to the prompt, and from the start of a one-shot run to its request: they take turns. */
const measureFirstPrompt = async (bench: LineBench): Promise<Measured> => {
  const prompts: Array<number> = []
  const requests: Array<number> = []
  for (let round = 0; round < bench.rounds; round++) {
    const start = Bun.nanoseconds()
    await using run = startLineRun(bench, [])
    await run.shows(INVITATION)
    prompts.push((Bun.nanoseconds() - start) / 1e6)
    requests.push(await timeToRequest(bench))
  }
  return new Map([
    [FIRST_PROMPT, timed(median(prompts))],
    [FIRST_REQUEST, timed(median(requests))]
  ])
}

export const timeToRequest = async (bench: Subject): Promise<number> => {
  const arrived = Promise.withResolvers<number>()
  await using model = serveAnswers(() => {
    arrived.resolve(Bun.nanoseconds())
    return "ok"
  })
  const start = Bun.nanoseconds()
  const child = Bun.spawn([bench.binary, "-p", "hi", "-m", "scripted"], {
    cwd: bench.cwd,
    env: { ...bench.env, GOOGLE_GEMINI_BASE_URL: model.url },
    stdio: ["ignore", "ignore", "ignore"]
  })
  const ms = ((await arrived.promise) - start) / 1e6
  await child.exited
  return ms
}

const PROMPTS = 500
/** Enough for everything to be loaded and warm. */
const EARLY_PROMPTS = 50

const measureLongConversation = async (bench: LineBench): Promise<Measured> => {
  let answered = 0
  await using model = serveAnswers(() => `answer ${++answered}.`)
  await using run = startLineRun({ ...bench, env: { ...bench.env, GOOGLE_GEMINI_BASE_URL: model.url } }, [])
  await run.shows(INVITATION)
  let early: Measurement | undefined
  for (let prompt = 1; prompt <= PROMPTS; prompt++) {
    run.type(`prompt ${prompt}\r`)
    await run.shows(`answer ${prompt}.`)
    if (prompt === EARLY_PROMPTS) early = weighed(run.pid)
  }
  return new Map([
    ...(early === undefined ? [] : [[EARLY_CONVERSATION, early] as const]),
    [LATE_CONVERSATION, weighed(run.pid)]
  ])
}

/** What the process holds at this moment; known on Linux only. */
export const weighed = (pid: number): Measurement => {
  const kib = /VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1]
  return { ms: undefined, peakMiB: kib === undefined ? undefined : Number(kib) / 1024 }
}

const statusOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8")
  } catch {
    return ""
  }
}

/** The words of the test kit, without what its server keeps of every request. */
export const serveAnswers = (next: () => string): AsyncDisposable & { readonly url: string } => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      await request.arrayBuffer()
      const { body, headers } = bodyOf(say(next()), true)
      return new Response(body, { headers })
    }
  })
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
}
