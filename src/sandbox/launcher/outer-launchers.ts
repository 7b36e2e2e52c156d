/** Launchers that stand outside of the walls: one opens files in front of bubblewrap, one keeps what Landlock cannot. */
import { becoming, CALLS, control, FIRST_FREE, HERE, refused, standardDescriptors } from "./launcher-parts.ts"
import { type LauncherStep, launcherProgram, textBlock } from "./launcher-program.ts"

const [PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, SIGUSR2] = [1, 36, 12]

/**
 * Becomes a shell that stays outside of the walls, starts what follows, and at the end, its own or ours, ends all that came
 * from it: whoever loses its parent down there becomes a child of the shell. Only where processes share one namespace; and
 * what is inside can do nothing to it where signals are kept in (version 6).
 */
export const keeperFor = (architecture: string): Uint8Array<ArrayBuffer> | undefined => {
  const calls = CALLS[architecture]
  if (calls === undefined) return undefined
  const steps = [
    ...standardDescriptors(calls),
    control(calls, "to take in orphans", PR_SET_CHILD_SUBREAPER, 1),
    control(calls, "to hear of the parent's end", PR_SET_PDEATHSIG, SIGUSR2),
    ...becoming(["/bin/sh"], calls)
  ]
  return launcherProgram(steps, architecture)
}

/** In front of the program that the keeper starts. A zombie cannot be ended any more. */
export const KEEPER: ReadonlyArray<string> = [
  "/bin/sh",
  "-c",
  `finish() { while :; do kids= alive=; read -r kids </proc/$$/task/$$/children; for kid in $kids; do state=; read -r state </proc/$kid/stat; case $state in ''|*') Z '*) ;; *) kill -9 $kid; alive=1;; esac; done; [ "$alive" ] || return 0; done; } 2>/dev/null
trap : TERM INT HUP QUIT; trap 'finish; exit 137' USR2
exec 3<&0; "$@" <&3 3<&- & child=$!
while wait $child; code=$?; kill -0 $child 2>/dev/null; do :; done
finish; exit $code`,
  "sh"
]

/** Opens these files to be read, as descriptors from 3 on, and becomes the program. */
export const openerFor = (
  files: ReadonlyArray<string>,
  program: string,
  architecture: string
): Uint8Array<ArrayBuffer> | undefined => {
  const calls = CALLS[architecture]
  if (calls === undefined) return undefined
  const READ = 0
  const fatal = refused("to open a file of its own")
  const steps = [
    ...files.map((_, index): LauncherStep => ({ call: calls.close, args: [FIRST_FREE + index] })),
    ...standardDescriptors(calls),
    ...files.map((file): LauncherStep => ({ call: calls.openat, args: [HERE, textBlock(file), READ, 0], fatal })),
    ...becoming([program], calls)
  ]
  return launcherProgram(steps, architecture)
}
