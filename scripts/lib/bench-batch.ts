/**
 * The group of the bench about batches: 1,000 items on a model that takes 50 ms beside the time that nobody can beat, an item
 * beside a run of its own, memory over many items beside that over few, and going on where nearly everything is done beside the
 * bare reading of the journal.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  BATCH_BARE_JOURNAL,
  BATCH_FEW,
  BATCH_IDEAL,
  BATCH_ITEM,
  BATCH_MANY,
  BATCH_ONE_RUN,
  BATCH_RESUME,
  BATCH_RESUME_LIMIT,
  BATCH_SLOW
} from "./bench-rows.ts"
import type { TelemetryBench } from "./bench-telemetry.ts"
import { canWeigh, GNU_TIME, type Measured, type Measurement, timed } from "./measure.ts"

const SLOW = { items: 1000, atOnce: 64, delayMs: 50 }
const FEW = 1000
const MANY = 100_000
const DONE = 1_000_000

const ANSWER = `data: ${JSON.stringify({
  candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
})}\r\n\r\n`

export const measureBatches = async ({ binary, env, onPart, scratch }: TelemetryBench): Promise<Measured> => {
  const model = (delayMs: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        await request.arrayBuffer()
        if (delayMs > 0) await Bun.sleep(delayMs)
        return new Response(ANSWER, { headers: { "content-type": "text/event-stream" } })
      }
    })
  const slow = model(SLOW.delayMs)
  const quick = model(0)
  const at = (name: string) => join(scratch, name)
  const ask = (url: URL, args: ReadonlyArray<string>) =>
    weighed([binary, ...args, "-m", "scripted"], { ...env, GOOGLE_GEMINI_BASE_URL: url.origin }, scratch)
  const batch = (url: URL, items: number, atOnce: number) => {
    writeInput(at("in.jsonl"), items)
    for (const name of ["out.jsonl", "out.jsonl.journal"]) rmSync(at(name), { force: true })
    return ask(url, ["batch", "in.jsonl", "-O", "out.jsonl", "-j", String(atOnce), "-q"])
  }
  try {
    onPart("1,000 items on a slow model")
    const slowly = await batch(slow.url, SLOW.items, SLOW.atOnce)
    onPart("100,000 items on a quick model")
    const one = await ask(quick.url, ["-p", "hi"])
    const few = await batch(quick.url, FEW, SLOW.atOnce)
    const many = await batch(quick.url, MANY, SLOW.atOnce)
    onPart("going on after 1,000,000 items")
    writeJournal(at("out.jsonl"), DONE)
    writeInput(at("in.jsonl"), DONE)
    const resumed = await weighed([binary, "batch", "status", "out.jsonl"], env, scratch)
    const bare = await weighed([process.execPath, "-e", BARE_JOURNAL, at("out.jsonl.journal")], env, scratch)
    return new Map<string, Measurement>([
      [BATCH_SLOW, timed(slowly.ms)],
      [BATCH_IDEAL, timed((SLOW.items * SLOW.delayMs) / SLOW.atOnce)],
      [BATCH_ITEM, timed((many.cpuMs - few.cpuMs) / (MANY - FEW))],
      [BATCH_ONE_RUN, timed(one.cpuMs)],
      [BATCH_MANY, { ms: many.ms, peakMiB: many.peakMiB }],
      [BATCH_FEW, { ms: few.ms, peakMiB: few.peakMiB }],
      [BATCH_RESUME, { ms: resumed.ms, peakMiB: resumed.peakMiB }],
      [BATCH_RESUME_LIMIT, { ms: undefined, peakMiB: 200 }],
      [BATCH_BARE_JOURNAL, { ms: bare.ms, peakMiB: bare.peakMiB }]
    ])
  } finally {
    await slow.stop(true)
    await quick.stop(true)
  }
}

const BARE_JOURNAL =
  'let n = 0; const r = Bun.file(process.argv[1]).stream().pipeThrough(new TextDecoderStream()); let rest = ""; for await (const p of r) { const l = (rest + p).split("\\n"); rest = l.pop() ?? ""; for (const t of l) if (JSON.parse(t).t === "done") n += 1 } console.log(n)'

const weighed = async (command: ReadonlyArray<string>, env: Readonly<Record<string, string>>, cwd: string) => {
  const began = performance.now()
  const weighing = canWeigh()
  const child = Bun.spawn(weighing ? [GNU_TIME, "-f", "%M", ...command] : [...command], {
    env,
    cwd,
    stdio: ["ignore", "ignore", "pipe"]
  })
  const stderr = await new Response(child.stderr).text()
  await child.exited
  const ms = performance.now() - began
  const usage = child.resourceUsage()
  const micros = Number(usage?.cpuTime.total ?? 0)
  return {
    ms,
    cpuMs: micros / 1000,
    peakMiB: weighing ? Number(stderr.trimEnd().split("\n").at(-1)) / 1024 : undefined
  }
}

const writeInput = (file: string, items: number): void =>
  writeFileSync(file, Array.from({ length: items }, (_, index) => `{"id":"k${index}","prompt":"t${index}"}\n`).join(""))

const writeJournal = (output: string, items: number): void => {
  const line = '{"key":"k","status":"success"}\n'
  writeFileSync(output, line.repeat(items))
  const plan = { options: {}, input: { name: "in.jsonl", fingerprint: "f", items }, format: "json", items }
  const done = Array.from(
    { length: items },
    (_, index) =>
      `{"t":"done","key":"k${index}","request_hash":"0123456789abcdef","offset":${index * line.length},"length":${line.length},"sum":1,"status":"success","cost":0.0001,"tokens":15,"duration_ms":50,"attempt":1,"model":"m","tier":"standard"}\n`
  )
  writeFileSync(
    `${output}.journal`,
    `${JSON.stringify({ t: "plan", journal: 1, tool: "bench", created: "2026-01-01T00:00:00Z", plan })}\n${done.join("")}{"t":"synced","bytes":${items * line.length}}\n`
  )
}
