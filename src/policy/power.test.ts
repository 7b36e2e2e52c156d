/** Which files give power, by every spelling that leads to them, and what becomes of calls that change them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { FastCheck } from "effect"
import { realPathOf } from "../files/real-path.ts"
import { analyze } from "../shell/analysis/analyze.ts"
import type { ParseShell } from "../shell/analysis/syntax.ts"
import { argumentPattern } from "./always.ts"
import { decide } from "./decide.ts"
import { type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { holdsClosedNames } from "./fixed-context.ts"
import { NO_POWER_FACTS, type PowerFacts, powerOf, powerOfNames } from "./power.ts"
import { NO_POWER_SURROUNDINGS, powerFacts } from "./power-facts.ts"
import { POWER_ROWS } from "./power-table.ts"
import { inOrder, type PolicyRule } from "./rule.ts"
import { plainContext, readingIn, userRule } from "./test-context.ts"

let parse: ParseShell
let root: string
let facts: PowerFacts
const at = (path: string) => join(root, path)
const put = (path: string, content = "") => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
}

beforeAll(async () => {
  const { loadParser } = await import("../shell/analysis/bash-grammar.live.ts")
  parse = await loadParser(() => performance.now())
  root = realpathSync(mkdtempSync(join(tmpdir(), "power-")))
  for (const file of ["work/.gemini/settings.json", "work/sub/.gemini/hooks.toml", "work/.vscode/tasks.json"]) put(file)
  for (const file of ["work/a.txt", "work/src/b.ts", "work/conf/tool.json", "work/scripts/hooks/pre-commit"]) put(file)
  for (const file of ["home/dots/bashrc", "home/dots/fish/config.fish", "home/.gemini/GEMINI.md"]) put(file)
  put("work/.git/config", "[core]\n\thooksPath = scripts/hooks\n")
  put("home/.gemini/tmp/p/chats/session-1.jsonl", "{}\n")
  put("home/.gemini/tmp/p/sid/plans/plan.md")
  put("work/bare/objects/x")
  put("work/bare/HEAD", "ref: refs/heads/main\n")
  symlinkSync("../conf/tool.json", at("work/.gemini/policy.toml"))
  symlinkSync(".gemini", at("work/to-gemini"))
  symlinkSync(".", at("work/here"))
  symlinkSync("src", at("work/down"))
  symlinkSync("../.gemini/commands", at("work/src/dangling"))
  symlinkSync("dots/bashrc", at("home/.bashrc"))
  mkdirSync(at("home/.config"))
  symlinkSync("../dots/fish", at("home/.config/fish"))
  linkSync(at("work/.gemini/settings.json"), at("work/twin.json"))
  facts = factsFor(at("work"))
})
afterAll(() => rmSync(root, { recursive: true }))

const contextIn = (more: Partial<DecisionContext> = {}): DecisionContext => ({
  ...plainContext,
  mode: "auto_edit",
  cwd: at("work"),
  workspaceDirs: [at("work")],
  home: at("home"),
  plansDir: at("home/.gemini/tmp/p/sid/plans"),
  realPath: (path) => {
    try {
      return realPathOf(path)
    } catch {
      return undefined
    }
  },
  holdsClosed: holdsClosedNames,
  powerFacts: () => facts,
  ...more
})

const factsFor = (...roots: ReadonlyArray<string>) =>
  powerFacts(
    {
      ...NO_POWER_SURROUNDINGS,
      home: at("home"),
      userDir: at("home/.gemini"),
      tempDir: at("home/.gemini/tmp/p"),
      plansDir: at("home/.gemini/tmp/p/sid/plans")
    },
    roots
  )

const verdictOn = (call: PolicyCall, more: Partial<DecisionContext> = {}, rules: ReadonlyArray<PolicyRule> = []) =>
  decide(inOrder([...rules, ...defaultRules()]), call, contextIn(more))

const write = (path: string, tool = "write_file"): PolicyCall => ({
  name: tool,
  kind: "edit",
  args: { file_path: path },
  targets: [realPathOf(join(at("work"), path))]
})

const shell = (command: string, more: Partial<DecisionContext> = {}, rules: ReadonlyArray<PolicyRule> = []) =>
  verdictOn(
    { name: SHELL_TOOL, kind: "execute", args: { command } },
    { ...more, shell: analyze(command, parse), reading: readingIn(contextIn(more), command) },
    rules
  )

const named = (...prefix: ReadonlyArray<string>) =>
  userRule({ toolName: SHELL_TOOL, decision: "allow", commandPrefix: prefix, allowRedirection: true })

describe("names", () => {
  test("every name of the table gives power where it stands, and everything below it", () => {
    for (const { group, names } of POWER_ROWS) {
      const groups = new Set(group === undefined ? [] : [group])
      for (const name of names.map((one) => one.replaceAll("*", "x"))) {
        expect([name, powerOfNames(`/work/deep/${name}`, groups)?.does]).toEqual([name, expect.any(String)])
        expect([name, powerOfNames(`/work/${name}/below/it`, groups)?.does]).toEqual([name, expect.any(String)])
      }
    }
  })

  test.each([
    ".GEMINI/Settings.json",
    ".gem\u200cini/settings.json",
    ".\uff47emini/settings.json",
    ".gemini./settings.json",
    ".gemini::$INDEX_ALLOCATION/settings.json",
    "GEMINI~1/settings.json",
    "GIT~1/config",
    ".Git/config"
  ])("%p is another spelling", (path) => expect(powerOfNames(`/work/${path}`)).toBeDefined())

  test("what is hidden in the home counts where the workspace holds it, and only there", () => {
    for (const path of [".curlrc", ".config/any/thing", ".x", "..y"]) {
      expect([path, powerOf(at(join("home", path)), factsFor(at("home")))?.kind]).toEqual([path, "start"])
      expect([path, powerOf(at(join("home", path)), factsFor(root))?.kind]).toEqual([path, "start"])
      expect(powerOf(at(join("work", path)), factsFor(at("work")))).toBeUndefined()
    }
    const inside = factsFor(at("home/.dots"))
    expect(powerOf(at("home/.dots/curlrc"), inside)).toBeUndefined()
    for (const path of ["notes.txt", "src/.hidden"]) expect(powerOf(at(`home/${path}`), factsFor(root))).toBeUndefined()
  })

  test.each([
    "src/gemini.ts",
    "settings.json",
    "policy.toml",
    ".gitignore",
    ".github/workflows/ci.yml",
    ".github/README.md",
    "package.json",
    "Makefile",
    ".env.example",
    ".env.local.example",
    "docs/.envy",
    "src/components/Head/index.tsx",
    "git/config.ts",
    "hooks/use-it.ts",
    "GEMINI.md",
    ".geminiignore",
    ".editorconfig"
  ])("%p gives none", (path) => expect(powerOf(`/work/${path}`, NO_POWER_FACTS)).toBeUndefined())

  test("builds and continuous integration count where the settings say so, and what else they name", () => {
    const wanted = { ...NO_POWER_SURROUNDINGS, wanted: ["build", "ci", "deploy/**", "~/notes"], home: at("home") }
    const asked = powerFacts(wanted, [at("work")])
    const kinds = ["package.json", "x/Makefile", ".github/workflows/ci.yml", "deploy/a/b.sh", "src/a.ts"].map(
      (path) => powerOf(at(`work/${path}`), asked)?.kind
    )
    expect(kinds).toEqual(["build", "build", "ci", "named", undefined])
    expect(powerOf(at("home/notes"), asked)?.kind).toBe("named")
  })
})

describe("places", () => {
  test.each([
    ["work/conf/tool.json", "agent"],
    ["work/scripts/hooks/pre-push", "repository"],
    ["home/dots/bashrc", "shell"],
    ["home/dots/fish/functions/ls.fish", "shell"],
    ["work/bare/config", "repository"],
    ["work/bare/refs/heads/main", "repository"],
    ["work/new/HEAD", "repository"],
    ["work/bare/worktree/src/a.ts", undefined],
    ["home/.gemini/tmp/p/chats/session-1.jsonl", "own"],
    ["home/.gemini/tmp/p/sid/tracker/abc.json", "own"],
    ["home/.gemini/tmp/other/x", "own"],
    ["home/.gemini/projects.json", "own"],
    ["home/.gemini/history/p/undo/key", "own"],
    ["home/.gemini/settings.json", "agent"],
    ["home/.gemini/commands/x.toml", "agent"],
    ["home/.gemini/GEMINI.md", undefined],
    ["work/.gemini/GEMINI.md", undefined],
    ["work/.gemini/agents/GEMINI.md", "agent"],
    ["home/.gemini/tmp/p/sid/plans/plan.md", undefined],
    ["home/.gemini/tmp/p/memory/MEMORY.md", undefined],
    ["home/.gemini/tmp/p/memory/.inbox/x.md", "own"],
    ["home/.gemini/tmp/p/scratch.py", undefined],
    ["work/src/b.ts", undefined]
  ])("%s: %p", (path, kind) => expect(powerOf(at(path), facts)?.kind).toBe(kind as never))

  test("a project cannot open its folder of agents by calling it the one of plans", () => {
    const open = (plansDir: string, path: string) =>
      powerOf(at(path), { ...facts, plansDir: at(plansDir) }) === undefined
    expect(open("work/.gemini/agents", "work/.gemini/agents/evil.md")).toBe(false)
    expect(open("work/.gemini/plans", "work/.gemini/plans/mine.md")).toBe(true)
    expect(open("work/.gemini/plans", "work/.gemini/plans/mine.toml")).toBe(false)
  })

  test("files that a hook of the user's runs", () => {
    const asked = powerFacts(
      NO_POWER_SURROUNDINGS,
      [at("work")],
      ["sh src/b.ts", "$GEMINI_PROJECT_DIR/scripts/x; true"]
    )
    expect(powerOf(at("work/src/b.ts"), asked)).toMatchObject({ kind: "agent", does: "gemini is configured to run" })
    expect(powerOf(at("work/a.txt"), asked)).toBeUndefined()
  })

  test("folders of the system, unless the project lives in one", () => {
    const kindIn = (folder: string, path: string) => powerOf(path, { ...NO_POWER_FACTS, roots: [folder] })?.kind
    expect(kindIn("/work", "/etc/hosts")).toBe("system")
    expect(kindIn("/usr/src/app", "/usr/src/app/index.js")).toBeUndefined()
    expect(kindIn("/usr/src/app", "/usr/bin/env")).toBe("system")
    expect(kindIn("/", "/etc/hosts")).toBe("system")
  })
})

/** Ways to write the same path, each of which the kernel follows. */
const detours = FastCheck.array(
  FastCheck.constantFrom("./", ".//", "here/", "src/../", "down/../", "here/./here/", "sub/../here/"),
  { maxLength: 4 }
).map((steps) => steps.join(""))
const targets = FastCheck.constantFrom(
  ".gemini/settings.json",
  ".gemini/policies/new.toml",
  "to-gemini/settings.json",
  "to-gemini/../.gemini/commands/x.toml",
  "src/dangling/x.toml",
  "sub/.gemini/hooks.toml",
  "new/project/.gemini/settings.json",
  "conf/tool.json",
  ".vscode/tasks.json",
  ".vscode/../.gemini/hooks.toml",
  "scripts/hooks/pre-commit",
  ".bashrc",
  ".ssh/config",
  ".env.local",
  ".mcp.json",
  ".husky/pre-commit",
  ".huskyrc.json",
  "src/lint-staged.config.mjs",
  ".helix/languages.toml",
  ".lfsconfig",
  ".bundle/config",
  "bare/config",
  "fresh/HEAD"
)

