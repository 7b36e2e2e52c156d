/**
 * `save_memory`: keeps a fact for later sessions in the user's global context file. The path is ours, not the model's, so
 * the workspace border does not apply; what a person sees before is the diff of that file.
 */
import { readFileSync, statSync } from "node:fs"
import { Effect, Predicate, Schema } from "effect"
import { writeAtomically } from "../files/atomic-write.ts"
import { errnoOf } from "../files/file-error.ts"
import { realPathOf } from "../files/real-path.ts"
import { type DecodedText, decodeText, encodeText, UTF8 } from "../files/text-encoding.ts"
import { loadDiff } from "./edit/presentation.ts"
import { MemoryFile } from "./memory-file.ts"
import { addMemory, oneLineFact } from "./memory-section.ts"
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
