/**
 * What single commands may use beyond the sandbox of all: `~/.gemini/policies/sandbox.toml`, by the name of the command.
 * A line of several commands gets what each of them has, so that none borrows what another one was given. Pure.
 */
import { Option, Schema } from "effect"
import { parseDomainRule } from "./domain-rules.ts"

/** In the folder of the user's policies. */
export const GRANTS_NAME = "sandbox.toml"

const CommandTable = Schema.Struct({
  allowed_paths: Schema.optionalWith(Schema.Array(Schema.String), { exact: true, default: () => [] }),
  readable_paths: Schema.optionalWith(Schema.Array(Schema.String), { exact: true, default: () => [] }),
  allowed_domains: Schema.optionalWith(
    Schema.Array(Schema.String.pipe(Schema.filter((text) => parseDomainRule(text) !== undefined))),
    { exact: true, default: () => [] }
  ),
  allow_network: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false })
})

export interface CommandGrant {
  /** As written: absolute, or with `~`. */
  readonly writes: ReadonlyArray<string>
  readonly reads: ReadonlyArray<string>
  /** As in `tools.sandboxAllowedDomains`. */
  readonly domains: ReadonlyArray<string>
  /** The whole of it. */
  readonly network: boolean
}

export type CommandGrants = ReadonlyMap<string, CommandGrant>

export interface ReadGrants {
  readonly grants: CommandGrants
  /** What is there and does not count, each in one line. */
  readonly faults: ReadonlyArray<string>
}

export const NO_GRANT: CommandGrant = { writes: [], reads: [], domains: [], network: false }

export const joinedGrants = (one: CommandGrant, other: CommandGrant): CommandGrant => {
  const both = (pick: (grant: CommandGrant) => ReadonlyArray<string>) => [...new Set([...pick(one), ...pick(other)])]
  return {
    writes: both(({ writes }) => writes),
    reads: both(({ reads }) => reads),
    domains: both(({ domains }) => domains),
    network: one.network || other.network
  }
}

/** What it opens, for people; empty where it opens nothing. */
export const grantText = ({ domains, network, reads, writes }: CommandGrant): string =>
  [
    ...(network ? ["the network"] : domains.length === 0 ? [] : [`connections to ${domains.join(", ")}`]),
    ...(writes.length === 0 ? [] : [`changing ${writes.join(", ")}`]),
    ...(reads.length === 0 ? [] : [`reading ${reads.join(", ")}`])
  ].join("; ")

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
                  domains: table.value.allowed_domains,
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
          ([name]) =>
            `[commands.${name}] takes allowed_paths, readable_paths, allowed_domains (lists) and allow_network (true or false)`
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

/** The programs of a line that do something outside the shell. */
export const grantedNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => !HARMLESS.has(name))

/** `names`: the programs that a line starts. */
export const grantFor = (grants: CommandGrants, names: ReadonlyArray<string>): CommandGrant => {
  const asked = grantedNames(names)
  if (asked.length === 0) return NO_GRANT
  const given = asked.map((name) => grants.get(name) ?? NO_GRANT)
  const [first = NO_GRANT, ...rest] = given
  const inAll = (pick: (grant: CommandGrant) => ReadonlyArray<string>) =>
    pick(first).filter((path) => rest.every((grant) => pick(grant).includes(path)))
  return {
    writes: inAll(({ writes }) => writes),
    reads: inAll(({ reads, writes }) => [...reads, ...writes]),
    domains: [...new Set(given.flatMap(({ domains }) => domains))].filter((domain) =>
      given.every(({ domains, network }) => network || domains.includes(domain))
    ),
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
  "/dev",
  "/run",
  "/boot",
  "/tmp",
  "/var/tmp"
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
