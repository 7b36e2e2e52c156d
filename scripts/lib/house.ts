/** How many files there are, and which of them have no reason of their own. Pure. */

export interface SourceFile {
  readonly path: string
  readonly text: string
  /** Paths of the files that it imports, statically or not. */
  readonly imports: ReadonlyArray<string>
}

const SLIGHT_LINES = 30
const MAX_LINES = 350

export const countHouse = (all: ReadonlyArray<SourceFile>) => {
  const files = all.filter(({ path }) => !path.endsWith(".test.ts"))
  const importers = new Map<string, number>()
  for (const file of all) for (const target of new Set(file.imports)) add(importers, target)
  const lazy = new Set(files.flatMap(lazyTargets))
  return {
    files: files.map(({ path }) => path),
    slight: files
      .filter(({ path, text }) => linesOf(text) <= SLIGHT_LINES && importers.get(path) === 1 && !lazy.has(path))
      .filter(({ path }) => !isData(path))
      .map(({ path }) => path),
    long: files
      .filter(({ path, text }) => linesOf(text) > MAX_LINES && !path.includes("/generated/"))
      .map(({ path }) => path),
    sharedNames: sharedNames(files)
  }
}

const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

const linesOf = (text: string): number => text.trimEnd().split("\n").length

/** A lazy boundary is a reason: what is behind it is loaded by itself. So is a macro, which runs in the build. */
const lazyTargets = ({ imports, text }: SourceFile): ReadonlyArray<string> => {
  const names = [...text.matchAll(/import\(\s*"[^"]*?([^"/]+)"|"[^"]*?([^"/]+)" with \{ type: "macro"/g)].map(
    ([, lazy, macro]) => lazy ?? macro ?? ""
  )
  return imports.filter((target) => names.some((name) => target.endsWith(`/${name}`)))
}

/** One of many files with the same form, listed in one place: tools, commands and the tables of programs. */
const isData = (path: string): boolean =>
  /\.(tool|command|live)\.ts$|\/from-config\.ts$/.test(path) || /^src\/policy\/.*(programs|tables|fixtures)/.test(path)

const sharedNames = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const places = new Map<string, Array<string>>()
  for (const { path, text } of files) {
    const names = [...text.matchAll(/^export (?:interface|type|class) ([A-Z]\w*)/gm)].map(([, name = ""]) => name)
    for (const name of new Set(names)) places.set(name, [...(places.get(name) ?? []), path])
  }
  return [...places].filter(([, found]) => found.length > 1).map(([name, found]) => `${name}: ${found.join(", ")}`)
}
