/** The user's git identity, read from the configuration outside any project, so that no folder can supply it. */
import { Effect } from "effect"
import type { GitIdentity } from "./child-environment.ts"

const LIMIT = "2 seconds"

export const readGitIdentity = (variables: Readonly<Record<string, string>>): Effect.Effect<GitIdentity> =>
  Effect.all(
    { name: readSetting(variables, "user.name"), email: readSetting(variables, "user.email") },
    { concurrency: 2 }
  )

const readSetting = (variables: Readonly<Record<string, string>>, key: string): Effect.Effect<string | undefined> =>
  Effect.tryPromise(async (signal) => {
    const child = Bun.spawn(["git", "config", "--global", "--includes", "--get", key], {
      env: variables,
      cwd: "/",
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      signal
    })
    const text = (await new Response(child.stdout).text()).trim()
    return text === "" ? undefined : text
  }).pipe(
    // The command is started in an uninterruptible region, where a timeout alone would not end the wait.
    Effect.interruptible,
    Effect.timeout(LIMIT),
    Effect.orElseSucceed(() => undefined)
  )
