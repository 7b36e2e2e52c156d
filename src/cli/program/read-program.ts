/**
 * `gemini run FILE`: a file with a prompt, and front matter that says how it is asked. What stands on the command line
 * counts before the file, and the file can only lower what its caller allows.
 */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Either, ParseResult, Schema } from "effect"
import { realPathOf } from "../../config/settings-files.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { parseTemplate, quotedPlaceholder, type TemplatePiece } from "../../slash/custom/template.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { ProgramCall } from "../command-line.ts"
import { rootOptions } from "../option-table.ts"
import { withVariables } from "../option-variables.ts"
import { type OptionValue, type ParsedArgv, parseArgv } from "../parse-argv.ts"
import type { LaunchContext } from "../run-mode.ts"
import { decodeRunOptions, type ProgramLimits, type RunOptions } from "../run-options.ts"
import { Count, Dollars, TimeLimit } from "../run-values.ts"
import { UsageError } from "../usage-error.ts"
import { withEarlyPaths } from "../working-folder.ts"
import {
  type GivenArguments,
  lowered,
  type ProgramArgument,
  programHelp,
  readArguments,
  usageLine
} from "./program-arguments.ts"
import { beside, type ProgramHead, type ProgramText, readProgramText } from "./program-head.ts"

/** What is sent, once standard input is read. */
export interface PromptProgram {
  /** Its real place. */
  readonly file: string
  /** As it was named. */
  readonly shown: string
  readonly pieces: ReadonlyArray<TemplatePiece>
  /** By name, `args` among them; `stdin` comes later. */
  readonly values: ReadonlyMap<string, string>
  readonly stdin: "required" | "optional" | "none"
  /** It says where standard input stands. */
  readonly takesStdin: boolean
}

export type ReadProgram =
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Failed"; readonly error: UsageError; readonly formatFlags: ReadonlyArray<string> }
  | {
      readonly _tag: "Program"
      readonly program: PromptProgram
      readonly options: RunOptions
      /** As if it had been typed so: what goes wrong from here on is told in the format of the file. */
      readonly formatFlags: ReadonlyArray<string>
      /** What it says before anything is read or run. */
      readonly prompt: string
    }

const MAX_BYTES = 4 * 1024 * 1024

export const readProgram = Effect.fnUntraced(function* (called: ProgramCall, around: LaunchContext) {
  // Of a link, what it leads to: that is whose words they are.
  const file = realPathOf(resolve(around.cwd ?? "/", called.file))
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") {
    return yield* refused(`${called.file}: no such file`, 'To ask the model, write gemini -p "run ...".')
  }
  if (content.kind === "refused") return yield* refused(`${called.file} ${content.reason}`)
  const text = yield* Either.mapLeft(readProgramText(content.text), placedAt(called.file))
  const format = text.head.output_format
  const formatFlags = format === undefined ? [] : ["-o", format]
  return Either.match(programOf(called, { around, file, text }), {
    onLeft: (error): ReadProgram => ({ _tag: "Failed", error, formatFlags }),
    onRight: (read): ReadProgram => (read._tag === "Help" ? read : { ...read, formatFlags })
  })
})

const placedAt =
  (named: string) =>
  ({ line, message }: Fault): UsageError =>
    refused(`${named}:${line}: ${message}`)

interface ProgramPlace {
  readonly around: LaunchContext
  readonly file: string
  readonly text: ProgramText
}

type Unformatted =
  | Extract<ReadProgram, { readonly _tag: "Help" }>
  | Omit<Extract<ReadProgram, { readonly _tag: "Program" }>, "formatFlags">

const programOf = (
  { args, before, file: named }: ProgramCall,
  { around, file, text }: ProgramPlace
): Either.Either<Unformatted, UsageError> =>
  Either.gen(function* () {
    const placed = placedAt(named)
    const { head } = text
    const declared = yield* Either.mapLeft(argumentsOf(text), placed)
    const pieces = yield* Either.mapLeft(piecesOf(text, declared), placed)
    const takesMore = uses(pieces, "args")
    const command = commandOf(named)
    const given = yield* Either.mapLeft(readArguments(declared, [...args], rootOptions, { takesMore }), (message) =>
      refused(`${named}: ${message}`, usageLine(command, declared, takesMore))
    )
    const stdin = head.stdin ?? "optional"
    if (given.asksForHelp) {
      const { description } = head
      return { _tag: "Help", text: programHelp({ command, declared, description, stdin, takesMore }) }
    }
    if (stdin === "required" && around.stdinIsTerminal) {
      return yield* Either.left(refused(`${named} needs something on standard input`, `${command} < FILE`))
    }
    const fromFile = yield* Either.mapLeft(optionsOf(text, dirname(file)), placed)
    const options = yield* mergedOptions({ before, given, fromFile: fromFile.options, around })
    const limits = yield* Either.mapLeft(limitsOf(text), placed)
    return {
      _tag: "Program",
      program: {
        file,
        shown: named,
        pieces,
        values: valuesOf(given, declared),
        stdin,
        takesStdin: uses(pieces, "stdin")
      },
      options: {
        ...options,
        program: {
          file,
          shown: named,
          hasCommands: pieces.some(({ _tag }) => _tag === "Shell"),
          approvalMode: head.approval_mode,
          policy: yield* Either.mapLeft(
            Either.all(listOf(head.policy).map(beside(text, dirname(file), "policy"))),
            placed
          ),
          limits
        }
      },
      prompt: pieces.map((piece) => (piece._tag === "Text" ? piece.text : "")).join(" ")
    }
  })

