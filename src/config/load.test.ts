// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts under test.
import { describe, expect } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { formatIssue } from "./config-error.ts"
import { contextOf, type LoadInput, loadConfig } from "./load.ts"
import { Settings } from "./settings.ts"

const root = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "load-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

type Files = Readonly<Record<string, unknown>>
type Options = Omit<Partial<LoadInput>, "flags"> & Partial<LoadInput["flags"]>

const USER = "home/.gemini/settings.json"
const PROJECT = "project/.gemini/settings.json"
const SYSTEM = "etc/settings.json"
const DEFAULTS = "etc/system-defaults.json"

/** Loads with these files; the project is trusted unless said otherwise. Objects are written as JSON. */
const load = (files: Files, options: Options = {}) =>
  Effect.flatMap(root, (place) => {
    for (const folder of ["home", "project"]) mkdirSync(join(place, folder))
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(place, name)), { recursive: true })
      writeFileSync(join(place, name), typeof content === "string" ? content : JSON.stringify(content))
    }
    return loadIn(place, options)
  })

const loadIn = (
  place: string,
  { skipTrust = true, ignoreEnv = false, ignoreProject = false, env, ...options }: Options
) =>
  loadConfig({
    cwd: join(place, "project"),
    platform: "linux",
    env: { HOME: join(place, "home"), GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(place, SYSTEM), ...env },
    flags: { skipTrust, ignoreEnv, ignoreProject },
    ...options
  })

describe("variables in settings", () => {
  it.live("the .env of a project says nothing about what the user wrote", () =>
    Effect.gen(function* () {
      const files = {
        [USER]: { model: { name: "${CHOICE:-mine}" }, security: { disableYoloMode: "${STRICT:-true}" } },
        [PROJECT]: { output: { format: "$FORM" } },
        "project/.env": "CHOICE=theirs\nSTRICT=false\nFORM=json\n"
      }
      const { settings } = yield* load(files)
      expect(settings.get("model.name")).toBe("mine")
      expect(settings.get("security.disableYoloMode")).toBe(true)
      expect(settings.get("output.format")).toBe("json")
    })
  )

  it.live("the user's own file does", () =>
    Effect.gen(function* () {
      const { settings } = yield* load({ [USER]: { model: { name: "$CHOICE" } }, "home/.gemini/.env": "CHOICE=mine" })
      expect(settings.get("model.name")).toBe("mine")
    })
  )
})

describe("files", () => {
  it.live("none at all: defaults, and nothing is written", () =>
    Effect.gen(function* () {
      const place = yield* root
      for (const folder of ["home", "project"]) mkdirSync(join(place, folder))
      const loaded = yield* loadIn(place, { skipTrust: false })
      expect(loaded.settings.get("general.maxAttempts")).toBe(10)
      expect(loaded.trust).toEqual({ trust: "untrusted", rule: undefined, reason: "no-rule" })
      expect(loaded.environment).toMatchObject({
        home: join(place, "home"),
        cwd: join(place, "project"),
        dotenv: undefined
      })
      expect(loaded.findings).toEqual([])
      expect([...readdirSync(join(place, "home")), ...readdirSync(join(place, "project"))]).toEqual([])
    })
  )

  it.live("precedence: defaults, system defaults, user, project, system", () =>
    Effect.gen(function* () {
      const name = (value: string) => ({ model: { name: value } })
      const files = { [DEFAULTS]: name("d"), [USER]: name("u"), [PROJECT]: name("p"), [SYSTEM]: name("s") }
      const order = [SYSTEM, PROJECT, USER, DEFAULTS]
      const seen: Array<string | undefined> = []
      for (let count = 0; count <= order.length; count++) {
        const kept = Object.fromEntries(Object.entries(files).filter(([file]) => !order.slice(0, count).includes(file)))
        seen.push((yield* load(kept)).settings.get("model.name"))
      }
      expect(seen).toEqual(["s", "p", "u", "d", undefined])
    })
  )

  it.live("the home folder as working folder has no project settings", () =>
    Effect.gen(function* () {
      const { files, settings } = yield* Effect.gen(function* () {
        const place = yield* root
        mkdirSync(join(place, "home/.gemini"), { recursive: true })
        writeFileSync(join(place, USER), '{"tools": {"exclude": ["a"]}}')
        symlinkSync("home", join(place, "project"))
        return yield* loadIn(place, {})
      })
      expect(files.map(({ scope }) => scope)).toEqual(["system-defaults", "user", "system"])
      expect(settings.explain("tools.exclude").sources).toHaveLength(1)
    })
  )

  it.live("GEMINI_CLI_HOME stands for the home folder", () =>
    Effect.gen(function* () {
      const place = yield* root
      mkdirSync(join(place, "project"))
      mkdirSync(join(place, "other/.gemini"), { recursive: true })
      writeFileSync(join(place, "other/.gemini/settings.json"), '{"model": {"name": "x"}}')
      const { settings, storage } = yield* loadIn(place, { env: { GEMINI_CLI_HOME: join(place, "other") } })
      expect(settings.get("model.name")).toBe("x")
      expect(storage.userDir).toBe(join(place, "other/.gemini"))
    })
  )
})

