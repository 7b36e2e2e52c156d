/**
 * The image of a container: named, built from the project's file, or fetched by the engine when it is not there yet;
 * and whether the user inside is the one outside.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { nonBlank } from "../../kernel/non-blank.ts"
import { runProgram, runToDiagnostics } from "../../system/programs.ts"
import type { Engine } from "./container.ts"
import { isImageName } from "./container-arguments.ts"
import type { Hop } from "./process-backend.ts"

/** Has a shell and little else: whoever needs tools names an image that has them. */
const DEFAULT_IMAGE = "debian:stable-slim"

/** Made on this machine: no registry has it. */
const LOCAL = /^(?:localhost\/)?gemini-cli-sandbox(?::|$)/

/** Fails with what stood in the way. */
export const readyImage = Effect.fnUntraced(function* (engine: Engine, hop: Hop): Effect.fn.Return<string, string> {
  if (isOn(hop.get("BUILD_SANDBOX"))) return yield* builtImage(engine, hop)
  const image =
    nonBlank(hop.get("GEMINI_SANDBOX_IMAGE")) ??
    nonBlank(hop.get("GEMINI_SANDBOX_IMAGE_DEFAULT")) ??
    nonBlank(hop.image) ??
    DEFAULT_IMAGE
  if (!isImageName(image)) return yield* Effect.fail(`"${image}" is not the name of an image`)
  if (yield* isThere(engine, hop, image)) return image
  if (LOCAL.test(image)) {
    return yield* Effect.fail(
      `the image ${image} is not on this machine, and no registry has it: build it (BUILD_SANDBOX=1)`
    )
  }
  yield* hop.warn(`${engine.program} fetches the image ${image}`)
  const code = yield* telling(engine, ["pull", image], hop)
  return code === 0 ? image : yield* Effect.fail(`the image ${image} could not be fetched (exit ${code})`)
})

const builtImage = Effect.fnUntraced(function* (engine: Engine, hop: Hop) {
  const folder = join(hop.cwd, ".gemini")
  const file = join(folder, "sandbox.Dockerfile")
  if (!hop.isTrusted) return yield* Effect.fail(`${file} is not used in a folder that is not trusted`)
  if (!existsSync(file)) return yield* Effect.fail(`BUILD_SANDBOX is set, and there is no ${file}`)
  const text = yield* Effect.try({ try: () => readFileSync(file), catch: () => `${file} cannot be read` })
  const image = `gemini-cli-sandbox:${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12)}`
  if (yield* isThere(engine, hop, image)) return image
  const code = yield* telling(engine, ["build", "-f", file, "-t", image, folder], hop)
  return code === 0 ? image : yield* Effect.fail(`${file} could not be built (exit ${code})`)
})

const isOn = (value: string | undefined): boolean => /^(?:true|1)$/i.test(value?.trim() ?? "")

const isThere = (engine: Engine, { engineVariables }: Hop, image: string) =>
  runProgram({
    argv: [engine.program, "image", "inspect", image],
    cwd: "/",
    env: engineVariables,
    timeout: "30 seconds",
    maxOutputBytes: 64 * 1024,
    onTooMuch: "drop",
    reach: "group",
    leftovers: "keep",
    grace: 0
  }).pipe(
    Effect.map(({ exitCode }) => exitCode === 0),
    Effect.mapError(({ message }) => message)
  )

/** What the engine says is for the person, who waits for it; standard output is not its. */
const telling = (engine: Engine, words: ReadonlyArray<string>, { cwd, engineVariables }: Hop) =>
  Effect.mapError(
    runToDiagnostics({ argv: [engine.program, ...words], cwd, env: engineVariables }),
    ({ message }) => message
  )

/** Systems on which files of a mount keep the numbers of their owners, and people expect them to. */
const FAMILIES = new Set(["debian", "ubuntu", "nixos", "arch", "fedora", "suse", "opensuse"])

/**
 * Whether the user outside is the user inside a container, so that files of the workspace keep their owner.
 * `wish`: `SANDBOX_SET_UID_GID`.
 */
export const isMapped = (wish: string | undefined, release = readRelease): Either.Either<boolean, string> => {
  const word = wish?.trim().toLowerCase() ?? ""
  if (word === "1" || word === "true") return Either.right(true)
  if (word === "0" || word === "false") return Either.right(false)
  if (word !== "") return Either.left(`SANDBOX_SET_UID_GID is "${wish}", and can be true or false`)
  return Either.right(process.platform === "linux" && familiesIn(release()).some((family) => FAMILIES.has(family)))
}

const familiesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].flatMap(([, value = ""]) =>
    value
      .replace(/["']/g, "")
      .split(/\s+/)
      .map((word) => word.replace(/^opensuse.*$/, "opensuse"))
  )

const readRelease = (): string => {
  try {
    return readFileSync("/etc/os-release", "utf8")
  } catch {
    return ""
  }
}
