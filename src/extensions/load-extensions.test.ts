// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of extensions are written so.
import { expect } from "bun:test"
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { fullExtension, writeFiles } from "../../test/kit/extension-room.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { loadConfig } from "../config/load.ts"
import { openWorkshop, recoverLeftovers } from "./leftovers.ts"
import { type LoadExtensionsInput, loadExtensions } from "./load-extensions.ts"

const DIR = "home/.gemini/extensions"

const load = (
  root: string,
  input: Omit<LoadExtensionsInput, "config"> = {},
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    mkdirSync(join(root, "project"), { recursive: true })
    const config = yield* loadConfig({
      env: {
        HOME: join(root, "home"),
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_FORCE_FILE_STORAGE: "true",
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: "/dev/null",
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: "/dev/null",
        ...env
      },
      cwd: join(root, "project"),
      platform: process.platform,
      flags: { skipTrust: false, ignoreEnv: false }
    })
    return yield* loadExtensions({ ...input, config })
  })

const minimal = (name: string) => JSON.stringify({ name, version: "1.0.0" })

it.live("everything that a manifest says arrives, with variables and settings filled in", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const path = join(root, DIR, "full")
    writeFiles(path, { ...fullExtension("1.0.0"), ".env": "FULL_PLACE=user\n" })
    writeFiles(join(root, "project"), { ".env": "FULL_PLACE=project\n" })
    const { extensions, notices } = yield* load(root, {}, { FULL_TOKEN: "from the environment" })
    expect(notices).toEqual([])
    expect(extensions).toMatchObject([
      {
        name: "full",
        path,
        mcpServers: {
          notes: {
            args: [join(path, "server.sh")],
            env: { TOKEN: "from the environment", PLACE: "project", UNKNOWN: "${NOT_SET_ANYWHERE}" }
          }
        },
        contextFiles: [join(path, "FULL.md"), join(path, "docs/more.md")],
        hooks: { SessionStart: [{ hooks: [{ command: `cat ${path}/FULL.md` }] }] },
        environment: { FULL_PLACE: "project" },
        secretVariables: ["FULL_TOKEN"],
        planDirectory: "plans"
      }
    ])
    const untrusted = yield* load(root, {}, { GEMINI_CLI_TRUST_WORKSPACE: "false" })
    expect(untrusted.extensions[0]?.environment).toEqual({ FULL_PLACE: "user" })
    expect(untrusted.notices).toEqual([
      '[WARNING] extension "full" has no value for Token: run gemini extensions config full'
    ])
  })
)

it.live("a broken one costs nobody else, and of two with the same name the first counts", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      [`${DIR}/a/gemini-extension.json`]: '{ "name": 1 }',
      [`${DIR}/b/gemini-extension.json`]: minimal("same"),
      [`${DIR}/c/gemini-extension.json`]: minimal("same"),
      [`${DIR}/d/README.md`]: "",
      [`${DIR}/e/gemini-extension.json`]: minimal("e"),
      [`${DIR}/e/.gemini-extension-install.json`]: "{}",
      [`${DIR}/f/gemini-extension.json`]: JSON.stringify({
        name: "f",
        version: "1",
        contextFileName: ["../secret.md", "link.md"],
        plan: { directory: "/etc" }
      }),
      [`${DIR}/f/hooks/hooks.json`]: "[]",
      "outside.md": "x"
    })
    symlinkSync(join(root, "outside.md"), join(root, DIR, "f/link.md"))
    const { extensions, notices } = yield* load(root)
    expect(extensions.map(({ name }) => name)).toEqual(["same", "f"])
    expect(extensions[1]).toMatchObject({ contextFiles: [], hooks: {}, planDirectory: undefined })
    const text = notices.join("\n")
    for (const words of [
      "a/gemini-extension.json:1:11: name: expected",
      'is an extension "same" too',
      "d/gemini-extension.json: is missing",
      "e/.gemini-extension-install.json cannot be understood",
      "../secret.md is outside the extension",
      "link.md is outside the extension",
      "hooks.json is not JSON of the form",
      "plan.directory /etc is outside the workspace"
    ]) {
      expect(text).toContain(words)
    }
  })
)

