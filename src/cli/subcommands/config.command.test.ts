import { expect } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { subcommand } from "./config.command.ts"

const newPlace = Effect.acquireRelease(
  Effect.sync(() => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "config-command-")))
    mkdirSync(join(root, "project"))
    return {
      root,
      user: join(root, "home/.gemini/settings.json"),
      project: join(root, "project/.gemini/settings.json")
    }
  }),
  ({ root }) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** What was printed, the exit code, and the message of the failure. */
const run = (root: string, args: ReadonlyArray<string>, variables: Record<string, string> = {}) => {
  const written: Array<string> = []
  const diagnostics: Array<string> = []
  const context = {
    env: { HOME: join(root, "home"), GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(root, "etc/settings.json"), ...variables },
    cwd: join(root, "project"),
    write: (text: string) => Effect.sync(() => void written.push(text)),
    writeError: (text: string) => Effect.sync(() => void diagnostics.push(text)),
    ask: () => Effect.succeed(undefined),
    serve: () => Effect.dieMessage("nothing is served here"),
    serveTasks: () => Effect.dieMessage("nothing is served here"),
    batch: () => Effect.dieMessage("nothing is served here"),
    tendJobs: () => Effect.dieMessage("nothing is served here")
  }
  return subcommand.run(args, context).pipe(
    Effect.match({
      onFailure: (error) => ({ code: 1, message: error.message, hint: "hint" in error ? error.hint : "" }),
      onSuccess: (code) => ({ code, message: "", hint: "" })
    }),
    Effect.map((end) => ({ ...end, out: written.join(""), err: diagnostics.join("") }))
  )
}

it.live("list shows what is set and where; --all shows every key", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    put(user, '{\n  "model": { "name": "x" }\n}')
    expect((yield* run(root, ["list"])).out).toBe(`model.name = "x"  (user ${user}:2)\n`)
    expect((yield* run(root, ["list", "--all"])).out).toContain('\ntools.shell.pager = "cat"  (default)\n')
    expect(JSON.parse((yield* run(root, ["list", "--json"])).out)).toMatchObject([{ key: "model.name", value: "x" }])
  })
)

it.live("list and get keep secrets that settings name by variable", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    const variables = { API_TOKEN: "hunter2", HOST: "http://h" }
    put(user, '{ "model": { "name": "$HOST/$API_TOKEN" }, "mcpServers": { "a": { "url": "$HOST" } } }')
    expect((yield* run(root, ["get", "model.name"], variables)).out).toBe("http://h/$API_TOKEN\n")
    // Variables of servers are expanded where they are used.
    const { out } = yield* run(root, ["get", "mcpServers"], variables)
    expect(JSON.parse(out)).toEqual({ a: { url: "$HOST" } })
  })
)

it.live("get prints a bare value, a default, a place inside, or nothing", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    put(user, '{ "telemetry": { "outfile": "/x" } }')
    expect((yield* run(root, ["get", "telemetry.outfile"])).out).toBe("/x\n")
    expect((yield* run(root, ["get", "general.maxAttempts"])).out).toBe("10\n")
    expect(yield* run(root, ["get", "model.name"])).toMatchObject({ out: "\n", code: 0 })
    expect(JSON.parse((yield* run(root, ["get", "model.name", "--json"])).out)).toEqual({
      key: "model.name",
      value: null,
      sources: []
    })
  })
)

it.live("an unknown key: exit 1 with the nearest", () =>
  Effect.gen(function* () {
    const { root } = yield* newPlace
    for (const args of [
      ["get", "model.nam"],
      ["set", "model.nam", "x"],
      ["unset", "model.nam"],
      ["explain", "model.nam"]
    ]) {
      const result = yield* run(root, args)
      expect(result).toMatchObject({ code: 1, out: "", message: "Unknown setting model.nam" })
      expect(result.hint).toContain("model.name")
    }
  })
)

it.live("explain shows every file and marks the one that counts", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    put(user, '{ "model": { "name": "u" } }')
    put(join(root, "etc/settings.json"), '{ "model": { "name": "s" } }')
    expect((yield* run(root, ["explain", "model.name"])).out).toBe(
      [
        'model.name = "s"',
        "  Model id or alias; written by /model",
        "    default: (unset)",
        `    user: "u"  ${user}:1`,
        `  * system: "s"  ${root}/etc/settings.json:1`,
        ""
      ].join("\n")
    )
  })
)

