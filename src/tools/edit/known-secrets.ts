/** The credentials that the model must not see, for tools that have to put them back where they stood. */
import { Context, Layer } from "effect"
import type { Secret } from "../../kernel/redact-secrets.ts"

export class KnownSecrets extends Context.Tag("agent/tools/KnownSecrets")<
  KnownSecrets,
  { readonly all: ReadonlyArray<Secret> }
>() {}

export const layer = (all: ReadonlyArray<Secret>) => Layer.succeed(KnownSecrets, { all })
