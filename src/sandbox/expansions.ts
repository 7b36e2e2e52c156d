/**
 * More than the sandbox gives to all, for one program: what it lacked, what it usually needs, or what the model asks for
 * comes to a person as a question, and their answer holds for this time, the session, or is kept in `sandbox.toml`.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Ref } from "effect"
import { lazy } from "../kernel/lazy.ts"
import {
  type CommandGrant,
  type CommandGrants,
  grantedNames,
  grantText,
  joinedGrants,
  NO_GRANT
} from "./command-grants.ts"
import { denialIn, lackOf, refusedWish, type Sight, usualNeed, wishOfDenial } from "./denials.ts"
import { parseDomainRule } from "./domain-rules.ts"
import { isWithin, type SandboxProfile, secretPlaces } from "./profile.ts"
import type { Expansion, ExpansionRequest } from "./sandbox.ts"
import { SYSTEM_SECRETS } from "./secret-names.ts"

export interface ExpansionSetting {
  /** What the program could reach; `undefined`: it would not be confined. */
  readonly profileOf: (request: ExpansionRequest) => Effect.Effect<SandboxProfile | undefined>
  readonly home: string | undefined
  readonly filtersDomains: Effect.Effect<boolean>
  /** Those of the file and of this session. */
  readonly grants: Ref.Ref<CommandGrants>
  /** Where they are kept. */
  readonly file: string
  /** A path as it was written, made absolute. */
  readonly expand: (path: string) => string
}

/** What a program says is a question once: who asks again gets the same answer. */
const MOST_REMEMBERED = 10
const REMEMBERED_CHARS = 200

export const makeExpansions = (setting: ExpansionSetting) => {
  let answered: ReadonlyArray<string> = []
  return Effect.fn("Sandbox.expansion")(function* (request: ExpansionRequest) {
    const profile = yield* setting.profileOf(request)
    if (profile === undefined) return undefined
    const sight = sightOf(profile, setting, yield* setting.filtersDomains)
    const { because } = request
    switch (because._tag) {
      case "Stated": {
        const lack = lackOf(expandedGrant(because.wish, setting), sight)
        const refused = refusedWish(lack, sight)
        if (refused !== undefined) return { _tag: "Refused", reason: refused } as const
        return offerOf(lack, "the model asks for it", request, setting)
      }
      case "Usual": {
        const wish = expandedGrant(because.commands.map(usualNeed).reduce(joinedGrants, NO_GRANT), setting)
        const present = { ...wish, writes: wish.writes.filter((path) => sight.kindOf(path) !== undefined) }
        const words = because.commands.find((command) => usualNeed(command).network)?.slice(0, 2) ?? []
        return offerOf(lackOf(present, sight), `${words.join(" ")} usually needs it`, request, setting)
      }
      case "Denied": {
        const key = because.output.slice(0, REMEMBERED_CHARS)
        if (answered.includes(key)) return undefined
        const offer = offerAfter(because, sight, request, setting)
        if (offer !== undefined) answered = [...answered, key].slice(-MOST_REMEMBERED)
        return offer
      }
    }
  })
}

const offerAfter = (
  { output, refusedHosts }: Extract<ExpansionRequest["because"], { readonly _tag: "Denied" }>,
  sight: Sight,
  request: ExpansionRequest,
  setting: ExpansionSetting
) => {
  if (refusedHosts.length > 0) {
    const domains = refusedHosts.map((place) => place.replace(/:(?:80|443)$/, "")).filter(isNameable)
    return offerOf({ ...NO_GRANT, domains }, `it tried to connect to ${refusedHosts.join(", ")}`, request, setting)
  }
  const denial = denialIn(output)
  if (denial === undefined) return undefined
  return offerOf(wishOfDenial(denial, sight), `it printed: ${denial.line}`, request, setting)
}

const isNameable = (domain: string): boolean => parseDomainRule(domain) !== undefined

const offerOf = (
  grant: CommandGrant,
  origin: string,
  { how }: ExpansionRequest,
  setting: ExpansionSetting
): Expansion | undefined => {
  const opens = grantText(grant)
  if (opens === "") return undefined
  const [name, ...others] = grantedNames(how.commands ?? [])
  const standing =
    name === undefined || others.length > 0 || name.includes("/") ? {} : { standing: standingOf(name, grant, setting) }
  return { _tag: "Offer", grant, opens, origin, ...standing }
}

const standingOf = (name: string, grant: CommandGrant, { file, grants }: ExpansionSetting) => ({
  what: `${name}, with ${grantText(grant)}`,
  entry: lazy(() => import("./command-grants.live.ts")).pipe(Effect.map(({ grantTable }) => grantTable(name, grant))),
  keep: Effect.fnUntraced(function* (how: "session" | "user") {
    yield* Ref.update(grants, (all) => new Map(all).set(name, joinedGrants(all.get(name) ?? NO_GRANT, grant)))
    if (how === "session") return undefined
    const { saveGrant } = yield* lazy(() => import("./command-grants.live.ts"))
    return yield* Effect.match(saveGrant(file, name, grant), {
      onSuccess: () => `saved to ${file}`,
      onFailure: (fault) => `not saved to ${file}: ${typeof fault === "string" ? fault : fault.code}`
    })
  })
})

const expandedGrant = (grant: CommandGrant, { expand }: ExpansionSetting): CommandGrant => ({
  ...grant,
  writes: grant.writes.map(expand),
  reads: grant.reads.map(expand)
})

/** They are there inside, and others than outside. */
const OF_ITS_OWN = ["/dev", "/proc"]

const sightOf = (
  { guarded, hidden, network, readable, writable }: SandboxProfile,
  { expand, home = "/", filtersDomains: _ }: ExpansionSetting,
  filtersDomains: boolean
): Sight => {
  const closed = hidden.map(({ path }) => path)
  return {
    home,
    secrets: [...secretPlaces(home), ...SYSTEM_SECRETS, ...closed],
    realPath: (path) => placeOf(expand(path)),
    kindOf,
    mayOutside,
    mayInside: (path, how) =>
      isWithin(OF_ITS_OWN, path) ||
      (!isWithin(closed, path) &&
        (how === "write"
          ? isWithin(writable, path) && !isWithin(guarded, path)
          : isWithin(readable, path) || isWithin(writable, path))),
    filtersDomains,
    network
  }
}

const placeOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(placeOf(dirname(path)), basename(path))
  }
}

const kindOf = (path: string) => {
  try {
    return statSync(path).isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}

const mayOutside = (path: string, how: "read" | "write"): boolean => {
  try {
    accessSync(path, how === "read" ? constants.R_OK : constants.W_OK)
    return true
  } catch {
    return false
  }
}
