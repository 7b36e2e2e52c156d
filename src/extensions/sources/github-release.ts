/**
 * Releases of a GitHub repository: which one is meant, and its archive. The API may stand elsewhere (`GITHUB_API_URL`), as
 * in companies; the token of the user goes to it and to nobody else.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { Duration, Effect, Option, Schema } from "effect"
import { codeOf } from "../../system/atomic-write.ts"
import { eachPiece } from "../../system/http/body.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { storageFailure } from "../extension-error.ts"
import { Release, type ReleaseFile } from "../release-asset.ts"
import type { GithubRepository } from "../source.ts"
import { get, type HttpContext, reasonOf, textOf, unreachable } from "./http-get.ts"

export interface GithubContext {
  readonly http: HttpClient
  readonly variables: Readonly<Record<string, string>>
}

const DOWNLOAD_WITHIN = Duration.minutes(10)
const DOWNLOAD_GAP = Duration.minutes(1)
/** No extension is nearly as large; a server that never stops must not fill the disk. */
const MAX_ARCHIVE_BYTES = 500 * 1024 * 1024

/** `None`: there is no such release. */
export const findRelease = Effect.fn("Extensions.findRelease")(function* (
  repository: GithubRepository,
  wish: { readonly ref: string | undefined; readonly allowPreRelease: boolean },
  context: GithubContext
) {
  if (wish.ref !== undefined) return yield* ask(repository, `tags/${encodeURIComponent(wish.ref)}`, Release, context)
  const latest = wish.allowPreRelease ? Option.none<Release>() : yield* ask(repository, "latest", Release, context)
  if (Option.isSome(latest)) return latest
  const newest = yield* ask(repository, "?per_page=1", Schema.Array(Release), context)
  return Option.flatMapNullable(newest, ([first]) => first)
})

/** Writes the archive to `target`. */
export const downloadRelease = Effect.fn("Extensions.downloadRelease")(function* (
  file: ReleaseFile,
  target: string,
  context: GithubContext
) {
  const response = yield* get(
    file.url,
    file.isAsset ? "application/octet-stream" : "application/vnd.github+json",
    signedIn(context)
  )
  if (!response.ok) return yield* unreachable(file.url, `the server answered ${response.status}`)
  yield* save(response, file.url, target).pipe(
    Effect.timeoutFail({ duration: DOWNLOAD_WITHIN, onTimeout: () => unreachable(file.url, "it took too long") })
  )
}, Effect.scoped)

const ask = Effect.fnUntraced(function* <A, I>(
  { owner, repo }: GithubRepository,
  what: string,
  schema: Schema.Schema<A, I>,
  context: GithubContext
) {
  const url = `${apiOf(context)}/repos/${owner}/${repo}/releases${what.startsWith("?") ? "" : "/"}${what}`
  const response = yield* get(url, "application/vnd.github+json", signedIn(context))
  if (response.status === 404) return Option.none<A>()
  if (!response.ok) return yield* unreachable(url, refusalOf(response))
  const text = yield* textOf(response, url)
  return yield* Schema.decodeUnknown(Schema.parseJson(schema))(text).pipe(
    Effect.map(Option.some),
    Effect.mapError(() => unreachable(url, "the answer is not a release"))
  )
}, Effect.scoped)

const apiOf = ({ variables }: GithubContext): string =>
  (variables.GITHUB_API_URL ?? "").replace(/\/+$/, "") || "https://api.github.com"

const signedIn = (context: GithubContext): HttpContext => {
  const { http, variables } = context
  const token = variables.GITHUB_TOKEN ?? ""
  const origin = URL.parse(apiOf(context))?.origin
  return token === "" || origin === undefined ? { http } : { http, login: { origin, token } }
}

const refusalOf = ({ headers, status }: Response): string =>
  status === 403 && headers.get("x-ratelimit-remaining") === "0"
    ? "the limit of requests is reached; set GITHUB_TOKEN"
    : `the server answered ${status}`

const save = Effect.fnUntraced(function* (response: Response, url: string, target: string) {
  const onDisk = <A>(act: () => A) => Effect.try({ try: act, catch: (cause) => storageFailure(target, codeOf(cause)) })
  const descriptor = yield* Effect.acquireRelease(
    onDisk(() => openSync(target, "wx", 0o600)),
    (opened) => Effect.sync(() => closeSync(opened))
  )
  const bounds = { maxBytes: MAX_ARCHIVE_BYTES, gap: DOWNLOAD_GAP }
  yield* eachPiece(response, new URL(url), bounds, (piece) => onDisk(() => void writeSync(descriptor, piece))).pipe(
    Effect.catchTag("HttpError", (error) => unreachable(url, reasonOf(error)))
  )
}, Effect.scoped)