describe("faults", () => {
  it.live("warnings name file, line, column and key", () =>
    Effect.gen(function* () {
      const { settings, files } = yield* load({ [USER]: '{\n  "general": { "maxAttempts": "x" },\n  "modle": 1\n}' })
      const file = files.find(({ scope }) => scope === "user")?.file
      expect(settings.warnings).toEqual([
        `${file}:3:3: modle: unknown setting; ignored`,
        `${file}:2:31: general.maxAttempts: expected a whole number from 1 on; ignored`
      ])
    })
  )

  it.live("all broken files are named at once", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(load({ [USER]: "{", [PROJECT]: "[]", [SYSTEM]: { security: { auth: 5 } } }))
      expect(error._tag).toBe("ConfigError")
      expect(error.issues.map(({ file, message }) => [file.replace(/^.*\/load-[^/]+\//, ""), message])).toEqual([
        [USER, 'a "}" is missing here'],
        [PROJECT, "the settings must be one JSON object"],
        [SYSTEM, "expected an object"]
      ])
    })
  )

  it.live("a tolerant load goes on with the rest", () =>
    Effect.gen(function* () {
      const files = {
        [USER]: "{",
        [PROJECT]: { model: { name: "p" }, mcp: { allowed: 5 } },
        "home/.gemini/trustedFolders.json": "nope"
      }
      const { settings, findings } = yield* load(files, { tolerant: true })
      expect(settings.get("model.name")).toBe("p")
      expect(findings.filter(({ severity }) => severity === "error")).toHaveLength(2)
      const untrusted = yield* load(files, { tolerant: true, skipTrust: false })
      expect(untrusted.trust.trust).toBe("untrusted")
      expect(untrusted.findings.map(formatIssue).join()).toContain("trustedFolders.json:1:1")
    })
  )

  for (const [name, make] of [
    ["a folder", (file: string) => mkdirSync(file, { recursive: true })],
    ["a FIFO", (file: string) => void Bun.spawnSync(["mkfifo", file])],
    ["larger than 10 MiB", (file: string) => writeFileSync(file, " ".repeat(10 * 1024 * 1024 + 1))]
  ] as const) {
    it.live(`a settings file that is ${name}`, () =>
      Effect.gen(function* () {
        const place = yield* root
        mkdirSync(join(place, "home/.gemini"), { recursive: true })
        mkdirSync(join(place, "project"))
        make(join(place, USER))
        const error = yield* Effect.flip(loadIn(place, {}))
        expect(error.message).toStartWith(`Invalid configuration: ${join(place, USER)}: is `)
      })
    )
  }
})

describe("trust", () => {
  const hostile: Files = {
    [PROJECT]: "{ broken on purpose",
    "project/.env": "GEMINI_API_KEY=stolen",
    "project/.gemini/.env": "NODE_OPTIONS=evil"
  }

  it.live("an untrusted folder contributes nothing, not even an error", () =>
    Effect.gen(function* () {
      const { environment, findings, trust } = yield* load(hostile, { skipTrust: false })
      expect({ trust: trust.trust, findings, dotenv: environment.dotenv }).toEqual({
        trust: "untrusted",
        findings: [],
        dotenv: undefined
      })
      expect(environment.get("GEMINI_API_KEY")).toBeUndefined()
    })
  )

  it.live("user settings and the user's .env work all the same", () =>
    Effect.gen(function* () {
      const files = { ...hostile, [USER]: { model: { name: "$M" } }, "home/.gemini/.env": "M=mine" }
      const { environment, settings } = yield* load(files, { skipTrust: false })
      expect(settings.get("model.name")).toBe("mine")
      expect(environment.dotenv?.names).toEqual(["M"])
    })
  )

  it.live("the project cannot turn the question off, the user can", () =>
    Effect.gen(function* () {
      const off = { security: { folderTrust: { enabled: false } } }
      expect((yield* load({ [PROJECT]: off }, { skipTrust: false })).trust.trust).toBe("untrusted")
      expect((yield* load({ [USER]: off }, { skipTrust: false })).trust).toMatchObject({
        trust: "trusted",
        reason: "feature-off"
      })
    })
  )

  it.live("a rule for the folder, in the file that the variable names", () =>
    Effect.gen(function* () {
      const place = yield* root
      mkdirSync(join(place, "project/.gemini"), { recursive: true })
      writeFileSync(join(place, PROJECT), '{"model": {"name": "p"}}')
      writeFileSync(join(place, "rules.json"), JSON.stringify({ [place]: "TRUST_FOLDER" }))
      const env = { GEMINI_CLI_TRUSTED_FOLDERS_PATH: join(place, "rules.json") }
      const { settings, trust } = yield* loadIn(place, { skipTrust: false, env })
      expect(trust).toEqual({ trust: "trusted", rule: { path: place, level: "TRUST_FOLDER" }, reason: "rule" })
      expect(settings.get("model.name")).toBe("p")
    })
  )

  it.live("a bad rules file stops the run", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        load({ "home/.gemini/trustedFolders.json": { "/x": "SURE" } }, { skipTrust: false })
      )
      expect(error.message).toContain("trustedFolders.json:1:7: /x: expected")
    })
  )
})

