/**
 * A model request without what differs from one machine, folder, moment or run to the next, so that a recording made
 * here is found again there. Canonical JSON: keys in order, one text for the head and one for each message.
 *
 * Left out: ids of calls, signatures, the surroundings of the session (date, system, folders, git state). Replaced by
 * marks in every text: places of the machine, credentials, ids, moments; in results of tools, where programs write of
 * their own, also durations, clock times and process ids. Normalising a second time changes nothing.
 */
import { createHash } from "node:crypto"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { SESSION_CONTEXT_TAG } from "../../prompt/session-context.ts"
import type { Content } from "../../protocol/content.ts"
import { withoutSecretShapes } from "../../system/environment-redaction.ts"

/** Which method of the client is called. */
export type ModelCall = "stream" | "generate" | "count" | "embed"

export interface RequestHead {
  readonly call: ModelCall
  readonly model: string
  readonly system?: string
  readonly config?: unknown
}

export interface NormalRequest {
  readonly head: RequestHead
  /** Canonical JSON of each message. */
  readonly contents: ReadonlyArray<string>
}

/** A path of this machine and the word that stands for it. */
export interface Place {
  readonly mark: "cwd" | "root" | "project" | "tmp" | "user" | "home"
  readonly path: string
}

export interface Normalizer {
  readonly request: (head: RequestHead, contents: ReadonlyArray<Content>) => NormalRequest
  readonly content: (content: Content) => string
  /** JSON with the places of this machine where their marks stand. */
  readonly placed: (json: string) => string
}

export const normalizer = (places: ReadonlyArray<Place>, secrets: ReadonlyArray<Secret>): Normalizer => {
  const texts = textRules(places, secrets)
  const written = new WeakMap<Content, string>()
  const heads = new Map<string, RequestHead>()

  const content = (given: Content): string => {
    const known = written.get(given)
    if (known !== undefined) return known
    const text = canonical({ ...given, parts: given.parts.map((part) => normalPart(part, texts)) })
    written.set(given, text)
    return text
  }

  /** It is long, and mostly the same as before. */
  const head = (given: RequestHead): RequestHead => {
    const key = JSON.stringify(given)
    const known = heads.get(key)
    if (known !== undefined) return known
    const { config, system } = given
    const made: RequestHead = {
      call: given.call,
      model: given.model,
      ...(system === undefined ? {} : { system: texts.usual(system) }),
      ...(config === undefined ? {} : { config: JSON.parse(canonical(inOrder(mapped(config, texts.usual)))) })
    }
    heads.clear()
    heads.set(key, made)
    return made
  }

  return {
    content,
    request: (given, contents) => ({ head: head(given), contents: contents.map(content) }),
    placed: (json) =>
      places.reduce((now, { mark, path }) => {
        const word = `{${mark}}`
        return now.includes(word) ? now.replaceAll(word, () => JSON.stringify(path).slice(1, -1)) : now
      }, json)
  }
}

/** SHA-256 over the lines of a request: its head, then each message. A conversation that grows pays for what is new. */
export class RequestHashes {
  #last:
    | { readonly head: string; readonly contents: ReadonlyArray<string>; readonly state: Bun.CryptoHasher }
    | undefined

  of({ contents, head }: NormalRequest): string {
    const headLine = canonicalHead(head)
    const last = this.#last
    const goesOn =
      last !== undefined &&
      last.head === headLine &&
      last.contents.length <= contents.length &&
      last.contents.every((line, index) => line === contents[index])
    const state = goesOn ? last.state.copy() : new Bun.CryptoHasher("sha256").update(`${headLine}\n`)
    for (const line of goesOn ? contents.slice(last.contents.length) : contents) state.update(`${line}\n`)
    this.#last = { head: headLine, contents, state: state.copy() }
    return state.digest("hex")
  }
}

const headLines = new WeakMap<RequestHead, string>()

