/** Git for fetching skills: the newest commit alone. Nobody is there to type a password, and the wait has an end. */
import { Duration, Effect } from "effect"
import { codeOf } from "../../kernel/atomic-write.ts"
import { withoutOwn } from "../../shell/child-environment.ts"
import { SkillInstallError } from "./install-error.ts"

const CLONE_WITHIN = Duration.minutes(5)
const MAX_SAID_CHARS = 300

/** `target` must not exist. */
export const cloneNewest = (
  url: string,
  target: string,
  variables: Readonly<Record<string, string>>
): Effect.Effect<void, SkillInstallError> =>
  Effect.tryPromise({
    try: async (signal) => {
      // `ext::` addresses run programs.
      const settings = ["-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null"]
      const child = Bun.spawn(["git", ...settings, "clone", "--quiet", "--depth", "1", "--", url, target], {
        cwd: "/",
        env: { ...withoutOwn(variables, []), GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "", LC_ALL: "C" },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "pipe",
        signal
      })
      const said = await child.stderr.text()
      return { exitCode: await child.exited, said }
    },
    catch: (cause) =>
      codeOf(cause) === "ENOENT"
        ? new SkillInstallError({
            kind: "source",
            detail: "git is not installed, and this source can only be fetched with it",
            advice: "Install git, or download the skill and install it from its folder."
          })
        : new SkillInstallError({ kind: "source", detail: `git could not be started (${codeOf(cause)})` })
  }).pipe(
    Effect.interruptible,
    Effect.timeoutFail({
      duration: CLONE_WITHIN,
      onTimeout: () =>
        new SkillInstallError({
          kind: "source",
          detail: `git took longer than ${Duration.format(CLONE_WITHIN)}`,
          advice
        })
    }),
    Effect.flatMap(({ exitCode, said }) =>
      exitCode === 0
        ? Effect.void
        : new SkillInstallError({ kind: "source", detail: `${url} cannot be fetched: ${lastLine(said)}`, advice })
    )
  )

const advice = "Check the address and the connection, and try again."

const lastLine = (said: string): string =>
  (
    said
      .trim()
      .split("\n")
      .findLast((line) => line.trim() !== "") ?? "git says nothing"
  ).slice(0, MAX_SAID_CHARS)
