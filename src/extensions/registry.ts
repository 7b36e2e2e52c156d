/**
 * The list of extensions that others offer: a JSON document on the net or in a file, named by the settings. Nothing is
 * fetched unless somebody asks to explore. Entries that do not say where the extension is are left out.
 */
import { resolve } from "node:path"
import { Effect, Schema } from "effect"
import { httpOf } from "../config/http.ts"
import { readRegularFile } from "../system/regular-file.ts"
import type { ExtensionConfig } from "./extension-config.ts"
import { ExtensionError } from "./extension-error.ts"
import { get, textOf } from "./sources/http-get.ts"

export interface Offered {
  readonly name: string
  readonly version: string
  readonly description: string
  /** What `gemini extensions install` takes. */
  readonly source: string
  readonly stars: number
}

const MAX_BYTES = 16 * 1024 * 1024

const Text = Schema.optional(Schema.NullOr(Schema.String))

/** As the registry writes them; the short names are for lists of one's own. */
const Entry = Schema.Struct({
  extensionName: Text,
  extensionVersion: Text,
  extensionDescription: Text,
  repoDescription: Text,
  fullName: Text,
  name: Text,
  version: Text,
  description: Text,
  url: Text,
  stars: Schema.optional(Schema.NullOr(Schema.Number))
})

const Registry = Schema.parseJson(Schema.Array(Entry))

/** Where the list is; `undefined` where nobody has asked for one beside the page on the net. */
export const registryPlace = ({ environment, settings }: ExtensionConfig): string | undefined => {
  const variable = environment.get("GEMINI_CLI_EXTENSION_REGISTRY_URI") ?? ""
  if (variable !== "") return variable
  const { sources } = settings.explain("experimental.extensionRegistryURI")
  const isWanted = sources.length > 0 || settings.get("experimental.extensionRegistry")
  return isWanted ? settings.get("experimental.extensionRegistryURI") : undefined
}

/** Those that hold all the words, the best known first. */
export const exploreRegistry = Effect.fn("Extensions.explore")(function* (
  place: string,
  words: ReadonlyArray<string>,
  config: ExtensionConfig
) {
  const entries = yield* Schema.decodeUnknown(Registry)(yield* read(place, config)).pipe(
    Effect.mapError(() => unusable(place, "it is not a list of extensions"))
  )
  return entries
    .flatMap(offered)
    .filter((one) => words.every((word) => `${one.name} ${one.description}`.toLowerCase().includes(word.toLowerCase())))
    .toSorted((one, other) => other.stars - one.stars)
})

const read = Effect.fnUntraced(function* (place: string, config: ExtensionConfig) {
  const { environment } = config
  if (/^https?:\/\//.test(place)) {
    const response = yield* get(place, "application/json", { http: httpOf(config) })
    return response.ok
      ? yield* textOf(response, place)
      : yield* unusable(place, `the server answered ${response.status}`)
  }
  const file = place.startsWith("file://") ? Bun.fileURLToPath(place) : resolve(environment.cwd, place)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "text") return content.text
  return yield* unusable(file, content.kind === "missing" ? "it is not there" : content.reason)
}, Effect.scoped)

const offered = (entry: typeof Entry.Type): ReadonlyArray<Offered> => {
  const name = entry.extensionName ?? entry.name ?? entry.fullName ?? ""
  const source = entry.url ?? ""
  if (name === "" || source === "") return []
  return [
    {
      name,
      version: entry.extensionVersion ?? entry.version ?? "",
      description: entry.extensionDescription ?? entry.description ?? entry.repoDescription ?? "",
      source,
      stars: entry.stars ?? 0
    }
  ]
}

const unusable = (place: string, reason: string): ExtensionError =>
  new ExtensionError({
    kind: "source",
    detail: `The list of extensions at ${place} cannot be used: ${reason}.`,
    advice: "experimental.extensionRegistryURI says where it is."
  })
