/**
 * Holds what the binary prints to the schemas that it prints itself: every json and stream-json output of every test, also
 * of runs whose test looks at something else. A field that the schema does not know is a fault here, so that none is
 * added unseen.
 */
import { resolve } from "node:path"
import { valueCheck } from "../../src/cli/schemas/check-text.live.ts"
import { type JsonSchemaDocument, schemaRows } from "../../src/cli/schemas/schema-list.ts"
import { FAILURE_HELP } from "../../src/protocol/failure-help.ts"

type Name = "json" | "stream-json"

const BINARY = resolve(import.meta.dir, "../../dist/gemini")

const checks = new Map<Name, ReturnType<typeof valueCheck>>()

const checkFor = (name: Name): ReturnType<typeof valueCheck> => {
  const known = checks.get(name)
  if (known !== undefined) return known
  if (!Object.hasOwn(schemaRows, name)) throw new Error(`there is no schema ${name}`)
  const { stdout } = Bun.spawnSync([BINARY, "schema", name], { env: { HOME: "/nonexistent" } })
  const made = valueCheck(closed(JSON.parse(stdout.toString())))
  checks.set(name, made)
  return made
}

const closed = (schema: JsonSchemaDocument): JsonSchemaDocument => {
  const entries = Object.entries(schema).map(([name, value]) => [name, closedValue(value)] as const)
  const isStruct = schema.additionalProperties === true
  return { ...Object.fromEntries(entries), ...(isStruct ? { additionalProperties: false } : {}) }
}

const closedValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closedValue)
  return typeof value === "object" && value !== null ? closed({ ...value }) : value
}

export const checkedDocument = (text: string): void => expectNone("json", checkFor("json")(JSON.parse(text)), text)

export const checkedLines = (text: string): void => {
  for (const line of text.trimEnd().split("\n")) {
    expectNone("stream-json", checkFor("stream-json")(JSON.parse(line)), line)
  }
}

const expectNone = (name: Name, faults: ReturnType<ReturnType<typeof valueCheck>>, text: string): void => {
  if (faults.length === 0) return
  const said = faults.map(({ message, path }) => `${path.join(".")}: ${message}`).join("\n")
  throw new Error(`an output does not fit gemini schema ${name}:\n${said}\n${text.slice(0, 2000)}`)
}

/** What a run printed, whatever its test wanted: held to the contract where it is one of our formats. */
export const checkOutput = ({ exitCode, stderr, stdout }: Printed): void => {
  checkFailure(exitCode, stderr)
  if (stdout.startsWith('{\n  "session_id"') && stdout.endsWith("}\n")) checkedDocument(stdout)
  if (stdout.startsWith('{"type":"init"') && stdout.endsWith("}\n")) checkedLines(stdout)
}

interface Printed {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Every error that ends a run says where more is said, and there is such a page. */
const checkFailure = (exitCode: number, stderr: string): void => {
  const codes = [...stderr.matchAll(/\[gemini help ([^\]\s]*)\]$/gm)].map(([, code = ""]) => code)
  const unknown = codes.find((code) => !Object.hasOwn(FAILURE_HELP, code))
  if (unknown !== undefined) throw new Error(`gemini help has no page ${unknown}:\n${stderr}`)
  if (exitCode !== 0 && /^error: /m.test(stderr) && codes.length === 0) {
    throw new Error(`an error leads nowhere:\n${stderr}`)
  }
}
