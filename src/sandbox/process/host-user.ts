/** Whether the user outside is the user inside a container, so that files of the workspace keep their owner. */
import { readFileSync } from "node:fs"
import { Either } from "effect"

/** Systems on which files of a mount keep the numbers of their owners, and people expect them to. */
const FAMILIES = new Set(["debian", "ubuntu", "nixos", "arch", "fedora", "suse", "opensuse"])

/** `wish`: `SANDBOX_SET_UID_GID`. */
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
