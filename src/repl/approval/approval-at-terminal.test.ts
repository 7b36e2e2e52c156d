import { expect } from "bun:test"
import { Effect, Exit, Fiber, Layer } from "effect"
import { it } from "../../../test/kit/it.ts"
import { Approval, type ApprovalQuestion } from "../../approval/approval.ts"
import { CallId } from "../../protocol/ids.ts"
import { ExternalEditor, ExternalEditorError } from "../editor/external-editor.ts"
import { LineEditor, type LineResult } from "../editor/line-editor.ts"
import { Keyboard } from "../terminal/keyboard.ts"
import { Screen } from "../terminal/screen.ts"
import { plainStyle } from "../terminal/terminal-features.ts"
import { layer } from "./approval-at-terminal.ts"

const question: ApprovalQuestion = {
  callId: CallId.make("c"),
  toolName: "run_shell_command",
  confirmation: { type: "exec", title: "Run?", command: "npm test", rootCommands: ["npm"] },
  arguments: [],
  why: "a rule asks for it",
  standing: [{ covers: "call", what: "npm", savedAs: '[[rule]]\ntoolName = "x"\n' }],
  draft: { text: "npm test", fileName: "command.sh" }
}

const typed = (text: string): LineResult => ({ _tag: "Line", text })

/** A person who gives these lines one after another, and what they saw. */
const person = (lines: ReadonlyArray<LineResult>, edited?: string) => {
  const seen: Array<string> = []
  let next = 0
  const note = (text: string) => Effect.sync(() => void seen.push(text))
  const services = Layer.mergeAll(
    Layer.mock(Screen, { columns: Effect.succeed(80), style: plainStyle, print: note, notify: note }),
    Layer.mock(Keyboard, { isRaw: true, discardTyped: note("(typed keys are gone)") }),
    Layer.mock(LineEditor, {
      viKeys: Effect.succeed(false),
      readLine: ({ heading = Effect.void, prompt }) =>
        Effect.map(heading, () => {
          seen.push(prompt())
          return lines[next++] ?? { _tag: "EndOfInput" as const }
        })
    }),
    Layer.mock(ExternalEditor, {
      edit: () =>
        edited === undefined
          ? Effect.fail(new ExternalEditorError({ kind: "none", command: "", detail: "" }))
          : Effect.succeed(edited)
    })
  )
  const approval = layer({ offersSession: true, offersSaving: true, savesTo: "user", notifies: false }).pipe(
    Layer.provide(services)
  )
  const ask = Effect.flatMap(Approval, (service) => service.ask(question)).pipe(Effect.provide(approval))
  return { ask, seen, approval }
}

it.effect("keys typed before the question are gone when it appears", () =>
  Effect.gen(function* () {
    const { ask, seen } = person([typed("y")])
    expect(yield* ask).toEqual({ _tag: "Once" })
    expect(seen[0]).toBe("(typed keys are gone)")
    expect(seen[1]).toStartWith("? Allow this command to run?\n  | npm test\n")
    expect(seen[2]).toBe("Allow? 1/2/3/4/5: ")
    expect(seen).toHaveLength(3)
  })
)

it.effect("Enter alone and what is no answer ask again", () =>
  Effect.gen(function* () {
    const { ask, seen } = person([typed(""), typed("maybe"), typed("a")])
    expect(yield* ask).toEqual({ _tag: "Always", covers: "call", keep: "session" })
    expect(seen.filter((text) => text.startsWith("Allow?"))).toHaveLength(3)
    expect(seen.join("\n")).toContain('"maybe" is not one of the answers')
  })
)

it.effect("text after n is the reason, and the end of the input is no", () =>
  Effect.gen(function* () {
    expect(yield* person([typed("n use make")]).ask).toEqual({ _tag: "No", reason: "use make" })
    expect(yield* person([]).ask).toEqual({ _tag: "No", reason: undefined })
  })
)

it.effect("Ctrl-C and Esc cancel more than the call", () =>
  Effect.gen(function* () {
    for (const line of [{ _tag: "Interrupted" }, { _tag: "Escaped" }] as const) {
      const exit = yield* Fiber.await(yield* Effect.fork(person([line]).ask))
      expect(Exit.isInterrupted(exit)).toBe(true)
    }
  })
)

it.effect("a rule is shown before it is saved, and saved only after another yes", () =>
  Effect.gen(function* () {
    const agreed = person([typed("s"), typed("y")])
    expect(yield* agreed.ask).toEqual({ _tag: "Always", covers: "call", keep: "user" })
    expect(agreed.seen.join("\n")).toContain('  | [[rule]]\n  | toolName = "x"\nSave it?')
    expect(yield* person([typed("s"), typed(""), typed("y")]).ask).toEqual({ _tag: "Once" })
  })
)

it.effect("the editor's text is judged again; without a change or an editor the question stands", () =>
  Effect.gen(function* () {
    expect(yield* person([typed("e")], "npm run lint").ask).toEqual({
      _tag: "Modified",
      text: "npm run lint",
      isSettled: false
    })
    const unchanged = person([typed("3"), typed("n")], "npm test")
    expect(yield* unchanged.ask).toEqual({ _tag: "No", reason: undefined })
    expect(unchanged.seen).toContain("Nothing was changed.")
    const none = person([typed("e"), typed("y")])
    expect(yield* none.ask).toEqual({ _tag: "Once" })
    expect(none.seen.join("\n")).toContain("no editor is set")
  })
)

it.effect("questions that come together are asked one after another", () =>
  Effect.gen(function* () {
    const { approval, seen } = person([typed(""), typed("y"), typed("n")])
    const answers = yield* Effect.flatMap(Approval, (service) =>
      Effect.all([service.ask(question), service.ask(question)], { concurrency: 2 })
    ).pipe(Effect.provide(approval))
    expect(answers.map(({ _tag }) => _tag)).toEqual(["Once", "No"])
    const order = seen.map((text) =>
      text.startsWith("? Allow") ? "question" : text.startsWith("Allow?") ? "prompt" : ""
    )
    expect(order.filter((step) => step !== "")).toEqual(["question", "prompt", "prompt", "question", "prompt"])
  })
)
