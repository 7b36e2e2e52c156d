/**
 * Programs that run code or change things, of which only the question for their version is known to read. Every other
 * call is as if there were no table.
 *
 * Left out, since a project or the network takes part in the answer: npm and npx (`.npmrc` says where they write their
 * logs), yarn (`yarnPath` is run), pnpm and go (another version may be fetched and run), cargo and rustc
 * (`rust-toolchain.toml` may name a folder of the project), kubectl (a dispatcher chooses another one), terraform, gh and
 * deno (they ask for updates), tsc (usually a program of the project), java and javac (the virtual machine keeps counters
 * in a file, and takes options from variables).
 */
import { flags, type ProgramTable } from "../program-table.ts"

const query = (name: string, ...lines: ReadonlyArray<string>): ProgramTable => ({
  name,
  reason: "prints its version",
  isOpenEnded: true,
  style: "words",
  options: {},
  operands: { rest: "text" },
  refuses: ({ operands }) =>
    operands.every(({ isExact }) => isExact) && lines.includes(operands.map(({ text }) => text).join(" "))
      ? undefined
      : { effect: "unknown", why: `\`${name}\` does more than print its version` }
})

const compiler = (name: string): ProgramTable =>
  query(name, "--version", "-v", "-dumpversion", "-dumpfullversion", "-dumpmachine")

export const versionQueries: ReadonlyArray<ProgramTable> = [
  query("node", "--version", "-v"),
  query("bun", "--version", "-v", "--revision"),
  query("python3", "--version", "-V"),
  query("python", "--version", "-V"),
  query("pip", "--version", "-V"),
  query("pip3", "--version", "-V"),
  query("ruby", "--version", "-v"),
  query("perl", "--version", "-v"),
  query("php", "--version", "-v"),
  ...["gcc", "g++", "cc", "c++"].map(compiler),
  query("make", "--version", "-v"),
  query("cmake", "--version", "-version"),
  query("docker", "--version", "-v")
]

/** A script of the system; it starts nothing. */
const which: ProgramTable = {
  name: "which",
  reason: "prints where programs stand",
  options: flags("-a"),
  operands: { rest: "names" }
}

const type: ProgramTable = {
  name: "type",
  reason: "prints what a name means to the shell",
  isBuiltin: true,
  style: "leading",
  options: flags("-a -f -p -P -t"),
  operands: { rest: "names" }
}

/** Where a name leads. `command -v` stands with the wrappers. */
export const programLookups: ReadonlyArray<ProgramTable> = [which, type]
