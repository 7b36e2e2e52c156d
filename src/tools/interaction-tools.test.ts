import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Ref } from "effect"
import { runPrepared } from "../../test/kit/edit-room.ts"
import { listening } from "../../test/kit/heard.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import * as Workspace from "../files/workspace.ts"
import * as PlanMode from "../policy/plan-mode.ts"
import { type ApprovalMode, MODES_BY_FREEDOM } from "../protocol/modes.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { askUser } from "./ask-user.tool.ts"
import { enterPlanMode, exitPlanMode } from "./plan-mode.tool.ts"
import * as MemoryFile from "./save-memory.tool.ts"
import { addMemory, oneLineFact, saveMemory } from "./save-memory.tool.ts"
import { provideTool, type Tool } from "./tool.ts"
import * as Topic from "./topic.ts"
import { updateTopic } from "./update-topic.tool.ts"
import { layerNone, type PlanReview, type Question, UserQuestions } from "./user-questions.ts"
import { writeTodos } from "./write-todos.tool.ts"

const answerOf = <R>(tool: Tool<R>, args: unknown) =>
  Effect.flatMap(Effect.context<R>(), (services) =>
    provideTool(tool, services)
      .prepare(args)
      .pipe(
        Effect.flatMap(runPrepared),
        Effect.map((output) => String(output.forModel)),
        Effect.catchTag("ToolFailure", (failure) => Effect.succeed(`${failure.type}: ${failure.message}`))
      )
  )

describe("write_todos", () => {
  it.effect("answers with the numbered list", () =>
    Effect.gen(function* () {
      const todos = [
        { description: "read", status: "completed" },
        { description: "write", status: "in_progress" }
      ]
      expect(yield* answerOf(writeTodos, { todos, wait_for_previous: true })).toBe(
        "The todo list is now:\n1. [completed] read\n2. [in_progress] write"
      )
      expect(yield* answerOf(writeTodos, { todos: [] })).toBe("The todo list is now empty.")
    })
  )

  for (const [name, args] of [
    ["two in progress", { todos: [0, 1].map(() => ({ description: "a", status: "in_progress" })) }],
    ["an empty description", { todos: [{ description: " ", status: "pending" }] }],
    ["an unknown status", { todos: [{ description: "a", status: "later" }] }],
    ["an unknown field", { todos: [], list: "x" }],
    ["an unknown field of an entry", { todos: [{ description: "a", status: "pending", due: "now" }] }],
    ["no list", {}]
  ] as const) {
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function* () {
        expect(yield* answerOf(writeTodos, args)).toStartWith("invalid_tool_params: ")
      })
    )
  }
})

describe("ask_user", () => {
  const question = { question: "Which?\\nSay it.", header: "Kind", type: "choice" }
  const options = [
    { label: "A", description: "" },
    { label: "B", description: "" }
  ]
  const person = (answers: ReadonlyArray<string>, asked: Ref.Ref<ReadonlyArray<Question>>) =>
    Layer.succeed(UserQuestions, {
      ask: (questions) => Effect.as(Ref.set(asked, questions), answers),
      reviewPlan: () => Effect.die("not asked")
    })

  it.effect("gives the answers by their number", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make<ReadonlyArray<Question>>([])
      const answer = yield* answerOf(askUser, {
        questions: [
          { ...question, options },
          { question: "Name?", header: "Name", type: "text" }
        ]
      }).pipe(Effect.provide(person(["A", "Ada"], asked)))
      expect(JSON.parse(answer)).toEqual({ answers: { 0: "A", 1: "Ada" } })
      expect((yield* Ref.get(asked))[0]).toEqual({
        question: "Which?\nSay it.",
        header: "Kind",
        type: "choice",
        options,
        multiSelect: false
      })
    })
  )

  it.effect("goes on without an answer", () =>
    Effect.gen(function* () {
      const answer = answerOf(askUser, { questions: [{ ...question, options }] })
      expect(yield* Effect.provide(answer, layerNone)).toStartWith("The user gave no answer.")
    })
  )

  for (const [name, questions] of [
    ["no question", []],
    ["five questions", Array.from({ length: 5 }, () => ({ ...question, options }))],
    ["a choice of one", [{ ...question, options: options.slice(1) }]],
    ["a choice without options", [question]],
    ["an empty label", [{ ...question, options: [...options, { label: " ", description: "" }] }]]
  ] as const) {
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function* () {
        const answer = answerOf(askUser, { questions })
        expect(yield* Effect.provide(answer, layerNone)).toStartWith("invalid_tool_params: ")
      })
    )
  }
})

