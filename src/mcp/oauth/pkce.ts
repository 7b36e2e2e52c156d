/** The random parts of a login: proof that whoever redeems the code is who asked for it. */
import { createHash, randomBytes } from "node:crypto"
import { Effect } from "effect"

export interface LoginSecrets {
  readonly verifier: string
  readonly challenge: string
  readonly state: string
}

export const makeLoginSecrets: Effect.Effect<LoginSecrets> = Effect.sync(() => {
  const verifier = randomBytes(64).toString("base64url")
  return {
    verifier,
    challenge: createHash("sha256").update(verifier).digest("base64url"),
    state: randomBytes(16).toString("base64url")
  }
})
