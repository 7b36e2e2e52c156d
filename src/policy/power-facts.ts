/**
 * What has to be known of a machine to tell which of its files give power: where links of powerful names lead, where
 * repositories keep their data, which files the run itself was told to go by. A few folders are listed; nothing is
 * opened but the settings of git.
 */
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs"
import { isAbsolute, join, relative, resolve } from "node:path"
import { runFiles } from "../config/programs/run-files.ts"
import { isInside } from "../files/containment.ts"
import { realPathOf } from "../files/real-path.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { expandHome, globSource } from "./paths.ts"
import { type PowerFacts, type PowerPlace, powerBelow, powerOfNames } from "./power.ts"
import { POWER_GROUPS, type PowerGroup } from "./power-table.ts"

/** What the run knows from its configuration. Paths need not be real. */
export interface PowerSurroundings {
  readonly home: string | undefined
  /** The user's own folder of this program. */
  readonly userDir: string | undefined
  /** The project's folder for data. */
  readonly tempDir: string | undefined
  readonly plansDir: string | undefined
  readonly memoryNames: ReadonlyArray<string>
  /** Files and folders that the run goes by, wherever they are: settings, rules, logs, the program itself. */
  readonly known: ReadonlyArray<PowerPlace>
  /** `security.powerFiles`: names of groups, and patterns of paths. */
  readonly wanted: ReadonlyArray<string>
}

export const NO_POWER_SURROUNDINGS: PowerSurroundings = {
  home: undefined,
  userDir: undefined,
  tempDir: undefined,
  plansDir: undefined,
  memoryNames: ["GEMINI.md"],
  known: [],
  wanted: []
}

/**
 * `roots`: real paths of the workspace folders, the working one first. `commands`: that the user has configured to be run
 * by the program, such as hooks; nobody looks at their files before they run.
 */
export const powerFacts = (
  around: PowerSurroundings,
  roots: ReadonlyArray<string>,
  commands: ReadonlyArray<string> = []
): PowerFacts => {
  const home = realOr(around.home)
  const folders = [...new Set([...roots, ...(home === undefined ? [] : [home])])]
  const [cwd = "/"] = roots
  return {
    roots,
    userDir: realOr(around.userDir),
    tempDir: realOr(around.tempDir),
    plansDir: realOr(around.plansDir),
    openHome: home !== undefined && roots.some((root) => isInside(root, home)) ? home : undefined,
    memoryNames: around.memoryNames,
    places: [
      ...around.known.map((place) => ({ ...place, path: realOr(place.path) ?? place.path })),
      ...roots.flatMap((root) => runPlaces(commands, root)),
      ...folders.flatMap(linkedPlaces),
      ...roots.flatMap(repositoryPlaces),
      ...(home === undefined ? [] : hooksFolderIn(join(home, ".gitconfig"), home))
    ],
    groups: new Set(POWER_GROUPS.filter((group) => around.wanted.includes(group))),
    named: around.wanted
      .filter((pattern) => !POWER_GROUPS.includes(pattern as PowerGroup))
      .map((pattern) => new RegExp(`^${globSource(resolve(cwd, expandHome(pattern, around.home)))}(?:/.*)?$`)),
    has: existsSync,
    names: namesOf,
    expand,
    below
  }
}

const namesOf = (path: string): number => {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true ? stat.nlink : 0
  } catch {
    return 0
  }
}

/** A pattern that stands for more is cut: what it names first is enough to see what is meant. */
const MAX_EXPANDED = 500

const expand = (pattern: string, folder: string): ReadonlyArray<string> => {
  try {
    const found: Array<string> = []
    for (const path of new Bun.Glob(pattern).scanSync({
      cwd: folder,
      dot: true,
      onlyFiles: false,
      followSymlinks: false
    })) {
      if (found.push(path) >= MAX_EXPANDED) break
    }
    return found
  } catch {
    return []
  }
}

/** In the order of depth, so that what lies at the top is seen however much there is. */
const below = (folder: string): PowerPlace | undefined => {
  const open = [folder]
  let seen = 0
  for (let next = open.shift(); next !== undefined && seen < MAX_ENTRIES; next = open.shift()) {
    for (const entry of entriesOf(next)) {
      seen++
      const path = join(next, entry.name)
      const power = powerOfNames(relative(folder, path))
      if (power !== undefined) return { ...power, path }
      if (entry.isDirectory()) open.push(path)
    }
  }
  return undefined
}

