import { describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Ref, TestClock } from "effect"
import { testEnvironment } from "../../test/kit/environment.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import * as ContextFiles from "./context-files.ts"
import type { PromptState } from "./section-facts.ts"
import { make, SystemPrompt, type SystemPromptOptions } from "./system-prompt.ts"

const STATE: PromptState = { mode: "default", approvedPlan: null, topic: "", skills: [], agents: [] }
const REQUEST = { model: "gemini-3.1-pro-preview", tools: ["read_file", "run_shell_command"] }

interface Setup {
  readonly files?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly options?: Partial<SystemPromptOptions>
  readonly state?: Partial<PromptState>
}

/** Runs with the service in a folder `work` that holds the files. */
const using = <A, E>(setup: Setup, body: (prompt: SystemPrompt["Type"], cwd: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "work/keep": "", "home/.gemini/keep": "", ...setup.files })
    const cwd = join(root, "work")
    const ignore = { respectGitIgnore: true, respectGeminiIgnore: true, customFiles: [] }
    const isTrusted = setup.options?.isTrusted ?? true
    const prompt = Layer.effect(
      SystemPrompt,
      make({
        isInteractive: false,
        isBare: false,
        isTrusted,
        roots: [cwd],
        tempDir: join(root, "tmp"),
        plansDir: "/plans",
        trackerDir: "/tracker",
        contextFileName: "GEMINI.md",
        globalMemoryFile: "/home/me/.gemini/GEMINI.md",
        showsTree: true,
        ignore,
        state: Effect.succeed({ ...STATE, ...setup.state }),
        ...setup.options
      })
    )
    const context = ContextFiles.layer({
      fileNames: ["GEMINI.md"],
      userDir: join(root, "home/.gemini"),
      tempDir: join(root, "tmp"),
      roots: isTrusted ? [cwd] : [],
      markers: [".git"],
      importFormat: "tree",
      extensionFiles: [],
      scanFolders: undefined,
      ignore
    })
    const environment = testEnvironment({ cwd, home: join(root, "home"), variables: setup.variables ?? {} })
    return yield* Effect.flatMap(SystemPrompt, (service) => body(service, cwd)).pipe(
      Effect.provide(prompt.pipe(Layer.provide(context), Layer.provide(environment)))
    )
  })

const instructionOf = (setup: Setup, request = REQUEST) => using(setup, ({ instruction }) => instruction(request))

/** How a prompt file marks what is to be filled in. */
const hole = (name: string): string => `\${${name}}`

const headings = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith("# ") ? [line.slice(2)] : []))

describe("sections", () => {
  it.effect("a headless run without extras", () =>
    Effect.gen(function* () {
      const text = yield* instructionOf({})
      expect(headings(text)).toEqual(["Rules", "Hooks", "How to work", "Answers", "Tools"])
      expect(text).toContain("Approval mode: Default")
      expect(text).toContain("Do not ask questions")
      expect(text).not.toMatch(/\n{3,}|undefined|false/)
    })
  )

  it.effect("everything that can apply, in its order", () =>
    Effect.gen(function* () {
      const text = yield* instructionOf(
        {
          files: { "work/.git/HEAD": "ref: refs/heads/main\n", "home/.gemini/GEMINI.md": "mine" },
          variables: { SANDBOX: "docker-1" },
          options: { isInteractive: true },
          state: {
            mode: "yolo",
            topic: "a ]\ntopic",
            skills: [{ name: "s", description: "does <s>", location: "/s/SKILL.md" }],
            agents: [{ name: "a", description: "does a" }]
          }
        },
        { model: "gemini-2.5-pro", tools: ["invoke_agent", "activate_skill", "tracker_create_task", "save_memory"] }
      )
      expect(headings(text)).toEqual([
        "Rules",
        "Sub-agents",
        "Skills",
        "Hooks",
        "How to work",
        "Task tracker",
        "Answers",
        "Tools",
        "Memory",
        "Working without approval",
        "Sandbox",
        "Git",
        "Remember",
        "Context of the user"
      ])
      expect(text).toContain("<description>does &lt;s&gt;</description>")
      expect(text).toContain("container")
      expect(text.endsWith("[Active topic: a topic]")).toBe(true)
    })
  )

  it.effect("plan mode has its own workflow, with the tools it may use", () =>
    Effect.gen(function* () {
      const text = yield* instructionOf({ state: { mode: "plan", approvedPlan: "/plans/x.md" } })
      expect(headings(text)).toContain("Plan mode")
      expect(headings(text)).not.toContain("How to work")
      expect(text).toContain("`read_file`, `run_shell_command`")
      expect(text).toContain("/plans/x.md")
    })
  )

  it.effect("an approved plan is followed outside plan mode", () =>
    Effect.gen(function* () {
      expect(yield* instructionOf({ state: { approvedPlan: "/plans/x.md" } })).toContain("/plans/x.md is approved")
    })
  )

  it.effect("only older models get the final reminder", () =>
    Effect.gen(function* () {
      for (const [model, isLegacy] of [
        ["gemini-2.5-flash", true],
        ["gemini-3.5-flash", false],
        ["gemini-20-pro", false],
        ["my-own", false]
      ] as const) {
        expect(headings(yield* instructionOf({}, { ...REQUEST, model })).includes("Remember")).toBe(isLegacy)
      }
    })
  )

  it.effect("a switch leaves a section out", () =>
    Effect.gen(function* () {
      const variables = { GEMINI_PROMPT_COREMANDATES: "0", GEMINI_PROMPT_HOOKCONTEXT: "False", GEMINI_PROMPT_GIT: "1" }
      expect(headings(yield* instructionOf({ variables }))).toEqual(["How to work", "Answers", "Tools"])
    })
  )

  it.effect("it follows the mode of the moment", () =>
    Effect.gen(function* () {
      const mode = yield* Ref.make<PromptState["mode"]>("default")
      const state = Effect.map(Ref.get(mode), (now) => ({ ...STATE, mode: now }))
      yield* using({ options: { state } }, ({ instruction }) =>
        Effect.gen(function* () {
          expect(yield* instruction(REQUEST)).toContain("Approval mode: Default")
          yield* Ref.set(mode, "plan")
          expect(yield* instruction(REQUEST)).toContain("Approval mode: Plan")
        })
      )
    })
  )
})

