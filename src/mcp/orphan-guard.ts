/**
 * Servers must not outlive this program, not even when it is killed without a chance to tidy up. A small shell waits at
 * the end of a pipe whose other end only this process holds: when the pipe closes without a farewell, it ends the groups
 * of the servers that were named to it. It leads a session of its own, so that a kill of our group does not reach it.
 */
import { Context, Effect, Layer, Scope } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { childVariables } from "../system/child-variables.ts"
import { spawnProgram } from "../system/programs.ts"

export class OrphanGuard extends Context.Tag("agent/mcp/OrphanGuard")<
  OrphanGuard,
  {
    /** From now on this group ends with us. */
    readonly watch: (group: number) => Effect.Effect<void>
    /** The group is gone; its number may soon be somebody else's. */
    readonly forget: (group: number) => Effect.Effect<void>
  }
>() {}

/** For Windows, which has neither groups nor this shell: servers there see our end as the end of their input. */
export const layerNone = Layer.succeed(OrphanGuard, { watch: () => Effect.void, forget: () => Effect.void })

/** Ends what is left at the end of its input. A line adds or takes away the number of a group. */
const SCRIPT = `
trap '' HUP INT TERM
set --
while read -r word group; do
  case $word in
    watch) set -- "$@" "-$group" ;;
    forget)
      rest=
      for one; do [ "$one" = "-$group" ] || rest="$rest $one"; done
      set -- $rest ;;
  esac
done
[ $# -eq 0 ] && exit 0
kill -s TERM -- "$@" 2>/dev/null
sleep 1
kill -s KILL -- "$@" 2>/dev/null
exit 0
`

/** The shell is started with the first server. */
export const layer = Layer.scoped(
  OrphanGuard,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const guard = yield* cachedOnce(
      Effect.acquireRelease(
        Effect.sync(() =>
          spawnProgram(
            {
              argv: ["/bin/sh", "-c", SCRIPT],
              cwd: "/",
              env: childVariables({ inherits: {}, given: { PATH: "/usr/bin:/bin" } })
            },
            { stdin: "pipe", stdout: "ignore", stderr: "ignore", detached: true }
          )
        ),
        // All groups were forgotten by then: the shell has nothing to do but to leave.
        ({ stdin }) => Effect.sync(() => void stdin.end())
      ).pipe(Effect.provideService(Scope.Scope, scope))
    )
    const tell = (word: "watch" | "forget") => (group: number) =>
      Effect.flatMap(guard, ({ stdin }) =>
        Effect.sync(() => {
          void stdin.write(`${word} ${group}\n`)
          void stdin.flush()
        })
      )
    return OrphanGuard.of({ watch: tell("watch"), forget: tell("forget") })
  })
)
