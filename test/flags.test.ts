/** The command line as scripts write it, and what happens when it cannot be carried out. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { rootOptions } from "../src/cli/option-table.ts"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

describe("understood", () => {
  test.each<[ReadonlyArray<string>]>([
    [["--approval-mode=default", "do", "it", "--output-format", "json"]],
    [["-ojson", "-p", "do it"]],
    [["-o=json", "-p", "do it"]],
    [["--outputFormat", "json", "--prompt=do it"]],
    [["-o", "text", "-p", "other", "-o", "json", "-p", "do it"]],
    [["-o", "json", "--", "do it"]],
    [["--no-debug", "--raw-output=false", "-o", "json", "do it"]],
    [["-d=false", "--output-format=json", "do it"]]
  ])("%j", async (args) => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    expect(documentOf(await place.run(args, { server }))).toMatchObject({ response: "ok" })
    expect(JSON.stringify(server.generations[0]?.body)).toContain('"do it"')
  })

  test("-m: the last one counts, blanks are trimmed", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.run(["-m", "first", "-m", " second ", "-p", "hi"], { server })
    expect(server.generations[0]?.model).toBe("second")
  })

  test("the model: flag, variable, setting, in this order", async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "model": { "name": "from-settings" } }')
    const env = { GEMINI_MODEL: "from-variable" }
    await place.run(["-p", "hi"], { server })
    await place.run(["-p", "hi"], { server, env })
    await place.run(["-p", "hi", "-m", "from-flag"], { server, env })
    expect(server.generations.map((request) => request.model)).toEqual(["from-settings", "from-variable", "from-flag"])
  })
})

describe("refused with one line, a hint and exit 1; never with the whole help", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--nope", "-p", "hi"], "--nope"],
    [["-p", "hi", "words"], "-p"],
    [["-p", "hi", "-i", "ho"], "prompt-interactive"],
    [["--yolo", "--approval-mode", "default", "-p", "hi"], "--approval-mode=yolo"],
    [["--approval-mode", "reckless", "-p", "hi"], "reckless"],
    [["-p"], "prompt"],
    [["--max-turns", "many", "-p", "hi"], "max-turns"],
    [["--max-time", "-5s", "-p", "hi"], "max-time"],
    [["--resume", "latest", "--session-id", "x", "-p", "hi"], "resume"]
  ]

  test.each(cases)("%j", async (args, words) => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const result = await place.run(args, { server })
    expectFailure(result, 1, words)
    expect(result.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2)
    expect(result.stdout).toBe("")
    expect(server.requests).toEqual([])
  })

  test("in json: one document", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "--nope", "-o", "json"])
    const document = expectFailureDocument(result, 1, {
      error: expect.objectContaining({ code: 1, message: expect.stringContaining("--nope") })
    })
    expect(document).not.toHaveProperty("stats")
  })

  test("in stream-json: init and result", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["--output-format=stream-json", "-p", "hi", "--nope"])
    expectFailureEvents(result, 1, {})
    expect(eventsOf(result)).toHaveLength(2)
  })

  test("a format that does not exist is told as text", async () => {
    await using place = await newWorkspace()
    expectFailure(await place.run(["-p", "hi", "-o", "xml"]), 1, "xml")
  })
})

describe("a slip in a sub-command is said, and nothing is sent", () => {
  const cases: ReadonlyArray<readonly [line: string, nearest: string]> = [
    ["config lst", "Did you mean list?"],
    ["sessions remove 3", "Choose one of: list, show"],
    ["policy tst x", "Did you mean test?"],
    ["confg list", "Did you mean config?"],
    ["confg", "Did you mean config?"],
    ["completion powershell", "Choose one of: bash, zsh, fish."],
    ["help me", "gemini help topics lists them."],
    ["version 2", 'takes no "2"']
  ]

  test.each(cases)("%s", async (line, nearest) => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const result = await place.run(line.split(" "), { server })
    expectFailure(result, 1, nearest)
    expect(result.stderr).toMatch(/to ask the model, use -p/i)
    expect(result.stdout).toBe("")
    expect(server.requests).toEqual([])
  })

  test("in json: one document", async () => {
    await using place = await newWorkspace()
    expectFailureDocument(await place.run(["confg", "list", "-o", "json"]), 1, {
      error: expect.objectContaining({ code: 1, message: expect.stringContaining("confg") })
    })
  })

  test("help and version are answered here", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expect(await place.run(["help"], { server })).toMatchObject(await place.run(["--help"]))
    expect(await place.run(["version"], { server })).toMatchObject(await place.run(["--version"]))
    expect(await place.run(["help", "undo"], { server })).toMatchObject(await place.run(["undo", "--help"]))
    expect(server.requests).toEqual([])
  })

  test("a sentence is a prompt", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["undo", "my", "last", "commit", "please"], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(JSON.stringify(server.generations[0]?.body)).toContain('"undo my last commit please"')
  })
})

describe("known, but not in this version: exit 1, said in one line", () => {
  test.each([[["gemma", "setup"]]])("%j", async (args) => {
    await using place = await newWorkspace()
    const result = await place.run(args)
    expectFailure(result, 1)
    expect(result.stdout).toBe("")
  })
})

describe("a sandbox is never replaced by none", () => {
  test.each<[ReadonlyArray<string>, Record<string, string>]>([
    [["-s=moat", "-p", "hi"], {}],
    [["-p", "hi"], { GEMINI_SANDBOX: "bwrap", PATH: "/nowhere" }],
    [["-p", "hi"], { GEMINI_SANDBOX: "docker" }]
  ])("%j with %j: exit 44, no request", async (args, env) => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run(args, { server, env }), 44)
    expect(server.requests).toEqual([])
  })
})

describe("trust", () => {
  const UNTRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: undefined }

  test.each([[["--yolo"]], [["--approval-mode", "auto_edit"]]])("%j in an untrusted folder: exit 55", async (flags) => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run([...flags, "-p", "hi"], { server, env: UNTRUSTED }), 55, "--skip-trust")
  })

  test("a folder that is marked as not to be trusted: exit 55", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    await place.write("home/.gemini/trustedFolders.json", JSON.stringify({ [place.cwd]: "DO_NOT_TRUST" }))
    expectFailure(await place.run(["-p", "hi"], { server, env: UNTRUSTED }), 55, place.cwd)
  })

  test("--skip-trust trusts for this run: the project's settings count", async () => {
    await using server = await startModelServer([say("ok"), say("ok")])
    await using place = await newWorkspace()
    await place.write("work/.gemini/settings.json", '{ "model": { "name": "of-the-project" } }')
    await place.run(["-p", "hi", "-m", "", "--skip-trust"], { server, env: UNTRUSTED })
    await place.run(["-p", "hi"], { server, env: UNTRUSTED })
    expect(server.generations[0]?.model).toBe("of-the-project")
    expect(server.generations[1]?.model).not.toBe("of-the-project")
  })
})

describe("a value that means nothing", () => {
  test.each([["--cwd="], ["--telemetry-target=mars"], ["--telemetry-otlp-protocol=pigeon"]])(
    "%s is refused, and nothing is sent",
    async (flag) => {
      await using server = await startModelServer([])
      await using place = await newWorkspace()
      const { exitCode, stderr } = await place.run([flag, "-p", "hi"], { server })
      expect([exitCode === 0, stderr.includes(flag.split("=")[0] ?? "")]).toEqual([false, true])
    }
  )
})

/** Names of files that are none, or none that can be read to an end. */
const NO_FILES: Readonly<Record<string, string>> = {
  "below a file": "plain/below",
  "a link to itself": "loop",
  "a name that is too long": "n".repeat(5000),
  "a folder": "folder",
  "a FIFO that nobody writes to": "fifo",
  "a device without an end": "/dev/zero"
}
const WITH_FILE: ReadonlyArray<ReadonlyArray<string>> = [
  ...rootOptions.flatMap(({ long, names, type }) =>
    type !== "boolean" && (names !== undefined || long === "file")
      ? [[`--${long}`, "FILE", "-p", "hi", "-o", "json"]]
      : []
  ),
  ["--cwd", "FILE", "-p", "hi", "-o", "json"],
  ["-p", "what is @FILE", "-o", "json"],
  ["batch", "FILE", "-O", "out.jsonl"],
  ["batch", "plain", "-O", "FILE"],
  ["batch", "status", "FILE"],
  ["batch", "merge", "FILE", "-O", "out.jsonl"],
  ["run", "FILE"],
  ["budget", "init", "FILE", "--usd", "1"],
  ["budget", "show", "FILE"],
  ["cassette", "show", "FILE"],
  ["cassette", "verify", "FILE"],
  ["cassette", "prune", "FILE"],
  ["schema", "check", "json", "FILE"],
  ["skills", "link", "FILE"],
  ["skills", "install", "FILE"],
  ["extensions", "link", "FILE"],
  ["extensions", "install", "FILE"],
  ["extensions", "validate", "FILE"],
  ["sessions", "export", "FILE"],
  ["sandbox", "check", "--cwd", "FILE"],
  ["help", "FILE"]
]

