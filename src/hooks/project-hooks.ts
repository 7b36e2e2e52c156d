/** Hooks of a project as programs that a person agrees to. */
import type { ProjectProgram } from "../config/programs/project-program.ts"
import type { FoundHooks } from "./find-hooks.ts"
import { type Hook, placeOf, shownName } from "./hook.ts"

export const hookPrograms = ({
  hooks,
  pending
}: Pick<FoundHooks, "hooks" | "pending">): ReadonlyArray<ProjectProgram> =>
  [...hooks, ...pending].flatMap((hook) =>
    hook.accepted === undefined
      ? []
      : [{ kind: "hook", what: describe(hook), place: placeOf(hook.source), fingerprint: hook.accepted }]
  )

const describe = (hook: Hook): string =>
  `hook ${hook.event}: ${hook.name === undefined ? hook.command : `${shownName(hook)}, which runs ${hook.command}`}`
