/**
 * Commands that set variables which guide programs: a pager, a search path, options read from the environment. Setting
 * one is ordinary work; but where a rule forbids a command, it is a way to run that command.
 */
import { guidesPrograms } from "../../system/guiding-variables.ts"
import type { CommandForm, Opaque, OpaqueKind } from "./shell-analysis.ts"
import { type SyntaxNode, visit } from "./syntax.ts"
import { assignedName, isAssignment } from "./variables.ts"

const DECLARES = new Set(["export", "declare", "typeset", "readonly", "local"])
const STORES = new Set(["read", "printf", "mapfile", "readarray", "getopts"])

/** What a command sets of them: in front of it, through `env`, or as its own work. */
export const guidedBy = (
  assignments: ReadonlyArray<string>,
  forms: ReadonlyArray<CommandForm>
): ReadonlyArray<Opaque> => {
  const inner = forms.at(-1)?.words ?? []
  const outer = forms.slice(0, -1).flatMap(({ words }) => words.filter((word) => isAssignment(word.value)))
  const own = inner[0]?.value ?? ""
  const named = inner.slice(1).map((word) => assignedName(word.value.replace(/^-v/, "")))
  if (STORES.has(own)) return report(named, "redefinition")
  const before = [...assignments, ...outer.map((word) => word.value)].map(assignedName)
  return report(DECLARES.has(own) ? [...before, ...named] : before, "environment")
}

/** `for PATH in …` sets a variable too, and is no command that could be judged by itself. */
export const guidedByLoops = (source: string, root: SyntaxNode): ReadonlyArray<Opaque> => {
  const names: Array<string> = []
  visit(root, (node) => {
    if (node.type !== "for_statement" && node.type !== "select_statement") return
    const variable = node.children.find((child) => child.type === "variable_name")
    if (variable !== undefined) names.push(source.slice(variable.start, variable.end))
  })
  return report(names, "redefinition")
}

const report = (names: ReadonlyArray<string>, kind: OpaqueKind): ReadonlyArray<Opaque> => {
  const name = names.find(guidesPrograms)
  return name === undefined ? [] : [{ kind, detail: `\`${name}\` can decide which programs are run` }]
}