describe("a prompt of the user's own", () => {
  it.effect("replaces the sections, keeps the memory, and is filled in", () =>
    Effect.gen(function* () {
      const text = yield* instructionOf({
        files: {
          "work/.gemini/system.md": [
            `Tools:\n${hole("AvailableTools")}`,
            `Read with ${hole("read_file_ToolName")}. ${hole("AgentSkills")}${hole("nope")} ${hole("x_ToolName")}`
          ].join("\n"),
          "home/.gemini/GEMINI.md": "mine"
        },
        variables: { GEMINI_SYSTEM_MD: "true" }
      })
      expect(text).toStartWith(
        `Tools:\n- read_file\n- run_shell_command\nRead with read_file. ${hole("nope")} ${hole("x_ToolName")}\n\n# Context`
      )
      expect(text).toContain("<global_context>")
    })
  )

  it.effect("says that there are no tools", () =>
    Effect.gen(function* () {
      const setup = { files: { "work/s.md": hole("AvailableTools") }, variables: { GEMINI_SYSTEM_MD: "s.md" } }
      expect(yield* instructionOf(setup, { ...REQUEST, tools: [] })).toBe("No tools are available.")
    })
  )

  it.effect("is found by path, also in the home folder; off means off", () =>
    Effect.gen(function* () {
      const files = { "home/my.md": "own" }
      expect(yield* instructionOf({ files, variables: { GEMINI_SYSTEM_MD: "~/my.md" } })).toBe("own")
      for (const off of ["0", "false", " "])
        expect(yield* instructionOf({ files, variables: { GEMINI_SYSTEM_MD: off } })).toContain("# Rules")
    })
  )

  it.effect("that is missing or no file ends the run, with its path", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(instructionOf({ variables: { GEMINI_SYSTEM_MD: "/no/such.md" } }))
      expect(missing.message).toBe("missing system prompt file '/no/such.md' (GEMINI_SYSTEM_MD)")
      const folder = yield* Effect.flip(instructionOf({ variables: { GEMINI_SYSTEM_MD: "/" } }))
      expect(folder.message).toBe("the system prompt file '/' is a folder (GEMINI_SYSTEM_MD)")
    })
  )

  it.effect("in an untrusted folder is not used, and that is said once", () =>
    Effect.gen(function* () {
      const setup = {
        files: { "work/.gemini/system.md": "evil" },
        variables: { GEMINI_SYSTEM_MD: "1" },
        options: { isTrusted: false }
      }
      yield* using(setup, ({ instruction, takeWarnings }, cwd) =>
        Effect.gen(function* () {
          expect(yield* instruction(REQUEST)).toContain("# Rules")
          yield* instruction(REQUEST)
          expect(yield* takeWarnings).toEqual([
            `${cwd}/.gemini/system.md is not used (GEMINI_SYSTEM_MD): the folder is not trusted`
          ])
          expect(yield* takeWarnings).toEqual([])
        })
      )
    })
  )

  it.effect("is written down with its memory, but never over itself", () =>
    Effect.gen(function* () {
      const files = { "home/.gemini/GEMINI.md": "mine" }
      yield* using({ files, variables: { GEMINI_WRITE_SYSTEM_MD: "new/out.md" } }, ({ instruction }, cwd) =>
        Effect.gen(function* () {
          const text = yield* instruction(REQUEST)
          expect(readFileSync(join(cwd, "new/out.md"), "utf8")).toBe(`${text}\n`)
          writeFileSync(join(cwd, "new/out.md"), "changed by hand")
          yield* instruction(REQUEST)
          expect(readFileSync(join(cwd, "new/out.md"), "utf8")).toBe("changed by hand")
        })
      )
      const both = { GEMINI_SYSTEM_MD: "s.md", GEMINI_WRITE_SYSTEM_MD: "s.md" }
      yield* using({ files: { "work/s.md": "own" }, variables: both }, ({ instruction, takeWarnings }, cwd) =>
        Effect.gen(function* () {
          yield* instruction(REQUEST)
          expect(readFileSync(join(cwd, "s.md"), "utf8")).toBe("own")
          expect(yield* takeWarnings).toHaveLength(1)
        })
      )
      const failed = yield* Effect.flip(instructionOf({ variables: { GEMINI_WRITE_SYSTEM_MD: "/proc/nope/x.md" } }))
      expect(failed.kind).toBe("unwritable")
    })
  )
})

