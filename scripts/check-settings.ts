/**
 * Fails when something is accepted and nobody reads it: a setting (or a row that denies the reader that it has), an option
 * of a run, an argument of a tool, a field of a file that people write.
 */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { Schema } from "effect"
import { LocalFields, RemoteFields } from "../src/agents/definition/definition-fields.ts"
import { invokeAgentEntry } from "../src/agents/generated/invoke-agent.ts"
import { RunOptions } from "../src/cli/run-options.ts"
import { HookDefinition } from "../src/config/setting-schema/hook-definition.ts"
import { McpServer } from "../src/config/setting-schema/mcp-server.ts"
import { AgentOverrides, ModelAliases, ModelOverrides } from "../src/config/setting-schema/model-config.ts"
import { TelemetrySettings } from "../src/config/setting-schema/telemetry-settings.ts"
import { settingKeys, settingRow } from "../src/config/setting-table.ts"
import { Manifest } from "../src/extensions/manifest.ts"
import { PolicyDocument } from "../src/policy/rule-tables.ts"
import type { CatalogueEntry } from "../src/tools/catalogue.ts"
import { builtinCatalogue } from "../src/tools/generated/declarations.ts"
import { fieldNames, propertiesRead, readersIn, settingFaults, unread, type Written } from "./lib/setting-readers.ts"

const root = resolve(import.meta.dir, "..")

const keys = new Set<string>()
const beginnings = new Set<string>()
const read = new Map<string, ReadonlySet<string>>()
for await (const file of new Bun.Glob("src/**/*.ts").scan(root)) {
  if (file.endsWith(".test.ts")) continue
  const text = await readFile(resolve(root, file), "utf8")
  const readers = readersIn(file, text)
  for (const key of readers.keys) keys.add(key)
  for (const start of readers.beginnings) beginnings.add(start)
  read.set(file, propertiesRead(file, text))
}

const rows = settingKeys().map((key) => {
  const { need, unsupported } = settingRow(key)
  return { key, isForScreen: need === "tui", isUnsupported: unsupported !== undefined }
})

/** `forPeople`: what a file says only to those who read it. */
const fields = (
  what: string,
  { ast }: Schema.Schema.All,
  within: ReadonlyArray<string>,
  forPeople: ReadonlyArray<string> = []
): Written => ({ what, names: [...new Set(fieldNames(ast))].filter((name) => !forPeople.includes(name)), within })

const Properties = Schema.Struct({
  properties: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Struct({ description: Schema.optional(Schema.String) }) })
  )
})

const decodeProperties = (parameters: unknown) =>
  Schema.decodeUnknownSync(Properties)(parameters, { onExcessProperty: "preserve" }).properties ?? {}

/** What a declaration says of an argument itself counts: it may say that it has no effect. */
const argumentsOf = ({ name, parameters }: CatalogueEntry): Written => ({
  what: `argument of ${name}`,
  names: Object.entries(decodeProperties(parameters)).flatMap(([key, { description = "" }]) =>
    /^No effect\b/.test(description) ? [] : [key]
  ),
  within: ["src/tools/", "src/agents/", "src/skills/"]
})

const WRITTEN: ReadonlyArray<Written> = [
  fields("option of a run", RunOptions, ["src/"]),
  ...[...builtinCatalogue, invokeAgentEntry].map(argumentsOf),
  fields("agents/*.md", LocalFields, ["src/agents/", "src/mcp/"]),
  fields("agents/*.md of kind remote", RemoteFields, ["src/agents/"]),
  fields("gemini-extension.json", Manifest, ["src/extensions/", "src/mcp/"]),
  fields("hooks", HookDefinition, ["src/hooks/"]),
  fields("mcpServers", McpServer, ["src/mcp/"]),
  fields("policy files", PolicyDocument, ["src/policy/"], ["name", "description"]),
  fields("agents.overrides", AgentOverrides, ["src/agents/", "src/mcp/", "src/model/"]),
  fields("modelConfigs", ModelAliases, ["src/"]),
  fields("modelConfigs.overrides", ModelOverrides, ["src/"]),
  fields("telemetry", TelemetrySettings, ["src/"])
]

const faults = [...settingFaults(rows, { keys, beginnings }), ...WRITTEN.flatMap((written) => unread(written, read))]

if (faults.length > 0) process.stderr.write(`${faults.join("\n")}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
