/** Runs, plans and results of undoing as people read them, and as scripts do. */
import { relative } from "node:path"
import { DateTime } from "effect"
import { relativeTime } from "../browse/session-text.ts"
import type { UndoResult } from "./apply-undo.ts"
import type { RecordedRun } from "./read-run.ts"
import type { ListedRun } from "./undo.ts"
import { netChanges, type UndoPlan, type UndoStep } from "./undo-plan.ts"

export interface TextOptions {
  /** Paths are shown from here. */
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly now: number
}

const MAX_LINES = 100

export const planText = (plan: UndoPlan, options: TextOptions): string => {
  const lost = plan.leftAlone.filter(({ kind }) => kind === "lost")
  const others = plan.leftAlone.filter(({ kind }) => kind !== "lost")
  const reason = ({ path, why }: { readonly path: string; readonly why: string }) => `${shown(path, options)}: ${why}`
  return [
    ...plan.passedOver.map((run) => `Passed over run ${run.id}, of which nothing is left to restore: ${run.title}`),
    ...plan.runs.map((run) => `Run ${run.id}, ${ago(run, options)}: ${run.title}`),
    ...(plan.steps.length === 0 ? ["There is nothing to restore."] : []),
    ...section("", plan.steps.map((step) => stepText(step, options)).sort(byPath)),
    ...section("Left alone (--force overwrites them):", others.map(reason)),
    ...(plan.steps.length === 0 && others.length > 0 ? ["Earlier runs: undo list shows them."] : []),
    ...section("Cannot be restored:", lost.map(reason)),
    ...section(
      "Not recorded, and so not taken back:",
      plan.uncovered.map(({ what, why }) => `${what}: ${why}`)
    ),
    ""
  ].join("\n")
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (lines.length === 0) return []
  const more = lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more`] : []
  return [...(title === "" ? [] : [title]), ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`), ...more]
}

const WORD: Readonly<Record<UndoStep["action"], string>> = {
  restore: "restore ",
  recreate: "recreate",
  remove: "remove  ",
  mode: "chmod   "
}

const stepText = ({ action, current, path, target }: UndoStep, options: TextOptions): string => {
  const isFolder = target.kind === "folder" || (target.kind === "absent" && current.kind === "folder")
  const mode = action === "mode" && "mode" in target ? ` to ${target.mode.toString(8)}` : ""
  return `${WORD[action]}  ${shown(path, options)}${isFolder ? "/" : ""}${mode}`
}

const byPath = (one: string, other: string): number => (one.slice(10) < other.slice(10) ? -1 : 1)

/** `command`: what is typed to take this back again, before the id. */
export const resultText = (
  plan: UndoPlan,
  result: UndoResult,
  options: TextOptions & { readonly command: string }
): string =>
  [
    `${count(result.restored.length, "path")} restored. To take this back: ${options.command} ${result.id}`,
    ...section(
      "Failed:",
      result.failed.map(({ path, why }) => `${shown(path, options)}: ${why}`)
    ),
    ...(plan.leftAlone.length === 0 ? [] : [`${count(plan.leftAlone.length, "path")} left alone.`]),
    ""
  ].join("\n")

export const listText = (runs: ReadonlyArray<ListedRun>, options: TextOptions): string =>
  runs.length === 0
    ? "No run of this project has changed a file.\n"
    : runs
        .map(({ isUndone, run }) => {
          const marks = [
            count(netChanges([run]).length, "path"),
            ...(run.isGoingOn ? ["going on"] : []),
            ...(isUndone ? ["taken back"] : [])
          ]
          return `${run.id}  ${ago(run, options)}, ${marks.join(", ")}: ${run.title}\n`
        })
        .join("")

export const planJson = (plan: UndoPlan, result: UndoResult | undefined) => ({
  runs: plan.runs.map(runJson),
  changes: plan.steps.map(({ action, path }) => ({ path, action })),
  left_alone: plan.leftAlone,
  uncovered: plan.uncovered,
  applied: result !== undefined,
  ...(result === undefined ? {} : { undo_id: result.id, failed: result.failed })
})

export const listJson = (runs: ReadonlyArray<ListedRun>) =>
  runs.map(({ isUndone, run }) => ({
    ...runJson(run),
    undoes: run.undoes,
    undone: isUndone,
    going_on: run.isGoingOn,
    paths: netChanges([run]).map(({ path }) => path)
  }))

const runJson = ({ at, id, session, title }: RecordedRun) => ({ id, session_id: session, title, time: iso(at) })

const iso = (at: number): string => DateTime.formatIso(DateTime.unsafeMake(at))

const ago = ({ at }: RecordedRun, { now }: TextOptions): string => relativeTime(iso(at), now).toLowerCase()

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** A name with control characters could write on the screen. */
const shown = (path: string, { cwd }: TextOptions): string => {
  const from = relative(cwd, path)
  const name = from === "" ? "." : from.startsWith("..") ? path : from
  return /[\p{Cc}\p{Cf}]/u.test(name) ? JSON.stringify(name) : name
}
