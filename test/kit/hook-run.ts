/** Runs with hooks: programs that are one line of shell, and what became of the run. */
import { documentOf, type Json } from "./documents.ts"
import { type Script, startModelServer } from "./model-server.ts"
import type { RunOptions, RunResult, Workspace } from "./run-gemini.ts"

export interface HookSpec {
  readonly matcher?: string
  readonly sequential?: boolean
  readonly command: string
  readonly name?: string
  readonly timeout?: number
  readonly env?: Readonly<Record<string, string>>
  readonly failClosed?: boolean
  readonly stream?: boolean
}

/** By event; a string is a command. */
export type HookSpecs = Readonly<Record<string, ReadonlyArray<string | HookSpec>>>

/** A command that gives this answer. */
export const answering = (output: object): string => `echo '${JSON.stringify(output).replaceAll("'", "'\\''")}'`

/** The same, with what only its event knows. */
export const specific = (fields: object): string => answering({ hookSpecificOutput: fields })

export const hookSettings = (specs: HookSpecs): Json => ({
  hooks: Object.fromEntries(Object.entries(specs).map(([event, hooks]) => [event, hooks.map(definitionOf)]))
})

const definitionOf = (spec: string | HookSpec) => {
  const { matcher, sequential, ...hook } = typeof spec === "string" ? { command: spec } : spec
  return { matcher, sequential, hooks: [{ type: "command", ...hook }] }
}

export interface HookRun {
  readonly result: RunResult
  /** The json document. */
  readonly document: Json
  /** Bodies of the requests of the conversation, as text. */
  readonly bodies: ReadonlyArray<string>
  /** What was said in them, without instructions and tools. */
  readonly contents: ReadonlyArray<string>
  /** Paths of those requests, which name the model. */
  readonly paths: ReadonlyArray<string>
}

/** One prompt with these hooks of the user, in json; everything is allowed. */
export const runHooked = async (
  place: Workspace,
  specs: HookSpecs,
  script: Script,
  options: Omit<RunOptions, "server"> & { readonly args?: ReadonlyArray<string>; readonly settings?: Json } = {}
): Promise<HookRun> => {
  const { args = [], settings = {}, ...rest } = options
  await place.write("home/.gemini/settings.json", JSON.stringify({ ...settings, ...hookSettings(specs) }))
  await using server = await startModelServer(script, { strict: true })
  const result = await place.run(["-p", "the prompt", "-o", "json", "-y", "-m", "gemini-2.5-pro", ...args], {
    ...rest,
    server
  })
  return {
    result,
    document: documentOf(result),
    bodies: server.generations.map(({ body }) => JSON.stringify(body)),
    contents: server.generations.map(({ body }) => JSON.stringify(contentsOf(body))),
    paths: server.generations.map(({ path }) => path)
  }
}

const contentsOf = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "contents" in body ? body.contents : []
