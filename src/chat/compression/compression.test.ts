import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, FastCheck as fc, Layer } from "effect"
import { chunk } from "../../../test/kit/chat-room.ts"
import { violationOf } from "../../../test/kit/history-rules.ts"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import * as Flow from "../../kernel/flow.ts"
import { ModelClient, type ModelRequest } from "../../model/model-client.ts"
import * as UtilityModels from "../../model/utility-models.ts"
import { type Content, type Part, userText } from "../../protocol/content.ts"
import { PromptId } from "../../protocol/ids.ts"
import { ModelError } from "../../retry/model-error.ts"
import { appended, emptyHistory, type History } from "../history.ts"
import { afterAttempt, isCompressionDue, noAttempts } from "../history-compaction.ts"
import { requestContents } from "../request-contents.ts"
import { compress, compressionAlias, snapshotOf, splitPoint } from "./compress.ts"

const model = (text: string): Content => ({ role: "model", parts: [{ text }] })
const call = (id: string): Content => ({ role: "model", parts: [{ functionCall: { id, name: "ls", args: {} } }] })
const result = (id: string, output = "x".repeat(50)): Content => ({
  role: "user",
  parts: [{ functionResponse: { id, name: "ls", response: { output } } }]
})
const round = (id: string, output?: string): ReadonlyArray<Content> => [call(id), result(id, output)]
const rounds = (count: number, output?: string) =>
  Array.from({ length: count }, (_, index) => round(`c${index}`, output)).flat()

describe("where the history is cut", () => {
  const talk = Array.from({ length: 10 }, (_, index) => [
    userText(`question ${index}`),
    model(`answer ${index}`)
  ]).flat()
  test.each<[string, ReadonlyArray<Content>, number]>([
    ["at the first question after 70 % of the characters", talk, 14],
    ["nowhere, when there is nothing", [], 0],
    ["behind everything, when all is said and no question is late enough", [userText("q"), model("a".repeat(500))], 2],
    ["between two rounds of one long task", [userText("q"), ...rounds(10), call("open")], 17],
    ["never behind a call that waits for its answer", [userText("q"), call("open")], 0],
    [
      "between rounds rather than at an early question",
      [userText("q"), model("a"), userText("long task"), ...rounds(10), call("open")],
      19
    ]
  ])("%s", (_, contents, index) => expect(splitPoint(contents)).toBe(index))

  test("later, where less is to stay", () => {
    expect(splitPoint(talk, 0.9)).toBe(18)
    expect(splitPoint(talk, 0)).toBe(0)
  })

  const anyHistory = fc
    .array(fc.tuple(fc.string({ minLength: 1, maxLength: 200 }), fc.nat(8), fc.boolean()), {
      minLength: 1,
      maxLength: 12
    })
    .chain((prompts) =>
      fc.boolean().map((isOpen) => {
        const contents = prompts.flatMap(([text, count, isAnswered], index) => [
          userText(text),
          ...Array.from({ length: count }, (_, at) => round(`${index}-${at}`)).flat(),
          ...(isAnswered || count > 0 ? [model(`answer ${text}`)] : [model("short")])
        ])
        return isOpen ? [...contents, userText("more"), call("open")] : contents
      })
    )
  test("no cut separates a call from its answer", () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        const split = splitPoint(contents)
        const before = contents[split - 1]
        expect(before?.parts.some((part) => part.functionCall !== undefined) ?? false).toBe(false)
        expect(contents[split]?.parts.some((part) => part.functionResponse !== undefined) ?? false).toBe(false)
      })
    )
  })
})

test.each<[string, string]>([
  ["<scratchpad>hm</scratchpad>\n<state_snapshot>a</state_snapshot> bye", "<state_snapshot>a</state_snapshot>"],
  [" no tags ", "no tags"],
  ["<state_snapshot>cut off", "<state_snapshot>cut off"]
])("of %p is kept %p", (answer, kept) => expect(snapshotOf(answer)).toBe(kept))

