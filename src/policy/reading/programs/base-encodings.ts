/** `base64` and `base32` print a file, or their input, in another alphabet; on GNU systems they have no output file. */
import { flags, type ProgramTable, valued } from "../program-table.ts"

const encoding = (name: string): ProgramTable => ({
  name,
  reason: "prints a file in another alphabet, or back",
  options: { ...flags("-d -i --decode --ignore-garbage --help --version"), ...valued("-w --wrap") },
  operands: { first: ["file"], rest: "none" }
})

export const baseEncodings: ReadonlyArray<ProgramTable> = [encoding("base64"), encoding("base32")]