const commandOf = (named: string): string => (named.includes("/") ? named : `gemini run ${named}`)

const refused = (message: string, hint = "gemini help pipelines says what may stand there."): UsageError =>
  new UsageError({ message, hint, exitCode: ExitCode.input })

interface Fault {
  readonly line: number
  readonly message: string
}

/** Names of its own mean something else already. */
const TAKEN = ["args", "stdin", "help"]

const argumentsOf = ({ head, lineOf }: ProgramText): Either.Either<ReadonlyArray<ProgramArgument>, Fault> => {
  const declared = declaredIn(head)
  for (const [index, { name }] of declared.entries()) {
    const fault = nameFault(name, declared.slice(0, index))
    const path = Array.isArray(head.args) ? ["args", index] : ["args", name]
    if (fault !== undefined) return Either.left({ line: lineOf(path), message: `args.${name}: ${fault}` })
  }
  return Either.right(declared)
}

const declaredIn = ({ args = [] }: ProgramHead): ReadonlyArray<ProgramArgument> => {
  if (isList(args)) return args.map((one) => (typeof one === "string" ? { name: one } : argument(one.name, one)))
  return Object.entries(args).map(([name, one]) =>
    one === null ? { name } : argument(name, typeof one === "object" ? one : { default: one })
  )
}

const isList = <A, B>(value: ReadonlyArray<A> | B): value is ReadonlyArray<A> => Array.isArray(value)

const argument = (
  name: string,
  { default: standard, help }: { readonly default?: string | number | boolean; readonly help?: string }
): ProgramArgument => ({ name, help, ...(standard === undefined ? {} : { default: String(standard) }) })

const nameFault = (name: string, before: ReadonlyArray<ProgramArgument>): string | undefined => {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return "a name is made of letters, digits, - and _, and begins with a letter"
  if (TAKEN.includes(name)) return "this name is taken, choose another"
  if (rootOptions.some(({ long }) => long === name)) return `--${name} is an option of gemini, choose another name`
  return before.some((other) => other.name === name) ? "it is there twice" : undefined
}

/** The body, read once; a name that nobody declares is a slip. */
const piecesOf = (
  { body }: ProgramText,
  declared: ReadonlyArray<ProgramArgument>
): Either.Either<ReadonlyArray<TemplatePiece>, Fault> => {
  const names = ["args", "stdin", ...declared.map(({ name }) => name)]
  for (const match of body.matchAll(/\{\{([A-Za-z_][\w-]*)\}\}/g)) {
    if (names.includes(match[1] ?? "")) continue
    const line = body.slice(0, match.index).split("\n").length
    return Either.left({ line, message: `{{${match[1]}}} is no argument: declare it under args` })
  }
  return Either.flatMap(
    Either.mapBoth(parseTemplate(body, names), {
      onLeft: (message) => ({ line: Number(/on line (\d+)/.exec(message)?.[1] ?? 1), message }),
      onRight: trimmed
    }),
    (pieces) => {
      const commands = pieces.flatMap((piece) => (piece._tag === "Shell" ? [piece.written] : []))
      const within = commands.map(quotedPlaceholder).find((name) => name !== undefined)
      if (within === undefined) return Either.right(pieces)
      const at = body.indexOf(`{{${within}}}`)
      const message = `{{${within}}} stands in quotes or in a here-document of !{...}; it is one quoted word by itself, so write it bare`
      return Either.left({ line: body.slice(0, at).split("\n").length, message })
    }
  )
}

/** Nothing of the line breaks that stand for the head, and none at the end. */
const trimmed = (pieces: ReadonlyArray<TemplatePiece>): ReadonlyArray<TemplatePiece> =>
  pieces
    .map((piece, index) => {
      if (piece._tag !== "Text") return piece
      const begun = index === 0 ? piece.text.trimStart() : piece.text
      return { ...piece, text: index === pieces.length - 1 ? begun.trimEnd() : begun }
    })
    .filter((piece) => piece._tag !== "Text" || piece.text !== "")

const uses = (pieces: ReadonlyArray<TemplatePiece>, name: string): boolean =>
  pieces.some((piece) => {
    if (piece._tag === "Arguments") return (piece.name ?? "args") === name
    return piece._tag === "Text" ? false : piece.written.includes(`{{${name}}}`)
  })

