/** What a discovery command may print: a JSON array of declarations, or of objects that hold a list of them. */
import { Effect, Either, Schema } from "effect"
import type { JsonSchema } from "./gemini-schema.ts"

export interface DiscoveredDeclaration {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

const Parameters = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Declaration = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.optionalWith(Schema.String, { default: () => "" }),
  parametersJsonSchema: Schema.optional(Parameters),
  parameters: Schema.optional(Parameters)
})

const List = Schema.Array(Schema.Unknown)
const Group = Schema.Struct({
  functionDeclarations: Schema.optional(List),
  function_declarations: Schema.optional(List)
})

export interface DiscoveredList {
  readonly declarations: ReadonlyArray<DiscoveredDeclaration>
  /** How many entries were not declarations. */
  readonly skipped: number
}

/** Fails when the text is not a JSON array. A wrong entry is left out and counted. */
export const readDiscovered = (text: string) =>
  Effect.map(Schema.decode(Schema.parseJson(List))(text), (entries): DiscoveredList => {
    const flat = entries.flatMap(ungrouped)
    const declarations = flat.flatMap((entry) =>
      Either.match(Schema.decodeUnknownEither(Declaration)(entry), {
        onLeft: () => [],
        onRight: ({ description, name, parameters, parametersJsonSchema }) => [
          { name, description, parameters: parametersJsonSchema ?? upperTypesLowered(parameters ?? {}) }
        ]
      })
    )
    return { declarations, skipped: flat.length - declarations.length }
  })

const ungrouped = (entry: unknown): ReadonlyArray<unknown> =>
  Either.match(Schema.decodeUnknownEither(Group)(entry), {
    onLeft: () => [entry],
    onRight: (group) => group.functionDeclarations ?? group.function_declarations ?? [entry]
  })

/** The older field spells types in capitals (`STRING`), which no JSON Schema validator knows. */
const upperTypesLowered = (schema: JsonSchema): JsonSchema =>
  Schema.decodeUnknownSync(Parameters)(
    JSON.parse(JSON.stringify(schema), (key, value) =>
      key === "type" && typeof value === "string" ? value.toLowerCase() : value
    )
  )
