/**
 * The environment of commands that run without a question because they only read. Programs that take orders from the
 * folder they are in get them from here instead: git starts nothing that a repository names and opens no connection, git
 * and ripgrep show nothing of files that may not be read.
 *
 * What cannot be switched off this way (filters, drivers of `.gitattributes`) makes the reading of the command ask.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ChildVariables, withoutVariables, withVariables } from "../system/child-variables.ts"
import { type GitSetting, gitSettings } from "./child-environment.ts"

const gitSettingsWith = (attributesFile: string): ReadonlyArray<GitSetting> => [
  ["core.attributesFile", attributesFile],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  // `git diff` would write the index where only times of files have changed; no variable keeps it from that.
  ["diff.autoRefreshIndex", "false"],
  ["log.showSignature", "false"],
  // A repository in the working folder itself may have come with its files.
  ["safe.bareRepository", "explicit"],
  ["status.submoduleSummary", "false"]
]

const SET: Readonly<Record<string, string>> = {
  // Objects that a partial clone lacks are not fetched.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  // `git status` would write what it has learned into the index.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  PAGER: "cat"
}

/** They name programs, or files that are written. */
const REMOVED =
  /^GIT_(?:ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND|SSH|SSH_COMMAND|TRACE.*|TR2_.*|REDIRECT_.*|CURL_VERBOSE|FLUSH)$|^SSH_ASKPASS$/i

export interface UnaskedFiles {
  /** A file with `RIPGREP_CONFIG` in it. */
  readonly ripgrepConfig: string
  /** A file with `GIT_ATTRIBUTES` in it. */
  readonly gitAttributes: string
}

/**
 * For ripgrep, one option a line. Patterns in any case come behind all others, and the last one that matches decides. A file
 * `.git` leads it to patterns anywhere, and it prints what it does not understand of files of patterns, also behind links.
 */
export const RIPGREP_CONFIG = [
  ...["--iglob=!.git", "--iglob=!.env", "--iglob=!gha-creds-*.json"],
  ...["--no-ignore-exclude", "--no-ignore-messages", ""]
].join("\n")

/** For git: of closed files, also in closed folders, it says that they differ, and not how. In any case, as names are closed. */
export const GIT_ATTRIBUTES = [
  "[.][eE][nN][vV]",
  "**/[.][eE][nN][vV]/**",
  "[gG][hH][aA]-[cC][rR][eE][dD][sS]-*.[jJ][sS][oO][nN]"
]
  .map((pattern) => `${pattern} -diff\n`)
  .join("")

/** `variables`: those that the command would get if a person had agreed to it. */
export const unaskedEnvironment = (
  variables: ChildVariables,
  { gitAttributes, ripgrepConfig }: UnaskedFiles
): ChildVariables => {
  const kept = withoutVariables(variables, REMOVED)
  const settings = gitSettings(kept, gitSettingsWith(gitAttributes))
  return withVariables(kept, { ...settings, ...SET, RIPGREP_CONFIG_PATH: ripgrepConfig })
}

/** The settings for ripgrep and git are files in `folder`, which is to go when the command ends. */
export const readingEnvironment = (variables: ChildVariables, folder: string): ChildVariables => {
  const [gitAttributes, ripgrepConfig] = [join(folder, "gitattributes"), join(folder, "ripgrep.conf")]
  writeFileSync(gitAttributes, GIT_ATTRIBUTES, { mode: 0o600 })
  writeFileSync(ripgrepConfig, RIPGREP_CONFIG, { mode: 0o600 })
  return unaskedEnvironment(variables, { gitAttributes, ripgrepConfig })
}
