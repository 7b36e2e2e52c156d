/** Signing in from an editor. What it gives holds for this process; only the chosen way is remembered. */
import { rmSync } from "node:fs"
import { Effect, Ref } from "effect"
import { removeSetting, storeSetting } from "../config/edit-settings.ts"
import type { LoadedConfig } from "../config/load.ts"
import { AuthType } from "../protocol/modes.ts"
import { EditorFault, FAULT, invalidParams } from "./editor-fault.ts"
import type { EditorHost, GivenCredentials } from "./editor-host.ts"

/** Variables that stand for what was given, as if the program had been started with them. */
type GivenVariables = Readonly<Record<string, string>>

export const makeCredentials = Effect.fnUntraced(function* ({ settings, storage }: LoadedConfig) {
  const given = yield* Ref.make<GivenVariables>({})
  const chosen = yield* Ref.make(settings.get("security.auth.selectedType"))
  const target = { scope: "user", file: storage.userSettingsFile } as const
  const path = { key: "security.auth.selectedType", inside: [] } as const

  const authenticate: EditorHost["authenticate"] = Effect.fn("Editor.authenticate")(function* (methodId, credentials) {
    if (!isKnown(methodId)) return yield* invalidParams(`Unknown authentication method: ${methodId}`)
    const variables = yield* variablesOf(credentials)
    yield* Effect.mapError(storeSetting(target, path, methodId), notStored)
    // Credentials of another way to sign in must not be used by mistake.
    if ((yield* Ref.getAndSet(chosen, methodId)) !== methodId) rmSync(storage.oauthCredentialsFile, { force: true })
    yield* Ref.update(given, (before) => ({ ...before, ...variables }))
  })

  const logOut: EditorHost["logOut"] = Effect.gen(function* () {
    yield* Effect.mapError(removeSetting(target, path), notStored)
    rmSync(storage.oauthCredentialsFile, { force: true })
    yield* Ref.set(given, {})
  })

  return { given, authenticate, logOut }
})

const isKnown = (methodId: string): boolean =>
  methodId === "cloud-shell" || AuthType.literals.some((literal) => literal === methodId)

const variablesOf = ({ apiKey, gateway }: GivenCredentials): Effect.Effect<GivenVariables, EditorFault> => {
  const { baseUrl, headers } = gateway ?? {}
  if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl)) {
    return invalidParams(`The gateway's baseUrl is not an http or https address: ${baseUrl}`)
  }
  return Effect.succeed({
    ...(apiKey === undefined ? {} : { GEMINI_API_KEY: apiKey }),
    ...(baseUrl === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: baseUrl }),
    ...(headers === undefined ? {} : { GEMINI_CLI_CUSTOM_HEADERS: headerText(headers) })
  })
}

const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")

const notStored = ({ message }: Error) =>
  new EditorFault({
    code: FAULT.internal,
    message: "The chosen way to sign in was not stored",
    data: { details: message }
  })
