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

export interface SettingEntry {
  /** As written: variables are not expanded yet. */
  readonly value: unknown
  /** True when it came from an older spelling, which a present one in the same file beats. */
  readonly isLegacy: boolean
  /** Names from the root of the file, as written. */
  readonly path: ReadonlyArray<string>
  /** Place of a part of the value; of the value itself for an empty path. */
  readonly place: (path: ReadonlyArray<PropertyKey>) => TextPosition
}

export interface SettingsDocument {
  readonly scope: Scope
  readonly file: string
  readonly entries: ReadonlyMap<SettingKey, SettingEntry>
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
  const collector = new Collector(scope, file, text)
  collector.visitRoot(parsed.root)
  return { scope, file, entries: collector.entries, findings: collector.report() }
}

/** Where the walk stands: in the present layout, and in the file. */
interface Place {
  readonly key: string
  readonly path: ReadonlyArray<string>
  readonly isLegacy: boolean
}

/** A file with more remarks than this is not a settings file with mistakes, and the rest is only counted. */
const MAX_REMARKS = 20

/** Walks the groups of one file; what it finds is the result. */
class Collector {
  readonly entries = new Map<SettingKey, SettingEntry>()
  private readonly findings: Array<Finding> = []
  private uncounted = 0
  private readonly scope: Scope
  private readonly file: string
  private readonly text: string

  constructor(scope: Scope, file: string, text: string) {
    this.scope = scope
    this.file = file
    this.text = text
  }

  visitRoot(root: Node): void {
    if (root.type === "object") this.visitGroup(root, { key: "", path: [], isLegacy: false })
    else this.remark("error", root, undefined, "the settings must be one JSON object")
  }

  private visitGroup(group: Node, at: Place): void {
    const seen = new Set<string>()
    for (const { name, value } of properties(group)) {
      const word = String(name.value)
      const place: Place = { ...at, key: at.key === "" ? word : `${at.key}.${word}`, path: [...at.path, word] }
      if (isForbiddenName(word)) {
        this.remark("warning", name, place.key, "this name is not allowed; ignored")
        continue
      }
      if (seen.has(word)) this.remark("warning", name, place.key, "is set more than once; the last one counts")
      seen.add(word)
      this.visit(name, value, place)
    }
  }

  private visit(name: Node, value: Node, at: Place): void {
    const { key } = at
    const legacy = legacyName(key)
    if (legacy !== undefined && (legacy.when?.(plainValue(value)) ?? true)) {
      this.remark("note", name, key, `is an older name of ${legacy.to}`)
      const moved: Place = { ...at, key: legacy.to, isLegacy: true }
      if (isSettingKey(legacy.to)) this.add(legacy.to, value, moved, legacy.convert)
      else this.visit(name, value, moved)
    } else if (this.scope !== "system" && (key === "admin" || key.startsWith("admin."))) {
      this.remark("warning", name, key, "is set by an administrator only, in the settings file of the system; ignored")
    } else if (isSettingKey(key)) {
      this.add(key, value, at)
    } else if (isSettingGroup(key)) {
      if (value.type === "object") this.visitGroup(value, at)
      else if (value.type !== "null") this.remark(severityOf(key), value, key, "expected an object")
    } else if (!isObsolete(key)) {
      this.remark("warning", name, key, () => `unknown setting${suggestion(key)}`)
    }
  }

  private add(key: SettingKey, node: Node, { path, isLegacy }: Place, convert?: (value: unknown) => unknown): void {
    const plain = plainValue(node)
    const entry: SettingEntry = {
      value: convert === undefined ? plain : convert(plain),
      isLegacy,
      path,
      place: (inside) => placeOf(this.text, node, inside)
    }
    const present = this.entries.get(key)
    this.entries.set(key, present === undefined ? entry : combine(key, present, entry))
  }

  report(): ReadonlyArray<Finding> {
    if (this.uncounted === 0) return this.findings
    const message = `${this.uncounted} more settings in this file are unknown or repeated`
    return [...this.findings, { severity: "warning", file: this.file, message }]
  }

  private remark(
    severity: Finding["severity"],
    node: Node,
    key: string | undefined,
    message: string | (() => string)
  ): void {
    if (severity !== "error" && this.findings.length >= MAX_REMARKS) {
      this.uncounted++
      return
    }
    this.findings.push({
      ...positionAt(this.text, node.offset),
      file: this.file,
      severity,
      message: typeof message === "string" ? message : message(),
      ...(key === undefined ? {} : { key })
    })
  }
}

/** The same key twice in one file, by an old and a present name: the present one wins, or is laid over the old one. */
const combine = (key: SettingKey, first: SettingEntry, second: SettingEntry): SettingEntry => {
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
