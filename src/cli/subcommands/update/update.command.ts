/**
 * `gemini update`: another version in the place of this one, when somebody asks for it and never otherwise. A download
 * that is not what the list of sums says, or that does not start here, changes nothing.
 */
import { chmodSync, copyFileSync, linkSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { extractArchive } from "../../../files/archive/extract-archive.ts"
import { messageOf } from "../../../kernel/cause-chain.ts"
import { buildTarget, version as ownVersion } from "../../../kernel/version.ts"
import { ExitCode } from "../../../protocol/exit-code.ts"
import { codeOf } from "../../../system/atomic-write.ts"
import { plainVariables } from "../../../system/child-variables.ts"
import { runProgram } from "../../../system/programs.ts"
import { CliContext } from "../../cli-context.ts"
import { exitWith } from "../../command-exit.ts"
import { defineSubcommand } from "../../subcommand.ts"
import { type UsageError, usageError } from "../../usage-error.ts"
import { printResult } from "../command-output.ts"
import { json, text } from "../common-options.ts"
import { loadSettings } from "../load-settings.ts"
import { packageOwner } from "./package-owner.ts"
import {
  compareVersions,
  download,
  findRelease,
  type PublishedRelease,
  type ReleaseSource,
  sourceOf
} from "./release-source.ts"

const check = Options.boolean("check").pipe(
  Options.withDescription("Only say whether there is a newer version; exit 1 when there is.")
)
// The parser of the package keeps `--version` to itself: it gets the option under the name that stands first.
const wanted = Options.withAlias(
  text("to", "V", "This version, also an older one; --version does the same."),
  "version"
)

const command = Command.make("update", { check, to: wanted, json }, (options) =>
  Effect.gen(function* () {
    const config = yield* loadSettings({ tolerant: true })
    const source = sourceOf(config)
    const release = yield* findRelease(source, yield* versionIn(options.to))
    const program = yield* ownProgram
    const owner = packageOwner(program)
    const facts = { version: ownVersion, available: release.version, program, installed_by: owner?.name ?? null }
    const isNewer = compareVersions(release.version, ownVersion) > 0
    const isWanted = Option.isSome(options.to) ? release.version !== ownVersion : isNewer
    if (options.check) {
      yield* exitWith(isWanted ? ExitCode.general : ExitCode.success)
      const advice =
        owner === undefined ? "gemini update installs it" : `${owner.name} installed this one: ${owner.command}`
      const line = isWanted ? `Version ${release.version} is available; ${advice}.` : UP_TO_DATE
      return yield* printResult(options, line, { ...facts, update: isWanted })
    }
    if (!isWanted) return yield* printResult(options, UP_TO_DATE, { ...facts, updated: false })
    if (owner !== undefined) {
      return yield* usageError(
        `${program} belongs to ${owner.name}, which would undo a change`,
        `Use ${owner.command}.`
      )
    }
    yield* install(program, release, source)
    const line = `Updated ${program} from ${ownVersion} to ${release.version}; the old one is ${program}.old.`
    return yield* printResult(options, line, { ...facts, updated: true })
  })
).pipe(Command.withDescription("Put another version of this program in its place."))

/**
 * One program takes the place of another by a rename. The old one stays beside it as `.old`, until the next update: a
 * way back, and a system that does not let go of a running program allows nothing else.
 * `made` must lie on the same file system as `program`.
 */
const replaceProgram = (program: string, made: string) =>
  Effect.try({
    try: () => {
      const old = `${program}.old`
      rmSync(old, { force: true })
      if (process.platform === "win32") renameSync(program, old)
      else keepBeside(program, old)
      renameSync(made, program)
    },
    catch: (cause) =>
      usageError(
        `${program} cannot be replaced (${messageOf(cause)})`,
        /^E(ACCES|PERM|ROFS)$/.test(codeOf(cause))
          ? "Start it as whoever owns that file, or install into a folder of your own with install.sh --dir."
          : "The old program is still there."
      )
  })

/** Never a moment without a program: a second name for the old one, then the new one under the first. */
const keepBeside = (program: string, old: string): void => {
  try {
    linkSync(program, old)
  } catch {
    copyFileSync(program, old)
  }
}

export const subcommand = defineSubcommand({
  matching: "exact",
  command,
  examples: ["gemini update --check", "gemini update", "gemini update --to 0.61.1"]
})

const UP_TO_DATE = `This is version ${ownVersion}; there is nothing newer.`

const versionIn = (given: Option.Option<string>): Effect.Effect<string | undefined, UsageError> => {
  if (Option.isNone(given)) return Effect.succeed(undefined)
  const version = given.value.replace(/^v/, "")
  return /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(version)
    ? Effect.succeed(version)
    : Effect.fail(usageError(`"${given.value}" is not a version`, "A version looks like 0.61.1."))
}

/** Only a compiled program can be replaced: run from its sources, this would be the runtime. */
const ownProgram: Effect.Effect<string, UsageError> = Effect.suspend(() =>
  Bun.embeddedFiles.length === 0
    ? Effect.fail(usageError("This program runs from its sources", "Update the checkout, and build it."))
    : Effect.succeed(realpathSync(process.execPath))
)

/** In the folder of the program itself: a rename within one file system replaces it in one step. */
const install = (program: string, release: PublishedRelease, source: ReleaseSource) =>
  Effect.acquireUseRelease(
    Effect.try({
      try: () => mkdtempSync(join(dirname(program), ".gemini-update-")),
      catch: (cause) =>
        usageError(
          `${dirname(program)} cannot be written (${messageOf(cause)})`,
          "Start it as whoever owns that folder, or install into a folder of your own with install.sh --dir."
        )
    }),
    Effect.fnUntraced(function* (scratch) {
      const { status } = yield* CliContext
      const folder = `gemini-${release.version}-${buildTarget}`
      const archive = `${folder}.${buildTarget.startsWith("windows") ? "zip" : "tar.gz"}`
      const expected = release.sums.get(archive)
      if (expected === undefined) {
        return yield* usageError(`Version ${release.version} has no build for ${buildTarget}`, "Nothing was changed.")
      }
      const file = join(scratch, archive)
      const found = yield* download(
        source,
        { archive, version: release.version },
        {
          file,
          onBytes: (bytes, total) => status?.(progressOf(archive, bytes, total)) ?? Effect.void
        }
      )
      yield* status?.("") ?? Effect.void
      if (found !== expected) {
        return yield* usageError(
          `${archive} is damaged or was changed (SHA-256 ${found} instead of ${expected})`,
          "Nothing was changed."
        )
      }
      const unpacked = join(scratch, "unpacked")
      yield* extractArchive(file, unpacked, ARCHIVE_LIMITS).pipe(
        Effect.mapError(({ message }) => usageError(message, "Nothing was changed."))
      )
      const made = join(unpacked, folder, basename(program).endsWith(".exe") ? "gemini.exe" : "gemini")
      yield* madeRunnable(made)
      yield* startsAs(release.version, made)
      yield* replaceProgram(program, made)
    }),
    (scratch) => Effect.sync(() => rmSync(scratch, { recursive: true, force: true }))
  )

const ARCHIVE_LIMITS = { maxEntries: 100, maxBytes: 1024 * 1024 * 1024 }

const progressOf = (archive: string, bytes: number, total: number): string => {
  const done = total > 0 ? `${Math.floor((bytes / total) * 100)} %` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
  return `downloading ${archive}: ${done}`
}

const madeRunnable = (program: string): Effect.Effect<void, UsageError> =>
  Effect.try({
    try: () => chmodSync(program, 0o755),
    catch: (cause) => usageError(`The archive holds no program (${messageOf(cause)})`, "Nothing was changed.")
  })

const startsAs = (version: string, program: string): Effect.Effect<void, UsageError> =>
  Effect.gen(function* () {
    const { stdout } = yield* runProgram({
      argv: [program, "--version"],
      cwd: dirname(program),
      env: plainVariables(),
      timeout: "20 seconds",
      maxOutputBytes: 4096,
      reach: "group",
      leftovers: "end",
      grace: 0
    }).pipe(
      Effect.mapError(({ message }) =>
        usageError(`The new program does not start on this machine: ${message}`, "Nothing was changed.")
      )
    )
    if (stdout.trim() !== version) {
      return yield* usageError(
        `The archive of ${version} holds a program that says "${stdout.trim()}"`,
        "Nothing was changed."
      )
    }
  })
