/**
 * `gemini-extension.json`: what it may say. Pure; where a fault stands in the text is found by `read-manifest.ts`.
 *
 * A field of the wrong type makes the whole extension unusable, because what it was meant to do cannot be known; a field
 * that nobody knows does not, because it may belong to another version.
 */
import { Either, ParseResult, Predicate, Schema } from "effect"
import { isForbiddenName } from "../config/merge.ts"
import { expecting, Flag, optional, Text, TextList } from "../config/setting.ts"
import { McpServers } from "../config/setting-schema/mcp-server.ts"

export const MANIFEST_NAME = "gemini-extension.json"

/** Also the name of its folder. */
export const EXTENSION_NAME = /^[a-zA-Z0-9-]+$/

const matching = (pattern: RegExp, what: string) => Schema.String.pipe(Schema.pattern(pattern), expecting(what))

export const ExtensionSetting = Schema.Struct({
  name: Text,
  description: optional(Text),
  envVar: matching(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable: letters, digits and _"),
  sensitive: optional(Flag)
})
export type ExtensionSetting = typeof ExtensionSetting.Type

const Theme = Schema.Struct({ name: Text }, { key: Schema.String, value: Schema.Unknown })

const FIELDS = {
  name: matching(EXTENSION_NAME, "a name of letters, digits and -"),
  version: Text,
  description: optional(Text),
  mcpServers: optional(McpServers),
  contextFileName: optional(
    Schema.Union(Schema.String, Schema.Array(Schema.String)).pipe(expecting("a file name or a list of file names"))
  ),
  excludeTools: optional(TextList),
  settings: optional(Schema.Array(ExtensionSetting)),
  themes: optional(Schema.Array(Theme)),
  plan: optional(Schema.Struct({ directory: optional(Text) })),
  migratedTo: optional(Text)
}

/** For whoever looks for fields that it does not have. */
export const Manifest = Schema.Struct(FIELDS)
export type Manifest = typeof Manifest.Type

export const MANIFEST_FIELDS: ReadonlyArray<string> = Object.keys(FIELDS)

const SETTING_FIELDS = Object.keys(ExtensionSetting.fields)

/** Whether it says more than can be read; what it is takes the parser that knows positions. */
export const hasUnknownFields = ({ plan = {}, settings = [], ...manifest }: Manifest): boolean =>
  Object.keys(manifest).some((key) => !MANIFEST_FIELDS.includes(key)) ||
  Object.keys(plan).some((key) => key !== "directory") ||
  settings.some((setting) => Object.keys(setting).some((key) => !SETTING_FIELDS.includes(key)))

export interface ManifestFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The manifest, or all that is wrong with it. `trust` of servers is not an extension's to give. */
export const decodeManifest = (value: unknown): Either.Either<Manifest, ReadonlyArray<ManifestFault>> =>
  Schema.decodeUnknownEither(Manifest, { errors: "all", onExcessProperty: "preserve" })(withoutForbidden(value)).pipe(
    Either.map((manifest) =>
      manifest.mcpServers === undefined ? manifest : { ...manifest, mcpServers: withoutTrust(manifest.mcpServers) }
    ),
    Either.mapLeft((error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => ({
        path,
        message: message === "is missing" && path.length > 0 ? "is missing and must be there" : message
      }))
    )
  )

/** Files that hold context for the model, by name. */
export const contextFileNames = ({ contextFileName }: Manifest): ReadonlyArray<string> => {
  if (contextFileName === undefined) return ["GEMINI.md"]
  return typeof contextFileName === "string" ? [contextFileName] : contextFileName
}

const withoutTrust = (servers: typeof McpServers.Type): typeof McpServers.Type =>
  Object.fromEntries(Object.entries(servers).map(([name, { trust: _, ...server }]) => [name, server]))

/** Names that would reach a prototype are left out, at every depth. */
const withoutForbidden = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutForbidden)
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isForbiddenName(name))
      .map(([name, member]) => [name, withoutForbidden(member)])
  )
}
