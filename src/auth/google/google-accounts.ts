/** Whose sign-in it is: `~/.gemini/google_accounts.json`, which other versions of the program share. */
import { Duration, Effect, Option, Schema } from "effect"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { ask } from "../../system/http/ask.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { readRegularFile } from "../../system/regular-file.ts"

const Accounts = Schema.parseJson(
  Schema.Struct({
    active: Schema.optional(Schema.NullOr(Schema.String)),
    old: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
  })
)
const MAX_BYTES = 1024 * 1024

const read = (file: string): typeof Accounts.Type => {
  const content = readRegularFile(file, MAX_BYTES)
  const text = content.kind === "text" ? content.text : ""
  return Option.getOrElse(Schema.decodeUnknownOption(Accounts)(text), () => ({ active: null, old: [] }))
}

export const emailOf = (file: string): string | undefined => read(file).active ?? undefined

/** `null`: nobody is signed in any more. That it cannot be kept changes nothing but what is shown. */
export const setActiveAccount = (file: string, email: string | null): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { active, old } = read(file)
    const before = active != null && active !== email ? [active] : []
    const others = [...new Set([...old, ...before])].filter((one) => one !== email)
    const content = `${JSON.stringify({ active: email, old: others }, null, 2)}\n`
    return Effect.ignore(writeFileAtomic({ file, content, mode: 0o600 }))
  })

const UserInfo = Schema.parseJson(Schema.Struct({ email: Schema.NonEmptyString }))
const BOUNDS = { within: Duration.seconds(10), maxBytes: MAX_BYTES, maxRedirects: 0 }

/** `undefined`: the server does not say. */
export const askEmail = (http: HttpClient, url: string, token: string): Effect.Effect<string | undefined> =>
  ask(http, { url: new URL(url), headers: { authorization: `Bearer ${token}` } }, BOUNDS).pipe(
    Effect.map(({ status, text }) =>
      status === 200 ? Option.getOrUndefined(Schema.decodeUnknownOption(UserInfo)(text))?.email : undefined
    ),
    Effect.orElseSucceed(() => undefined)
  )
