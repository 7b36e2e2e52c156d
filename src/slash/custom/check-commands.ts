/** Whether the shell commands of a custom command may run: the policy decides as for the model's own calls. */
import { Context, Effect, Layer, Ref } from "effect"
import { Policy } from "../../policy/policy.ts"
import { CommandError } from "../command-error.ts"

/** Commands of custom commands that the person allowed for the session, letter by letter. */
export class SessionAllowlist extends Context.Tag("agent/slash/SessionAllowlist")<
  SessionAllowlist,
  {
    readonly has: (command: string) => Effect.Effect<boolean>
    readonly add: (commands: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {}

export const layerAllowlist = Layer.effect(
  SessionAllowlist,
  Effect.map(Ref.make<ReadonlySet<string>>(new Set()), (allowed) =>
    SessionAllowlist.of({
      has: (command) => Effect.map(Ref.get(allowed), (set) => set.has(command)),
      add: (commands) => Ref.update(allowed, (set) => new Set([...set, ...commands]))
    })
  )
)

export type CheckedCommand =
  | { readonly _tag: "Allowed" }
  /** Those that the person has to agree to. */
  | { readonly _tag: "Ask"; readonly ask: ReadonlyArray<string> }

/** A command that is denied fails all of them. */
export const checkCommands = Effect.fn("checkCommands")(function* (name: string, commands: ReadonlyArray<string>) {
  const policy = yield* Policy
  const allowlist = yield* SessionAllowlist
  const ask: Array<string> = []
  for (const command of new Set(commands)) {
    const decision = yield* policy.decide({ name: "run_shell_command", args: { command }, kind: "execute" })
    if (decision.verdict === "deny") {
      return yield* new CommandError({
        kind: "denied",
        detail: `${name} may not run ${command}: ${decision.reason}.`,
        ...(decision.allowWith === undefined ? {} : { advice: `Allow it with ${decision.allowWith}.` })
      })
    }
    if (decision.verdict === "ask" && !(yield* allowlist.has(command))) ask.push(command)
  }
  return (ask.length === 0 ? { _tag: "Allowed" } : { _tag: "Ask", ask }) satisfies CheckedCommand as CheckedCommand
})
