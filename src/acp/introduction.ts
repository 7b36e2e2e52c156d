/** How the agent introduces itself to an editor, and who is asked in its sessions. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { forbidsAlways } from "../config/administrator.ts"
import type { LoadedConfig } from "../config/load.ts"
import { realPathOf } from "../config/settings-files.ts"
import { FileError } from "../files/file-error.ts"
import type { OpenDocuments } from "../files/open-documents.ts"
import type { Person } from "../tools/from-config.ts"
import type { EditorClient } from "./editor-client.ts"
import type { EditorFault } from "./editor-fault.ts"
import * as Permission from "./permission.ts"

export const authMethods = [
  { id: "oauth-personal", name: "Log in with Google", description: "Sign in with a Google account" },
  {
    id: "gemini-api-key",
    name: "Gemini API key",
    description: "Use an API key of the Gemini Developer API",
    _meta: { "api-key": { provider: "google" } }
  },
  { id: "vertex-ai", name: "Vertex AI", description: "Use a Google Cloud project or an express mode key" },
  {
    id: "gateway",
    name: "AI API Gateway",
    description: "Use a gateway that speaks the Gemini API",
    _meta: { gateway: { protocol: "google", restartRequired: "false" } }
  }
]

export type PersonOf = (client: EditorClient, config: LoadedConfig) => Person

export const personAtEditor: PersonOf = (client, { environment, settings, storage, trust }) => {
  const isTrusted = trust.trust === "trusted"
  const hasOwnPolicies = isTrusted && existsSync(join(environment.cwd, ".gemini", "policies"))
  return {
    approval: Permission.layer(client, {
      offersSession: isTrusted && !forbidsAlways(settings),
      offersSaving: settings.get("security.enablePermanentToolApproval"),
      savesTo: hasOwnPolicies ? "workspace" : "user",
      cwd: environment.cwd
    }),
    questions: Permission.questionsLayer(client),
    documents: { ...documentsOf(client), closed: realPathOf(storage.userDir) }
  }
}

/** Files as the editor has them: also what is not saved yet. */
const documentsOf = ({ abilities, readFile, writeFile }: EditorClient): OpenDocuments => ({
  read: abilities.readsFiles
    ? (path) => Effect.mapError(readFile(path), (fault) => fileError("read", path, fault))
    : undefined,
  write: abilities.writesFiles
    ? (path, content) => Effect.mapError(writeFile(path, content), (fault) => fileError("write", path, fault))
    : undefined
})

const MISSING = /not found|ENOENT|does not exist|No such file/i

const fileError = (operation: "read" | "write", path: string, { code, message }: EditorFault) =>
  new FileError({
    kind: code === -32002 || MISSING.test(message) ? "not-found" : "io",
    operation,
    path,
    code: message
  })
