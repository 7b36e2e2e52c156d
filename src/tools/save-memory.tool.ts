/**
 * `save_memory`: keeps a fact for later sessions in the user's global context file. The path is ours, not the model's, so
 * the workspace border does not apply; what a person sees before is the diff of that file.
 */
import { readFileSync, statSync } from "node:fs"
import { Context, Effect, Layer, Predicate, Schema } from "effect"
import { writeAtomically } from "../files/atomic-write.ts"
import { errnoOf } from "../files/file-error.ts"
import { realPathOf } from "../files/real-path.ts"
import { type DecodedText, decodeText, encodeText, UTF8 } from "../files/text-encoding.ts"
import { loadDiff } from "./edit/edit-target.ts"
import { defineTool, ToolFailure } from "./tool.ts"

const Declared = Schema.Struct({
  fact: Schema.String.annotations({
    description: "The fact to remember: one short statement that makes sense on its own."
  })
})

const Accepted = Schema.Struct({
  ...Declared.fields,
  modified_by_user: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** The whole file as a person edited it. */
  modified_content: Schema.optionalWith(Schema.String, { exact: true })
})

// The section of a context file that holds remembered facts, one bullet each.

const HEADING = "## Gemini Added Memories"

/** One line, without what would make it a heading or a list of its own. Empty when nothing is left. */
export const oneLineFact = (fact: string): string =>
  fact
    .replace(/[\r\n\u0085\u2028\u2029]+/g, " ")
    .trim()
    .replace(/^(?:[-*+#>]+\s*)+/, "")
    .trim()

/** The content with the fact at the end of the section; the section stands at the end where there is none yet. */
export const addMemory = (content: string, fact: string): string => {
  const newline = content.includes("\r\n") ? "\r\n" : "\n"
  const bullet = `- ${fact}`
  const lines = content.split(/\r?\n/)
  const heading = lines.findIndex((line) => line.trimEnd() === HEADING)
  if (heading < 0) {
    const before = content.trimEnd()
    const gap = before === "" ? "" : `${newline}${newline}`
    return `${before}${gap}${HEADING}${newline}${bullet}${newline}`
  }
  const next = lines.findIndex((line, index) => index > heading && /^##? /.test(line))
  let end = next < 0 ? lines.length : next
  while (end > heading + 1 && lines[end - 1]?.trim() === "") end--
  const tail = next < 0 ? [""] : lines.slice(end)
  return [...lines.slice(0, end), bullet, ...tail].join(newline)
}

export const saveMemory = defineTool({
  name: "save_memory",
  classNames: ["MemoryTool"],
  displayName: "SaveMemory",
  kind: "other",
  description:
    "Remembers a fact about the user or their preferences for all later sessions. Use it when the user asks to remember " +
    "something, or states something that will clearly matter again. Not for facts of this conversation alone, and not for whole documents.",
  params: Accepted,
  declares: Declared,
  prepare: Effect.fnUntraced(function* (params: typeof Accepted.Type) {
    const memory = yield* MemoryFile
    const fact = oneLineFact(params.fact)
    if (fact === "") return yield* invalid("fact must not be empty.")
    if (memory.path === null) return yield* failed("there is no home folder to keep it in")
    const path = yield* realPath(memory.path)

    const propose = Effect.map(readMemory(path), (current) => ({
      current,
      newText: params.modified_content ?? addMemory(current?.text ?? "", fact)
    }))

    return {
      description: `Remember: ${fact}`,
      locations: [{ path }],
      confirmation: Effect.gen(function* () {
        const { current, newText } = yield* propose
        const { fileDiff } = yield* loadDiff
        const diff = fileDiff({ path, before: current?.text ?? null, after: newText, labels: ["Current", "Proposed"] })
        return { type: "edit" as const, title: `Save to memory: ${path}`, diff }
      }).pipe(Effect.catchTag("ToolFailure", () => Effect.succeed(null))),
      revise: (content: string) => Effect.succeed({ ...params, modified_by_user: true, modified_content: content }),
      run: Effect.fnUntraced(function* () {
        const { current, newText } = yield* propose
        const bytes = encodeText(newText, current?.format ?? UTF8)
        if (bytes === null) return yield* failed(`${path} has an encoding that cannot hold it`)
        yield* writeAtomically(path, bytes, { makeParents: true, mode: 0o600 }).pipe(
          Effect.mapError((error) =>
            error.kind === "no-space"
              ? new ToolFailure({ type: "no_space_left", message: error.message })
              : failed(error.message)
          )
        )
        yield* memory.reload
        const text =
          params.modified_by_user === true ? "Saved the memory file as the user edited it." : `Remembered: "${fact}"`
        return { forModel: text, display: { type: "text" as const, text } }
      })
    }
  })
})

/** Links are followed: the file may be kept elsewhere with other dotfiles. */
const realPath = (path: string): Effect.Effect<string, ToolFailure> =>
  Effect.try({ try: () => realPathOf(path), catch: (cause) => failed(`${path} cannot be reached (${errnoOf(cause)})`) })

/** `null` where there is no file yet. A pipe is not opened: it would be waited for. */
const readMemory = (path: string): Effect.Effect<DecodedText | null, ToolFailure> =>
  Effect.try({
    try: () => (statSync(path).isFile() ? decodeText(readFileSync(path)) : undefined),
    catch: errnoOf
  }).pipe(
    Effect.catchAll((code) => (code === "ENOENT" ? Effect.succeed(null) : failed(`${path} cannot be read (${code})`))),
    Effect.filterOrFail(Predicate.isNotUndefined, () => failed(`${path} is no regular file`))
  )

const failed = (reason: string) =>
  new ToolFailure({ type: "memory_tool_execution_error", message: `The fact was not saved: ${reason}.` })

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })

/** The global context file that `save_memory` writes to, and the way to make the session read it again. */
export class MemoryFile extends Context.Tag("agent/tools/MemoryFile")<
  MemoryFile,
  {
    /** Absolute; `null` where there is no home folder. */
    readonly path: string | null
    /** Called after each change. */
    readonly reload: Effect.Effect<void>
  }
>() {}

export const layer = (path: string | null, reload: Effect.Effect<void> = Effect.void) =>
  Layer.succeed(MemoryFile, { path, reload })
