/** `jq` prints what a filter makes of JSON. Filters are known as far as they only look at their input. */
import { onlyLooks } from "../jq-filter.ts"
import { flags, has, type OptionTable, type ProgramTable, spaced, valued } from "../program-table.ts"

const named: OptionTable = Object.fromEntries([
  ...["--arg", "--argjson"].map((name) => [name, { takes: 2 }] as const),
  ...["--slurpfile", "--rawfile", "--argfile"].map((name) => [name, { takes: 2, value: "file" }] as const)
])

export const jq: ProgramTable = {
  name: "jq",
  reason: "prints what a filter makes of the files that it is given",
  options: {
    ...flags("-a -C -c -e -h -j -M -n -R -r -S -s -V --args --ascii-output --build-configuration --color-output"),
    ...flags("--compact-output --exit-status --help --join-output --jsonargs --monochrome-output --null-input"),
    ...flags("--raw-input --raw-output --raw-output0 --seq --slurp --sort-keys --stream --stream-errors --tab"),
    ...flags("--unbuffered --version"),
    ...spaced("--indent"),
    ...named,
    // Some releases take the next word for the file, others the first that is no option.
    ...flags("-f --from-file", { effect: "runs" }),
    ...valued("-L --library-path", { effect: "runs" })
  },
  // Also where they are said to be texts: which of them are depends on the order.
  operands: { first: ["text"], rest: "file" },
  refuses: (call) => {
    const [filter] = call.operands
    if (filter === undefined && has(call, "-h", "--help", "-V", "--version", "--build-configuration")) return undefined
    // Without one the input is printed as it is.
    const isKnown = filter === undefined || (filter.isExact && onlyLooks(filter.text))
    return isKnown
      ? undefined
      : { effect: "unknown", why: "a filter of `jq` that is not known to look at its input only" }
  }
}
