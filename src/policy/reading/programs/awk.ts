/** `awk` prints what a program makes of lines. Programs are known as far as they only compute and print. */
import { onlyPrints } from "../awk-program.ts"
import { flags, has, type ParsedCall, type ProgramTable, type Refusal, valued } from "../program-table.ts"

const refuses = (call: ParsedCall): Refusal | undefined => {
  // That it takes its program from a file is said by the option; what the file holds is not known.
  const isGiven = has(call, "-f")
  const [program] = isGiven ? [] : call.operands
  if (!isGiven && (program === undefined || !program.isExact || !onlyPrints(program.text)))
    return has(call, "--version")
      ? undefined
      : { effect: "unknown", why: "a program of `awk` that is not known to print only" }
  // Some of them take such a name for a connection.
  return call.operands.slice(isGiven ? 0 : 1).some(({ text }) => /^\/+inet/.test(text))
    ? { effect: "connects", why: "`awk` takes `/inet…` for a connection" }
    : undefined
}

/** The options of the standard; each awk has others of its own, which load code, write files or take text for programs. */
const awk = (name: string): ProgramTable => ({
  name,
  reason: "prints what a program makes of the lines of the files that it is given",
  style: "leading",
  options: {
    ...flags("--version"),
    ...valued("-F"),
    ...valued("-v", { only: /^[a-z_][a-z0-9_]*=/ }),
    ...valued("-f", { value: "file", effect: "runs" })
  },
  operands: (call) => ({ first: has(call, "-f") ? [] : ["text"], rest: "file" }),
  refuses
})

export const awks: ReadonlyArray<ProgramTable> = ["awk", "gawk", "mawk", "nawk"].map(awk)