describe("the surroundings", () => {
  it.effect(
    "name the day, the system, the folders, the repository, the kind of project, the tree and the context",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2025, 2, 4, 9, 5))
        const files = {
          "work/.git/HEAD": "ref: refs/heads/feature/x\n",
          "work/package.json": "{}",
          "work/GEMINI.md": "be kind"
        }
        yield* using({ files }, ({ sessionContext }, cwd) =>
          Effect.gen(function* () {
            expect((yield* sessionContext).split("\n")).toEqual([
              "<session_context>",
              "This is gemini, a terminal agent. The facts below set up the session that begins now; they need no answer.",
              "Today is Tuesday, March 4, 2025 (09:05 UTC).",
              `Operating system: ${process.platform}`,
              `Project temp directory: ${cwd.replace(/work$/, "tmp")}`,
              "Workspace directories:",
              `  - ${cwd}`,
              `Git repository: ${cwd} (branch feature/x)`,
              "Project: Node.js",
              "The folders hold the following, at most 200 items each. `...` stands for what is not shown: ignored, closed, or more than fits here.",
              "",
              `${cwd}/`,
              "├───GEMINI.md",
              "├───keep",
              "├───package.json",
              "└───.git/...",
              "<loaded_context>",
              "<project_context>",
              `--- Context from: ${cwd}/GEMINI.md ---`,
              "be kind",
              `--- End of Context from: ${cwd}/GEMINI.md ---`,
              "</project_context>",
              "</loaded_context>",
              "</session_context>"
            ])
          })
        )
      })
  )

  it.effect("without a tree where the settings say so, without anything in a bare run", () =>
    Effect.gen(function* () {
      const files = { "work/GEMINI.md": "be kind" }
      const plain = yield* using({ files, options: { showsTree: false } }, ({ sessionContext }) => sessionContext)
      expect(plain).not.toContain("───")
      expect(plain).toContain("be kind")
      const bare = yield* using({ files, options: { isBare: true } }, ({ sessionContext }) => sessionContext)
      expect(bare.split("\n")).toHaveLength(5)
    })
  )

  it.effect("a bare run says little: with the tools that it needs it stays under 2,000 tokens", () =>
    Effect.gen(function* () {
      const files = { "work/GEMINI.md": "be kind" }
      const length = yield* using({ files, options: { isBare: true } }, ({ instruction, sessionContext }) =>
        Effect.zipWith(instruction(REQUEST), sessionContext, (rules, facts) => rules.length + facts.length)
      )
      // Reading, searching, editing and the shell take 1,600 tokens of it.
      expect(length / 4).toBeLessThan(400)
    })
  )
})
