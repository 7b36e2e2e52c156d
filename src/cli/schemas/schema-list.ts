/**
 * The schemas that `gemini schema` prints. Each is made from the Effect Schema that reads or types the data, so there is
 * no second description; a new one is a row here.
 */
import { JSONSchema, Schema } from "effect"
import { version } from "../../kernel/version.ts"

/** How the data stands in a file. */
export type SchemaForm = "json" | "jsonl" | "toml"

export interface SchemaRow {
  readonly description: string
  readonly form: SchemaForm
  readonly load: () => Promise<Schema.Schema.AnyNoContext>
  /** A name that it does not know is a mistake: in what people write. Documents of ours may grow fields. */
  readonly isClosed?: true
}

export const schemaRows: Readonly<Record<string, SchemaRow>> = {
  json: {
    description: "The document of -o json.",
    form: "json",
    load: async () => (await import("../../output/run-documents.ts")).RunDocument
  },
  "stream-json": {
    description: "A line of -o stream-json.",
    form: "jsonl",
    load: async () => (await import("../../output/run-documents.ts")).StreamEvent
  },
  "input-stream": {
    description: "A line of --input-format stream-json.",
    form: "jsonl",
    load: async () => (await import("../../protocol/input-line.ts")).InputLine
  },
  settings: {
    description: "settings.json, of the user and of projects.",
    form: "json",
    isClosed: true,
    load: async () => (await import("./settings-schema.ts")).settingsSchema()
  },
  policy: {
    description: "A policy file.",
    form: "toml",
    isClosed: true,
    load: async () => (await import("../../policy/rule-tables.ts")).PolicyDocument
  },
  hooks: {
    description: "What a hook reads, and what it may answer.",
    form: "json",
    load: async () => {
      const { HookInputDocument, HookOutputDocument } = await import("../../hooks/hook-documents.ts")
      return Schema.Union(HookInputDocument, HookOutputDocument)
    }
  },
  session: {
    description: "A line of a session file.",
    form: "jsonl",
    load: async () => (await import("../../session/record/session-record.ts")).SessionLine
  },
  cassette: {
    description: "A line of a cassette.",
    form: "jsonl",
    load: async () => (await import("../../model/cassette/cassette-line.ts")).CassetteFileLine
  }
}

export type JsonSchemaDocument = Readonly<Record<string, unknown>>

/** JSON Schema 2020-12, with an id that names the version of the program. */
export const schemaDocument = async (name: string, row: SchemaRow): Promise<JsonSchemaDocument> => {
  const definitions = {}
  const { ast } = await row.load()
  const made = JSONSchema.fromAST(ast, {
    definitions,
    target: "jsonSchema2020-12",
    additionalPropertiesStrategy: row.isClosed === true ? "strict" : "allow"
  })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:gemini:${version}:${name}`,
    title: `gemini ${name}`,
    ...withoutIds({ ...made, description: row.description, $defs: definitions })
  }
}

/** Parts that stand at several places carry the same id there, which validators refuse. */
const withoutIds = (part: JsonSchemaDocument): JsonSchemaDocument =>
  Object.fromEntries(
    Object.entries(part)
      .filter(([name, value]) => !(name === "$id" && typeof value === "string"))
      .map(([name, value]) => [name, valueWithoutIds(value)])
  )

const valueWithoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(valueWithoutIds)
  return typeof value === "object" && value !== null ? withoutIds({ ...value }) : value
}
