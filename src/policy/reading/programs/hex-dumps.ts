/** Bytes of files as numbers. */
import { flags, optional, type ProgramTable, valued } from "../program-table.ts"

const od: ProgramTable = {
  name: "od",
  reason: "prints the bytes of the files that it is given",
  options: {
    ...flags("-a -b -c -d -f -i -l -o -s -x -v --output-duplicates --help --version"),
    ...valued("-A -j -N -S -t --address-radix --endian --skip-bytes --read-bytes --format"),
    ...optional("-w --width --strings")
  },
  // A last word such as `+10` is an offset; taken for a file it is looked up where it would be.
  operands: { rest: "file" }
}

const hexdump: ProgramTable = {
  name: "hexdump",
  reason: "prints the bytes of the files that it is given",
  options: {
    ...flags("-b -c -C -d -o -x -v -h -V --one-byte-octal --one-byte-char --canonical --two-bytes-decimal"),
    ...flags("--two-bytes-octal --two-bytes-hex --no-squeezing --help --version"),
    ...valued("-e -n -s --format --length --skip"),
    ...optional("-L --color"),
    ...valued("-f --format-file", { value: "file" })
  },
  operands: { rest: "file" }
}

const NUMBER = /^[-+]{0,2}\d[\da-fA-FxX]*$/

/** Letters are not grouped, a second file is written. `-n` is left out: `-name` would be the same option. */
const xxd: ProgramTable = {
  name: "xxd",
  reason: "prints the bytes of a file, or makes bytes of such a print",
  style: "leading",
  hasLoneLetters: true,
  options: {
    ...flags("-a -b -C -E -e -h -i -p -ps -plain -r -d -u -v"),
    ...valued("-c -g -l -o -s", { only: NUMBER })
  },
  operands: { first: ["file", "output"], rest: "none" }
}

export const hexDumps: ReadonlyArray<ProgramTable> = [od, hexdump, xxd]
