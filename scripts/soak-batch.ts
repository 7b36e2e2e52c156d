/**
 * What takes too long for every change: 200 items of a batch killed at every sync, rename and cut of a file in turn, then
 * through 200 kills at moments of chance, live and through jobs of the batch engine, and a million items in virtual time.
 * `scripts/soak-batch.ts [kills] [items] [live,api]`, where `none` leaves the kills at each call out. Exits with 1 where a key is
 * missing or twice, where more was sent again than was under way, or where a job was made twice.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startBatchServer } from "../test/kit/batch-server.ts"
import { simulateBatch } from "../test/kit/batch-simulation.ts"
import { googleError } from "../test/kit/google-errors.ts"
import { canTrace } from "../test/kit/kill-run.ts"
import { startModelServer } from "../test/kit/model-server.ts"
import { say } from "../test/kit/replies.ts"
import { newWorkspace, type Workspace } from "../test/kit/run-gemini.ts"

const KILLS = Number(process.argv[2] ?? 200)
const ITEMS = Number(process.argv[3] ?? 1_000_000)
const WAYS = ["live", "api"].filter((way) => (process.argv[4] ?? "live,api").includes(way))
const COUNT = 200
const AT_ONCE = 4
const RUN = ["batch", "in.jsonl", "-O", "out.jsonl", "-p", "{{text}}", "-m", "gemini-3.5-flash", "-q"]

/** The first moments are those of the start; later ones are in the middle of the work. */
const LATEST_KILL_MS = 900

const write = (text: string) => void process.stdout.write(`${text}\n`)

const inputOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify({ id: `k${index}`, text: `t${index}` })}\n`).join("")

const checkKeys = (place: Workspace): void => {
  const lines = readFileSync(join(place.cwd, "out.jsonl"), "utf8").trimEnd().split("\n")
  const keys = new Set(lines.map((line) => (JSON.parse(line) as { readonly key: string }).key))
  if (lines.length !== COUNT || keys.size !== COUNT) {
    throw new Error(`${lines.length} lines and ${keys.size} keys of ${COUNT}`)
  }
}

/** Started and killed so often, then let go on to its end; begun anew whenever it was done before. */
const killOften = async (
  place: Workspace,
  server: { readonly url: string },
  args: ReadonlyArray<string>,
  onDone: () => void
) => {
  let kills = 0
  while (kills < KILLS) {
    const run = place.start([...RUN, ...args], { server })
    const ended = run.result.then(
      ({ exitCode }) => exitCode,
      () => "killed" as const
    )
    const how = await Promise.race([ended, Bun.sleep(Math.random() * LATEST_KILL_MS).then(() => undefined)])
    if (how === undefined) {
      run.kill("SIGKILL")
      if ((await ended) === "killed") kills += 1
      continue
    }
    if (how !== 0) throw new Error(`ended with ${how}`)
    checkKeys(place)
    onDone()
    for (const name of ["out.jsonl", "out.jsonl.journal"]) await Bun.file(join(place.cwd, name)).delete()
  }
  // A job that may have been made is looked for for a minute, which is longer than a run of the tests may take.
  let last: number | undefined
  for (let tries = 0; last === undefined && tries < 4; tries++) {
    last = await place.start([...RUN, ...args], { server }).result.then(
      ({ exitCode }) => exitCode,
      () => undefined
    )
  }
  if (last !== 0) throw new Error(`ended with ${last}`)
  checkKeys(place)
  onDone()
}

const live = async () => {
  await using place = await newWorkspace()
  let sent = 0
  await using server = await startModelServer(() => {
    sent += 1
    return { ...say("ok"), delayMs: 10 }
  })
  await place.write("work/in.jsonl", inputOf(COUNT))
  let rounds = 0
  await killOften(place, server, ["-j", String(AT_ONCE)], () => {
    rounds += 1
  })
  const most = rounds * COUNT + KILLS * AT_ONCE
  if (sent > most) throw new Error(`${sent} requests, where ${most} are the most`)
  write(
    `${KILLS} kills, live: every key once in ${rounds} batches, ${sent - rounds * COUNT} requests sent again of at most ${KILLS * AT_ONCE}`
  )
}

const jobs = async () => {
  await using place = await newWorkspace()
  await using server = await startBatchServer({
    polls: 5,
    // Some answers to create are lost as well.
    fault: (kind, count) => (kind === "create" && count % 3 === 0 ? "lost" : undefined)
  })
  await place.write("work/in.jsonl", inputOf(COUNT))
  let rounds = 0
  await killOften(place, server, ["--via", "api", "--poll", "100ms"], () => {
    rounds += 1
  })
  const names = new Set(server.jobs.map(({ name }) => name))
  if (names.size !== server.jobs.length) throw new Error("a job was made twice")
  const items = server.jobs.reduce((sum, { requests }) => sum + requests.length, 0)
  if (items !== rounds * COUNT) throw new Error(`${items} items in jobs, where ${rounds * COUNT} were asked`)
  write(`${KILLS} kills, jobs: every key once in ${rounds} batches, ${server.jobs.length} jobs made, none twice`)
}

const CALLS = ["fsync", "/^rename", "ftruncate", "/^unlink"]

/** A batch of its own, killed at this call on a file of the batch, then started again until it is done. */
const killedAt = async (call: string, when: number, way: string): Promise<boolean> => {
  await using place = await newWorkspace()
  let sent = 0
  let refusals = 0
  await using model = await startModelServer(() => {
    sent += 1
    // One fails at first: it is asked again, and the output is written anew.
    return sent === 9 && refusals++ === 0 ? googleError(400, "not now") : { ...say("ok"), delayMs: 2 }
  })
  await using jobs = await startBatchServer({
    polls: 2,
    fault: (kind, count) => (kind === "create" && count === 1 ? "lost" : undefined)
  })
  const server = way === "live" ? model : jobs
  await place.write("work/in.jsonl", inputOf(COUNT))
  const args = [...RUN, ...(way === "live" ? ["-j", String(AT_ONCE)] : ["--via", "api", "--poll", "100ms"])]
  // Jobs that may go on have to be collected first.
  const again = way === "live" ? ["--retry-errors"] : []
  const line = ['"$GEMINI"', ...args.map((arg) => `'${arg}'`)].join(" ")
  const files = ["out.jsonl", "out.jsonl.journal", "out.jsonl.tmp"].map((name) => `-P ${join(place.cwd, name)}`)
  const only = call === "fsync" || call === "ftruncate" ? files.join(" ") : ""
  const strace = `strace -f -o /dev/null ${only} -e trace=${call} -e inject=${call}:signal=KILL:when=${when}`
  const script = `${strace} ${line}; code=$?; [ $code -eq 137 ] || { ${strace} ${line} ${again.join(" ")}; code=$?; }; exit $code`
  const first = await place.shell(script, { server })
  let last: number | undefined
  for (let tries = 0; last !== 0 && tries < 4; tries++)
    last = (await place.run([...args, ...again], { server })).exitCode
  const name = `${way}, ${call} ${when}`
  if (last !== 0) throw new Error(`${name}: ended with ${last}`)
  checkKeys(place)
  if (sent > COUNT + 1 + 2 * AT_ONCE) throw new Error(`${name}: ${sent} requests`)
  const items = jobs.jobs.reduce((sum, { requests }) => sum + requests.length, 0)
  if (way === "api" && items !== COUNT) throw new Error(`${name}: ${items} items in jobs`)
  return first.exitCode === 137
}

const everywhere = async (way: string) => {
  for (const call of CALLS) {
    let when = 1
    while (await killedAt(call, when, way)) when += 1
    write(`${way}: killed at each of ${when - 1} calls of ${call.replace("/^", "")}: every key once, no job twice`)
  }
}

const simulated = async () => {
  const began = performance.now()
  const end = await simulateBatch({ items: ITEMS, concurrency: 256, perMinute: 20_000, restarts: 12 })
  const seconds = Math.round((performance.now() - began) / 1000)
  if (end.lines !== ITEMS || end.keys !== ITEMS || end.failed > 0) throw new Error(JSON.stringify(end))
  if (end.paidPerItem > 1.01) throw new Error(`the cost is ${end.paidPerItem} of the ideal`)
  write(
    `${ITEMS} items in ${end.virtualHours.toFixed(1)} virtual hours (${seconds} s): every key once, cost ${end.paidPerItem.toFixed(5)} of the ideal`
  )
}

try {
  if (canTrace) for (const way of WAYS) await everywhere(way)
  if (KILLS > 0) {
    await live()
    await jobs()
  }
  if (ITEMS > 0) await simulated()
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