test.each([
  ["gemini-3-pro-preview", "chat-compression-3-pro"],
  ["gemini-3.1-pro-preview-customtools", "chat-compression-3-pro"],
  ["gemini-3-flash-preview", "chat-compression-3-flash"],
  ["gemini-3.5-flash", "chat-compression-2.5-flash"],
  ["gemini-3.1-flash-lite", "chat-compression-3.1-flash-lite"],
  ["gemini-2.5-pro", "chat-compression-2.5-pro"],
  ["gemini-2.5-flash-lite", "chat-compression-2.5-flash-lite"],
  ["somebody-elses", "chat-compression-default"]
])("the snapshot of %s is written by %s", (name, alias) =>
  expect(compressionAlias(name)).toBe(alias as "chat-compression-default")
)

describe("when it is tried", () => {
  const size = (promptTokens: number): History => ({ ...appended(emptyHistory, userText("q")), promptTokens })
  const options = { model: "m", threshold: 0.5 }
  test("from the threshold on, and never on an empty history", () => {
    expect(isCompressionDue(size(524_287), noAttempts, options)).toBe(false)
    expect(isCompressionDue(size(524_288), noAttempts, options)).toBe(true)
    expect(isCompressionDue({ ...emptyHistory, promptTokens: 900_000 }, noAttempts, options)).toBe(false)
    expect(isCompressionDue(size(150_000), noAttempts, { ...options, maxTokens: 150_000 })).toBe(true)
    expect(isCompressionDue(size(149_999), noAttempts, { ...options, maxTokens: 150_000 })).toBe(false)
  })
  test("after a failure only when the history has grown, after a success as before", () => {
    const failed = afterAttempt(noAttempts, { model: "m", size: 600_000, helped: false, inflated: true })
    expect(failed.hasInflated).toBe(true)
    expect(isCompressionDue(size(640_000), failed, options)).toBe(false)
    expect(isCompressionDue(size(660_000), failed, options)).toBe(true)
    const helped = afterAttempt(failed, { model: "m", size: 600_000, helped: true, inflated: false })
    expect(isCompressionDue(size(600_000), helped, options)).toBe(true)
  })
})

const history = (contents: ReadonlyArray<Content>, promptTokens: number): History => ({
  ...appended(emptyHistory, ...contents),
  promptTokens
})

type Answer = string | ModelError

const run = (
  input: { readonly history: History; readonly outputDir?: string; readonly hasInflated?: boolean },
  answers: ReadonlyArray<Answer>
) =>
  Effect.gen(function* () {
    const requests: Array<ModelRequest> = []
    const client = Layer.succeed(ModelClient, {
      stream: () => Flow.empty,
      generate: (request) => {
        const answer = answers[requests.push(request) - 1] ?? ""
        return answer instanceof ModelError ? Effect.fail(answer) : Effect.succeed(chunk(answer, "STOP"))
      },
      countTokens: () => Effect.succeed(5),
      embed: () => Effect.die("not used")
    })
    const utility = UtilityModels.layer((alias) => ({ model: alias, config: {} }), PromptId.make("p"))
    const compression = yield* compress({
      model: "gemini-2.5-pro",
      sessionContext: "context",
      announce: Effect.void,
      truncateThreshold: 40_000,
      outputDir: "/nonexistent",
      hasInflated: false,
      ...input
    }).pipe(Effect.provide(Layer.merge(client, utility)))
    return { requests, compression }
  })

const snapshot = "<state_snapshot>all that matters</state_snapshot>"
const task = [userText("the task"), ...rounds(10), call("open")]
const busy = new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" })