describe("plan mode", () => {
  const setup = Effect.fnUntraced(function* (review: PlanReview | null, initialMode: ApprovalMode = "default") {
    const base = yield* tempFolder({ "ws/secret.md": "secret" })
    const plansDir = join(base, "temp/plans")
    const services = yield* Layer.build(
      Layer.mergeAll(
        PlanMode.layer({ initialMode, plansDir }),
        Workspace.layer({ targetDir: join(base, "ws"), tempDir: join(base, "temp") }),
        Layer.succeed(UserQuestions, { ask: () => Effect.succeed(null), reviewPlan: () => Effect.succeed(review) })
      )
    )
    return { base, plansDir, services }
  })

  it.effect("is entered, and left with the person's consent", () =>
    Effect.gen(function* () {
      const { plansDir, services } = yield* setup({ approved: true, mode: "auto_edit" })
      yield* Effect.gen(function* () {
        const { counts, logs, recording } = listening()
        const planMode = yield* PlanMode.PlanMode
        expect(yield* answerOf(enterPlanMode, {})).toContain(plansDir)
        expect(yield* planMode.mode).toBe("plan")
        expect(statSync(plansDir).isDirectory()).toBe(true)

        expect(yield* answerOf(exitPlanMode, { plan_filename: "p.md" })).toStartWith("There is no plan file")
        writeFileSync(join(plansDir, "p.md"), " \n")
        expect(yield* answerOf(exitPlanMode, { plan_filename: "p.md" })).toContain("is empty")
        expect(yield* planMode.mode).toBe("plan")

        writeFileSync(join(plansDir, "p.md"), "# Plan")
        const agreed = answerOf(exitPlanMode, { plan_filename: "p.md" })
        expect(yield* Effect.provideService(agreed, Telemetry, recording)).toStartWith("The user agreed")
        expect(logs).toEqual([{ name: "gemini_cli.plan.execution", attributes: { approval_mode: "auto_edit" } }])
        expect(counts).toEqual(["gemini_cli.plan.execution.count"])
        expect(yield* planMode.mode).toBe("auto_edit")
        expect(yield* planMode.approvedPlan).toBe(join(plansDir, "p.md"))
      }).pipe(Effect.provide(services))
    })
  )

  it.effect("stays on when the person says no", () =>
    Effect.gen(function* () {
      const { plansDir, services } = yield* setup({ approved: false, feedback: "smaller steps" })
      yield* Effect.gen(function* () {
        const planMode = yield* PlanMode.PlanMode
        yield* answerOf(enterPlanMode, { reason: "large" })
        writeFileSync(join(plansDir, "p.md"), "# Plan")
        expect(yield* answerOf(exitPlanMode, { plan_filename: join(plansDir, "p.md") })).toContain("smaller steps")
        expect(yield* planMode.mode).toBe("plan")
      }).pipe(Effect.provide(services))
    })
  )

  for (const initialMode of MODES_BY_FREEDOM) {
    it.effect(`is left without a person as it was entered, and claims no consent: ${initialMode}`, () =>
      Effect.gen(function* () {
        const { plansDir, services } = yield* setup(null, initialMode)
        yield* Effect.gen(function* () {
          const planMode = yield* PlanMode.PlanMode
          yield* answerOf(enterPlanMode, {})
          writeFileSync(join(plansDir, "p.md"), "# Plan")
          const words = yield* answerOf(exitPlanMode, { plan_filename: "p.md" })
          expect(yield* planMode.mode).toBe(initialMode)
          expect(yield* planMode.approvedPlan).toBeNull()
          expect(words).toStartWith("Nobody ")
          expect(words).not.toMatch(/agreed|approved/)
          expect(words).toContain(initialMode === "plan" ? "plan mode stays on" : `the approval mode is ${initialMode}`)
        }).pipe(Effect.provide(services))
      })
    )
  }

  it.effect("shows no file from elsewhere as a plan", () =>
    Effect.gen(function* () {
      const { base, plansDir, services } = yield* setup({ approved: true, mode: "default" })
      mkdirSync(plansDir, { recursive: true })
      symlinkSync(join(base, "ws/secret.md"), join(plansDir, "link.md"))
      for (const plan_filename of ["../../ws/secret.md", join(base, "ws/secret.md"), "link.md", "."]) {
        const answer = answerOf(exitPlanMode, { plan_filename })
        expect(yield* Effect.provide(answer, services)).toStartWith("invalid_tool_params: Access denied")
      }
    })
  )
})

