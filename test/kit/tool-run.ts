/**
 * A whole run in which the scripted model calls tools: turn after turn, then a last word. Every call is seen from both
 * ends, as the function response that the model received and as the events that a script reads.
 *
 * The model server is strict, so a history that the API would refuse fails the run.
 */
import { expect } from "bun:test"
import { Schema } from "effect"
import { eventsOf, type Json } from "./documents.ts"
import { type ModelRequest, startModelServer } from "./model-server.ts"
import { answer, ask, call, chunk, finish, type Part, type Reply, say, text } from "./replies.ts"
import type { RunOptions, RunResult, Workspace } from "./run-gemini.ts"

/** The calls of one turn; a function where they depend on earlier answers. */
export type Turn = ReadonlyArray<Part> | ((answers: ReadonlyArray<Response>) => ReadonlyArray<Part>)

export interface ToolRunOptions extends Omit<RunOptions, "server"> {
  readonly prompt?: string
  /** Flags beside the prompt and the format. */
  readonly args?: ReadonlyArray<string>
  /** Answers of the utility models, which are asked without a stream. */
  readonly utility?: (request: ModelRequest) => Reply
  /** Starts the run with the URL of the model; otherwise the binary is started as it is. */
  readonly start?: (args: ReadonlyArray<string>, options: RunOptions) => Promise<RunResult>
}

/** What the model got. */
export interface Response {
  readonly id: string
  readonly name: string
  readonly output: string | undefined
  readonly error: string | undefined
  /** Data that is nested in the response. */
  readonly media: ReadonlyArray<Json>
}

/** A call and its answer; `type`, `status` and `shown` are those of the `tool_result` event. */
export interface Answered extends Response {
  readonly status: string
  readonly type: string | undefined
  readonly shown: string | undefined
}

export interface ToolRun {
  readonly result: RunResult
  readonly events: ReadonlyArray<Json>
  /** The `result` event. */
  readonly end: Json
  readonly answers: ReadonlyArray<Answered>
  /** Names of the tools that the first request offers. */
  readonly offered: ReadonlyArray<string>
  /** Bodies of the requests of the conversation. */
  readonly bodies: ReadonlyArray<unknown>
  /** Bodies of the requests to utility models. */
  readonly utilityBodies: ReadonlyArray<unknown>
}

export const tool = (name: string, args: Readonly<Record<string, unknown>> = {}): Part => call(name, args)

/** One call for each turn. */
export const inTurns = (...calls: ReadonlyArray<Part>): ReadonlyArray<Turn> => calls.map((part) => [part])

export const callTools = async (
  place: Workspace,
  turns: ReadonlyArray<Turn>,
  options: ToolRunOptions = {}
): Promise<ToolRun> => {
  const { args = [], prompt = "go", start = place.run, utility, ...rest } = options
  let turn = 0
  await using server = await startModelServer(
    (request) => {
      if (request.operation === "generateContent") return utility?.(request) ?? say("no utility model in this script")
      const next = turns[turn++]
      return next === undefined ? say("done") : ask(...withIds(next, turn, responsesIn(request.body)))
    },
    { strict: true }
  )
  const result = await start(["-p", prompt, "-o", "stream-json", ...args], { ...rest, server })
  const events = eventsOf(result)
  const bodiesOf = (operation: string) =>
    server.generations.filter((request) => request.operation === operation).map(({ body }) => body)
  const bodies = bodiesOf("streamGenerateContent")
  return {
    result,
    events,
    end: events.at(-1) ?? {},
    answers: answersOf(events, responsesIn(bodies.at(-1))),
    offered: offeredIn(bodies[0]),
    bodies,
    utilityBodies: bodiesOf("generateContent")
  }
}

/** One turn with a call of the same tool for each; the answers in the order of the calls. */
export const callEach = async (
  place: Workspace,
  name: string,
  ...calls: ReadonlyArray<Readonly<Record<string, unknown>>>
): Promise<ReadonlyArray<Answered>> => {
  const run = await callTools(place, [calls.map((args) => tool(name, args))])
  expect(run.result.exitCode).toBe(0)
  expect(run.answers).toHaveLength(calls.length)
  return run.answers
}

