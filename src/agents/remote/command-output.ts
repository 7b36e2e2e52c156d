/**
 * What a short command of the user's own prints, for secrets that a program keeps. One that fails, prints without end or
 * is not wanted any more is ended with its children.
 */
import { Effect, Exit } from "effect"

const MAX_BYTES = 64 * 1024

export interface CommandPlace {
  readonly env: Readonly<Record<string, string>>
  readonly platform: NodeJS.Platform
  readonly cwd: string
}

export const commandOutput =
  (place: CommandPlace) =>
  (command: string): Effect.Effect<string, string> =>
    Effect.acquireUseRelease(
      Effect.try({ try: () => start(command, place), catch: () => "its command cannot be started" }),
      (child) =>
        Effect.tryPromise({ try: () => read(child), catch: () => "its command cannot be read" }).pipe(
          Effect.filterOrFail(
            (text) => text !== undefined,
            () => "its command printed more than 64 KiB"
          ),
          Effect.zipLeft(endsWell(child))
        ),
      // What a command that did its work leaves running is meant to run, such as an agent that keeps a passphrase.
      (child, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => end(child)))
    )

const start = (command: string, { cwd, env, platform }: CommandPlace) =>
  Bun.spawn(platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command], {
    cwd,
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    // A group of its own, so that all of it can be ended.
    detached: platform !== "win32"
  })

type Child = ReturnType<typeof start>

/** `undefined`: it is no secret any more, so long is it. */
const read = async ({ stdout }: Child): Promise<string | undefined> => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  for await (const piece of stdout) {
    size += piece.length
    if (size > MAX_BYTES) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

const endsWell = (child: Child): Effect.Effect<void, string> =>
  Effect.flatMap(
    Effect.promise(() => child.exited),
    (code) => (code === 0 ? Effect.void : Effect.fail(`its command ended with exit code ${code}`))
  )

const end = (child: Child): void => {
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}
