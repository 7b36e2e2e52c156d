/** What a folder with very many files costs: searching it beside ripgrep itself, and only being started in it. */
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { embeddedRipgrep } from "../../src/files/ripgrep-embedded.live.ts"
import { call } from "../../test/kit/replies.ts"
import { EMPTY_FOLDER, GLOB, GREP, LARGE_FOLDER, RG, RG_FILES } from "./bench-rows.ts"
import { type Subject, type Turn, timesOf } from "./bench-tools-run.ts"
import { type Measured, measureAll, median, timed } from "./measure.ts"

const SEARCHED_FILES = 200_000
const OTHER_FILES = 300_000
const FILES_PER_FOLDER = 1000
/** In ten files: everything has to be read, and nothing is cut off. */
const NEEDLE = "needle_to_find"

/** Small sources in folders below `searched`, which is returned, and beside it empty files in one long listing. */
export const growFolder = (root: string): string => {
  const searched = join(root, "searched")
  growSources(searched)
  for (let index = 0; index < OTHER_FILES; index++) closeSync(openSync(join(root, `record_${index}`), "w"))
  return searched
}

/** `part_0/module_0.ts` and so on. */
export const growSources = (searched: string, count = SEARCHED_FILES): void => {
  const every = count / 10
  for (let index = 0; index < count; index++) {
    const folder = join(searched, `part_${Math.floor(index / FILES_PER_FOLDER)}`)
    if (index % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true })
    const name = index % every === 0 ? NEEDLE : `value_${index}`
    writeFileSync(join(folder, `module_${index}.ts`), `export const ${name} = ${index}\n`)
  }
}

const SEARCHES = 5

/**
 * The whole turn counts, the round trip to the model included. Ripgrep answers the same question while the model is
 * thought to think, so that both are measured in the same seconds; it is the very program that the binary carries.
 */
export const measureSearch = async (
  subject: Subject,
  cwd: string,
  [grepName, rgName, globName, filesName] = [GREP, RG, GLOB, RG_FILES]
): Promise<Measured> => {
  const program = await embeddedRipgrep()
  if (program === null) throw new Error("there is no ripgrep for this machine to compare with")
  const [grep, files]: [Array<number>, Array<number>] = [[], []]
  const ripgrep = async (times: Array<number>, ...args: ReadonlyArray<string>) => {
    const start = Bun.nanoseconds()
    const child = Bun.spawn([program, "--no-config", ...args], { cwd, stdin: "ignore", stdout: "pipe" })
    await new Response(child.stdout).text()
    if ((await child.exited) !== 0) throw new Error(`rg ${args.join(" ")} found nothing`)
    times.push((Bun.nanoseconds() - start) / 1e6)
  }
  // Shorter by a letter each time, to the same end: a model that asks the same again and again is stopped.
  const roundOf = (index: number): ReadonlyArray<Turn> => {
    const needle = NEEDLE.slice(0, NEEDLE.length - index)
    const names = `**/${"module_".slice(0, 7 - index)}*7777.ts`
    return [
      {
        calls: [call("grep_search", { pattern: needle })],
        before: () => ripgrep(grep, "--ignore-case", "--line-number", needle, ".")
      },
      { calls: [call("glob", { pattern: names })], before: () => ripgrep(files, "--files", `--iglob=${names}`, ".") }
    ]
  }
  const turns = Array.from({ length: SEARCHES + 1 }, (_, index) => roundOf(index)).flat()
  const times = (await timesOf({ ...subject, cwd }, turns)).slice(2)
  return new Map([
    [grepName, timed(median(times.filter((_, index) => index % 2 === 0)))],
    [rgName, timed(median(grep.slice(1)))],
    [globName, timed(median(times.filter((_, index) => index % 2 === 1)))],
    [filesName, timed(median(files.slice(1)))]
  ])
}

export const measureStart = (
  subject: Subject,
  folders: { readonly empty: string; readonly large: string }
): Promise<Measured> => {
  const command = [subject.binary, "-p", "hi", "-m", "scripted"]
  return measureAll(
    [
      { name: EMPTY_FOLDER, command, env: subject.env, cwd: folders.empty },
      { name: LARGE_FOLDER, command, env: subject.env, cwd: folders.large }
    ],
    { timed: 7, weighed: 0 }
  )
}
