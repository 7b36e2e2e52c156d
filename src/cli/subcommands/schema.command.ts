/**
 * `gemini schema`: the contract of everything that programs read and write here, as JSON Schema; `gemini schema check`
 * holds a file to it. Offline, and made from the schemas that the program itself reads and writes by.
 */
import { resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Duration, Effect } from "effect"
import { closestName } from "../../kernel/closest-name.ts"
import { lazy } from "../../kernel/lazy.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { readRegularFile, unreadText } from "../../system/regular-file.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { type SchemaRow, schemaDocument, schemaRows } from "../schemas/schema-list.ts"
import { readStdin } from "../stdin.ts"
import { defineSubcommand } from "../subcommand.ts"
import { type UsageError, usageError } from "../usage-error.ts"
import { printJson, printResult } from "./command-output.ts"
import { json } from "./common-options.ts"

const printOf = ([name, row]: readonly [string, SchemaRow]) =>
  Command.make(name, {}, () =>
    Effect.flatMap(
      lazy(() => schemaDocument(name, row)),
      printJson
    )
  ).pipe(Command.withDescription(row.description))

const check = Command.make(
  "check",
  { name: Args.text({ name: "name" }), file: Args.text({ name: "file" }), json },
  (options) =>
    Effect.gen(function* () {
      const row = schemaRows[options.name]
      if (row === undefined || !Object.hasOwn(schemaRows, options.name)) return yield* unknownSchema(options.name)
      const text = yield* textOf(options.file)
      const { checkText } = yield* lazy(() => import("../schemas/check-text.live.ts"))
      const schema = yield* lazy(() => schemaDocument(options.name, row))
      const faults = checkText(schema, row.form, text)
      const lines = faults.map(({ line, message, path }) =>
        [`${options.file}:${line}`, ...(path === "" ? [] : [path]), message].join(": ")
      )
      yield* printResult(options, faults.length === 0 ? "It fits." : lines.join("\n"), {
        ok: faults.length === 0,
        faults
      })
      if (faults.length > 0) yield* exitWith(ExitCode.general)
    })
).pipe(Command.withDescription("Whether a file fits; each fault with its line. - is standard input."))

const list = Command.make("schema", { json }, (options) =>
  printResult(
    options,
    Object.entries(schemaRows)
      .map(([name, { description, form }]) => `${name.padEnd(14)}${form.padEnd(7)}${description}`)
      .join("\n"),
    Object.entries(schemaRows).map(([name, { description, form }]) => ({ name, form, description }))
  )
)

const [first, ...others] = Object.entries(schemaRows).map(printOf)

export const subcommand = defineSubcommand({
  matching: "exact",
  command: list.pipe(
    Command.withDescription("The JSON Schemas of what programs read and write."),
    Command.withSubcommands([check, ...(first === undefined ? [] : [first]), ...others])
  ),
  examples: ["gemini schema stream-json > events.schema.json", "gemini schema check settings .gemini/settings.json"]
})

const MAX_BYTES = 64 * 1024 * 1024

const textOf = Effect.fnUntraced(function* (file: string) {
  if (file === "-") return yield* textOfStdin
  const { cwd } = yield* CliContext
  const content = readRegularFile(resolve(cwd, file), MAX_BYTES)
  if (content.kind === "text") return content.text
  return yield* usageError(unreadText(file, content))
})

const textOfStdin = Effect.gen(function* () {
  const { writeError } = yield* CliContext
  const { text, truncated } = yield* readStdin({
    promptGiven: false,
    timeout: Duration.infinity,
    notify: (message) => writeError(`${message}\n`)
  }).pipe(Effect.mapError(({ message }) => usageError(message)))
  return truncated ? yield* usageError("standard input is too long to be checked", "Name a file instead.") : text
})

const unknownSchema = (name: string): UsageError => {
  const near = closestName(name, Object.keys(schemaRows))
  return usageError(
    `There is no schema "${name}"`,
    near === undefined ? `Choose one of: ${Object.keys(schemaRows).join(", ")}.` : `Did you mean ${near}?`
  )
}
