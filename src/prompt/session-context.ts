/** The message before the first one: where and when the session takes place, and what the project says about itself. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { DateTime, Effect } from "effect"
import { readMonotonicMillis } from "../kernel/monotonic-time.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import { peekFolder } from "./folder-peek.ts"
import { folderTree, MAX_TREE_ITEMS } from "./folder-tree.ts"
import type { GitPlace } from "./git-place.ts"
import { type IgnoreSettings, ignoreCheck } from "./ignore-check.ts"

export interface SessionPlace {
  readonly platform: NodeJS.Platform
  readonly cwd: string
  /** All workspace folders, the working folder first. */
  readonly roots: ReadonlyArray<string>
  readonly tempDir: string
  readonly git: GitPlace | undefined
}

/** Tells this message from the others of a conversation. */
export const SESSION_CONTEXT_TAG = "<session_context>"

/** The smallest form: date, system, folder. */
export const bareContext = (
  now: DateTime.Utc,
  { cwd, platform }: SessionPlace,
  { files }: Pick<ContextParts, "files">
): string => framed([today(now), `Operating system: ${platform}`, `Working folder: ${frameName(cwd)}`, files])

/** What was read for the session; empty where there is none of it. */
export interface ContextParts {
  readonly tree: string
  readonly facts?: string
  readonly memory: string
  /** The text of all files, where that was asked for. */
  readonly files: string
}

export const sessionContext = (now: DateTime.Utc, around: SessionPlace, parts: ContextParts) =>
  framed([
    "This is gemini, a terminal agent. The facts below set up the session that begins now; they need no answer.",
    today(now),
    `Operating system: ${around.platform}`,
    `Project temp directory: ${frameName(around.tempDir)}`,
    ["Workspace directories:", ...around.roots.map((root) => `  - ${frameName(root)}`)].join("\n"),
    gitLine(around.git),
    kindLine(projectKinds(around.cwd)),
    parts.facts ?? "",
    insideFrame(parts.tree),
    parts.memory,
    parts.files
  ])

const framed = (lines: ReadonlyArray<string>): string =>
  [SESSION_CONTEXT_TAG, ...lines.filter((line) => line !== ""), "</session_context>"].join("\n")

const gitLine = (git: GitPlace | undefined): string =>
  git === undefined ? "" : frameName(`Git repository: ${git.root}${git.head === undefined ? "" : ` (${git.head})`}`)

const kindLine = (kinds: ReadonlyArray<string>): string => (kinds.length === 0 ? "" : `Project: ${kinds.join(", ")}`)

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const MONTHS = "January February March April May June July August September October November December".split(" ")

/** In UTC and in words of ours: local time and language need tables whose loading costs more than the whole request. */
const today = (now: DateTime.Utc): string => {
  const { day, hours, minutes, month, weekDay, year } = DateTime.toPartsUtc(now)
  const time = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":")
  return `Today is ${WEEKDAYS[weekDay]}, ${MONTHS[month - 1]} ${day}, ${year} (${time} UTC).`
}

/** Time for all trees together. */
const TREE_LIMIT_MS = 50

export const folderTrees = Effect.fnUntraced(function* (roots: ReadonlyArray<string>, ignore: IgnoreSettings) {
  const clock = yield* Effect.clock
  const end = readMonotonicMillis(clock) + TREE_LIMIT_MS
  const isLate = () => readMonotonicMillis(clock) > end
  const trees = yield* Effect.forEach(roots, (root, index) =>
    Effect.map(ignoreCheck(root, ignore, { isProject: index === 0 }), (isIgnored) =>
      folderTree({ root, peek: peekFolder, isIgnored, isLate })
    )
  )
  const isPartial = trees.some((tree) => tree.isPartial)
  return [
    `The folders hold the following, at most ${MAX_TREE_ITEMS} items each.${isPartial ? " `...` stands for what is not shown: ignored, closed, or more than fits here." : ""}`,
    ...trees.map(({ text }) => `\n${text}`)
  ].join("\n")
})

/** What kind of project a folder holds, told by the files that build tools look for. */
const KINDS: ReadonlyArray<readonly [file: string, kind: string]> = [
  ["package.json", "Node.js"],
  ["deno.json", "Deno"],
  ["tsconfig.json", "TypeScript"],
  ["Cargo.toml", "Rust"],
  ["go.mod", "Go"],
  ["pyproject.toml", "Python"],
  ["requirements.txt", "Python"],
  ["pom.xml", "Java (Maven)"],
  ["build.gradle", "Gradle"],
  ["build.gradle.kts", "Gradle"],
  ["Gemfile", "Ruby"],
  ["composer.json", "PHP"],
  ["Package.swift", "Swift"],
  ["CMakeLists.txt", "CMake"],
  ["Makefile", "Make"],
  ["Dockerfile", "Docker"]
]

/** Asks for each name, not for a listing: the folder may be huge. */
const projectKinds = (folder: string): ReadonlyArray<string> => [
  ...new Set(KINDS.flatMap(([file, kind]) => (existsSync(join(folder, file)) ? [kind] : [])))
]
