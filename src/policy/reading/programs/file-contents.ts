/** Programs that print what stands in files, all of it or a part, compare it, or write it in another alphabet. */
import { flags, has, type OptionTable, optional, type ProgramTable, valued } from "../program-table.ts"

export const cat: ProgramTable = {
  name: "cat",
  reason: "prints the files that it is given",
  options: flags(
    "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version"
  ),
  operands: { rest: "file" }
}

/** `tail` prints the end of files, and with `-f` what is added to them until it is ended. */
export const tail: ProgramTable = {
  name: "tail",
  reason: "prints the end of the files that it is given",
  hasNumberOption: true,
  options: {
    ...flags("-f -F -q -v -z --quiet --silent --retry --verbose --zero-terminated --help --version"),
    ...valued("-c -n -s --bytes --lines --max-unchanged-stats --pid --sleep-interval"),
    ...optional("--follow")
  },
  operands: { rest: "file" }
}

/** `wc` counts. A list of files in a file is another way to name files. */
export const wc: ProgramTable = {
  name: "wc",
  reason: "counts lines, words and bytes of the files that it is given",
  options: {
    ...flags("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --help --version"),
    ...valued("--files0-from", { effect: "reaches" })
  },
  operands: { rest: "file" }
}

/** `cmp` compares two files; behind them stand how many bytes of each to skip. */
export const cmp: ProgramTable = {
  name: "cmp",
  reason: "prints where two files differ",
  options: {
    ...flags("-b -l -s -v --print-bytes --verbose --quiet --silent --help --version"),
    ...valued("-i -n --ignore-initial --bytes")
  },
  operands: { first: ["file", "file", "text", "text"], rest: "none" }
}

const LINE_FORMATS = ["old", "new", "unchanged"].map((type) => `--${type}-line-format --${type}-group-format`)

/**
 * `diff` compares files, and of folders the files in them. It follows the links that it finds there, unless told
 * otherwise, and hands its output to `pr` with `-l`.
 */
export const diff: ProgramTable = {
  name: "diff",
  reason: "prints where files differ",
  options: {
    ...flags("-q -s -c -u -e -n -y -p -t -T -r -N -i -E -Z -b -w -B -a -d -v --normal --brief --ed --rcs --text"),
    ...flags("--report-identical-files --side-by-side --left-column --suppress-common-lines --show-c-function"),
    ...flags("--expand-tabs --initial-tab --suppress-blank-empty --recursive --no-dereference --new-file"),
    ...flags("--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --minimal"),
    ...flags("--ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space"),
    ...flags("--ignore-blank-lines --strip-trailing-cr --speed-large-files --help --version"),
    ...valued("-C -U -W -F -x -S -I -D --width --show-function-line --label --tabsize --exclude --starting-file"),
    ...valued("--ignore-matching-lines --ifdef --horizon-lines --palette --line-format --changed-group-format"),
    ...valued(LINE_FORMATS.join(" ")),
    ...optional("--context --unified --color"),
    ...valued("-X --exclude-from", { value: "file" }),
    ...valued("--from-file --to-file", { value: "followed" }),
    ...flags("-l --paginate", { effect: "runs" })
  },
  operands: (call) => ({ rest: has(call, "--no-dereference") ? "tree" : "followed" })
}

/**
 * `diffstat` counts the lines of a patch. It starts a program for a file whose name says that it is packed, and with the
 * folders of `-S` and `-D` it reads the files that the patch names.
 */
export const diffstat: ProgramTable = {
  name: "diffstat",
  reason: "prints how much a patch changes",
  options: {
    ...flags("-b -c -C -E -h -k -K -l -m -q -R -s -t -T -u -V"),
    ...valued("-f -n -N -p -r -w"),
    ...valued("-S -D", { effect: "reaches" }),
    ...valued("-e -o", { value: "output" })
  },
  operands: { rest: "file" },
  refuses: ({ operands }) =>
    operands.every(({ isExact, text }) => isExact && /^-$|\.(?:diff|patch|txt)$/.test(text))
      ? undefined
      : { effect: "runs", why: "`diffstat` unpacks a file by its name with another program" }
}

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

/** Checksums of files. Checking a list reads the files that the list names. */
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

const encoding = (name: string): ProgramTable => ({
  name,
  reason: "prints a file in another alphabet, or back",
  options: { ...flags("-d -i --decode --ignore-garbage --help --version"), ...valued("-w --wrap") },
  operands: { first: ["file"], rest: "none" }
})

/**
 * `base64` and `base32` print a file, or their input, in another alphabet; on GNU systems they have no output file.
 */
export const baseEncodings: ReadonlyArray<ProgramTable> = [encoding("base64"), encoding("base32")]

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

/** Bytes of files as numbers. */
export const hexDumps: ReadonlyArray<ProgramTable> = [od, hexdump, xxd]
