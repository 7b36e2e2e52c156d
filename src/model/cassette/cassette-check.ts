/** What `gemini cassette` says and does about a file: faults, what looks like a key, and what nobody plays any more. */
import { Either } from "effect"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { secretForms } from "../../kernel/redact-secrets.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { type Cassette, type CassetteRecording, parseCassetteFile, playable } from "./cassette-file.ts"
import { commonLength } from "./cassette-writer.ts"
import { canonicalHead } from "./normal-request.ts"

export interface CassetteFault {
  /** From 1. */
  readonly line?: number
  readonly message: string
}

/** `known`: credentials of this environment, which are found by their value. */
export const cassetteFaults = (file: string, known: ReadonlyArray<Secret>): ReadonlyArray<CassetteFault> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return [{ message: content.kind === "missing" ? "no such file" : content.reason }]
  const { text } = content
  const leaks = text
    .split("\n")
    .flatMap((line, index) => leaksIn(line, known).map((what): CassetteFault => ({ line: index + 1, message: what })))
  return Either.match(parseCassetteFile(file, text), {
    onLeft: ({ detail, lineNumber }) => [
      { ...(lineNumber === undefined ? {} : { line: lineNumber }), message: detail },
      ...leaks
    ],
    onRight: ({ cutOff }) => [
      ...(cutOff === 0
        ? []
        : [
            {
              line: text.split("\n").length,
              message:
                "was cut off: the run that wrote it was ended in the middle (gemini cassette prune takes it away)"
            }
          ]),
      ...leaks
    ]
  })
}

const MAX_BYTES = 1024 * 1024 * 1024

/** By the makers whose keys can be told by their looks, then names of credentials beside something long. */
const KEY_SHAPES: ReadonlyArray<readonly [what: string, shape: RegExp]> = [
  ["a key of Google", /(?<![\w-])AIza[\w-]{30,}/],
  ["a token of Google", /(?<![\w.-])ya29\.[\w-]{20,}/],
  ["a refresh token of Google", /(?<![\w/.-])1\/\/0[\w-]{20,}/],
  ["a client secret of Google", /(?<![\w-])GOCSPX-[\w-]{20,}/],
  ["a private key", /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/],
  ["a token of GitHub", /(?<![\w-])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})/],
  ["a token of GitLab", /(?<![\w-])glpat-[\w-]{20,}/],
  ["a key of AWS", /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/],
  ["a token of Slack", /(?<![\w-])xox[abeprs]-[A-Za-z0-9-]{10,}/],
  ["a key of Stripe", /(?<![\w-])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/],
  ["an API key", /(?<![\w-])sk-[\w-]{20,}/],
  ["a token of npm", /(?<![\w-])npm_[A-Za-z0-9]{36}/],
  ["a token of Hugging Face", /(?<![\w-])hf_[A-Za-z0-9]{30,}/],
  ["a JSON Web Token", /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/],
  ["a bearer token", /\bBearer [\w.~+/-]{20,}/i],
  ["credentials in an address", /\b[a-z][a-z0-9+.-]*:\/\/[^/\s:@"\\]+:[^/\s:@"\\{}]{6,}@/i],
  [
    "a credential",
    /(?:api[_-]?key|secret[_-]?access[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|password|passwd)\\*["']?\s*[:=]\s*\\*["']?(?=[^\s"'\\]*\d)(?=[^\s"'\\]*[a-z])[\w+/=.~-]{16,}/i
  ]
]

/** Never the value itself: what is printed here ends up in logs. */
const leaksIn = (line: string, known: ReadonlyArray<Secret>): ReadonlyArray<string> => {
  const shaped = KEY_SHAPES.filter(([, shape]) => shape.test(line)).map(([what]) => `looks like ${what}`)
  const valued = secretForms(known)
    .filter(({ value }) => line.includes(value))
    .map(({ name }) => `holds the value of ${name}`)
  return [...new Set([...shaped, ...valued])]
}

export interface PrunedCassette {
  readonly text: string
  readonly kept: number
  readonly all: number
}

/** What is played stays. `lastOnly`: of that, only what the last run recorded. */
export const pruned = (cassette: Cassette, { lastOnly }: { readonly lastOnly: boolean }): PrunedCassette => {
  const played = playable(cassette)
  const last = played.reduce((highest, { recording }) => Math.max(highest, recording), 0)
  const kept = lastOnly ? played.filter(({ recording }) => recording === last) : played
  const texts: Array<string> = []
  const heads = new Map<string, CassetteRecording>()
  for (const recording of kept) {
    const key = canonicalHead(recording.request.head)
    texts.push(entryText(recording, heads.get(key)))
    heads.set(key, recording)
  }
  const head = JSON.stringify(cassette.head)
  return { text: [head, ...texts, ""].join("\n"), kept: kept.length, all: cassette.recordings.length }
}

const entryText = (
  { line: _, request, sha256, ...rest }: CassetteRecording,
  base: CassetteRecording | undefined
): string => {
  const shared = base === undefined ? 0 : commonLength(base.request.contents, request.contents)
  const contents = request.contents.slice(shared).map((line): unknown => JSON.parse(line))
  const begun = base === undefined ? request.head : { extends: { sha256: base.sha256, contents: shared } }
  const { recording, ...answer } = rest
  return JSON.stringify({ recording, request: { ...begun, contents }, sha256, ...answer })
}
