/** `jq` prints what a filter makes of JSON. Filters are known as far as they only look at their input. */
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

const KNOWN = new Set(
  [
    "if then elif else end and or not as reduce foreach try catch label break def empty error null true false",
    "length utf8bytelength keys keys_unsorted values has in inside contains map map_values path paths del getpath",
    "setpath delpaths pick to_entries from_entries with_entries select recurse arrays objects iterables booleans",
    "numbers normals finites strings nulls scalars add any all flatten range floor ceil round sqrt pow log log2 log10",
    "exp exp2 exp10 fabs abs trunc infinite nan isinfinite isnan isnormal isvalid sort sort_by group_by min max min_by",
    "max_by unique unique_by reverse indices index rindex startswith endswith ltrimstr rtrimstr trimstr trim ltrim",
    "rtrim explode implode split splits join ascii while until repeat test match capture scan sub gsub",
    "ascii_downcase ascii_upcase tostring tonumber toboolean type tojson fromjson todate fromdate now localtime gmtime",
    "mktime strftime strptime strflocaltime dateadd datesub date todateiso8601 fromdateiso8601 transpose bsearch",
    "combinations walk first last nth limit skip isempty halt tostream fromstream truncate_stream input inputs",
    "input_line_number leaf_paths significand gamma lgamma tgamma toarray have_literal_numbers"
  ].flatMap((names) => names.split(" "))
)

const TOKEN =
  /(?<space>\s+)|(?<field>\.[A-Za-z_]\w*|\.\.)|(?<variable>\$[A-Za-z_]\w*)|(?<format>@[a-z]\w*)|(?<key>[A-Za-z_]\w*(?=\s*:(?!:)))|(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(?<sign>[-.[\]{}|,:;=<>!+*/%?()])|(?<quote>")/y

/** Up to the end of the text, or to what is computed in it. */
const TEXT = /(?:[^"\\]|\\[^(])*(?<stop>"|\\\()/y

/**
 * Whether a filter of jq only looks at its input. Read by words: functions that are listed, and nothing else. Left out are
 * those that tell the environment or load modules, and what a newer jq may add.
 */
const onlyLooks = (filter: string): boolean => {
  /** Brackets that are open; `"` stands for a computed part of a text. */
  const open: Array<string> = []
  let at = 0
  let last = ""
  const text = (): boolean => {
    TEXT.lastIndex = at
    const found = TEXT.exec(filter)
    if (found === null) return false
    at += found[0].length
    if (found.groups?.stop !== '"') open.push('"')
    return true
  }
  while (at < filter.length) {
    TOKEN.lastIndex = at
    const { 0: found = "", groups = {} } = TOKEN.exec(filter) ?? {}
    if (found === "") return false
    at += found.length
    if (groups.quote !== undefined && !text()) return false
    // Only where an object is written out is it a name; in `.[env:]` the same word is called.
    const isKey = groups.key !== undefined && open.at(-1) === "{" && (last === "{" || last === ",")
    if ((groups.name ?? groups.key) !== undefined && !isKey && !KNOWN.has(found)) return false
    if (groups.variable !== undefined && /^\$(?:ENV$|__)/.test(found)) return false
    if (groups.space === undefined) last = found
    if (/^[[{(]$/.test(found)) open.push(found)
    if (/^[\]})]$/.test(found)) {
      const opened = open.pop()
      if (opened === '"' && found === ")") {
        if (!text()) return false
      } else if (opened === undefined || opened + found !== PAIRS[found]) return false
    }
  }
  return open.length === 0
}

const PAIRS: Readonly<Record<string, string>> = { "]": "[]", "}": "{}", ")": "()" }