/** A way to start the run as somebody who must obey permissions, after some preparation in the working folder. */
export const withoutRights =
  (place: Workspace, prepare: string): NonNullable<ToolRunOptions["start"]> =>
  (args, options) =>
    place.shell(
      place.unprivileged(`chmod -R a+rwX "$HOME" "$TMPDIR" && ${prepare}`, `exec "$GEMINI" ${args.join(" ")}`),
      options
    )

/** On a copy: `toMatchObject` of Bun puts matchers into the very object that it looks at. */
export const expectAnswer = (answered: Answered | undefined, expected: Readonly<Record<string, unknown>>): void =>
  expect({ ...answered }).toMatchObject(expected)

/** Turns that make these calls and end, for runs that are not `callTools`. */
export const scriptOf = (...calls: ReadonlyArray<Part>): ReadonlyArray<Reply> => [
  ...calls.map((part, index) => ask(...withIds([part], index + 1, []))),
  say("done")
]

/** What a utility model says about what it found: text, and metadata of the candidate. */
export const grounded = (words: string, metadata: Json): Reply =>
  answer([
    { ...chunk(text(words)), candidates: [{ content: { role: "model", parts: [text(words)] }, ...metadata }] },
    finish("STOP")
  ])

const withIds = (turn: Turn, number: number, answers: ReadonlyArray<Response>): ReadonlyArray<Part> =>
  (typeof turn === "function" ? turn(answers) : turn).map((part, index) => ({
    functionCall: { id: `call-${number}-${index + 1}`, ...(part.functionCall as object) }
  }))

const Request = Schema.Struct({
  contents: Schema.Array(
    Schema.Struct({
      parts: Schema.Array(
        Schema.Struct({
          functionResponse: Schema.optional(
            Schema.Struct({
              id: Schema.String,
              name: Schema.String,
              response: Schema.Struct({
                output: Schema.optional(Schema.String),
                error: Schema.optional(Schema.String)
              }),
              parts: Schema.optional(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
            })
          )
        })
      )
    })
  ),
  tools: Schema.optional(
    Schema.Array(
      Schema.Struct({ functionDeclarations: Schema.optional(Schema.Array(Schema.Struct({ name: Schema.String }))) })
    )
  )
})

const decodeRequest = Schema.decodeUnknownSync(Request)

const responsesIn = (body: unknown): ReadonlyArray<Response> =>
  decodeRequest(body)
    .contents.flatMap(({ parts }) => parts)
    .flatMap(({ functionResponse }) =>
      functionResponse === undefined
        ? []
        : [
            {
              id: functionResponse.id,
              name: functionResponse.name,
              output: functionResponse.response.output,
              error: functionResponse.response.error,
              media: functionResponse.parts ?? []
            }
          ]
    )

const offeredIn = (body: unknown): ReadonlyArray<string> =>
  (decodeRequest(body).tools ?? []).flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name)
  )

const ToolResult = Schema.Struct({
  tool_id: Schema.String,
  status: Schema.String,
  output: Schema.optional(Schema.String),
  error: Schema.optional(Schema.Struct({ type: Schema.String }))
})

const decodeResult = Schema.decodeUnknownSync(ToolResult)

/** In the order of the results; a run that ended early has results that the model never got. */
const answersOf = (events: ReadonlyArray<Json>, responses: ReadonlyArray<Response>): ReadonlyArray<Answered> =>
  events
    .filter((event) => event.type === "tool_result")
    .map((event) => {
      const { error, output, status, tool_id } = decodeResult(event)
      // Inside the program a call is named after its tool; the API gets its own id back.
      const response = responses.find(({ id, name }) => `${name}__${id}` === tool_id)
      return {
        id: tool_id,
        name: response?.name ?? "",
        output: response?.output,
        error: response?.error,
        media: response?.media ?? [],
        status,
        type: error?.type,
        shown: output
      }
    })