describe("calls", () => {
  test("no spelling of such a path is written unasked in auto_edit, by any tool or redirection", () =>
    FastCheck.assert(
      FastCheck.property(detours, targets, FastCheck.boolean(), (detour, target, isAbsolute) => {
        const path = `${isAbsolute ? `${at("work")}/` : ""}${detour}${target}`
        const calls: ReadonlyArray<readonly [string, () => string]> = [
          ["write_file", () => verdictOn({ ...write("x"), args: { file_path: path }, targets: [] }).verdict],
          ["replace", () => verdictOn({ ...write("x", "replace"), args: { file_path: path }, targets: [] }).verdict],
          ["mcp", () => verdictOn(serverCall("write_file", { path }), {}, [trusted]).verdict],
          ["mcp list", () => verdictOn(serverCall("edit", { files: [path] }), {}, [trusted]).verdict],
          ["redirection", () => shell(`echo x > '${path}'`).verdict],
          ["append", () => shell(`echo x >> "${path}"`).verdict],
          ["tee", () => shell(`echo x | tee '${path}'`, {}, [named("tee"), named("echo")]).verdict],
          ["cp", () => shell(`cp a.txt '${path}'`, {}, [named("cp")]).verdict],
          ["cp -t", () => shell(`cp -t '${dirname(path)}' x/${target.split("/").at(-1)}`, {}, [named("cp")]).verdict],
          ["mv", () => shell(`mv a.txt '${path}'`, {}, [named("mv")]).verdict],
          ["mv away", () => shell(`mv '${path}' x`, {}, [named("mv")]).verdict],
          ["ln", () => shell(`ln -s a.txt '${path}'`, {}, [named("ln")]).verdict],
          ["sed", () => shell(`sed -i s/a/b/ '${path}'`, {}, [named("sed")]).verdict],
          ["touch", () => shell(`touch '${path}'`, {}, [named("touch")]).verdict],
          ["mkdir", () => shell(`mkdir -p '${path}'`, {}, [named("mkdir")]).verdict],
          ["rm", () => shell(`rm '${path}'`, {}, [named("rm")]).verdict],
          ["dd", () => shell(`dd if=a.txt of='${path}'`, {}, [named("dd")]).verdict],
          ["curl", () => shell(`curl -o '${path}' http://x`, {}, [named("curl")]).verdict]
        ]
        for (const [how, verdict] of calls) {
          // Copying a file over itself by `cp -t` needs a folder: a target without one lies in the working folder.
          if (how === "cp -t" && !target.includes("/")) continue
          expect([how, path, verdict()]).toEqual([how, path, expect.stringMatching(/^(?:ask|deny)$/)])
        }
      }),
      { numRuns: 100 }
    ))

  const trusted = userRule({ toolName: "*", mcpName: "fs", decision: "allow" })
  const serverCall = (tool: string, args: PolicyCall["args"], more: Partial<PolicyCall> = {}): PolicyCall => ({
    name: `mcp_fs_${tool}`,
    server: "fs",
    kind: "other",
    args,
    ...more
  })

  test("what the prepared call really works on counts, however it was named", () => {
    const call = { ...write("settings.json", "replace"), targets: [at("work/.gemini/settings.json")] }
    expect(verdictOn(call)).toMatchObject({ verdict: "ask", power: { kind: "agent" } })
    expect(verdictOn(write("a.txt")).verdict).toBe("allow")
  })

  test("the reason is told, and a headless run is refused with it", () => {
    const reason = "it changes .gemini/settings.json, which decides what gemini runs and allows"
    expect(verdictOn(write(".gemini/settings.json"))).toMatchObject({ verdict: "ask", reason })
    expect(verdictOn(write(".gemini/settings.json"), { isInteractive: false })).toMatchObject({
      verdict: "deny",
      reason: `${reason}; nobody can be asked in a headless run`,
      allowWith: "a rule of yours with allowPowerFiles = true"
    })
    expect(verdictOn(write(".gemini/settings.json"), { mode: "default" }).reason).toBe(
      `the default is to ask; ${reason}`
    )
    expect(verdictOn(write(".gemini/settings.json"), { mode: "yolo" }).verdict).toBe("allow")
  })

  test("rules for all edits do not cover them; one for exactly this path does, while the path leads nowhere else", () => {
    const all = userRule({ toolName: "write_file", decision: "allow" })
    const exactly = (path: string) =>
      userRule({
        toolName: "write_file",
        decision: "allow",
        argsPattern: new RegExp(argumentPattern("file_path", path))
      })
    const wide = userRule({ toolName: "write_file", decision: "allow", argsPattern: /\.gemini/ })
    const verdict = (path: string, ...rules: ReadonlyArray<PolicyRule>) => verdictOn(write(path), {}, rules).verdict
    expect(verdict(".gemini/settings.json", all)).toBe("ask")
    expect(verdict(".gemini/settings.json", wide)).toBe("ask")
    expect(verdict(".gemini/settings.json", exactly(".gemini/settings.json"))).toBe("allow")
    expect(verdict("to-gemini/settings.json", exactly("to-gemini/settings.json"))).toBe("ask")
    expect(verdict(".gemini/settings.json", { ...all, allowPowerFiles: true })).toBe("allow")
  })

  test("what the program keeps for itself is refused, not asked about", () => {
    const folder = "home/.gemini/tmp/p/chats"
    const call = { ...write("x"), args: { file_path: at(`${folder}/session-1.jsonl`) }, targets: [at(`${folder}/x`)] }
    const decision = verdictOn(call)
    expect(decision).toMatchObject({ verdict: "deny", power: { kind: "own" } })
    expect(decision.reason).toEndWith("which gemini keeps for itself")
    expect(decision.allowWith).toBeUndefined()
  })

  test("a rule that opens them counts for the commands that it allows", () => {
    const opening = { ...named("tee"), allowPowerFiles: true }
    expect(shell("tee .gemini/settings.json < a.txt", {}, [opening]).verdict).toBe("allow")
    expect(shell("tee .gemini/settings.json < a.txt; touch .env.local", {}, [opening, named("touch")]).verdict).toBe(
      "ask"
    )
  })

  test.each([
    "echo x > src/new.ts",
    "echo x > twin-of-nothing.json",
    "echo x > .github/workflows/ci.yml",
    "echo x 2> /dev/null > src/b.ts"
  ])("auto_edit goes on without a question: %s", (line) => expect(shell(line).verdict).toBe("allow"))

  test.each([
    "cp a.txt src/c.ts",
    "cp -r src dist",
    "touch src/{a,b}.ts",
    "rm src/b.ts",
    "mv src/b.ts src/c.ts",
    "mkdir -p dist/x $HOME/cache",
    "cp .vscode/tasks.json copy.json",
    "ln -s ../.gemini/settings.json src/here"
  ])("a rule is taken at its word: %s", (line) =>
    expect(
      shell(line, {}, [named("cp"), named("touch"), named("rm"), named("mv"), named("mkdir"), named("ln")]).verdict
    ).toBe("allow")
  )

  test.each([
    ["cp -r packed/. .", "a tree with such files in it"],
    ["rm .g*/settings.json", "a pattern that stands for one"],
    ["touch $SOMEWHERE", "a name that is computed"],
    ["ls | xargs touch", "names that come from elsewhere"],
    ["cd .gemini && touch settings.json", "in a folder that the line goes to"],
    ["touch {.env,.envrc}", "names in braces"],
    ["echo x > twin.json", "another name of the same file"],
    ["echo x > /proc/self/cwd/.gemini/settings.json", "a path through the system's own links"],
    ["git checkout evil -- .gemini", "taken from a commit"],
    ["rsync -a packed/ .", "synchronised"]
  ])("%s: %s", (line, _) => {
    put("packed/../work/packed/.gemini/settings.json")
    const rules = [["cp"], ["rm"], ["touch"], ["ls"], ["cd"], ["xargs"], ["git", "checkout"], ["rsync"]]
    const allowing = rules.map((words) => named(...words))
    expect(shell(line, {}, [...allowing, named("echo")]).verdict).toBe("ask")
  })

  test("tools that look are not asked about, whatever they look at", () => {
    expect(verdictOn(serverCall("read_file", { path: ".gemini/settings.json" }), {}, [trusted]).verdict).toBe("allow")
    const hinted = serverCall("peek", { path: ".env" }, { annotations: { readOnlyHint: true } })
    expect(verdictOn(hinted, {}, [trusted]).verdict).toBe("allow")
    expect(verdictOn(serverCall("move_file", { source: "a", destination: ".mcp.json" }), {}, [trusted]).verdict).toBe(
      "ask"
    )
    const address = `file://${at("work")}/.gemini/settings.json`
    expect(verdictOn(serverCall("save", { uri: address }), {}, [trusted]).verdict).toBe("ask")
    expect(verdictOn(serverCall("save", { path: "~/.bashrc" }), {}, [trusted]).verdict).toBe("ask")
    expect(verdictOn({ name: "read_file", kind: "read", args: { file_path: ".gemini/settings.json" } }).verdict).toBe(
      "allow"
    )
  })

  test("tools of ours that write no files may speak of any, and those of others by their names may not", () => {
    const speaking = { kind: "other", args: { file_path: ".env" }, targets: [at("work/.gemini/skills/notes")] }
    for (const name of ["activate_skill", "complete_task", "write_todos"]) {
      const rules = [userRule({ toolName: name, decision: "allow" })]
      expect([name, verdictOn({ ...speaking, name }, {}, rules).verdict]).toEqual([name, "allow"])
      expect(verdictOn({ ...speaking, ...serverCall(name, speaking.args) }, {}, [trusted]).verdict).toBe("ask")
      expect(verdictOn({ ...speaking, name: `discovered_tool_${name}` }, { mode: "auto_edit" }, []).verdict).toBe("ask")
    }
  })
})
