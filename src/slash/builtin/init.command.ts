/** `/init`: a context file for the project, written by the model. One that exists is never touched. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import { Settings } from "../../config/settings.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { CommandError } from "../command-error.ts"

export const init = slash({
  name: "init",
  description: "Let the model write a context file for this project",
  run: Effect.fnUntraced(function* ({ line }) {
    const settings = yield* Settings
    const { cwd } = yield* Environment
    const name = settings.get("context.fileName")?.[0] ?? "GEMINI.md"
    const file = join(cwd, name)
    if (existsSync(file)) return print(`${name} exists already: nothing was changed.`)
    yield* Effect.try({
      try: () => writeFileSync(file, "", { flag: "wx" }),
      catch: (cause) => new CommandError({ kind: "failed", detail: `${name} cannot be made: ${String(cause)}` })
    })
    return {
      _tag: "Submit",
      prompt: { text: line, parts: [{ text: taskFor(name) }] }
    } satisfies CommandResult as CommandResult
  })
})

const taskFor = (name: string): string =>
  [
    `The file ${name} in the current folder is empty. Fill it: it will be given to you at the start of every later session in this folder, so it has to tell what one must know to work here.`,
    "",
    "1. List the folder and read what explains it: the readme, the package or build files, the configuration. Then look at about ten more files that show how the whole fits together; choose each by what you have learnt from those before.",
    "2. Decide what this folder is: a program with its build and tests, or a collection of other files such as texts, notes or data.",
    `3. Write ${name} in Markdown.`,
    "   For a program: what it does and with which technologies; how it is built, run and tested, with the exact commands you found (say so where you could only guess); how its parts are laid out; the conventions that its code follows.",
    "   For other files: what they are about, which of them matter most and what each is for, and how the folder is meant to be used.",
    "",
    "Keep it short and exact: no general advice, nothing that can be seen at a glance."
  ].join("\n")