describe("update_topic", () => {
  it.effect("tells a new title once", () =>
    Effect.gen(function* () {
      const args = { strategic_intent: "look around", title: "Start", summary: "nothing yet" }
      expect(yield* answerOf(updateTopic, args)).toBe("Topic: Start\nSummary: nothing yet\nIntent: look around")
      expect(yield* answerOf(updateTopic, { ...args, strategic_intent: "look on" })).toBe("Intent: look on")
      const topic = yield* Topic.Topic
      expect(yield* topic.current).toEqual({ title: "Start", summary: "nothing yet", intent: "look on" })
    }).pipe(Effect.provide(Topic.layer))
  )
})

describe("save_memory", () => {
  it.live("makes the file and the section, then adds to it", () =>
    Effect.gen(function* () {
      const base = yield* tempFolder()
      const path = join(base, ".gemini/GEMINI.md")
      const reloads = yield* Ref.make(0)
      const memory = MemoryFile.layer(
        path,
        Ref.update(reloads, (count) => count + 1)
      )
      const save = (fact: string) => Effect.provide(answerOf(saveMemory, { fact }), memory)
      expect(yield* save("likes tea")).toBe('Remembered: "likes tea"')
      yield* save("- ## no\nheading")
      expect(readFileSync(path, "utf8")).toBe("## Gemini Added Memories\n- likes tea\n- no heading\n")
      expect(yield* Ref.get(reloads)).toBe(2)
    })
  )

  it.live("shows the diff before, and takes what a person made of it", () =>
    Effect.gen(function* () {
      const base = yield* tempFolder({ "GEMINI.md": "# Mine\n" })
      const path = join(base, "GEMINI.md")
      const services = yield* Layer.build(MemoryFile.layer(path))
      const call = yield* provideTool(saveMemory, services).prepare({ fact: "likes tea" })
      expect(yield* call.confirmation).toMatchObject({ type: "edit", diff: { diffStat: { model_added_lines: 3 } } })
      const args = yield* call.revise?.("# Mine\n- tea\n") ?? Effect.die("not modifiable")
      yield* Effect.flatMap(provideTool(saveMemory, services).prepare(args), runPrepared)
      expect(readFileSync(path, "utf8")).toBe("# Mine\n- tea\n")
    })
  )

  it.live("names what keeps it from saving", () =>
    Effect.gen(function* () {
      const base = yield* tempFolder({ file: "" })
      const save = (path: string | null, fact = "x") =>
        Effect.provide(answerOf(saveMemory, { fact }), MemoryFile.layer(path))
      expect(yield* save(null)).toStartWith("memory_tool_execution_error: ")
      expect(yield* save(base)).toStartWith("memory_tool_execution_error: ")
      Bun.spawnSync(["mkfifo", join(base, "pipe")])
      expect(yield* save(join(base, "pipe"))).toEndWith("/pipe is no regular file.")
      expect(yield* save(join(base, "file/GEMINI.md"))).toStartWith("memory_tool_execution_error: ")
      expect(yield* save(join(base, "GEMINI.md"), " \n- ")).toStartWith("invalid_tool_params: ")
    })
  )
})

describe("the section of memories", () => {
  test.each([
    ["", "## Gemini Added Memories\n- x\n"],
    ["# Mine", "# Mine\n\n## Gemini Added Memories\n- x\n"],
    ["## Gemini Added Memories\n- a\n\n## Other\ntext\n", "## Gemini Added Memories\n- a\n- x\n\n## Other\ntext\n"],
    ["## Gemini Added Memories\r\n- a\r\n", "## Gemini Added Memories\r\n- a\r\n- x\r\n"]
  ])("%p", (before, after) => expect(addMemory(before, "x")).toBe(after))

  test.each([
    ["a\nb", "a b"],
    ["-- a", "a"],
    ["# a - b", "a - b"],
    ["- \n", ""]
  ])("one line of %p", (fact, line) => expect(oneLineFact(fact)).toBe(line))
})
