/**
 * Where releases are downloaded from, and what they say of themselves. The layout is that of `scripts/release`: a
 * version's files lie below `v<version>/`, those of the newest one below `latest/download/` beside the folder of all, and
 * `SHA256SUMS` names every archive with its sum.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Clock, Duration, Effect } from "effect"
import { httpOf } from "../../../config/http.ts"
import type { LoadedConfig } from "../../../config/load.ts"
import { messageOf } from "../../../kernel/cause-chain.ts"
import { ageOfMark, isMarkOlder } from "../../../kernel/time-mark.ts"
import { version as ownVersion } from "../../../kernel/version.ts"
import { writeFileAtomic } from "../../../system/atomic-write.ts"
import { ask } from "../../../system/http/ask.ts"
import { eachPiece } from "../../../system/http/body.ts"
import type { HttpClient } from "../../../system/http/http.ts"
import { follow } from "../../../system/http/redirects.ts"
import { type UsageError, usageError } from "../../usage-error.ts"

const DOWNLOAD_BASE = "https://github.com/gemini-fx/gemini-fx/releases/download"

const SUMS_WITHIN = Duration.seconds(30)
const SILENCE = Duration.seconds(30)
const MAX_SUMS = 256 * 1024
const MAX_ARCHIVE = 512 * 1024 * 1024

export interface ReleaseSource {
  readonly http: HttpClient
  readonly base: string
}

export interface PublishedRelease {
  readonly version: string
  /** SHA-256 by name of archive. */
  readonly sums: ReadonlyMap<string, string>
}

export const sourceOf = (config: LoadedConfig): ReleaseSource => ({
  base: (config.environment.get("GEMINI_FX_DOWNLOAD_BASE") ?? "").replace(/\/+$/, "") || DOWNLOAD_BASE,
  http: httpOf(config)
})

/** `undefined`: the newest one. */
export const findRelease = Effect.fnUntraced(function* (
  { base, http }: ReleaseSource,
  version: string | undefined
): Effect.fn.Return<PublishedRelease, UsageError> {
  const url =
    version === undefined
      ? `${base.replace(/\/download$/, "")}/latest/download/SHA256SUMS`
      : `${base}/v${version}/SHA256SUMS`
  const { status, text } = yield* ask(
    http,
    { url: yield* addressOf(url) },
    { within: SUMS_WITHIN, maxBytes: MAX_SUMS }
  ).pipe(Effect.mapError((error) => unreachable(url, error.message)))
  if (status === 404 && version !== undefined) {
    return yield* usageError(`There is no version ${version} at ${base}`, "gemini update --check names the newest one.")
  }
  if (status !== 200) return yield* unreachable(url, `the server answered ${status}`)
  const release = releaseIn(text)
  if (release === undefined) return yield* unreachable(url, "that is no list of sums of a release")
  if (version !== undefined && release.version !== version) {
    return yield* unreachable(url, `it names version ${release.version}`)
  }
  return release
})

export const releaseIn = (text: string): PublishedRelease | undefined => {
  const sums = new Map<string, string>()
  let version: string | undefined
  for (const line of text.split("\n")) {
    const [, sum, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line.trimEnd()) ?? []
    if (sum === undefined || name === undefined) continue
    sums.set(name, sum)
    version ??= /^gemini-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)-(?:linux|darwin|windows)-.*\.(?:tar\.gz|zip)$/.exec(
      name
    )?.[1]
  }
  return version === undefined ? undefined : { version, sums }
}

/** Writes the archive to `file`, and gives its SHA-256. */
export const download = Effect.fnUntraced(function* (
  { base, http }: ReleaseSource,
  { archive, version }: { readonly archive: string; readonly version: string },
  { file, onBytes }: { readonly file: string; readonly onBytes: (bytes: number, total: number) => Effect.Effect<void> }
): Effect.fn.Return<string, UsageError> {
  const address = `${base}/v${version}/${archive}`
  const url = yield* addressOf(address)
  const sum = new Bun.CryptoHasher("sha256")
  yield* Effect.gen(function* () {
    const response = yield* follow(http, { url }, { answerWithin: SUMS_WITHIN })
    if (response.status !== 200) return yield* unreachable(address, `the server answered ${response.status}`)
    const total = Number(response.headers.get("content-length") ?? 0)
    const descriptor = yield* Effect.acquireRelease(
      onDisk(file, () => openSync(file, "wx", 0o600)),
      (opened) => Effect.sync(() => closeSync(opened))
    )
    let bytes = 0
    yield* eachPiece(response, url, { maxBytes: MAX_ARCHIVE, gap: SILENCE }, (piece) => {
      bytes += piece.length
      sum.update(piece)
      return Effect.zipRight(
        onDisk(file, () => void writeSync(descriptor, piece)),
        onBytes(bytes, total)
      )
    })
  }).pipe(
    Effect.scoped,
    Effect.catchTag("HttpError", (error) => unreachable(address, error.message))
  )
  return sum.digest("hex")
})

const onDisk = <A>(file: string, act: () => A): Effect.Effect<A, UsageError> =>
  Effect.try({
    try: act,
    catch: (cause) => usageError(`${file} cannot be written (${messageOf(cause)})`, "Nothing was changed.")
  })

const addressOf = (text: string): Effect.Effect<URL, UsageError> => {
  const url = URL.parse(text)
  return url === null || (url.protocol !== "https:" && url.protocol !== "http:")
    ? Effect.fail(usageError(`"${text}" is not an address`, "GEMINI_FX_DOWNLOAD_BASE names a mirror: https://…"))
    : Effect.succeed(url)
}

const unreachable = (url: string, reason: string): UsageError =>
  usageError(`${url} cannot be used: ${reason}`, "Nothing was changed.")

/** Numbers by value; a version with a suffix stands before the one without. */
export const compareVersions = (one: string, other: string): number => {
  const parts = (version: string) => {
    const [numbers = "", suffix] = version.split("-", 2)
    return [...numbers.split(".").map(Number), suffix === undefined ? 1 : 0]
  }
  const left = parts(one)
  const right = parts(other)
  const at = left.findIndex((part, index) => part !== right[index])
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

const EVERY = Duration.days(1)

/**
 * `general.enableAutoUpdateNotification`, for those who turned it on: a word on a newer version. The list of sums of the
 * newest release is all that is fetched, at most once a day; whatever goes wrong with that is nobody's business.
 */
export const updateNotice = (config: LoadedConfig, say: (line: string) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const mark = join(config.storage.userDir, "update-check")
    const age = ageOfMark(mark, yield* Clock.currentTimeMillis)
    if (age !== undefined && !isMarkOlder(age, Duration.toMillis(EVERY))) return
    yield* writeFileAtomic({ file: mark, content: "", mode: 0o600 })
    const { version } = yield* findRelease(sourceOf(config), undefined)
    if (compareVersions(version, ownVersion) <= 0) return
    yield* say(`[INFO] version ${version} is available, this is ${ownVersion}: gemini update`)
  }).pipe(Effect.ignore)