it.live("older forms: hooks beside the manifest, settings without a description", () =>
  Effect.gen(function* () {
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "c" }] }] }
    const root = yield* tempFolder({
      [`${DIR}/a/gemini-extension.json`]: JSON.stringify({
        name: "a",
        version: "1",
        settings: [{ name: "Key", envVar: "KEY", sensitive: true }]
      }),
      [`${DIR}/a/hooks.json`]: JSON.stringify({ hooks }),
      [`${DIR}/b/gemini-extension.json`]: minimal("b"),
      [`${DIR}/b/hooks.json`]: JSON.stringify({ hooks }),
      [`${DIR}/b/hooks/hooks.json`]: JSON.stringify({ hooks: {} })
    })
    const { extensions } = yield* load(root)
    expect(extensions[0]).toMatchObject({ name: "a", hooks, hooksFile: join(root, DIR, "a/hooks.json") })
    expect(extensions[1]).toMatchObject({ hooks: {}, hooksFile: join(root, DIR, "b/hooks/hooks.json") })
  })
)

it.live("flags and rules say which are on", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      [`${DIR}/one/gemini-extension.json`]: minimal("one"),
      [`${DIR}/two/gemini-extension.json`]: minimal("two")
    })
    const names = (input: Omit<LoadExtensionsInput, "config">) =>
      Effect.map(load(root, input), ({ extensions }) => extensions.map(({ name }) => name))
    expect(yield* names({})).toEqual(["one", "two"])
    expect(yield* names({ named: ["ONE"] })).toEqual(["one"])
    expect(yield* names({ named: ["none"] })).toEqual([])
    expect(yield* names({ isBare: true })).toEqual([])
    expect(yield* names({ session: new Map([["one", false]]) })).toEqual(["two"])
    expect((yield* load(root, { named: ["one", "thre"] })).notices).toEqual([
      '[ERROR] -e names an extension that is not installed any more: "thre"'
    ])
    const rules = { one: { overrides: ["!/*"] }, two: { overrides: [`!${root}/elsewhere/*`] } }
    writeFileSync(join(root, DIR, "extension-enablement.json"), JSON.stringify(rules))
    expect(yield* names({})).toEqual(["two"])
    expect(yield* names({ named: ["one"] })).toEqual(["one"])
    writeFileSync(join(root, DIR, "extension-enablement.json"), "[]")
    const broken = yield* load(root)
    expect(broken.extensions.length).toBe(2)
    expect(broken.notices[0]).toContain("every extension counts as on")
  })
)

/** No process has this number: the largest that systems give is smaller. */
const DEAD = 4_194_304 * 4

it.live("what a dead process left half way is put right, what a living one works on is left alone", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [`${DIR}/one/gemini-extension.json`]: minimal("one") })
    const extensionsDir = join(root, DIR)
    const alive = openWorkshop(extensionsDir)
    const justBegun = openWorkshop(extensionsDir)
    writeFileSync(join(justBegun.root, "owner.json"), "")
    const dead = openWorkshop(extensionsDir)
    mkdirSync(dead.fresh)
    renameSync(join(extensionsDir, "one"), dead.old)
    writeFileSync(join(dead.root, "owner.json"), JSON.stringify({ pid: DEAD, name: "one" }))
    mkdirSync(join(extensionsDir, "extension-enablement.json.lock"))
    const loaded = yield* load(root)
    expect(loaded.extensions.map(({ name }) => name)).toEqual(["one"])
    expect(loaded.notices).toEqual([])
    rmSync(join(extensionsDir, "extension-enablement.json.lock"), { recursive: true })
    expect(existsSync(alive.root)).toBe(true)
    expect(existsSync(dead.root)).toBe(false)
    expect(existsSync(justBegun.root)).toBe(true)
    renameSync(justBegun.root, join(extensionsDir, `.change-${DEAD}-x`))
    writeFileSync(join(alive.root, "owner.json"), JSON.stringify({ pid: DEAD }))
    recoverLeftovers(extensionsDir)
    expect(readdirSync(extensionsDir)).toEqual(["one"])
  })
)

it.live("a word that every object knows is no variable", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const mcpServers = { s: { command: "x", args: ["$constructor", "${toString}"] } }
    writeFiles(join(root, DIR, "odd"), {
      "gemini-extension.json": JSON.stringify({ name: "odd", version: "1.0.0", mcpServers })
    })
    expect((yield* load(root)).extensions[0]?.mcpServers).toEqual(mcpServers)
  })
)
