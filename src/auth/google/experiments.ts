/**
 * Switches that the Code Assist server sets for an account, by number: what they mean, how they are asked for, and the file
 * that can stand in for them (`GEMINI_EXP`).
 */
import { Duration, Effect, Option, Predicate, Schema } from "effect"
import { shortLine } from "../../kernel/readable-text.ts"
import { version } from "../../kernel/version.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { type CodeAssistServer, callServer } from "./code-assist-server.ts"

export interface Experiments {
  /** Of the groups that the account is in; telemetry tells them. */
  readonly ids: ReadonlyArray<number>
  /** Values by the number of the flag. */
  readonly values: Readonly<Record<string, unknown>>
}

export const NO_EXPERIMENTS: Experiments = { ids: [], values: {} }

type Reader = "truth" | "number" | "text"

/** Every flag that is obeyed. */
const FLAGS = {
  preview: ["45740196", "truth"],
  keepsAccount: ["45740198", "truth"],
  numericalRouting: ["45750526", "truth"],
  adminControls: ["45752213", "truth"],
  protectLatestTurn: ["45758819", "truth"],
  hasGemini31: ["45760185", "truth"],
  hasNoPro: ["45768879", "truth"],
  hasFlash35: ["45780819", "truth"],
  routingThreshold: ["45750527", "number"],
  maskingProtection: ["45758817", "number"],
  maskingPrunable: ["45758818", "number"],
  requestTimeoutSeconds: ["45773134", "number"],
  compressionThreshold: ["45740197", "number"],
  bannerText: ["45740199", "text"],
  capacityText: ["45740200", "text"]
} as const satisfies Record<string, readonly [id: string, Reader]>

/** What the server says; absent where it says nothing, or something of another type. */
export type RemoteFlags = {
  readonly [Name in keyof typeof FLAGS]?: {
    readonly truth: boolean
    readonly number: number
    readonly text: string
  }[(typeof FLAGS)[Name][1]]
}

export const flagsIn = ({ values }: Experiments): RemoteFlags =>
  Object.fromEntries(
    Object.entries(FLAGS).flatMap(([name, [id, reader]]) => {
      const value = READERS[reader](Object.hasOwn(values, id) ? values[id] : undefined)
      return value === undefined ? [] : [[name, value]]
    })
  )

const READERS: Readonly<Record<Reader, (value: unknown) => boolean | number | string | undefined>> = {
  truth: (value) => (Predicate.isBoolean(value) ? value : undefined),
  // Whole numbers come as text.
  number: (value) => {
    const found = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined
  },
  text: (value) => (typeof value === "string" && value.trim() !== "" ? shortLine(value) : undefined)
}

/** Read one by one: an odd flag takes no other one away with it, least of all the administrator's. */
const ListAnswer = Schema.Struct({
  experimentIds: Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown))),
  flags: Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown)))
})

const WITHIN = Duration.seconds(5)
const VALUES = ["boolValue", "floatValue", "intValue", "stringValue", "int32ListValue", "stringListValue"]

/** They are asked for where there is a project. */
export const fetchExperiments = (server: CodeAssistServer, project: string | undefined) =>
  project === undefined
    ? Effect.succeed(NO_EXPERIMENTS)
    : callServer(
        server,
        {
          path: ":listExperiments",
          body: {
            project,
            metadata: clientMetadata()
          },
          within: WITHIN
        },
        ListAnswer
      ).pipe(Effect.timeout(WITHIN), Effect.map(valuesOf))

const valuesOf = ({ experimentIds, flags }: typeof ListAnswer.Type): Experiments => ({
  ids: (experimentIds ?? []).map(Number).filter(Number.isFinite),
  values: Object.fromEntries(
    (flags ?? []).filter(Predicate.isReadonlyRecord).flatMap((flag) => {
      const name = VALUES.find((value) => Object.hasOwn(flag, value))
      return flag.flagId === undefined || name === undefined ? [] : [[String(flag.flagId), flag[name]]]
    })
  )
})

/** What the server is told of this program, where it is not about the account. */
export const clientMetadata = () => ({
  ideName: "IDE_UNSPECIFIED",
  pluginType: "GEMINI",
  ideVersion: version,
  platform: platformName(),
  updateChannel: /nightly|preview/.exec(version)?.[0] ?? "stable"
})

const PLATFORMS: Readonly<Record<string, string>> = {
  "darwin-x64": "DARWIN_AMD64",
  "darwin-arm64": "DARWIN_ARM64",
  "linux-x64": "LINUX_AMD64",
  "linux-arm64": "LINUX_ARM64",
  "win32-x64": "WINDOWS_AMD64"
}

const platformName = (): string => PLATFORMS[`${process.platform}-${process.arch}`] ?? "PLATFORM_UNSPECIFIED"

const MAX_BYTES = 1024 * 1024

/** Those of the file, where it can be read. An administrator's switch stays: nobody frees himself by a file. */
export const experimentsFrom = (file: string | undefined, given: Experiments): Effect.Effect<Experiments> =>
  Effect.sync(() => {
    if (file === undefined || file === "") return given
    const content = readRegularFile(file, MAX_BYTES)
    const text = content.kind === "text" ? content.text : ""
    const replaced = Option.map(Schema.decodeUnknownOption(Schema.parseJson(ListAnswer))(text), valuesOf)
    if (Option.isNone(replaced)) return given
    const { ids, values } = replaced.value
    const [adminControls] = FLAGS.adminControls
    return { ids, values: given.values[adminControls] === true ? { ...values, [adminControls]: true } : values }
  })