const valuesOf = ({ values, words }: GivenArguments, declared: ReadonlyArray<ProgramArgument>) => {
  const rest = words.slice(Math.min(words.length, declared.length))
  return new Map([...values, ["args", (declared.length === 0 ? words : rest).join(" ")]])
}

const listOf = (value: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : typeof value === "string" ? value.split(",").map((one) => one.trim()) : value

/** What the file says, as options of a run by their property names. Its paths lie beside it. */
const optionsOf = (
  text: ProgramText,
  folder: string
): Either.Either<{ readonly options: Readonly<Record<string, OptionValue>> }, Fault> =>
  Either.gen(function* () {
    const { head, lineOf } = text
    const include = yield* Either.all(listOf(head.include).map(beside(text, folder, "include")))
    const missing = include.find((path) => statOf(path) === undefined)
    if (missing !== undefined)
      return yield* Either.left({ line: lineOf(["include"]), message: `include: ${missing}: no such file` })
    const folders = include.filter((path) => statOf(path)?.isDirectory() === true)
    const files = include.filter((path) => !folders.includes(path))
    const system =
      head.system?.startsWith("@") && !head.system.startsWith("@@")
        ? `@${yield* beside(text, folder, "system")(head.system.slice(1))}`
        : head.system
    const options: Record<string, OptionValue | undefined> = {
      model: head.model,
      systemPrompt: system,
      outputFormat: head.output_format,
      outputSchema: yield* schemaOf(text, folder),
      tools: head.tools === undefined ? undefined : listOf(head.tools).length === 0 ? [""] : listOf(head.tools),
      tier: head.tier,
      includeDirectories: folders.length === 0 ? undefined : folders,
      file: files.length === 0 ? undefined : files
    }
    return {
      options: Object.fromEntries(
        Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      )
    }
  })

const statOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const schemaOf = (text: ProgramText, folder: string): Either.Either<string | undefined, Fault> => {
  const { schema } = text.head
  if (schema === undefined) return Either.right(undefined)
  if (typeof schema !== "string") return Either.right(JSON.stringify(schema))
  return /^\s*[{[]/.test(schema) ? Either.right(schema) : beside(text, folder, "schema")(schema)
}

const LIMITS = [
  ["turns", "maxTurns", Count],
  ["time", "maxTime", TimeLimit],
  ["tool_calls", "maxToolCalls", Count],
  ["tokens", "maxTokens", Count],
  ["cost", "maxCost", Dollars]
] as const

const limitsOf = ({ head, lineOf }: ProgramText): Either.Either<ProgramLimits, Fault> =>
  Either.gen(function* () {
    const found: Record<string, unknown> = {}
    for (const [key, property, schema] of LIMITS) {
      const written = head.limits?.[key]
      if (written === undefined) continue
      const decode: (text: string) => Either.Either<unknown, ParseResult.ParseError> = Schema.decodeEither(
        schema as Schema.Schema<unknown, string>
      )
      found[property] = yield* Either.mapLeft(decode(String(written)), (error) => ({
        line: lineOf(["limits", key]),
        message: `limits.${key} cannot be "${written}": ${ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.message ?? ""}`
      }))
    }
    return found as ProgramLimits
  })

/** They say what is asked, and the file says that already. */
const REFUSED = [
  "prompt",
  "promptInteractive",
  "inputFormat",
  "acp",
  "listSessions",
  "deleteSession",
  "listExtensions",
  "demo"
]

interface MergeInput extends Pick<ProgramCall, "before"> {
  readonly given: GivenArguments
  readonly fromFile: Readonly<Record<string, OptionValue>>
  readonly around: LaunchContext
}

const mergedOptions = ({ around, before, fromFile, given }: MergeInput): Either.Either<RunOptions, UsageError> =>
  Either.gen(function* () {
    const typed = yield* parseArgv(rootOptions, [...before, ...given.options])
    const other = REFUSED.find((name) => typed.options[name] !== undefined)
    if (other !== undefined) {
      const long = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      return yield* Either.left(refused(`--${long} cannot go with gemini run: the file is the prompt`, "Leave it out."))
    }
    const placed = typed.beforeCwd === undefined ? typed : withEarlyPaths(rootOptions, typed, around.cwd ?? "/")
    // A worktree or another folder is entered later: what the file names is absolute already.
    const withFile = (options: ParsedArgv["options"]): ParsedArgv => ({ ...placed, options, words: [] })
    const joined = yield* withVariables(rootOptions, withFile({ ...fromFile, ...placed.options }), around.env)
    const called = yield* withVariables(rootOptions, withFile(placed.options), around.env)
    return yield* decodeRunOptions(
      withFile({ ...joined.options, ...lowered(called.options, fromFile), ...placed.options })
    )
  })
