/** Switches that the Code Assist server sets for an account, by number. A file can stand in for them (`GEMINI_EXP`). */
import { Duration, Effect, Option, Predicate, Schema } from "effect"
import { version } from "../../kernel/version.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { type CodeAssistServer, callServer } from "./code-assist-server.ts"

/** Values by the number of the flag. */
export type Experiments = Readonly<Record<string, unknown>>

export const NO_EXPERIMENTS: Experiments = {}

export const FLAG = { adminControls: "45752213" } as const

const ListAnswer = Schema.Struct({
  flags: Schema.optional(
    Schema.Array(
      Schema.Struct(
        { flagId: Schema.optional(Schema.Union(Schema.Number, Schema.String)) },
        Schema.Record({ key: Schema.String, value: Schema.Unknown })
      )
    )
  )
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
            metadata: {
              ideName: "IDE_UNSPECIFIED",
              pluginType: "GEMINI",
              ideVersion: version,
              platform: platformName()
            }
          },
          within: WITHIN
        },
        ListAnswer
      ).pipe(Effect.timeout(WITHIN), Effect.map(valuesOf))

const valuesOf = ({ flags = [] }: typeof ListAnswer.Type): Experiments =>
  Object.fromEntries(
    flags.flatMap(({ flagId, ...fields }) => {
      const name = VALUES.find((value) => Predicate.hasProperty(fields, value))
      return flagId === undefined || name === undefined ? [] : [[String(flagId), fields[name]]]
    })
  )

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
    return given[FLAG.adminControls] === true ? { ...replaced.value, [FLAG.adminControls]: true } : replaced.value
  })
