/** What a folder that is not trusted has of one kind, and what is therefore ignored. Where it has none there is nothing to tell. */
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { type Contribution, projectContents } from "../../config/project-contents.ts"

export const ignoredParts = Effect.fnUntraced(function* (
  { environment, trust }: LoadedConfig,
  kind: "hooks" | "MCP servers"
): Effect.fn.Return<Contribution | undefined> {
  // In the home folder the files of the project are the user's own, which need no trust.
  if (trust.trust !== "untrusted" || environment.cwd === environment.home) return undefined
  return (yield* projectContents(environment.cwd, [])).find((one) => one.kind === kind)
})