/** Written once for each head: declarations of tools make it long. */
export const canonicalHead = (head: RequestHead): string => {
  const known = headLines.get(head) ?? canonical(head)
  headLines.set(head, known)
  return known
}

/** JSON with its keys in order. */
export const canonical = (value: unknown): string => JSON.stringify(value, (_, inner: unknown) => sorted(inner))

const sorted = (value: unknown): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    : value

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

type TextRule = (text: string) => string

interface TextRules {
  /** Of what people and the model write. */
  readonly usual: TextRule
  /** Of what programs print. */
  readonly printed: TextRule
}

const mapped = (value: unknown, rule: TextRule): unknown => {
  if (typeof value === "string") return rule(value)
  if (Array.isArray(value)) return value.map((inner) => mapped(inner, rule))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rule(name), mapped(inner, rule)]))
}

/** Servers start in any order, and so stand their tools in the list. */
const inOrder = (config: unknown): unknown => {
  if (!isPlainObject(config) || !Array.isArray(config.tools)) return config
  const tools = config.tools.map((tool: unknown) =>
    isPlainObject(tool) && Array.isArray(tool.functionDeclarations)
      ? {
          ...tool,
          functionDeclarations: tool.functionDeclarations
            .map((declaration: unknown) => [canonical(declaration), declaration] as const)
            .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
            .map(([, declaration]) => declaration)
        }
      : tool
  )
  return { ...config, tools }
}

const normalPart = (part: unknown, { printed, usual }: TextRules): unknown => {
  if (!isPlainObject(part)) return part
  const { functionCall, functionResponse, thoughtSignature: _, ...rest } = part
  return {
    ...(mapped(withoutSurroundings(withoutData(rest)), usual) as object),
    ...(isPlainObject(functionCall) ? { functionCall: mapped(withoutId(functionCall), usual) } : {}),
    ...(isPlainObject(functionResponse)
      ? { functionResponse: mapped(withDataDigests(withoutId(functionResponse)), printed) }
      : {})
  }
}

const withoutId = ({ id: _, ...rest }: Readonly<Record<string, unknown>>) => rest

/** Pictures and sound stand for themselves by their digest. */
const withoutData = (part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { inlineData } = part
  if (!isPlainObject(inlineData) || typeof inlineData.data !== "string" || DIGEST.test(inlineData.data)) return part
  const digest = createHash("sha256").update(inlineData.data).digest("hex")
  return { ...part, inlineData: { ...inlineData, data: `sha256:${digest}` } }
}

const DIGEST = /^sha256:[0-9a-f]{64}$/

const withDataDigests = (response: Readonly<Record<string, unknown>>) =>
  Array.isArray(response.parts)
    ? { ...response, parts: response.parts.map((part: unknown) => (isPlainObject(part) ? withoutData(part) : part)) }
    : response

/** What the project says about itself stays; where and when the session takes place does not. */
const withoutSurroundings = (part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { text } = part
  if (typeof text !== "string" || !text.startsWith(SESSION_CONTEXT_TAG)) return part
  const kept = KEPT.map((start) => text.indexOf(`\n${start}`)).filter((at) => at >= 0)
  const rest = kept.length === 0 ? "\n</session_context>" : text.slice(Math.min(...kept))
  return { ...part, text: `${SESSION_CONTEXT_TAG}${rest}` }
}

/** Context files, and the text of all files where that was asked for. */
const KEPT = ["<loaded_context>", "<workspace_files>"]

