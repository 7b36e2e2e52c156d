/** The extensions of a session, for commands that speak about them. */
import { Context, Effect, Ref } from "effect"
import { Secrets } from "../config/secrets.ts"
import { service } from "../kernel/layers.ts"
import type { EnabledExtension } from "../protocol/run-facts.ts"

export class Extensions extends Context.Tag("agent/extensions/Extensions")<
  Extensions,
  {
    readonly enabled: ReadonlyArray<EnabledExtension>
    /** `-e` of the command line. */
    readonly named: ReadonlyArray<string> | undefined
    /** Turned on or off for this session only, by name: counts when the session is built anew. */
    readonly session: Ref.Ref<ReadonlyMap<string, boolean>>
  }
>() {}

/** `switches`: what the person turned on or off in this session. */
export const layer = (
  enabled: ReadonlyArray<EnabledExtension>,
  {
    named,
    switches
  }: {
    readonly named: ReadonlyArray<string> | undefined
    readonly switches: ReadonlyMap<string, boolean>
  }
) =>
  service(
    Extensions,
    Effect.gen(function* () {
      const { learn } = yield* Secrets
      if (enabled.length > 0) yield* learn(enabled.flatMap(secretsOf))
      return { enabled, named, session: yield* Ref.make(switches) }
    })
  )

/** Values of sensitive settings are credentials like any other. */
const secretsOf = ({ environment, secretVariables }: EnabledExtension) =>
  secretVariables.map((name) => ({ name, value: environment[name] ?? "" }))
