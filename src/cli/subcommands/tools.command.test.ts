import { expect } from "bun:test"
import { chmodSync } from "node:fs"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { runIn } from "../../../test/kit/sub-command.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"

const SETTINGS = "home/.gemini/settings.json"

interface Listed {
  readonly name: string
  readonly kind: string
  readonly description: string
  readonly offered: { readonly interactive: boolean; readonly headless: boolean }
  readonly hidden_because: string | null
  readonly parameters: { readonly type: string; readonly properties: Readonly<Record<string, unknown>> }
}

const listed = (root: string, ...args: ReadonlyArray<string>) =>
  Effect.map(
    runIn(root, ["tools", "list", "--json", ...args]),
    ({ out }) => new Map((JSON.parse(out) as ReadonlyArray<Listed>).map((tool) => [tool.name, tool]))
  )

it.live("each tool comes once, with its declaration", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const { code, err, out } = yield* runIn(root, ["tools", "list", "--json"])
    const tools = JSON.parse(out) as ReadonlyArray<Listed>
    expect({ code, err, unique: new Set(tools.map(({ name }) => name)).size }).toEqual({
      code: 0,
      err: "",
      unique: tools.length
    })
    const readFile = tools.find(({ name }) => name === "read_file")
    expect(readFile).toMatchObject({
      kind: "read",
      offered: { interactive: true, headless: true },
      hidden_because: null,
      parameters: { type: "object" }
    })
    expect(Object.keys(readFile?.parameters.properties ?? {})).toContain("file_path")
  })
)

it.live("what a run with -p hides is told apart, with the rule that hides it", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const shell = (yield* listed(root)).get("run_shell_command")
    expect(shell).toMatchObject({
      offered: { interactive: true, headless: false },
      hidden_because: "denied by policy: deny run_shell_command headless [default rules]"
    })
    expect((yield* listed(root, "--mode", "yolo")).get("run_shell_command")?.offered.headless).toBe(true)
    expect((yield* listed(root, "--allowed-tools", "run_shell_command(git)")).get("run_shell_command")).toMatchObject({
      offered: { interactive: true, headless: true },
      hidden_because: null
    })
  })
)

it.live("settings, mode and model decide", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      [SETTINGS]:
        '{ "tools": { "exclude": ["glob"] }, "experimental": { "taskTracker": true, "directWebFetch": true } }'
    })
    const tools = yield* listed(root)
    expect(tools.get("glob")?.hidden_because).toBe("tools.exclude names it")
    expect(tools.get("tracker_visualize")?.hidden_because).toBeNull()
    expect(Object.keys(tools.get("web_fetch")?.parameters.properties ?? {})).toContain("url")
    expect(tools.get("exit_plan_mode")?.hidden_because).toBe("it has no place in approval mode default")
    expect(tools.get("update_topic")?.hidden_because).toBeNull()
    expect((yield* listed(root, "-m", "gemini-2.5-pro")).get("update_topic")?.hidden_because).toBe(
      "gemini-2.5-pro is not told of it"
    )
    const planning = yield* listed(root, "--mode", "plan")
    expect(planning.get("write_file")?.description).toStartWith("Plan mode is on")
    expect(planning.get("run_shell_command")).toMatchObject({
      offered: { interactive: false, headless: false },
      hidden_because: "denied by policy: deny * modes=plan [default rules]"
    })
  })
)

it.live("a name of the settings stands for its model here too", () =>
  Effect.gen(function* () {
    const preset = { extends: "chat-base", modelConfig: { model: "gemini-2.5-pro" } }
    const tables = { modelIdResolutions: { best: { default: "gemini-2.5-pro" } } }
    const root = yield* tempFolder({
      [SETTINGS]: JSON.stringify({
        experimental: { dynamicModelConfiguration: true },
        modelConfigs: { ...tables, customAliases: { mine: preset } }
      })
    })
    for (const name of ["best", "mine"]) {
      expect((yield* listed(root, "-m", name)).get("update_topic")?.hidden_because).toBe(
        "gemini-2.5-pro is not told of it"
      )
    }
  })
)

