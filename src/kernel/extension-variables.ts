/**
 * `${extensionPath}`, `${workspacePath}`, `${/}` and `${pathSeparator}` in what an extension brings: its manifest, hooks,
 * skills and agents. Every other `${…}` stays as written; it belongs to somebody else.
 */
import { sep } from "node:path"
import { Predicate } from "effect"

export interface ExtensionPlace {
  /** The folder that the files of the extension are read from. */
  readonly extensionPath: string
  readonly workspacePath: string
}

const REFERENCE = /\$\{(extensionPath|workspacePath|pathSeparator|\/)\}/g

export const fillVariables = (text: string, place: ExtensionPlace): string =>
  text.includes("${") ? text.replace(REFERENCE, (_, name: string) => filledFor(name, place)) : text

/** In all strings at any depth; names of keys are never touched. */
export const fillAllVariables = (value: unknown, place: ExtensionPlace): unknown => {
  if (typeof value === "string") return fillVariables(value, place)
  if (Array.isArray(value)) return value.map((element) => fillAllVariables(element, place))
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, fillAllVariables(element, place)]))
}

const filledFor = (name: string, { extensionPath, workspacePath }: ExtensionPlace): string => {
  if (name === "extensionPath") return extensionPath
  return name === "workspacePath" ? workspacePath : sep
}
