/** `@server:uri` in a prompt: the content of a resource of an MCP server, marked as text from outside. */
import { Effect, Option } from "effect"
import { untrusted } from "../../kernel/prompt-frames.ts"
import type { McpError } from "../../mcp/mcp-error.ts"
import type { McpHub, ServerView } from "../../mcp/mcp-hub.ts"
import { findResource, resourceText } from "../../mcp/resource.ts"
import type { CommandCandidate } from "../command.ts"
import type { Attached, Attachments } from "./attach-files.ts"
import { escapedPath } from "./references.ts"

/** `None`: no server has a resource that is written so. */
export type ResourceReader = (written: string) => Effect.Effect<Option.Option<string>, McpError>

export const resourceReader =
  (hub: McpHub["Type"]): ResourceReader =>
  (written) =>
    Effect.gen(function* () {
      const resource = findResource(yield* hub.servers, written)
      if (resource === undefined) return Option.none()
      return Option.some(resourceText(yield* hub.readResource(resource.server, resource.uri)))
    })

/** Resources whose reference begins with what was typed, else those that hold it. */
export const resourcesLike = (typed: string, servers: ReadonlyArray<ServerView>): ReadonlyArray<CommandCandidate> => {
  const all = servers.flatMap(({ resources }) =>
    resources.map(({ name, server, uri }) => ({ value: escapedPath(`${server}:${uri}`), hint: name }))
  )
  const begun = all.filter(({ value }) => value.startsWith(typed))
  return begun.length > 0 ? begun : all.filter(({ value }) => value.includes(typed))
}

export interface ResourceAttachments extends Attachments {
  /** References that name a resource, read or not: they name no file. */
  readonly known: ReadonlySet<string>
}

export const readResources = Effect.fnUntraced(function* (
  written: ReadonlySet<string>,
  read: ResourceReader = () => Effect.succeed(Option.none())
) {
  const known = new Set<string>()
  const attached: Array<Attached> = []
  const skipped: Array<Attachments["skipped"][number]> = []
  // A resource has a scheme; looking for others would only cost time.
  for (const text of [...written].filter((one) => one.includes(":"))) {
    const result = yield* Effect.either(read(text))
    if (result._tag === "Right" && Option.isNone(result.right)) continue
    known.add(text)
    if (result._tag === "Left") skipped.push({ path: text, reason: result.left.message })
    else {
      const content = Option.getOrElse(result.right, () => "")
      attached.push({ path: text, real: text, part: { text: untrusted(content) }, bytes: Buffer.byteLength(content) })
    }
  }
  return { read: attached, skipped, known } satisfies ResourceAttachments as ResourceAttachments
})
