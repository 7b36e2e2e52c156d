/** Shells that run the text behind `-c`: what it does is judged by its own commands. Without `-c` they run a file. */
import { flags, has, type ProgramTable } from "../program-table.ts"

const shell = (name: string): ProgramTable => ({
  name,
  reason: "runs the text behind -c, which is judged by itself",
  style: "leading",
  options: flags("-c -l -e -u -x"),
  operands: { rest: "text" },
  refuses: (call) =>
    has(call, "-c") ? undefined : { effect: "runs", why: `\`${name}\` without \`-c\` runs a file or its input` }
})

export const shells: ReadonlyArray<ProgramTable> = [shell("bash"), shell("sh")]
