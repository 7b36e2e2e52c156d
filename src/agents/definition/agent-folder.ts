/** The agents that a folder of definition files brings. A broken file costs its own agents, and is told. */
import { join } from "node:path"
import { Effect, Either, Option } from "effect"
import { strayReason } from "../../files/brought-file.ts"
import { lazy } from "../../kernel/lazy.ts"
import { isPlain, splitFrontMatter } from "../../skills/front-matter.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { Agent, AgentProblem, FoundAgent } from "../agent.ts"
import { type AgentFolder, definitionFiles } from "./definition-files.ts"
import { agentsIn } from "./to-agent.ts"

export interface FolderContents {
  readonly found: ReadonlyArray<FoundAgent>
  readonly problems: ReadonlyArray<AgentProblem>
}

const MAX_BYTES = 1024 * 1024

/**
 * The fields of a definition that is written as plainly as most are: texts, numbers and lists of words, one line each or
 * one entry a line. Parsing YAML for dozens of them would cost more than everything else at start; whatever is not plain
 * is left to it.
 */
type Value = string | number | ReadonlyArray<string>

export const plainFields = (lines: ReadonlyArray<string>): Option.Option<Readonly<Record<string, Value>>> => {
  const fields = new Map<string, Value>()
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (/^(?:#.*)?$/.test(line)) continue
    const [, key, written] = /^([a-z][a-z0-9_]*):(?: +(\S.*))?$/.exec(line) ?? []
    if (key === undefined || fields.has(key)) return Option.none()
    const entries = written === undefined ? entriesBelow(lines, index + 1) : []
    const value = written === undefined ? listOf(entries) : plainValue(written.trimEnd())
    if (value === undefined) return Option.none()
    fields.set(key, value)
    index += entries.length
  }
  return Option.some(Object.fromEntries(fields))
}

const entriesBelow = (lines: ReadonlyArray<string>, from: number): ReadonlyArray<string> => {
  const entries: Array<string> = []
  for (let index = from; index < lines.length; index++) {
    const [, entry] = /^ {2}- (\S+)$/.exec(lines[index] ?? "") ?? []
    if (entry === undefined) break
    entries.push(entry)
  }
  return entries
}

const plainValue = (written: string): Value | undefined => {
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(written)) return Number(written)
  const [, inside] = /^\[ *(\S.*\S|\S) *\]$/.exec(written) ?? []
  if (inside !== undefined) return listOf(inside.split(/ *, */))
  return isPlain(written) ? written : undefined
}

/** Words such as names of tools, and none that means something else in YAML. */
const listOf = (entries: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  entries.length > 0 && entries.every((entry) => /^[A-Za-z][A-Za-z0-9_.-]*$/.test(entry) && isPlain(entry))
    ? entries
    : undefined

export const readAgentFolder = Effect.fn("Agents.readFolder")(function* (
  source: AgentFolder
): Effect.fn.Return<FolderContents> {
  const found: Array<FoundAgent> = []
  const problems: Array<AgentProblem> = []
  for (const name of definitionFiles(source.folder)) {
    const file = join(source.folder, name)
    const stray = source.border === undefined ? undefined : strayReason(file, [source.border])
    if (stray !== undefined) {
      problems.push({ file, message: `the file ${stray}` })
      continue
    }
    const content = readRegularFile(file, MAX_BYTES)
    if (content.kind === "missing") continue
    if (content.kind === "refused") {
      problems.push({ file, message: content.reason })
      continue
    }
    const agents = yield* readDefinition(file, source.fillIn?.(content.text) ?? content.text)
    if (Either.isLeft(agents)) problems.push(...agents.left)
    else found.push(...agents.right.map((agent) => foundIn(source, file, agent, content.text)))
  }
  return { found, problems }
})

const foundIn = ({ extension, origin }: AgentFolder, file: string, agent: Agent, text: string): FoundAgent => ({
  agent: origin === "extension" ? withoutTrust(agent) : agent,
  origin,
  file,
  fingerprint: fingerprintOf(agent, text),
  ...(extension === undefined ? {} : { extension })
})

/** As in a manifest: that tools run without a question is not an extension's to say. */
const withoutTrust = (agent: Agent): Agent =>
  agent.kind === "remote"
    ? agent
    : {
        ...agent,
        mcpServers: Object.fromEntries(
          Object.entries(agent.mcpServers).map(([name, { trust: _, ...server }]) => [name, server])
        )
      }

/**
 * The file of a local agent says all about it; of a remote one the card does, and how one signs in: that may run a
 * command, or send a variable elsewhere.
 */
const fingerprintOf = (agent: Agent, text: string): string => {
  if (agent.kind === "local") return sha256(text)
  const card = agent.card._tag === "url" ? agent.card.url : sha256(agent.card.json)
  return agent.auth === undefined ? card : sha256(JSON.stringify([card, agent.auth]))
}

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")

/** The agents that the text of a file defines. The parser of YAML is loaded for the first file that is not plain, or not right. */
const readDefinition = (
  file: string,
  text: string
): Effect.Effect<Either.Either<ReadonlyArray<Agent>, ReadonlyArray<AgentProblem>>> => {
  const plain = Option.flatMap(Either.getRight(splitFrontMatter(text)), ({ body, head }) =>
    Option.flatMap(plainFields(head), (fields) => Either.getRight(agentsIn(fields, body)))
  )
  if (Option.isSome(plain)) return Effect.succeed(Either.right(plain.value))
  return Effect.map(
    lazy(() => import("./definition-file.live.ts")),
    ({ parseDefinition }) => parseDefinition(file, text)
  )
}
