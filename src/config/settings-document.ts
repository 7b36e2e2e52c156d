/**
 * One settings file as entries of the table: which known keys it sets, with what, and where. Older names are
 * translated; unknown names are reported with the nearest known one.
 */
import { closestNames } from "../kernel/closest-name.ts"
import { positionAt, type TextPosition } from "../kernel/text-position.ts"
import type { Finding } from "./config-error.ts"
import { type Node, parseJsonc, placeOf, plainValue, properties } from "./jsonc-node.ts"
import { isObsolete, legacyName } from "./legacy-names.ts"
import { isForbiddenName, mergeDeep } from "./merge.ts"
import { isGuarded, isSettingGroup, isSettingKey, type SettingKey, settingKeys, settingRow } from "./setting-table.ts"
import type { Scope } from "./settings.ts"

export interface Entry {
  /** As written: variables are not expanded yet. */
  readonly value: unknown
  /** True when it came from an older spelling, which a present one in the same file beats. */
  readonly isLegacy: boolean
  readonly line: number
  /** Place of a part of the value. */
  readonly place: (path: ReadonlyArray<PropertyKey>) => TextPosition
}

export interface SettingsDocument {
  readonly scope: Scope
  readonly file: string
  readonly entries: ReadonlyMap<SettingKey, Entry>
  readonly findings: ReadonlyArray<Finding>
}

export const readSettingsText = (scope: Scope, file: string, text: string): SettingsDocument => {
  const parsed = parseJsonc(text)
  if (parsed.kind === "empty") return { scope, file, entries: new Map(), findings: [] }
  if (parsed.kind === "broken") {
    return {
      scope,
      file,
      entries: new Map(),
      findings: parsed.faults.map((fault) => ({ ...fault, file, severity: "error" }))
    }
  }
  const collector = new Collector(file, text)
  collector.visitRoot(parsed.root)
  return { scope, file, entries: collector.entries, findings: collector.findings }
}

/** Walks the groups of one file; what it finds is the result. */
class Collector {
  readonly entries = new Map<SettingKey, Entry>()
  readonly findings: Array<Finding> = []
  readonly file: string
  readonly text: string

  constructor(file: string, text: string) {
    this.file = file
    this.text = text
  }

  visitRoot(root: Node): void {
    if (root.type === "object") this.visitGroup(root, "", false)
    else this.report("error", root, undefined, "the settings must be one JSON object")
  }

  private visitGroup(group: Node, path: string, isLegacy: boolean): void {
    const seen = new Set<string>()
    for (const { name, value } of properties(group)) {
      const word = String(name.value)
      const written = path === "" ? word : `${path}.${word}`
      if (isForbiddenName(word)) {
        this.report("warning", name, written, "this name is not allowed; ignored")
        continue
      }
      if (seen.has(word)) this.report("warning", name, written, "is set more than once; the last one counts")
      seen.add(word)
      this.visit(written, name, value, isLegacy)
    }
  }

  private visit(path: string, name: Node, value: Node, isLegacy: boolean): void {
    const legacy = legacyName(path)
    if (legacy !== undefined && (legacy.when?.(value.value) ?? true)) {
      this.report("note", name, path, `is an older name of ${legacy.to}`)
      if (isSettingKey(legacy.to)) this.add(legacy.to, value, true, legacy.convert)
      else this.visit(legacy.to, name, value, true)
      return
    }
    if (path === "admin" || path.startsWith("admin.")) {
      this.report("warning", name, path, "is set by an administrator's server only; ignored")
    } else if (isSettingKey(path)) {
      this.add(path, value, isLegacy)
    } else if (isSettingGroup(path)) {
      if (value.type === "object") this.visitGroup(value, path, isLegacy)
      else if (value.type !== "null") this.report(severityOf(path), value, path, "expected an object")
    } else if (!isObsolete(path)) {
      this.report("warning", name, path, `unknown setting${suggestion(path)}`)
    }
  }

  private add(key: SettingKey, node: Node, isLegacy: boolean, convert?: (value: unknown) => unknown): void {
    const plain = plainValue(node)
    const entry: Entry = {
      value: convert === undefined ? plain : convert(plain),
      isLegacy,
      line: positionAt(this.text, node.offset).line,
      place: (path) => placeOf(this.text, node, path)
    }
    const present = this.entries.get(key)
    this.entries.set(key, present === undefined ? entry : combine(key, present, entry))
  }

  private report(severity: Finding["severity"], node: Node, key: string | undefined, message: string): void {
    const place = positionAt(this.text, node.offset)
    this.findings.push({ ...place, file: this.file, severity, message, ...(key === undefined ? {} : { key }) })
  }
}

/** The same key twice in one file, by an old and a present name: the present one wins, or is laid over the old one. */
const combine = (key: SettingKey, first: Entry, second: Entry): Entry => {
  const isDeep = settingRow(key).merge === "deep"
  if (first.isLegacy === second.isLegacy && !(isDeep && first.isLegacy)) return second
  const [under, over] = first.isLegacy ? [first, second] : [second, first]
  return isDeep ? { ...over, value: mergeDeep(under.value, over.value) } : over
}

/** A group that cannot be read hides the guards inside it. */
const severityOf = (group: string): Finding["severity"] =>
  settingKeys().some((key) => key.startsWith(`${group}.`) && isGuarded(key)) ? "error" : "warning"

const suggestion = (path: string): string => {
  const tail = path.slice(path.lastIndexOf(".") + 1).toLowerCase()
  const known = settingKeys()
  const sameTail = known.filter((key) => key.toLowerCase().endsWith(`.${tail}`))
  const [best] = sameTail.length === 1 ? sameTail : closestNames(path, known, 1)
  return best === undefined ? "; ignored" : `; ignored (did you mean ${best}?)`
}
