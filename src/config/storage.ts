/**
 * Where data lives: `~/.gemini` for the user, `<project>/.gemini` for the project, and a folder of its own per project
 * under `~/.gemini/tmp`. Paths are plain values; only asking for the project's own folder touches the disk.
 */
import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Predicate } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { StorageError } from "../system/storage-error.ts"
import { claimProject, findProject, plannedProject, projectHashOf, projectPath } from "./project-registry.ts"

/**
 * Stands for the home folder where there is none: nothing below it exists and nothing can be made there, so reading
 * finds no files and writing fails, whoever runs the program.
 */
const NO_HOME = "/dev/null"

export interface StorageView {
  /** `~/.gemini` */
  readonly userDir: string
  readonly userSettingsFile: string
  /** MCP servers of the user, in a file of their own. */
  readonly mcpSettingsFile: string
  readonly trustedFoldersFile: string
  readonly stateFile: string
  readonly installationIdFile: string
  readonly oauthCredentialsFile: string
  readonly googleAccountsFile: string
  /** Encrypted secrets, where no key store of the system can be used. */
  readonly secretsFile: string
  readonly mcpTokensFile: string
  readonly mcpEnablementFile: string
  readonly policyIntegrityFile: string
  readonly trustedHooksFile: string
  readonly agentAcknowledgmentsFile: string
  readonly userCommandsDir: string
  readonly userSkillsDir: string
  /** `~/.agents/skills`, shared with other agents. */
  readonly sharedSkillsDir: string
  readonly userAgentsDir: string
  readonly userPoliciesDir: string
  readonly extensionsDir: string
  /** `~/.gemini/tmp`, data of all projects. */
  readonly tempDir: string
  /** `<cwd>/.gemini` */
  readonly projectDir: string
  readonly projectSettingsFile: string
  /** SHA-256 of the project's path, as session files carry it. */
  readonly projectHash: () => string
  /** `~/.gemini/tmp/<project>`, registered and made at the first use. */
  readonly projectTempDir: Effect.Effect<string, StorageError>
  /** The same without making it: absent where the project has none yet. */
  readonly knownProjectTempDir: () => string | undefined
  /** Where it is or will be, without making it: absent where nothing can be written. */
  readonly plannedProjectTempDir: () => string | undefined
  /** `~/.gemini/history/<project>`, registered and made at the first use. */
  readonly projectHistoryDir: Effect.Effect<string, StorageError>
  /** The same without making it. */
  readonly knownProjectHistoryDir: () => string | undefined
}

export class Storage extends Context.Tag("agent/config/Storage")<Storage, StorageView>() {}

export interface StorageInput {
  readonly home: string | undefined
  /** Real path of the working folder. */
  readonly cwd: string
  readonly platform: NodeJS.Platform
  /** `GEMINI_CLI_TRUSTED_FOLDERS_PATH` */
  readonly trustedFoldersFile?: string | undefined
}

export const makeStorage = Effect.fnUntraced(function* (input: StorageInput) {
  const home = input.home ?? NO_HOME
  const userDir = join(home, ".gemini")
  const projectDir = join(input.cwd, ".gemini")
  const project = projectPath(input.cwd, input.platform)
  const slug = yield* cachedOnce(
    input.home === undefined
      ? Effect.fail(new StorageError({ path: userDir, kind: "no-home", detail: "" }))
      : claimProject({ userDir, project })
  )
  const projectFolder = (kind: "tmp" | "history") => Effect.map(slug, (name) => join(userDir, kind, name))
  const knownFolder = (kind: "tmp" | "history") => {
    const known = input.home === undefined ? undefined : findProject({ userDir, project })
    return known === undefined ? undefined : join(userDir, kind, known)
  }
  const view: StorageView = {
    userDir,
    userSettingsFile: join(userDir, "settings.json"),
    mcpSettingsFile: join(userDir, "mcp-settings.json"),
    trustedFoldersFile: input.trustedFoldersFile || join(userDir, "trustedFolders.json"),
    stateFile: join(userDir, "state.json"),
    installationIdFile: join(userDir, "installation_id"),
    oauthCredentialsFile: join(userDir, "oauth_creds.json"),
    googleAccountsFile: join(userDir, "google_accounts.json"),
    secretsFile: join(userDir, "gemini-credentials.json"),
    mcpTokensFile: join(userDir, "mcp-oauth-tokens.json"),
    mcpEnablementFile: join(userDir, "mcp-server-enablement.json"),
    policyIntegrityFile: join(userDir, "policy_integrity.json"),
    trustedHooksFile: join(userDir, "trusted_hooks.json"),
    agentAcknowledgmentsFile: join(userDir, "acknowledgments", "agents.json"),
    userCommandsDir: join(userDir, "commands"),
    userSkillsDir: join(userDir, "skills"),
    sharedSkillsDir: join(home, ".agents", "skills"),
    userAgentsDir: join(userDir, "agents"),
    userPoliciesDir: join(userDir, "policies"),
    extensionsDir: join(userDir, "extensions"),
    tempDir: join(userDir, "tmp"),
    projectDir,
    projectSettingsFile: join(projectDir, "settings.json"),
    projectHash: () => projectHashOf(project),
    projectTempDir: projectFolder("tmp"),
    knownProjectTempDir: () => knownFolder("tmp"),
    plannedProjectTempDir: () =>
      input.home !== undefined && (mayWrite(userDir) ?? mayWrite(home) ?? false)
        ? join(userDir, "tmp", plannedProject({ userDir, project }))
        : undefined,
    projectHistoryDir: projectFolder("history"),
    knownProjectHistoryDir: () => knownFolder("history")
  }
  return view
})

/** `undefined`: there is no such folder. */
const mayWrite = (folder: string): boolean | undefined => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (cause) {
    return Predicate.hasProperty(cause, "code") && cause.code === "ENOENT" ? undefined : false
  }
}
