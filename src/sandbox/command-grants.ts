/**
 * What single commands may use beyond the sandbox of all: `~/.gemini/policies/sandbox.toml`, by the name of the command.
 * A line of several commands gets what each of them has, so that none borrows what another one was given. Pure.
 */
import { Option, Schema } from "effect"

const CommandTable = Schema.Struct({
  allowed_paths: Schema.optionalWith(Schema.Array(Schema.String), { exact: true, default: () => [] }),
  readable_paths: Schema.optionalWith(Schema.Array(Schema.String), { exact: true, default: () => [] }),
  allow_network: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false })
})

export interface CommandGrant {
  /** As written: absolute, or with `~`. */
  readonly writes: ReadonlyArray<string>
  readonly reads: ReadonlyArray<string>
  readonly network: boolean
}

export type CommandGrants = ReadonlyMap<string, CommandGrant>

export interface ReadGrants {
  readonly grants: CommandGrants
  /** What is there and does not count, each in one line. */
  readonly faults: ReadonlyArray<string>
}

const NOTHING: CommandGrant = { writes: [], reads: [], network: false }

const decodeTable = Schema.decodeUnknownOption(CommandTable, { onExcessProperty: "error" })
const decodeTables = Schema.decodeUnknownOption(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** `document`: the tables of the file. */
export const grantsIn = (document: Readonly<Record<string, unknown>>): ReadGrants => {
  const { commands = {}, modes, ...others } = document
  const tables = Option.getOrElse(decodeTables(commands), () => ({}))
  const read = Object.entries(tables).map(([name, table]) => [name, decodeTable(table)] as const)
  return {
    grants: new Map(
      read.flatMap(([name, table]) =>
        Option.isNone(table)
          ? []
          : [
              [
                name,
                {
                  writes: table.value.allowed_paths,
                  reads: table.value.readable_paths,
                  network: table.value.allow_network
                }
              ] as const
            ]
      )
    ),
    faults: [
      ...read
        .filter(([, table]) => Option.isNone(table))
        .map(
          ([name]) => `[commands.${name}] takes allowed_paths, readable_paths (lists) and allow_network (true or false)`
        ),
      ...(modes === undefined ? [] : ["[modes] does not count: approval modes and rules decide what may run"]),
      ...Object.keys(others).map((name) => `[${name}] is not known`)
    ]
  }
}

/** They work inside the shell alone. */
const HARMLESS = new Set([
  "cd",
  "echo",
  "printf",
  "true",
  "false",
  ":",
  "test",
  "[",
  "[[",
  "export",
  "set",
  "exit",
  "wait"
])

/** `names`: the programs that a line starts. */
export const grantFor = (grants: CommandGrants, names: ReadonlyArray<string>): CommandGrant => {
  const asked = names.filter((name) => !HARMLESS.has(name))
  if (asked.length === 0) return NOTHING
  const given = asked.map((name) => grants.get(name) ?? NOTHING)
  const [first = NOTHING, ...rest] = given
  const inAll = (pick: (grant: CommandGrant) => ReadonlyArray<string>) =>
    pick(first).filter((path) => rest.every((grant) => pick(grant).includes(path)))
  return {
    writes: inAll(({ writes }) => writes),
    reads: inAll(({ reads, writes }) => [...reads, ...writes]),
    network: given.every(({ network }) => network)
  }
}

/** Those that a single word must not open: everything of somebody, or of the system. */
const TOO_MUCH = new Set([
  "/",
  "/etc",
  "/usr",
  "/var",
  "/bin",
  "/sbin",
  "/lib",
  "/root",
  "/home",
  "/Users",
  "/proc",
  "/sys",
  "/dev"
])

/** Why a path cannot be granted; `undefined`: it can. `path` is absolute, `secrets` are places below the home folder. */
export const refusedGrant = (
  path: string,
  { home, secrets }: { readonly home: string; readonly secrets: ReadonlyArray<string> }
): string | undefined => {
  if (TOO_MUCH.has(path) || path === home || home.startsWith(`${path}/`)) return `${path} is too much for one command`
  const near = secrets.find(
    (secret) => path === secret || path.startsWith(`${secret}/`) || secret.startsWith(`${path}/`)
  )
  return near === undefined ? undefined : `credentials are kept in ${near}`
}
