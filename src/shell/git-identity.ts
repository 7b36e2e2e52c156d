/** The user's git identity, read from the configuration outside any project, so that no folder can supply it. */
import { Effect } from "effect"
import { childVariables, type Variables } from "../system/child-variables.ts"
import { runProgram } from "../system/programs.ts"
import type { GitIdentity } from "./child-environment.ts"

const LIMIT = "2 seconds"
const MAX_BYTES = 64 * 1024

export const readGitIdentity = (variables: Variables): Effect.Effect<GitIdentity> =>
  Effect.all(
    { name: readSetting(variables, "user.name"), email: readSetting(variables, "user.email") },
    { concurrency: 2 }
  )

const readSetting = (variables: Variables, key: string): Effect.Effect<string | undefined> =>
  runProgram({
    argv: ["git", "config", "--global", "--includes", "--get", key],
    cwd: "/",
    env: childVariables({ inherits: variables }),
    timeout: LIMIT,
    maxOutputBytes: MAX_BYTES,
    reach: "group",
    leftovers: "end",
    grace: 0
  }).pipe(
    Effect.map(({ stdout }) => stdout.trim() || undefined),
    Effect.orElseSucceed(() => undefined)
  )
