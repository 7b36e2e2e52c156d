/** `gemini batch`: answers in a file with a journal beside it, and nothing is paid twice. */
import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { googleError } from "./kit/google-errors.ts"
import { canTrace } from "./kit/kill-run.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const askedIn = (request: ModelRequest): string =>
  (request.body as { contents: ReadonlyArray<{ parts: ReadonlyArray<{ text?: string }> }> }).contents
    .at(-1)
    ?.parts.map(({ text }) => text)
    .join("") ?? ""

const echo = (request: ModelRequest) => say(`re: ${askedIn(request)}`)

const items = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify({ id: `k${index}`, text: `t${index}` })}\n`).join("")

interface Line {
  readonly key: string
  readonly status: string
  readonly response: string
  readonly patch?: string
  readonly error?: { readonly type: string; readonly message: string }
}

const linesOf = (place: Workspace, file = "out.jsonl"): ReadonlyArray<Line> =>
  readFileSync(join(place.cwd, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

const keysOf = (place: Workspace, file?: string) =>
  linesOf(place, file)
    .map(({ key }) => key)
    .sort()

const allKeys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).sort()

const RUN = ["batch", "in.jsonl", "-O", "out.jsonl", "-p", "{{text}}"]

describe("a batch", () => {
  test("answers each item once, and a second start has nothing left to ask", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(20))
    const first = await place.run(RUN, { server })
    expect(first).toMatchObject({ exitCode: 0, stdout: "" })
    expect(first.stderr).toContain("20 of 20 items done")
    expect(keysOf(place)).toEqual(allKeys(20))
    expect(linesOf(place).find(({ key }) => key === "k7")?.response).toBe("re: t7")
    const again = await place.run(RUN, { server })
    expect(again).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("20 of 20 items done before, none now:")
    })
    expect(server.generations).toHaveLength(20)
    expect((await place.run(["batch", "status", "out.jsonl", "--json"])).stdout).toContain('"left": 0')
  })

  test("sends nothing of an agent with an item that has no tools", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo, { strict: true })
    await place.write("work/in.jsonl", '"just this"\n')
    await place.run(["batch", "in.jsonl", "-O", "-", "--append-system-prompt", "Be brief.", "--via", "flex"], {
      server
    })
    const body = server.generations[0]?.body as Record<string, unknown>
    expect(body.contents).toEqual([{ role: "user", parts: [{ text: "just this" }] }])
    expect(JSON.stringify(body.systemInstruction)).toContain('"Be brief."')
    expect({ tools: body.tools, tier: body.serviceTier }).toEqual({ tools: undefined, tier: "flex" })
  })

  test("goes on past items that cannot be used, says why, and asks failed ones again where that is wanted", async () => {
    await using place = await newWorkspace()
    let isBroken = true
    await using server = await startModelServer((request) =>
      isBroken && askedIn(request) === "t1" ? googleError(400, "bad request") : echo(request)
    )
    await place.write("work/in.jsonl", `${items(2)}not json\n{"id":{"a":1},"text":"x"}\n{"id":"no-text"}\n`)
    const first = await place.run([...RUN, "--errors", "bad.jsonl", "--report", "report.json"], { server })
    expect(first.exitCode).toBe(58)
    expect(Object.fromEntries(linesOf(place, "bad.jsonl").map(({ error, key }) => [key, error?.type]))).toEqual({
      "3": "input",
      "4": "input",
      "no-text": "input",
      k1: "api"
    })
    expect(JSON.parse(await place.read("work/report.json"))).toMatchObject({
      total: 5,
      succeeded: 1,
      by_error: { input: 3, api: 1 }
    })
    isBroken = false
    expect((await place.run([...RUN, "--retry-errors"], { server })).exitCode).toBe(58)
    expect(keysOf(place)).toEqual(["3", "4", "k0", "k1", "no-text"])
    expect(linesOf(place).find(({ key }) => key === "k1")).toMatchObject({ status: "success", response: "re: t1" })
    expect(server.generations).toHaveLength(3)
  })

  test("that was begun otherwise is not gone on with unasked", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(3))
    await place.run(RUN, { server })
    const other = ["batch", "in.jsonl", "-O", "out.jsonl", "-p", "again {{text}}"]
    const refused = await place.run(other, { server })
    expect(refused.exitCode).toBe(42)
    expect(refused.stderr).toContain('--prompt was "{{text}}" and is "again {{text}}"')
    expect(server.generations).toHaveLength(3)
    await place.write("work/in.jsonl", `${items(3)}{"id":"k3","text":"t3"}\n`)
    expect((await place.run([...RUN, "--changed"], { server })).exitCode).toBe(0)
    expect(server.generations).toHaveLength(4)
    expect(keysOf(place)).toEqual(allKeys(4))
    expect((await place.run([...other, "--restart"], { server })).exitCode).toBe(0)
    expect(server.generations).toHaveLength(8)
    expect(keysOf(place, "out.jsonl.1")).toEqual(allKeys(4))
  })

  test.each([
    ["an empty input", "", [], "in.jsonl has no items"],
    ["two equal keys", '{"id":1,"text":"a"}\n{"id":"1","text":"b"}\n', [], "the lines 1 and 2 have the same key"],
    ["a missing field by --key", '{"id":1}\n', ["--shard", "3/2"], '--shard cannot be "3/2"'],
    ["the same file for both", items(1), ["-O", "in.jsonl"], "input and output are the same file"]
  ])("%s is 42 before anything is sent", async (_, input, args, message) => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", input)
    const result = await place.run([...RUN, ...args], { server })
    expect({ code: result.exitCode, sent: server.requests.length }).toEqual({
      code: message.includes("--shard") ? 1 : 42,
      sent: 0
    })
    expect(result.stderr).toContain(message)
  })

  test("writes no file that it reads, nor two things to one, and tells before anything is paid", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(2))
    await place.write("work/shared.md", "shared")
    await place.shell(
      "mkdir folder && ln -s in.jsonl link && ln in.jsonl hard && ln -s . here && ln -s out.jsonl later"
    )
    const table: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["-O", "in.jsonl"], "input and output are the same file"],
      [["-O", "here/link"], "input and output are the same file"],
      [["-O", "hard"], "input and output are the same file"],
      [["--errors", "in.jsonl"], "input and --errors are the same file"],
      [["--report", "hard"], "input and --report are the same file"],
      [["--errors", "out.jsonl"], "output and --errors are the same file"],
      [["--report", "here/out.jsonl"], "output and --report are the same file"],
      [["--events", "out.jsonl"], "output and --events are the same file"],
      [["--errors", "out.jsonl.journal"], "journal of the output and --errors are the same file"],
      [["--errors", "e", "--report", "here/e"], "--errors and --report are the same file"],
      [["--cached-context", "shared.md", "--report", "shared.md"], "--cached-context and --report are the same file"],
      [["--report", "none/r.json"], "cannot be written (ENOENT)"],
      [["--errors", "folder"], "is a folder"],
      [["--events", "fd:x"], "names no descriptor"]
    ]
    for (const [args, said] of table) {
      const output = args[0] === "-O" ? [] : ["-O", "out.jsonl"]
      const run = await place.run(["batch", "in.jsonl", ...output, "-p", "{{text}}", ...args], { server })
      expect([args, run.exitCode, run.stderr]).toEqual([args, 42, expect.stringContaining(said)])
    }
    expect(server.generations).toHaveLength(0)
    expect(await place.read("work/in.jsonl")).toBe(items(2))
    expect((await place.shell("ls")).stdout.split("\n")).not.toContain("out.jsonl")
  })

  test("a file that is not the output of a batch is left alone", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(1))
    await place.write("work/out.jsonl", "mine\n")
    expect((await place.run(RUN, { server })).exitCode).toBe(42)
    expect(await place.read("work/out.jsonl")).toBe("mine\n")
    await place.write("work/sub/one", "")
    for (const [args, message] of [
      [["in.jsonl", "-O", "sub", "--restart"], "sub is a folder"],
      [["in.jsonl", "-O", "/dev/full"], "/dev/full is no regular file"],
      [["in.jsonl", "-O", "no/where.jsonl"], "no/where.jsonl cannot be written (ENOENT)"],
      [["/dev/null", "-O", "new.jsonl"], "/dev/null has no items"]
    ] as const) {
      const refused = await place.run(["batch", ...args, "-p", "{{text}}"], { server })
      expect({ args, isTold: refused.stderr.includes(message), sent: server.requests.length }).toEqual({
        args,
        isTold: true,
        sent: 0
      })
    }
  })

  test("CSV, files and standard input are inputs as well; ordered answers come in the order of the input", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request) => ({
      ...echo(request),
      delayMs: askedIn(request).includes("t0") ? 300 : 0
    }))
    await place.write("work/in.csv", 'id,text\r\na,"t0, ""quoted""\r\nand more"\r\nb,t1\r\n')
    const csv = await place.run(["batch", "in.csv", "--csv", "-O", "-", "-p", "{{text}}", "--ordered", "-o", "text"], {
      server
    })
    expect(csv.stdout).toBe('re: t0, "quoted"\nand more\nre: t1\n')
    await place.write("work/src/one.ts", "const one = 1")
    const glob = await place.run(["batch", "--glob", "src/*.ts", "-O", "-", "-p", "Review"], { server })
    expect(glob.stdout).toContain('"key":"src/one.ts"')
    expect(askedIn(server.generations.at(-1) as ModelRequest)).toContain("const one = 1")
    const piped = await place.run(["batch", "-", "-O", "out.jsonl", "-p", "{{text}}", "--ordered"], {
      server,
      stdin: { pipe: items(5) }
    })
    expect(piped.exitCode).toBe(0)
    expect(linesOf(place).map(({ key }) => key)).toEqual(["k0", "k1", "k2", "k3", "k4"])
  })

  test("shards share the items, and are joined to the whole", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(30))
    for (const index of [1, 2, 3]) {
      expect((await place.run([...RUN, "--shard", `${index}/3`], { server })).exitCode).toBe(0)
    }
    expect(server.generations).toHaveLength(30)
    const parts = [1, 2, 3].map((index) => `out.${index}-of-3.jsonl`)
    const missing = await place.run(["batch", "merge", ...parts.slice(1), "-O", "all.jsonl"])
    expect(missing).toMatchObject({ exitCode: 1 })
    expect(missing.stderr).toContain("shard 1 of 3 is missing")
    expect((await place.run(["batch", "merge", ...parts, "-O", "all.jsonl"])).exitCode).toBe(0)
    expect(keysOf(place, "all.jsonl")).toEqual(allKeys(30))
    const twice = await place.run(["batch", "merge", ...parts, "all.jsonl"])
    expect({ code: twice.exitCode, out: twice.stdout }).toEqual({ code: 1, out: "" })
  })

  test("ends at its limit with what is done, and a refused key blames no item", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(40))
    const limited = await place.run([...RUN, "-j", "1", "--max-tokens", "30"], { server })
    expect(limited.exitCode).toBe(53)
    const sofar = keysOf(place).length
    expect(sofar).toBe(server.generations.length)
    expect(sofar).toBeLessThan(10)
    await using closed = await startModelServer(() => googleError(401, "no"))
    const refused = await place.run([...RUN, "-j", "2"], { server: closed })
    expect(refused.exitCode).toBe(41)
    expect(keysOf(place)).toHaveLength(sofar)
    expect((await place.run(RUN, { server })).exitCode).toBe(0)
    expect(keysOf(place)).toEqual(allKeys(40))
  })

  test("passes --max-cost by no more than what was under way", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request) => ({ ...echo(request), delayMs: 20 }))
    await place.write("work/in.jsonl", items(200))
    const args = [...RUN, "-m", "gemini-3.5-flash", "--report", "report.json"]
    const costOf = async () => JSON.parse(await place.read("work/report.json")).cost_usd as number
    await place.run(
      [
        "batch",
        "in.jsonl",
        "-O",
        "one.jsonl",
        "-p",
        "{{text}}",
        "-m",
        "gemini-3.5-flash",
        "--max-cost",
        "0.00000001",
        "-j",
        "1",
        "--report",
        "report.json"
      ],
      { server }
    )
    const each = await costOf()
    expect(each).toBeGreaterThan(0)
    for (const [limit, atOnce] of [
      [each * 20, 8],
      // Gone on with: what was spent before counts.
      [each * 45, 16]
    ] as const) {
      const run = await place.run([...args, "--max-cost", limit.toFixed(9), "-j", String(atOnce)], { server })
      expect(run.exitCode).toBe(53)
      expect(await costOf()).toBeGreaterThanOrEqual(limit * 0.99)
      expect(await costOf()).toBeLessThanOrEqual(limit + each * atOnce * 1.01)
    }
    expect(new Set(keysOf(place)).size).toBe(keysOf(place).length)
  })

  test("two at once: the second one names the first", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request) => ({ ...echo(request), delayMs: 3_000 }))
    await place.write("work/in.jsonl", items(1))
    const first = place.start(RUN, { server })
    await server.received(1)
    const second = await place.run(RUN, { server })
    expect(second.exitCode).toBe(1)
    expect(second.stderr).toContain(`process ${first.pid} works on`)
    expect((await first.result).exitCode).toBe(0)
  })

  test("a full disk and a reader that leaves end it without a trace", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(50))
    const full = await place.shell('"$GEMINI" batch in.jsonl -O - -p "{{text}}" > /dev/full', { server })
    expect(full.exitCode).toBe(1)
    expect(full.stderr).toContain("no space left on device")
    const left = await place.shell(
      'set -o pipefail; "$GEMINI" batch in.jsonl -O - -p "{{text}}" -q | head -1 > /dev/null',
      { server }
    )
    expect({ code: left.exitCode, err: left.stderr }).toEqual({ code: 0, err: "" })
  })

  test("gives each item a copy of the repository, and keeps what it changed as a patch", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request) => {
      const key = /edit (\w+)/.exec(JSON.stringify(request.body))?.[1] ?? ""
      return JSON.stringify(request.body).includes("functionResponse")
        ? say("done")
        : ask(call("write_file", { file_path: key === "k1" ? "sub/new.txt" : "a.txt", content: `by ${key}\n` }))
    })
    await place.shell(
      "git init -q . && git config user.email a@b && git config user.name n && echo one > a.txt && git add a.txt && git commit -qm x && echo two > a.txt"
    )
    await place.write("work/in.jsonl", items(3))
    const args = [
      ...RUN.slice(0, -1),
      "edit {{id}}",
      "--approval-mode",
      "yolo",
      "--tools",
      "write_file",
      "--worktree-per-item"
    ]
    expect((await place.run([...RUN, "--worktree-per-item"], { server })).exitCode).toBe(1)
    const run = await place.run([...args, "--skip-trust"], { server })
    expect(run).toMatchObject({ exitCode: 0 })
    const patches = new Map(linesOf(place).map(({ key, patch }) => [key, patch]))
    expect(patches.get("k0")).toContain("-two\n+by k0\n")
    expect(patches.get("k1")).toContain("+++ b/sub/new.txt")
    expect(patches.get("k2")).not.toContain("k0")
    expect(await place.read("work/a.txt")).toBe("two\n")
    expect(
      (await place.shell("git worktree list | wc -l; ls -d /tmp/gemini-item-* 2>/dev/null | wc -l")).stdout
    ).toStartWith("1\n")
  })

  test("the first Ctrl-C finishes what is under way", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request) => ({ ...echo(request), delayMs: 500 }))
    await place.write("work/in.jsonl", items(30))
    const run = place.start([...RUN, "-j", "3"], { server })
    await server.received(2)
    run.kill("SIGINT")
    const { exitCode } = await run.result
    expect(exitCode).toBe(130)
    expect(keysOf(place).length).toBe(server.generations.length)
  })
})

describe.skipIf(!canTrace)("a kill", () => {
  const COUNT = 24
  const killed = async (place: Workspace, server: { readonly url: string }, call: string, when: number) =>
    await place.shell(
      `strace -f -o /dev/null -e trace=${call} -e inject=${call}:signal=KILL:when=${when} "$GEMINI" ${RUN.map((arg) => `'${arg}'`).join(" ")} -q -j 4; exit $?`,
      { server }
    )

  test(
    "at any write, sync or rename: every key once, and no more is sent again than was under way",
    async () => {
      await using place = await newWorkspace()
      let sent = 0
      let refusals = 0
      await using server = await startModelServer((request) => {
        sent += 1
        // Failed items are asked again, so that the output is written anew as well.
        if (askedIn(request) === "t3" && refusals++ < 1) return googleError(400, "not now")
        return echo(request)
      })
      await place.write("work/in.jsonl", items(COUNT))
      const steps = [
        ...Array.from({ length: 6 }, (_, index) => ["pwrite64", 3 + index * 7] as const),
        ...[1, 2, 4].map((when) => ["fsync", when] as const),
        ...[1, 2].map((when) => ["/^rename", when] as const)
      ]
      let kills = 0
      for (const [call, when] of steps) {
        const { exitCode } = await killed(place, server, call, when)
        if (exitCode === 137) kills += 1
      }
      expect((await place.run([...RUN, "--retry-errors"], { server })).exitCode).toBe(0)
      expect(keysOf(place)).toEqual(allKeys(COUNT))
      expect(kills).toBeGreaterThan(3)
      expect(sent).toBeLessThanOrEqual(COUNT + 1 + 4 * kills)
    },
    10 * 60_000
  )

  test("a torn end of both files is cut, and the items in it are asked again", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(echo)
    await place.write("work/in.jsonl", items(6))
    await place.run(RUN, { server })
    const [out, journal] = [join(place.cwd, "out.jsonl"), join(place.cwd, "out.jsonl.journal")]
    const whole = readFileSync(out)
    const records = readFileSync(journal, "utf8").trimEnd().split("\n")
    const kept = records.slice(
      0,
      records.findLastIndex((line) => line.includes('"done"'))
    )
    writeFileSync(journal, `${kept.filter((line) => !line.includes('"synced"')).join("\n")}\n{"t":"done","key":"k`)
    writeFileSync(out, whole.subarray(0, whole.length - 10))
    expect((await place.run(RUN, { server })).exitCode).toBe(0)
    expect(keysOf(place)).toEqual(allKeys(6))
    expect(server.generations).toHaveLength(7)
  })
})
