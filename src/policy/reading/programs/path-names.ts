/** Names of files as text, and where links lead. */
import { flags, type ProgramTable, valued } from "../program-table.ts"

const basename: ProgramTable = {
  name: "basename",
  reason: "prints the last part of names",
  style: "leading",
  options: { ...flags("-a -z --multiple --zero --help --version"), ...valued("-s --suffix") },
  operands: { rest: "text" }
}

const dirname: ProgramTable = {
  name: "dirname",
  reason: "prints the folders in names",
  style: "leading",
  options: flags("-z --zero --help --version"),
  operands: { rest: "text" }
}

const realpath: ProgramTable = {
  name: "realpath",
  reason: "prints where names lead",
  options: {
    ...flags(
      "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip"
    ),
    ...flags("--no-symlinks --zero --help --version"),
    ...valued("--relative-to --relative-base", { value: "names" })
  },
  operands: { rest: "names" }
}

const readlink: ProgramTable = {
  name: "readlink",
  reason: "prints where links lead",
  options: flags(
    "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version"
  ),
  operands: { rest: "names" }
}

export const pathNames: ReadonlyArray<ProgramTable> = [basename, dirname, realpath, readlink]
