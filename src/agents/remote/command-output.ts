/** What a short command of the user's own prints, for secrets that a program keeps. Ended with its children when it is not wanted any more. */
import { Effect } from "effect"

const MAX_CHARS = 64 * 1024

export const commandOutput =
  (options: {
    readonly env: Readonly<Record<string, string>>
    readonly platform: NodeJS.Platform
    readonly cwd: string
  }) =>
  (command: string): Effect.Effect<string, string> =>
    Effect.acquireUseRelease(
      Effect.try({ try: () => start(command, options), catch: () => "its command cannot be started" }),
      (child) =>
        Effect.tryPromise({
          try: async () => ({ text: await new Response(child.stdout).text(), code: await child.exited }),
          catch: () => "its command cannot be read"
        }).pipe(
          Effect.flatMap(({ code, text }) =>
            code === 0
              ? Effect.succeed(text.slice(0, MAX_CHARS))
              : Effect.fail(`its command ended with exit code ${code}`)
          )
        ),
      (child) => Effect.sync(() => end(child))
    )

const start = (command: string, { cwd, env, platform }: Parameters<typeof commandOutput>[0]) =>
  Bun.spawn(platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command], {
    cwd,
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    // A group of its own, so that all of it can be ended.
    detached: platform !== "win32"
  })

const end = (child: ReturnType<typeof start>): void => {
  if (child.exitCode !== null) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}
