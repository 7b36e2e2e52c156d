/**
 * In which folders an extension is on: rules in order, of which the last that matches counts; without one it is on. Pure.
 *
 * A rule is a folder with a slash at both ends, with `*` behind it when it covers what is below, and with `!` before it
 * when it turns the extension off.
 */
export interface EnablementRule {
  readonly isOff: boolean
  readonly folder: string
  readonly coversBelow: boolean
}

/** `undefined`: no rule matches. */
export const decisionFor = (rules: ReadonlyArray<string>, folder: string): boolean | undefined => {
  const place = normalFolder(folder)
  const match = rules.map(parseRule).findLast((rule) => covers(rule, place))
  return match === undefined ? undefined : !match.isOff
}

/** The rules with this one added last. Those that it overrules go: the same folder said otherwise, and what lies below. */
export const withRule = (rules: ReadonlyArray<string>, added: EnablementRule): ReadonlyArray<string> => [
  ...rules.filter((text) => {
    const rule = parseRule(text)
    return rule.folder !== added.folder && !(added.coversBelow && covers(added, rule.folder))
  }),
  ruleText(added)
]

export const ruleFor = (folder: string, isOff: boolean): EnablementRule => ({
  isOff,
  folder: normalFolder(folder),
  coversBelow: true
})

export const parseRule = (text: string): EnablementRule => {
  const isOff = text.startsWith("!")
  const path = isOff ? text.slice(1) : text
  const coversBelow = path.endsWith("*")
  return { isOff, folder: normalFolder(coversBelow ? path.slice(0, -1) : path), coversBelow }
}

export const ruleText = ({ coversBelow, folder, isOff }: EnablementRule): string =>
  `${isOff ? "!" : ""}${folder}${coversBelow ? "*" : ""}`

/** Forward slashes, one at each end: `C:\work` is `/C:/work/`. */
const normalFolder = (path: string): string => `/${path.replaceAll("\\", "/")}/`.replace(/\/{2,}/g, "/")

/** `*` inside a path stands for anything. */
const covers = ({ coversBelow, folder }: EnablementRule, place: string): boolean => {
  if (!folder.includes("*")) return coversBelow ? place.startsWith(folder) : place === folder
  const pattern = folder.split("*").map(escaped).join(".*")
  return new RegExp(`^${pattern}${coversBelow ? "" : "$"}`, "s").test(place)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
