/**
 * Confines this process and becomes the command: what `gemini __confine PLAN COMMAND…` does. Whatever fails on the way
 * ends it (exit 44), so that a command never runs less confined than planned.
 *
 * The restrictions hold for the thread that makes them; becoming another program ends all others.
 */
import { readFileSync } from "node:fs"
import { Either, Schema } from "effect"
import { ExitCode } from "../protocol/exit-code.ts"
import { ConfinementPlan } from "./confinement-plan.ts"
import { FILE_RIGHTS } from "./landlock-rules.ts"
import { LinuxCalls } from "./linux-calls.ts"
import { missingMount } from "./mount-table.ts"

const decode = Schema.decodeUnknownEither(Schema.parseJson(ConfinementPlan))

const NOT_FOUND = 2
/** What a shell answers for a program that is not there, or may not be run. */
const EXIT_NOT_FOUND = 127
const EXIT_NOT_RUN = 126

/** The root of a container works on files of others; no path is opened by this that the rules do not open. */
const OVERRIDES_PERMISSIONS = 1

/** Does not return where it succeeds; else the exit code. */
export const confineSelf = (
  [planFile = "", ...command]: ReadonlyArray<string>,
  tell: (text: string) => void
): number => {
  try {
    const plan = Either.getOrThrowWith(decode(readFileSync(planFile, "utf8")), (error) => new Error(error.message))
    const calls = new LinuxCalls()
    apply(plan, calls)
    const errno = calls.become(command)
    tell(`gemini: cannot run ${command[0]} in the sandbox (errno ${errno})`)
    return errno === NOT_FOUND ? EXIT_NOT_FOUND : EXIT_NOT_RUN
  } catch (cause) {
    tell(`gemini: the sandbox could not be set up: ${cause instanceof Error ? cause.message : String(cause)}`)
    return ExitCode.sandbox
  }
}

const apply = (plan: ConfinementPlan, calls: LinuxCalls): void => {
  if (plan.diesWithParent) calls.dieWithParent()
  for (const path of plan.hide) calls.mountOver(path, plan.closedFile)
  if (plan.mounts.length > 0 && missingMount(plan.mounts, readFileSync("/proc/self/mountinfo", "utf8")) !== undefined) {
    throw new Error("the workspace changed while it was being made; nothing was run")
  }
  for (const path of plan.settledDevices) calls.settle(path)
  calls.forbidNewRights()
  if (plan.landlock !== null) restrict(plan.landlock, calls)
  calls.dropCapabilities(plan.landlock === null ? [] : [OVERRIDES_PERMISSIONS])
  calls.filterCalls(Buffer.from(plan.filter, "base64"))
}

const restrict = (
  { handled, handledNetwork, rules, scoped }: NonNullable<ConfinementPlan["landlock"]>,
  calls: LinuxCalls
): void => {
  const ruleset = calls.createRuleset(handled, handledNetwork, scoped, calls.landlockVersion())
  for (const { path, rights } of rules) {
    const descriptor = calls.openPath(path)
    if (descriptor === undefined) continue
    const wanted = rights & handled
    if (!calls.addRule(ruleset, descriptor, wanted)) calls.addRule(ruleset, descriptor, wanted & FILE_RIGHTS)
    calls.close(descriptor)
  }
  calls.restrictSelf(ruleset)
  calls.close(ruleset)
}