describe.concurrent("a name of a file that is none is no defect, and nobody waits for it", () => {
  test.each(Object.entries(NO_FILES))(
    "%s",
    async (_, file) => {
      await using server = await startModelServer(() => say("ok"))
      await using place = await newWorkspace()
      await place.shell("echo '\"x\"' > plain; ln -s loop loop; mkdir folder; mkfifo fifo")
      for (const words of WITH_FILE) {
        const args = words.map((word) => word.replace("FILE", file))
        const { exitCode, stderr, stdout } = await place.run(args, { server })
        const told = `${args.join(" ").slice(0, 80)}: ${exitCode} ${stderr.slice(0, 300)}`
        expect([exitCode === 70, told]).toEqual([false, told])
        if (args.includes("json") && args.includes("-o"))
          expect([args, typeof JSON.parse(stdout)]).toEqual([args, "object"])
      }
      // A home that is none can keep nothing, and runs all the same.
      const homeless = { env: { HOME: join(place.cwd, "plain", "home") } }
      for (const words of [["sandbox", "check"], ["config", "list"], ["doctor"], ["sessions", "list"], ["undo"]]) {
        expect([words, (await place.run(words, homeless)).exitCode === 70]).toEqual([words, false])
      }
      expect(await place.run(["-p", "hi"], { server, ...homeless })).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    },
    120_000
  )
})
