// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of extensions are written so.
/** The life of an extension, from the command line: nothing but what was asked for changes, and nothing is left behind. */
import { expect } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { contentsBelow, fullExtension, writeFiles } from "../../../../test/kit/extension-room.ts"
import { it } from "../../../../test/kit/it.ts"
import { runIn } from "../../../../test/kit/sub-command.ts"
import { tempFolder } from "../../../../test/kit/temp-folder.ts"

const FILE_STORE = { GEMINI_FORCE_FILE_STORAGE: "true" }

const room = (files: Readonly<Record<string, string>> = {}) =>
  Effect.map(tempFolder({ "home/.keep": "", "system/.keep": "", ...files }), (root) => {
    const source = join(root, "source")
    writeFiles(source, fullExtension("1.0.0"))
    const run = (line: string, answers: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
      runIn(root, ["extensions", ...line.split(" ")], { ...FILE_STORE, ...env }, answers)
    const list = Effect.map(run("list --json"), ({ out }) => JSON.parse(out))
    return { root, source, home: join(root, "home"), installed: join(root, "home/.gemini/extensions"), run, list }
  })

it.live("installed, updated, disabled in one folder and uninstalled, the home is as it was", () =>
  Effect.gen(function* () {
    const { home, installed, list, root, run, source } = yield* room({ "home/.gemini/settings.json": "{}" })
    const before = contentsBelow(home)

    const done = yield* run(`install ${source}`, ["y", "a place", "a-secret-token"])
    expect(done).toMatchObject({ code: 0, out: 'Extension "full" installed successfully and enabled.\n' })
    expect(done.err).toContain("notes (local): sh ${extensionPath}${/}server.sh")
    expect(done.err).toContain("SessionStart: cat ${extensionPath}/FULL.md")
    expect(done.err).toContain("Do you want to continue?")
    expect(done.err).toContain('Extension "full" is installed and asks for settings.')
    expect(readFileSync(join(installed, "full/.env"), "utf8")).toBe('FULL_PLACE="a place"\n')
    expect(JSON.stringify(contentsBelow(home))).not.toContain("a-secret-token")
    expect(yield* list).toMatchObject([
      {
        name: "full",
        isActive: true,
        commands: ["/notes:add"],
        skills: [{ name: "tidy" }],
        agents: ["reader"],
        policies: ["care.toml"],
        themes: ["dusk"],
        plan: { directory: "plans" },
        resolvedSettings: [
          { envVar: "FULL_PLACE", value: "a place", scope: "user" },
          { envVar: "FULL_TOKEN", value: "***", scope: "user" }
        ]
      }
    ])

    expect((yield* run("update full")).out).toContain("already up to date (1.0.0)")
    writeFiles(source, fullExtension("1.1.0"))
    expect((yield* run("update --all")).out).toBe('Extension "full" successfully updated: 1.0.0 → 1.1.0.\n')
    expect(readFileSync(join(installed, "full/FULL.md"), "utf8")).toContain("1.1.0")
    expect((yield* list)[0].resolvedSettings[1].value).toBe("***")

    expect((yield* run("disable FULL --scope workspace")).out).toContain('disabled for scope "workspace"')
    expect(yield* list).toMatchObject([{ isActive: false, enabled: { user: true, workspace: false } }])
    const rules = JSON.parse(readFileSync(join(installed, "extension-enablement.json"), "utf8"))
    expect(rules).toEqual({ full: { overrides: [`${home}/*`, `!${join(root, "project")}/*`] } })

    expect((yield* run(`uninstall ${source}`)).out).toBe('Extension "full" successfully uninstalled.\n')
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("a home without anything has nothing after an installation that nobody agreed to", () =>
  Effect.gen(function* () {
    const { home, run, source } = yield* room()
    const before = contentsBelow(home)
    for (const answers of [["n"], [""], []]) {
      const refused = yield* run(`install ${source}`, answers)
      expect(refused).toMatchObject({ code: 1, out: "" })
      expect(refused.err).toContain("Installation aborted")
    }
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("an untrusted source and an untrusted workspace are asked about, and the real path is kept", () =>
  Effect.gen(function* () {
    const { home, root, run, source } = yield* room()
    const untrusted = { GEMINI_CLI_TRUST_WORKSPACE: "" }
    symlinkSync(source, join(root, "link"))
    const refused = yield* run(`install ${join(root, "link")}`, ["n"], untrusted)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("commands: /notes:add")
    expect(refused.err).toContain("Do you want to trust this folder")
    expect(existsSync(join(home, ".gemini"))).toBe(false)
    const half = yield* run(`install ${join(root, "link")}`, ["y", "n"], untrusted)
    expect(half.err).toContain("trust this workspace")
    expect(half).toMatchObject({ code: 1 })
    const done = yield* run(`install ${join(root, "link")} --skip-settings`, ["y", "y"], untrusted)
    expect(done.out).toContain("installed successfully")
    expect(JSON.parse(readFileSync(join(home, ".gemini/trustedFolders.json"), "utf8"))).toEqual({
      [source]: "TRUST_FOLDER",
      [join(root, "project")]: "TRUST_FOLDER"
    })
  })
)

it.live("a linked extension is read where it is, and cannot be updated", () =>
  Effect.gen(function* () {
    const { home, installed, list, run, source } = yield* room()
    const before = contentsBelow(home)
    expect((yield* run(`link ${source} --consent`)).out).toContain("linked successfully")
    expect(Object.keys(contentsBelow(join(installed, "full")))).toEqual([".gemini-extension-install.json"])
    writeFiles(source, fullExtension("3.0.0"))
    expect(yield* list).toMatchObject([{ version: "3.0.0", path: source, installMetadata: { type: "link" } }])
    expect((yield* run("update full")).out).toContain("is not updatable: it is linked")
    yield* run("uninstall --all")
    expect(contentsBelow(home)).toEqual(before)
    expect(existsSync(join(source, "gemini-extension.json"))).toBe(true)
  })
)

it.live("what cannot be installed is told, and changes nothing", () =>
  Effect.gen(function* () {
    const { home, root, run, source } = yield* room({
      "broken/gemini-extension.json": '{ "name": "x",\n  "version": 1 }',
      "empty/README.md": ""
    })
    const before = contentsBelow(home)
    const cases: ReadonlyArray<readonly [string, string]> = [
      [`install ${join(root, "nowhere")}`, "There is no folder"],
      ["install acme/docs", "write github:acme/docs"],
      [`install ${source} --ref main`, "--ref has no meaning for a folder"],
      [`install ${source} --auto-update`, "--auto-update has no meaning for a folder"],
      [`install ${join(root, "broken")} --consent`, "broken/gemini-extension.json:2:14: version: expected a string"],
      [`install ${join(root, "empty")} --consent`, "gemini-extension.json: is missing"],
      ["update nothing", 'Extension "nothing" is not installed'],
      ["disable nothing", 'Extension "nothing" is not installed'],
      ["uninstall", "which extension?"],
      ["update", "which extension?"]
    ]
    for (const [line, words] of cases) {
      const refused = yield* run(line)
      expect(refused.err).toContain(words)
      expect(refused).toMatchObject({ code: 1, out: "" })
    }
    expect((yield* run("enable nothing")).code).toBe(52)
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("rules that cannot be understood keep an extension from being removed, and it stays whole", () =>
  Effect.gen(function* () {
    const { home, installed, run, source } = yield* room()
    yield* run(`install ${source} --consent --skip-settings`)
    writeFileSync(join(installed, "extension-enablement.json"), "not JSON")
    const before = contentsBelow(home)
    const refused = yield* run("uninstall full")
    expect(refused).toMatchObject({ code: 1, out: "" })
    expect(refused.err).toContain("extension-enablement.json is not of the form")
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("a new extension is told with a command that a shell understands", () =>
  Effect.gen(function* () {
    const { root } = yield* room()
    const made = yield* runIn(root, ["extensions", "new", join(root, "my own/notes"), "hooks"], FILE_STORE, [])
    expect(made.out).toContain(`gemini extensions link '${join(root, "my own/notes")}'`)
    const hooks = JSON.parse(readFileSync(join(root, "my own/notes/hooks/hooks.json"), "utf8"))
    expect(hooks.hooks.SessionStart[0].hooks[0].command).toBe('sh "${extensionPath}${/}hooks${/}note-start.sh"')
  })
)

it.live("settings say which sources may be installed and used", () =>
  Effect.gen(function* () {
    const { list, root, run, source } = yield* room()
    yield* run(`install ${source} --consent --skip-settings`)
    mkdirSync(join(root, "home/.gemini"), { recursive: true })
    const settings = (value: unknown) => writeFileSync(join(root, "home/.gemini/settings.json"), JSON.stringify(value))
    settings({ security: { allowedExtensions: ["^https://github\\.com/acme/"] } })
    expect(yield* list).toMatchObject([{ isActive: false }])
    settings({ security: { blockGitExtensions: true } })
    const blocked = yield* run("install https://github.com/acme/docs --consent")
    expect(blocked.err).toContain("security.blockGitExtensions is on")
    settings({ experimental: { extensionManagement: false } })
    expect((yield* run("list")).code).toBe(1)
  })
)

it.live("an extension that is there already is not installed again, and names and folders stay apart", () =>
  Effect.gen(function* () {
    const { installed, run, source } = yield* room()
    yield* run(`install ${source} --consent --skip-settings`)
    const twice = yield* run(`install ${source} --consent`)
    expect(twice.err).toContain('Extension "full" is already installed')
    yield* run("uninstall full")
    mkdirSync(join(installed, "full"), { recursive: true })
    expect((yield* run(`install ${source} --consent`)).err).toContain("is there already and holds no extension")
  })
)

it.live("enabled everywhere means here too, also outside of the home folder", () =>
  Effect.gen(function* () {
    const { list, root, run, source } = yield* room()
    yield* run(`install ${source} --consent --skip-settings`)
    yield* run("disable full --scope workspace")
    expect(yield* list).toMatchObject([{ isActive: false }])
    expect((yield* run("enable full")).out).toContain("enabled in all scopes")
    expect(yield* list).toMatchObject([{ isActive: true, enabled: { user: true, workspace: true } }])
    yield* run("uninstall full")
    yield* run(`install ${source} --consent --skip-settings`)
    writeFileSync(join(root, "home/.gemini/settings.json"), '{ "extensions": { "disabled": ["full"] } }')
    expect(yield* list).toMatchObject([{ isActive: false }])
    yield* run("enable full")
    expect(yield* list).toMatchObject([{ isActive: true }])
  })
)

it.live("one that cannot be read any more is told of, and can be removed", () =>
  Effect.gen(function* () {
    const { home, installed, run, source } = yield* room()
    const before = contentsBelow(home)
    yield* run(`install ${source} --consent --skip-settings`)
    writeFileSync(join(installed, "full/gemini-extension.json"), "{")
    expect((yield* run("list")).err).toContain('extension "full" is left out: ')
    expect((yield* run("update full")).err).toContain('Extension "full" is not installed')
    expect((yield* run("uninstall FULL")).out).toBe('Extension "full" successfully uninstalled.\n')
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("a changed word about the source stops updates until it is installed again", () =>
  Effect.gen(function* () {
    const { installed, run, source } = yield* room()
    yield* run(`install ${source} --consent --skip-settings`)
    writeFiles(source, fullExtension("2.0.0"))
    const file = join(installed, "full/.gemini-extension-install.json")
    const other = join(source, "../elsewhere")
    writeFiles(other, fullExtension("6.6.6"))
    writeFileSync(file, JSON.stringify({ source: other, type: "local" }))
    const refused = yield* run("update full")
    expect(refused.code).toBe(1)
    expect(refused.out).toContain("was changed by somebody else")
    expect(readFileSync(join(installed, "full/FULL.md"), "utf8")).toContain("1.0.0")
    writeFileSync(file, JSON.stringify({ type: "local", source }))
    expect((yield* run("update full")).out).toContain("1.0.0 → 2.0.0")
  })
)

it.live("a new version that brings other things is asked about, and new settings too", () =>
  Effect.gen(function* () {
    const { installed, list, run, source } = yield* room()
    yield* run(`install ${source} --consent`, ["a place", "a-secret-token"])
    const manifest = JSON.parse(fullExtension("2.0.0")["gemini-extension.json"] ?? "{}")
    manifest.settings = [{ name: "Depth", description: "How deep.", envVar: "FULL_DEPTH" }]
    writeFiles(source, { "gemini-extension.json": JSON.stringify(manifest), "commands/more.toml": 'prompt = "x"' })
    const refused = yield* run("update full", ["n"])
    expect(refused.err).toContain("/more")
    expect(readFileSync(join(installed, "full/FULL.md"), "utf8")).toContain("1.0.0")
    expect((yield* run("update full", ["y", "7"])).out).toContain("1.0.0 → 2.0.0")
    expect(readFileSync(join(installed, "full/.env"), "utf8")).toBe("FULL_DEPTH=7\n")
    expect((yield* list)[0].resolvedSettings).toEqual([
      { name: "Depth", envVar: "FULL_DEPTH", sensitive: false, value: "7", scope: "user" }
    ])
  })
)

it.live("an update under another name keeps where it is off", () =>
  Effect.gen(function* () {
    const { installed, list, run, source } = yield* room()
    yield* run(`install ${source} --consent`, ["a place", "a-secret-token"])
    yield* run("disable full --scope workspace")
    const manifest = JSON.parse(fullExtension("2.0.0")["gemini-extension.json"] ?? "{}")
    writeFiles(source, { "gemini-extension.json": JSON.stringify({ ...manifest, name: "fuller" }) })
    yield* run("update full", ["y"])
    expect(existsSync(join(installed, "full"))).toBe(false)
    expect(yield* list).toMatchObject([
      { name: "fuller", isActive: false, resolvedSettings: [{ value: "a place" }, { value: "***" }] }
    ])
    yield* run("uninstall fuller")
    expect(existsSync(installed)).toBe(false)
  })
)

it.live("values are asked for anew, overwritten on request, and kept in the project where that is wanted", () =>
  Effect.gen(function* () {
    const { list, root, run, source } = yield* room()
    yield* run(`install ${source} --consent --skip-settings`)
    expect((yield* run("config full Place", ["one"])).out).toContain("Place is set")
    expect((yield* run("config full FULL_PLACE", ["n"])).out).toBe("Nothing was changed.\n")
    expect((yield* run("config full FULL_PLACE", ["y", "two"])).out).toContain("Place is set")
    writeFileSync(join(root, "project/.env"), "# mine\nOTHER=1\n")
    yield* run("config full --scope workspace", ["three", "a-secret-token"])
    expect(readFileSync(join(root, "project/.env"), "utf8")).toBe("# mine\nOTHER=1\nFULL_PLACE=three\n")
    expect((yield* list)[0].resolvedSettings).toMatchObject([
      { value: "three", scope: "workspace" },
      { value: "***", scope: "workspace" }
    ])
    expect((yield* run("config full nothing")).err).toContain('has no setting "nothing"')
  })
)

for (const template of [
  "",
  "custom-commands",
  "exclude-tools",
  "hooks",
  "mcp-server",
  "policies",
  "skills",
  "themes-example"
]) {
  it.live(`a new extension (${template || "empty"}) is valid`, () =>
    Effect.gen(function* () {
      const { root, run } = yield* room()
      const folder = join(root, "mine")
      expect((yield* run(`new ${folder}${template === "" ? "" : ` ${template}`}`)).code).toBe(0)
      const checked = yield* run(`validate ${folder} --json`)
      expect(JSON.parse(checked.out)).toEqual({ path: folder, name: "mine", valid: true, errors: [], warnings: [] })
      expect((yield* run(`new ${folder}`)).err).toContain("is there already")
    })
  )
}

it.live("validation tells errors from warnings", () =>
  Effect.gen(function* () {
    const { root, run } = yield* room({
      "mine/gemini-extension.json":
        '{ "name": "mine", "version": "one", "contextFileName": ["GONE.md", "../up.md"], "hoks": {}, "exludeTools": [] }',
      "mine/hooks/hooks.json": "{",
      "up.md": "x"
    })
    const checked = yield* run(`validate ${join(root, "mine")} --json`)
    expect(checked.code).toBe(1)
    const { errors, warnings } = JSON.parse(checked.out)
    expect(errors.join("\n")).toContain("GONE.md does not exist")
    expect(errors.join("\n")).toContain("../up.md is outside the extension")
    expect(errors.join("\n")).toContain('hooks.json:1:2: a "}" is missing here')
    expect(warnings.join("\n")).toContain('"one" is not of the form 1.2.3')
    expect(warnings.join("\n")).toContain("did you mean excludeTools?")
    writeFiles(join(root, "mine"), {
      "commands/bad.toml": "prompt = 1",
      "agents/bad.md": "no front matter",
      "skills/bad/SKILL.md": "---\nname: bad\n---\n",
      "policies/bad.toml": "[[rule",
      "policies/allow.toml": '[[rule]]\ntoolName = "write_file"\ndecision = "allow"\npriority = 1\n',
      "hooks/hooks.json": '{ "hooks": { "BeforTool": [] } }'
    })
    const parts = yield* run(`validate ${join(root, "mine")}`)
    const files = ["commands/bad.toml", "agents/bad.md", "skills/bad/SKILL.md", "policies/bad.toml", "hooks/hooks.json"]
    for (const file of files) expect(parts.err).toMatch(new RegExp(`\\[ERROR\\] .*mine/${file}`))
    expect(parts.err).toMatch(/\[WARNING\] .*policies\/allow\.toml: rules that allow something/)
    rmSync(join(root, "mine"), { recursive: true })
    expect((yield* run(`validate ${join(root, "mine")}`)).err).toContain("is missing")
  })
)