const runPlaces = (commands: ReadonlyArray<string>, root: string): ReadonlyArray<PowerPlace> =>
  commands
    .flatMap((command) =>
      runFiles(command, { GEMINI_PROJECT_DIR: root, GEMINI_CWD: root, CLAUDE_PROJECT_DIR: root }, root)
    )
    .map((file) => ({ kind: "agent", does: "gemini is configured to run", path: realOr(file) ?? file }))

/** Where links with names of the table lead, and links in the folder of the agent's settings. */
const linkedPlaces = (folder: string): ReadonlyArray<PowerPlace> => [
  ...entriesOf(folder).flatMap((entry) => (entry.isSymbolicLink() ? placesOfLink(folder, entry.name, "") : [])),
  ...entriesOf(join(folder, ".config")).flatMap((entry) =>
    entry.isSymbolicLink() ? placesOfLink(folder, ".config", entry.name) : []
  ),
  ...linksBelow(join(folder, ".gemini"))
]

const placesOfLink = (folder: string, name: string, inside: string): ReadonlyArray<PowerPlace> => {
  const real = realOr(join(folder, name, inside))
  if (real === undefined) return []
  return powerBelow(name)
    .filter(({ rest }) => inside === "" || rest[0] === inside.toLowerCase())
    .map(({ does, kind, rest }) => ({ kind, does, path: join(real, ...rest.slice(inside === "" ? 0 : 1)) }))
}

/** More entries than this hold no settings, but somebody's data. */
const MAX_ENTRIES = 1_000

const linksBelow = (folder: string): ReadonlyArray<PowerPlace> => {
  const places: Array<PowerPlace> = []
  const open = [folder]
  let seen = 0
  for (let next = open.pop(); next !== undefined && seen < MAX_ENTRIES; next = open.pop()) {
    for (const entry of entriesOf(next)) {
      seen++
      const path = join(next, entry.name)
      if (entry.isDirectory() && !(next === folder && /^(?:tmp|history)$/.test(entry.name))) open.push(path)
      const isNote = next === folder && entry.name.endsWith(".md")
      const real = entry.isSymbolicLink() && !isNote ? realOr(path) : undefined
      if (real !== undefined) places.push({ kind: "agent", does: "decides what gemini runs and allows", path: real })
    }
  }
  return places
}

const MAX_GIT_BYTES = 1024 * 1024

/** A working tree may keep its repository elsewhere, and a repository its hooks. */
const repositoryPlaces = (root: string): ReadonlyArray<PowerPlace> => {
  const linked = /^gitdir:\s*(.+?)\s*$/m.exec(textOf(join(root, ".git")))?.[1]
  const folder = linked === undefined ? join(root, ".git") : within(root, linked)
  const common = textOf(join(folder, "commondir")).trim()
  const shared = common === "" ? folder : within(folder, common)
  const does = "names programs that version control runs"
  return [
    ...(linked === undefined ? [] : [folder, shared]).flatMap((path): ReadonlyArray<PowerPlace> => {
      const real = realOr(path)
      return real === undefined ? [] : [{ kind: "repository", does, path: real }]
    }),
    ...hooksFolderIn(join(shared, "config"), root)
  ]
}

const hooksFolderIn = (config: string, base: string): ReadonlyArray<PowerPlace> => {
  const written = /^\s*hookspath\s*=\s*"?([^"\n;#]+?)"?\s*$/im.exec(textOf(config))?.[1]
  const real = written === undefined ? undefined : realOr(within(base, expandHome(written, base)))
  return real === undefined ? [] : [{ kind: "repository", does: "holds hooks that version control runs", path: real }]
}

const within = (base: string, path: string): string => (isAbsolute(path) ? path : `${base}/${path}`)

const textOf = (file: string): string => {
  const content = readRegularFile(file, MAX_GIT_BYTES)
  return content.kind === "text" ? content.text : ""
}

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** `undefined` where a link leads in circles, or may not be followed. */
const realOr = (path: string | undefined): string | undefined => {
  try {
    return path === undefined ? undefined : realPathOf(path)
  } catch {
    return undefined
  }
}