it.live("set and unset change the chosen file", () =>
  Effect.gen(function* () {
    const { root, user, project } = yield* newPlace
    put(user, "{\n  // mine\n}\n")
    expect(yield* run(root, ["set", "general.maxAttempts", "5"])).toMatchObject({
      code: 0,
      out: `general.maxAttempts set in ${user}\n`
    })
    expect(readFileSync(user, "utf8")).toContain("// mine")
    const trusted = { GEMINI_CLI_TRUST_WORKSPACE: "true" }
    yield* run(root, ["set", "general.maxAttempts", "3", "--scope", "project"], trusted)
    expect(JSON.parse(readFileSync(project, "utf8"))).toEqual({ general: { maxAttempts: 3 } })
    const shadowed = yield* run(root, ["set", "general.maxAttempts", "6"], trusted)
    expect(shadowed.err).toBe(`general.maxAttempts has no effect: ${project}:3 is stronger\n`)
    expect((yield* run(root, ["unset", "general.maxAttempts", "-s", "project"])).code).toBe(0)
    expect(JSON.parse(readFileSync(project, "utf8"))).toEqual({})
    expect((yield* run(root, ["unset", "general.maxAttempts", "-s", "project"])).out).toContain("nothing to change")
  })
)

it.live("set refuses what does not fit, administrators' keys, and a broken file", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    put(user, "{}")
    expect((yield* run(root, ["set", "general.maxAttempts", "x"])).message).toBe(
      "general.maxAttempts: expected a whole number from 1 on"
    )
    expect((yield* run(root, ["set", "admin.secureModeEnabled", "true"])).code).toBe(1)
    put(user, "{ broken")
    expect(yield* run(root, ["set", "model.name", "x"])).toMatchObject({ code: 1 })
    expect(readFileSync(user, "utf8")).toBe("{ broken")
  })
)

it.live("validate: 0 for good files, 1 for anything wrong, also in a project that is not trusted", () =>
  Effect.gen(function* () {
    const { root, user, project } = yield* newPlace
    put(user, '{ "vimMode": true }')
    expect(yield* run(root, ["validate"])).toMatchObject({
      code: 0,
      out: `note: ${user}:1:3: vimMode: is an older name of general.vimMode\n`
    })
    put(project, '{ "modle": 1, "tools": { "core": 5 } }')
    const result = yield* run(root, ["validate", "--json"])
    expect(result.code).toBe(1)
    expect(JSON.parse(result.out)).toMatchObject({
      ok: false,
      findings: [{ severity: "note" }, { key: "modle" }, { key: "tools.core" }]
    })
  })
)

it.live("path names every file and what is missing or ignored", () =>
  Effect.gen(function* () {
    const { root, user, project } = yield* newPlace
    put(project, "{}")
    const lines = (yield* run(root, ["path"])).out.split("\n")
    expect(lines[1]).toBe(`user: ${user} (missing)`)
    expect(lines[2]).toBe(`workspace: ${project} (ignored: the folder is not trusted)`)
  })
)

it.live("a broken file is no obstacle to looking", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    put(user, "{ broken")
    expect(yield* run(root, ["get", "tools.shell.pager"])).toMatchObject({ code: 0, out: "cat\n" })
  })
)

it.live("what nothing reads is said wherever settings are looked at, and is no fault of the file", () =>
  Effect.gen(function* () {
    const { root, user } = yield* newPlace
    put(user, '{ "general": { "logRagSnippets": true, "enableAutoUpdate": false } }')
    expect((yield* run(root, ["list"])).out).toBe(
      `general.enableAutoUpdate = false  (user ${user}:1)\n` +
        `general.logRagSnippets = true  (user ${user}:1)  no effect: no snippets are retrieved\n`
    )
    const explained = yield* run(root, ["explain", "general.logRagSnippets"])
    expect(explained.out).toContain("\n  no effect here: no snippets are retrieved\n")
    expect(JSON.parse((yield* run(root, ["explain", "general.logRagSnippets", "--json"])).out)).toMatchObject({
      key: "general.logRagSnippets",
      unsupported: "no snippets are retrieved"
    })
    expect(yield* run(root, ["validate"])).toMatchObject({
      code: 0,
      out: `note: ${user}:1:34: general.logRagSnippets: has no effect: no snippets are retrieved\n`
    })
    expect((yield* run(root, ["set", "general.logRagSnippets", "true"])).err).toBe(
      "general.logRagSnippets has no effect: no snippets are retrieved\n"
    )
  })
)
