/** `~/.gemini/policies/sandbox.toml` on the disk: read when the first command is confined, written when a person says so. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { parse, stringify } from "smol-toml"
import { messageOf } from "../kernel/cause-chain.ts"
import { type AtomicWriteError, writeFileAtomic } from "../system/atomic-write.ts"
import { type CommandGrant, grantsIn, joinedGrants, NO_GRANT, type ReadGrants } from "./command-grants.ts"

/** A file that cannot be read grants nothing, and says so. */
export const readGrants = (file: string): ReadGrants => {
  const text = textOf(file)
  if (text === undefined) return { grants: new Map(), faults: [] }
  try {
    const { faults, grants } = grantsIn(parse(text))
    return { grants, faults: faults.map((fault) => `${file}: ${fault}`) }
  } catch (cause) {
    return { grants: new Map(), faults: [`${file}: ${messageOf(cause).split("\n")[0]}; nothing in it counts`] }
  }
}

/** Fails with what stands in the way: a file that cannot be read is not written over. */
export const saveGrant = (
  file: string,
  name: string,
  added: CommandGrant
): Effect.Effect<CommandGrant, string | AtomicWriteError> =>
  Effect.gen(function* () {
    const text = textOf(file) ?? ""
    const before = yield* Effect.try({ try: () => grantsIn(parse(text)).grants.get(name), catch: messageOf })
    const whole = joinedGrants(before ?? NO_GRANT, added)
    const content = withTable(text, name, whole)
    // What was put together must be what is meant, whatever stood in the file.
    yield* Effect.try({ try: () => parse(content), catch: messageOf })
    yield* writeFileAtomic({ file, content, mode: 0o600 })
    return whole
  })

/** Everything else stays as it was written, comments included. */
const withTable = (text: string, name: string, grant: CommandGrant): string => {
  const table = grantTable(name, grant)
  const kept = withoutTable(text.split("\n"), name).join("\n").trimEnd()
  return `${kept}${kept === "" ? "" : "\n\n"}${table.trim()}\n`
}

/** As it stands in the file. */
export const grantTable = (name: string, { domains, network, reads, writes }: CommandGrant): string =>
  stringify({
    commands: {
      [name]: {
        allowed_paths: writes,
        ...(reads.length === 0 ? {} : { readable_paths: reads }),
        ...(domains.length === 0 ? {} : { allowed_domains: domains }),
        allow_network: network
      }
    }
  })

const withoutTable = (lines: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const headers = [`[commands.${name}]`, `[commands.${JSON.stringify(name)}]`]
  let isInside = false
  return lines.filter((line) => {
    const [header] = /^\s*\[[^\]]*\]/.exec(line) ?? []
    if (header !== undefined) isInside = headers.includes(header.trim())
    return !isInside
  })
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