describe(".env", () => {
  it.live("its values are visible in settings, and the process wins", () =>
    Effect.gen(function* () {
      const files = {
        [PROJECT]: { model: { name: "$A-$B-${C:-c}" }, advanced: { excludedEnvVars: ["HIDDEN"] } },
        "project/.env": "A=file\nB=file\nHIDDEN=1\nDEBUG=1"
      }
      const { settings, environment } = yield* load(files, { env: { B: "process" } })
      expect(settings.get("model.name")).toBe("file-process-c")
      expect(environment.dotenv?.names).toEqual(["A"])
    })
  )

  it.live("--bare leaves the project's settings and its .env out, and keeps its trust", () =>
    Effect.gen(function* () {
      const files = {
        "project/.env": "A=1",
        [PROJECT]: { model: { name: "theirs" } },
        [USER]: { output: { format: "json" } }
      }
      const { environment, settings, trust } = yield* load(files, { ignoreProject: true })
      expect([environment.get("A"), settings.get("model.name")]).toEqual([undefined, undefined])
      expect([settings.get("output.format"), trust.trust]).toEqual(["json", "trusted"])
    })
  )

  it.live("--ignore-env and the setting leave plain files out", () =>
    Effect.gen(function* () {
      const files = { "project/.env": "A=1" }
      expect((yield* load(files, { ignoreEnv: true })).environment.get("A")).toBeUndefined()
      const set = { ...files, [USER]: { advanced: { ignoreLocalEnv: true } } }
      expect((yield* load(set)).environment.get("A")).toBeUndefined()
      expect((yield* load(files)).environment.get("A")).toBe("1")
    })
  )

  it.live("Cloud Shell's own project is not the one to bill", () =>
    Effect.gen(function* () {
      const env = { CLOUD_SHELL: "true", GOOGLE_CLOUD_PROJECT: "shell" }
      const projectOf = (files: Files, more: Record<string, string> = {}) =>
        Effect.map(load(files, { env: { ...env, ...more } }), ({ environment }) =>
          environment.get("GOOGLE_CLOUD_PROJECT")
        )
      expect(yield* projectOf({})).toBe("cloudshell-gca")
      expect(yield* projectOf({ "project/.env": "GOOGLE_CLOUD_PROJECT=mine" })).toBe("mine")
      expect(yield* projectOf({}, { GOOGLE_GENAI_USE_VERTEXAI: "true" })).toBe("shell")
      const nested = { GOOGLE_CLOUD_PROJECT: "cloudshell-gca", _GEMINI_USER_GCP_PROJECT: "shell" }
      expect(yield* projectOf({}, { ...nested, GOOGLE_GENAI_USE_VERTEXAI: "true" })).toBe("shell")
      expect((yield* load({}, { env })).environment.get("_GEMINI_USER_GCP_PROJECT")).toBe("shell")
      expect(yield* projectOf({ [USER]: { security: { auth: { selectedType: "vertex-ai" } } } })).toBe("shell")
    })
  )

  it.live("hidden variables stay as written", () =>
    Effect.gen(function* () {
      const { settings } = yield* load(
        { [USER]: { model: { name: "$MY_TOKEN" } } },
        { env: { MY_TOKEN: "s" }, isHidden: (name) => name === "MY_TOKEN" }
      )
      expect(settings.get("model.name")).toBe("$MY_TOKEN")
    })
  )
})

it.live("the layer gives what was loaded", () =>
  Effect.gen(function* () {
    const loaded = yield* load({ [USER]: { model: { name: "x" } } })
    const name = Effect.map(Settings, (settings) => settings.get("model.name"))
    expect(yield* Effect.provide(name, contextOf(loaded))).toBe("x")
  })
)