const textRules = (places: ReadonlyArray<Place>, secrets: ReadonlyArray<Secret>): TextRules => {
  const known = secrets.filter(({ value }) => value.length >= SHORTEST_SECRET).map(({ value }) => value)
  const valued = longestFirst(known)
  const byPath = new Map(places.map(({ mark, path }) => [path, mark]))
  const placed =
    byPath.size === 0
      ? undefined
      : new RegExp(
          `(?:${longestFirst([...byPath.keys()])
            .map(pathShape)
            .join("|")})(?![\\w{-]|\\.\\w)`,
          "g"
        )

  const once = (text: string, marks: ReadonlyArray<readonly [RegExp, string]>): string => {
    let now = text
    for (const value of valued) if (now.includes(value)) now = now.replaceAll(value, "{secret}")
    now = withoutSecretShapes(now, "{secret}")
    if (placed !== undefined) now = now.replace(placed, (path) => `{${byPath.get(path) ?? "place"}}`)
    for (const [shape, mark] of marks) now = now.replace(shape, mark)
    return now
  }

  /** A mark can stand where something hid a neighbour: until nothing changes any more. */
  const settled =
    (marks: ReadonlyArray<readonly [RegExp, string]>): TextRule =>
    (text) => {
      let now = text
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const before = now
        now = once(before, marks)
        if (now === before) break
      }
      return now
    }
  return { usual: settled(WRITTEN), printed: settled([...WRITTEN, ...PRINTED]) }
}

/** Two are usual; a credential that looks like a mark could make it go on for ever. */
const MAX_ROUNDS = 8

/** Shorter values would match by chance. */
const SHORTEST_SECRET = 8

/** `/work` alone may be the end of another path; a longer one is told by itself, also right behind a word. */
const pathShape = (path: string): string =>
  path.lastIndexOf("/") > 0 ? RegExp.escape(path) : `(?<![\\w.}~-])${RegExp.escape(path)}`

const longestFirst = (texts: ReadonlyArray<string>) => texts.toSorted((a, b) => b.length - a.length)

const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
const CLOCK = "\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?"
const ZONE = "(?:\\s?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2})(?![\\w{]))?"

/** Moments that name their day, ids, and marks of credentials that were taken out before. */
const WRITTEN: ReadonlyArray<readonly [RegExp, string]> = [
  [/\[REDACTED:[^\]\s]{1,100}\]/g, "{secret}"],
  [/(?<![\w}-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w{-])/gi, "{id}"],
  [new RegExp(`(?<![\\w}.-])\\d{4}-\\d{2}-\\d{2}[T ]${CLOCK}${ZONE}(?![\\w{])`, "g"), "{time}"],
  [new RegExp(`(?<![\\w}])${WEEKDAY},? \\d{1,2} ${MONTH} \\d{4} ${CLOCK}${ZONE}(?![\\w{])`, "g"), "{time}"],
  [
    new RegExp(`(?<![\\w}])${WEEKDAY} ${MONTH} {1,2}\\d{1,2} ${CLOCK}(?: [A-Z]{3,4})? \\d{4}${ZONE}(?![\\w{])`, "g"),
    "{time}"
  ],
  // Seconds or milliseconds since 1970, of this century's twenties to fifties.
  [/(?<![\w}.-])(?:1[6-9]|2[0-5])\d{8}(?:\d{3})?(?:\.\d{1,9})?(?![\w{.-])/g, "{time}"]
]

const PRINTED: ReadonlyArray<readonly [RegExp, string]> = [
  [new RegExp(`(?<![\\w}])${MONTH} {1,2}\\d{1,2} (?:${CLOCK}| \\d{4})(?![\\w{:])`, "g"), "{time}"],
  [/(?<![\w}:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?![\w{:])/g, "{time}"],
  [/(?<![\w}.])\d+(?:\.\d+)?\s?(?:ns|[uµ]s|ms|s|sec|secs|seconds?|minutes?)(?![\w{])/g, "{duration}"],
  [/(?<![\w}])\d+m\d+(?:\.\d+)?s(?![\w{])/g, "{duration}"],
  [/(?<![\w}])(PGID|PIDs?|pid)(:|=| ) ?\d+(?:, ?\d+)*(?![\w{])/g, "$1$2 {pid}"],
  // Hashes of commits and the like: hexadecimal, with a digit and a letter.
  [/(?<![\w}-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\w{-])/g, "{id}"],
  [/(?<![\w}])tmp\.\w{6,12}(?![\w{])/g, "{id}"]
]
