/**
 * Prints the files of the program whose functions run in a one-shot run, one a line, and how many they are. The sources are
 * run as they are, with a mark in every function; files that are only loaded are not named.
 *
 *   bun scripts/walk-run.ts
 */
import { writeFileSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import ts from "typescript"
import { startModelServer } from "../test/kit/model-server.ts"
import { say } from "../test/kit/replies.ts"

const root = resolve(import.meta.dir, "..")
/** Set in the run that is watched: where it leaves its list. */
const LIST = "WALK_LIST"

const marked = (path: string, text: string): string => {
  const mark = `globalThis.walked.add(${JSON.stringify(relative(root, path))})`
  const marks: Array<readonly [at: number, text: string]> = []
  const visit = (node: ts.Node): void => {
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
      marks.push([node.body.getStart(), `(${mark}, `], [node.body.getEnd(), ")"])
    } else if (ts.isFunctionDeclaration(node) || isInnerFunction(node)) {
      if (node.body !== undefined) marks.push([node.body.getStart() + 1, `${mark};`])
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return marks.toSorted(([one], [other]) => other - one).reduce(putIn, text)
}

const isInnerFunction = (node: ts.Node) =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isMethodDeclaration(node)

const putIn = (text: string, [at, mark]: readonly [number, string]): string => text.slice(0, at) + mark + text.slice(at)

/** In the run that is watched, before anything of it is loaded. */
const watch = (list: string): void => {
  const walked = new Set<string>()
  Object.assign(globalThis, { walked })
  Bun.plugin({
    name: "walk",
    setup: (build) =>
      void build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8")
        return { contents: path.startsWith(join(root, "src")) ? marked(path, text) : text, loader: "ts" }
      })
  })
  process.on("exit", () => writeFileSync(list, [...walked].toSorted().join("\n")))
}

const walk = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "gemini-walk-"))
  try {
    await using server = await startModelServer(() => say("ok"))
    const list = join(folder, "walked")
    const argv = ["bun", "--preload", import.meta.path, join(root, "src/main.ts"), "-p", "hi", "-m", "scripted"]
    const run = Bun.spawn(argv, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: server.url,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        [LIST]: list
      },
      stdio: ["ignore", "ignore", "inherit"]
    })
    process.exitCode = await run.exited
    const walked = await readFile(list, "utf8")
    process.stdout.write(`${walked}\n${walked.split("\n").length} files\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const list = process.env[LIST]
if (list === undefined) await walk()
else watch(list)