it.live("tools.core leaves out what it does not list", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [SETTINGS]: '{ "tools": { "core": ["ReadFileTool"] } }' })
    const offered = [...(yield* listed(root)).values()].filter(({ hidden_because }) => hidden_because === null)
    expect(offered.map(({ name }) => name)).toEqual(["read_file"])
    expect((yield* listed(root)).get("glob")?.hidden_because).toBe("tools.core does not list it")
  })
)

it.live("a broken policy file hides all from runs with -p, and is the reason", () =>
  Effect.gen(function* () {
    const file = "home/.gemini/policies/mine.toml"
    const root = yield* tempFolder({ [file]: "[[rule]\n" })
    const { err } = yield* runIn(root, ["tools", "list"])
    expect(err).toStartWith(`[ERROR] ${root}/${file}:1`)
    expect((yield* listed(root)).get("read_file")).toMatchObject({
      offered: { interactive: true, headless: false },
      hidden_because: expect.stringContaining("the policy file cannot be read")
    })
  })
)

it.live("text: a line for each, what it does or why it is hidden", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const lines = (yield* runIn(root, ["tools", "list"])).out.split("\n")
    const line = (name: string) => lines.find((text) => text.startsWith(`${name} `))?.replace(/ +/g, " ")
    expect(line("glob")).toBe("glob search offered Finds files by glob pattern.")
    expect(line("replace")).toBe("replace edit not in -p Replaces a piece of text in a file by another.")
    expect(line("tracker_visualize")).toBe("tracker_visualize read hidden experimental.taskTracker switches it off")
  })
)

it.live("tools that the user's command discovers are listed; when it fails, the others are", () =>
  Effect.gen(function* () {
    const declaration = {
      name: "deploy",
      description: "Deploys.\u001b[31m Now.",
      parameters: { type: "object", properties: {} }
    }
    const root = yield* tempFolder({ discover: `#!/bin/sh\necho '${JSON.stringify([declaration])}'\n` })
    chmodSync(`${root}/discover`, 0o755)
    const settings = (command: string) => ({
      [SETTINGS]: JSON.stringify({ tools: { discoveryCommand: command, callCommand: "true" } })
    })
    const place = yield* tempFolder(settings(`${root}/discover`))
    const { out } = yield* runIn(place, ["tools", "list"])
    expect(out.split("\n").find((line) => line.startsWith("discovered_tool_deploy "))).toEndWith("  Deploys.")
    const failing = yield* runIn(yield* tempFolder(settings("/nowhere/discover")), ["tools", "list"])
    expect(failing.code).toBe(0)
    expect(failing.err).toStartWith("[WARNING] The tool discovery command `/nowhere/discover` failed")
    expect(failing.out).toContain("read_file")
    const alone = { [SETTINGS]: JSON.stringify({ tools: { discoveryCommand: `${root}/discover` } }) }
    const uncalled = yield* runIn(yield* tempFolder(alone), ["tools", "list"])
    expect(uncalled.err).toStartWith("[WARNING] tools.discoveryCommand has no effect without tools.callCommand")
  })
)

it.live("show prints the whole declaration of one tool, by any of its names", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const { code, out } = yield* runIn(root, ["tools", "show", "search_file_content"])
    expect(code).toBe(0)
    expect(out).toStartWith("grep_search (search): offered\nSearches ")
    expect(JSON.parse(out.slice(out.indexOf("\n{")))).toMatchObject({ type: "object" })
    expect((yield* runIn(root, ["tools", "show", "replace"])).out).toStartWith(
      "replace (edit): not in -p, denied by policy: deny replace headless [default rules]\n"
    )
    expect(JSON.parse((yield* runIn(root, ["tools", "show", "glob", "--json"])).out)).toMatchObject({ name: "glob" })
    expect(yield* runIn(root, ["tools", "show", "glbo"])).toEqual({
      code: 1,
      out: "",
      err: 'error: Unknown tool "glbo". Did you mean glob? [gemini help bad-usage]\n'
    })
    expect((yield* runIn(root, ["tools", "show"])).err).toStartWith("error: Missing argument <name>.")
  })
)
