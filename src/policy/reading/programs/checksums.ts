/** Checksums of files. Checking a list reads the files that the list names. */
import { flags, type OptionTable, type ProgramTable, valued } from "../program-table.ts"

const REPORT = "-w -z --tag --zero --ignore-missing --quiet --status --strict --warn --help --version"

const checksum = (name: string, options: OptionTable): ProgramTable => ({
  name,
  reason: "prints checksums of the files that it is given",
  options,
  operands: { rest: "file" }
})

const digest = (name: string, more: OptionTable = {}): ProgramTable =>
  checksum(name, {
    ...flags(`-b -t --binary --text ${REPORT}`),
    ...flags("-c --check", { effect: "reaches" }),
    ...more
  })

export const checksums: ReadonlyArray<ProgramTable> = [
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"].map((name) => digest(name)),
  digest("b2sum", valued("-l --length")),
  checksum("cksum", {
    ...flags(`--untagged --debug ${REPORT}`),
    ...valued("-a -l --algorithm --length"),
    ...flags("-c --check", { effect: "reaches" })
  }),
  checksum("sum", flags("-r -s --sysv --help --version"))
]
