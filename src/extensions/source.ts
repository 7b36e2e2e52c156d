/** What a source names: a place on the net, or a folder here. Pure, but for looking whether the folder is there. */
import { createHash } from "node:crypto"
import { Schema } from "effect"

/** `.gemini-extension-install.json`: where an extension came from. Shared with other versions of the program. */
export const InstallMetadata = Schema.Struct({
  source: Schema.String,
  type: Schema.Literal("git", "github-release", "local", "link"),
  ref: Schema.optionalWith(Schema.String, { exact: true }),
  releaseTag: Schema.optionalWith(Schema.String, { exact: true }),
  autoUpdate: Schema.optionalWith(Schema.Boolean, { exact: true }),
  allowPreRelease: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type InstallMetadata = typeof InstallMetadata.Type

export const METADATA_NAME = ".gemini-extension-install.json"

const REMOTE = /^(?:https?:\/\/|git@|sso:\/\/|github:|gitlab:|ssh:\/\/|file:\/\/)/

/** `owner/repo` alone is a path: whoever means GitHub says so. */
export const isRemote = (source: string): boolean => REMOTE.test(source)

export interface GithubRepository {
  readonly owner: string
  readonly repo: string
}

const GITHUB_FORMS = [
  /^github:([^/]+)\/([^/]+?)(?:\.git)?\/?$/,
  /^https?:\/\/(?:[^/@]+@)?(?:www\.)?github\.com\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/,
  /^git@github\.com:([^/]+)\/([^/]+?)(?:\.git)?\/?$/,
  /^ssh:\/\/git@github\.com(?::\d+)?\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/
]

/** `undefined` for every other host. */
export const githubOf = (source: string): GithubRepository | undefined => {
  for (const form of GITHUB_FORMS) {
    const [, owner, repo] = form.exec(source) ?? []
    if (owner !== undefined && repo !== undefined) return { owner, repo }
  }
  return undefined
}

/** For people and records: without the password or token that an address may carry. */
export const shownSource = (source: string): string =>
  source.replace(/^(https?:\/\/)[^/]*@/i, "$1").replace(/^(\w+:\/\/[^/:@]*):[^/]*@/, "$1@")

/** What git is given: the short forms of the two large hosts are written out. */
export const cloneUrl = (source: string): string => {
  const [, host, path] = /^(github|gitlab):(.+)$/.exec(source) ?? []
  return host === undefined || path === undefined ? source : `https://${host}.com/${path.replace(/\.git$/, "")}.git`
}

/** The same for every way to write a GitHub repository; without a source, the name must do. */
export const extensionId = (name: string, metadata: InstallMetadata | undefined): string => {
  const github = metadata === undefined ? undefined : githubOf(metadata.source)
  const identity = github === undefined ? (metadata?.source ?? name) : githubUrl(github)
  return createHash("sha256").update(identity).digest("hex")
}

export const githubUrl = ({ owner, repo }: GithubRepository): string => `https://github.com/${owner}/${repo}`

/** Why settings keep this source out; `undefined` when they do not. A pattern that is no pattern lets nothing in. */
export const blockedBecause = (
  metadata: InstallMetadata | undefined,
  settings: { readonly allowed: ReadonlyArray<string>; readonly blocksGit: boolean }
): string | undefined => {
  if (settings.blocksGit && (metadata?.type === "git" || metadata?.type === "github-release")) {
    return "security.blockGitExtensions is on"
  }
  if (settings.allowed.length === 0 || settings.allowed.some((pattern) => matches(pattern, metadata?.source))) {
    return undefined
  }
  return `no pattern of security.allowedExtensions matches its source ${shownSource(metadata?.source ?? "(unknown)")}`
}

const matches = (pattern: string, source: string | undefined): boolean => {
  try {
    return source !== undefined && new RegExp(pattern).test(source)
  } catch {
    return false
  }
}
