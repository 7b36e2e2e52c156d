/**
 * `gemini help TOPIC`: the pages of the manual, from inside the program. On a terminal through the pager, as `man` does
 * it; elsewhere as they are.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { embeddedDocs } from "../agents/docs/embedded-docs.ts"
import { childVariables } from "../system/child-variables.ts"
import { machineProgram, runAtTerminal } from "../system/programs.ts"
import { subcommandHelp } from "./generated/help.ts"
import { failureCodes, topics } from "./generated/subcommands.ts"
import { TOPICS } from "./subcommand-match.ts"

export interface ManualReader<R> {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly isTerminal: boolean
  /** The exit code. */
  readonly print: (text: string) => Effect.Effect<number, never, R>
}

export const showManual = <R>(topic: string, { cwd, env, isTerminal, print }: ManualReader<R>) => {
  const text = topic === TOPICS ? topicList() : pageOf(topic)
  if (!isTerminal || topic === TOPICS) return print(text)
  return paged(text, env, cwd).pipe(
    Effect.flatMap((isShown) => (isShown ? Effect.succeed(0) : print(text))),
    Effect.withSpan("Manual.show")
  )
}

/** A sub-command of the same name says first how it is called. A code of a failure is a paragraph of the page on them. */
export const pageOf = (topic: string): string => {
  if (failureCodes.includes(topic)) return `${failureParagraph(topic)}\n`
  const usage = subcommandHelp[topic]
  const page = embeddedDocs[`${topic}.md`] ?? ""
  return usage === undefined ? page : `${usage.trimEnd()}\n\n${page}`
}

export const topicList = (): string => {
  const width = Math.max(...topics.map(({ length }) => length))
  const lines = topics.map((topic) => `  ${topic.padEnd(width)}  ${titleOf(embeddedDocs[`${topic}.md`] ?? "")}`)
  return `gemini help TOPIC prints a page of the manual:\n\n${lines.join("\n")}\n`
}

const failureParagraph = (code: string): string => {
  const [, ...paragraphs] = (embeddedDocs["troubleshooting.md"] ?? "").split(/^### /m)
  return paragraphs.find((text) => text.startsWith(`${code}\n`))?.trimEnd() ?? ""
}

const titleOf = (page: string): string => /^# (.+)$/m.exec(page)?.[1] ?? ""

/** `PAGER` may name one with options; none, or `cat`, is no pager. `false`: it could not be shown so. */
const paged = (text: string, env: ManualReader<never>["env"], cwd: string): Effect.Effect<boolean> => {
  const [program = "less", ...options] = (env.PAGER ?? "less -FRX").trim().split(/\s+/)
  const path = program === "" || program === "cat" ? null : machineProgram(program, env.PATH ?? "", cwd)
  if (path === null) return Effect.succeed(false)
  return Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gemini-manual-"))),
    (folder) => {
      const file = join(folder, "page.md")
      writeFileSync(file, text)
      const inherits = Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      )
      return runAtTerminal(
        { argv: [path, ...options, file], cwd: folder, env: childVariables({ inherits }) },
        "inherit"
      )
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.as(true),
    Effect.catchAllCause(() => Effect.succeed(false))
  )
}