describe("compressing", () => {
  it.effect("asks for a snapshot, has it checked, and keeps the latest part with its open call", () =>
    Effect.gen(function* () {
      const better = "<state_snapshot>all that matters, and a path</state_snapshot>"
      const { compression, requests } = yield* run({ history: history(task, 600_000) }, [snapshot, better])
      expect(compression).toMatchObject({ status: "COMPRESSED", originalTokens: 600_000 })
      expect(compression.newTokens).toBeLessThan(1000)
      expect(compression.contents).toEqual([
        userText("context"),
        userText(expect.stringContaining(better)),
        ...task.slice(17)
      ])
      expect(requests.map(({ model: name, role }) => [name, role])).toEqual([
        ["chat-compression-2.5-pro", "utility_compressor"],
        ["chat-compression-2.5-pro", "utility_compressor"]
      ])
      expect(requests[1]?.contents.at(-2)).toEqual(model(snapshot))
      expect(requests.map(({ promptId }) => String(promptId))).toEqual(["p", "p-verify"])
      for (const request of requests) expect(violationOf(request, { signatures: true })).toBeUndefined()
      const next = requestContents([...compression.contents, result("open")])
      expect(violationOf({ contents: next }, { signatures: true })).toBeUndefined()
    })
  )

  it.effect("an earlier snapshot is merged into the new one", () =>
    Effect.gen(function* () {
      const first = yield* run({ history: history(task, 600_000) }, [snapshot, ""])
      const later = [...first.compression.contents, result("open"), ...rounds(20), call("again")]
      const { requests } = yield* run({ history: history(later, 600_000) }, [snapshot, snapshot])
      expect(JSON.stringify(requests[0]?.contents.at(-1))).toContain("earlier <state_snapshot>")
    })
  )

  it.effect("a finished talk is compressed as a whole and acknowledged", () =>
    Effect.gen(function* () {
      const contents = [userText("q"), model("a".repeat(3000))]
      const { compression } = yield* run({ history: history(contents, 600_000) }, [snapshot, snapshot])
      expect(compression.contents.map(({ role }) => role)).toEqual(["user", "user", "model"])
    })
  )

  const rows: ReadonlyArray<[string, ReadonlyArray<Answer>, number, string, number]> = [
    ["no snapshot", [""], 600_000, "COMPRESSION_FAILED_EMPTY_SUMMARY", 1],
    ["the model fails", [busy], 600_000, "COMPRESSION_FAILED_EMPTY_SUMMARY", 1],
    ["the check fails: the first snapshot counts", [snapshot, busy], 600_000, "COMPRESSED", 2],
    ["the check says nothing", [snapshot, " "], 600_000, "COMPRESSED", 2],
    ["a snapshot larger than the history", ["y".repeat(9000), ""], 600, "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT", 2]
  ]
  for (const [name, answers, promptTokens, status, asked] of rows) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const before = history(task, promptTokens)
        const { compression, requests } = yield* run({ history: before }, answers)
        expect(compression.status).toBe(status as "NOOP")
        expect(requests).toHaveLength(asked)
        if (status === "COMPRESSED") return
        expect(compression.contents).toBe(before.contents)
        expect(compression.reason).toBeString()
        expect(compression.newTokens).toBe(promptTokens)
      })
    )
  }

  it.effect("nothing to compress", () =>
    Effect.gen(function* () {
      for (const contents of [[], [userText("q"), call("open")]]) {
        const { compression, requests } = yield* run({ history: history(contents, 600_000) }, [])
        expect(compression.status).toBe("NOOP")
        expect(requests).toEqual([])
      }
    })
  )

  it.live("old results beyond the budget are cut and saved; the newest stay whole", () =>
    Effect.gen(function* () {
      const outputDir = join(yield* tempFolder(), "outputs")
      const long = "line of output\n".repeat(8000)
      const contents = [userText("the task"), ...rounds(4, long), call("open")]
      const before = history(contents, 300_000)
      const { compression, requests } = yield* run({ history: before, outputDir, hasInflated: true }, [])
      expect(requests).toEqual([])
      expect(compression.status).toBe("CONTENT_TRUNCATED")
      expect(compression.newTokens).toBeLessThan(300_000)
      const outputs = compression.contents.flatMap(({ parts }) => parts.flatMap(outputOf))
      expect(outputs.map((output) => output === long)).toEqual([false, false, false, true])
      const file = join(outputDir, "ls_c0.txt")
      expect(outputs[0]).toContain(file)
      expect(readFileSync(file, "utf8")).toBe(long)
      expect(existsSync(join(outputDir, "ls_c3.txt"))).toBe(false)
    })
  )

  it.effect("where nothing can be saved, nothing is cut", () =>
    Effect.gen(function* () {
      const contents = [userText("the task"), ...rounds(4, "z".repeat(120_000)), call("open")]
      const before = history(contents, 300_000)
      const { compression } = yield* run({ history: before, outputDir: "/proc/none", hasInflated: true }, [])
      expect(compression).toMatchObject({ status: "NOOP", contents: before.contents })
    })
  )
})

const outputOf = (part: Part): ReadonlyArray<unknown> =>
  part.functionResponse === undefined ? [] : [part.functionResponse.response?.output]
