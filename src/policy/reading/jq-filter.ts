/**
 * Whether a filter of jq only looks at its input. Read by words: functions that are listed, and nothing else. Left out are
 * those that tell the environment or load modules, and what a newer jq may add.
 */

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

export const onlyLooks = (filter: string): boolean => {
  /** For each computed part of a text that is open: how many parentheses are open in it. */
  const depths: Array<number> = []
  let at = 0
  const text = (): boolean => {
    TEXT.lastIndex = at
    const found = TEXT.exec(filter)
    if (found === null) return false
    at += found[0].length
    if (found.groups?.stop !== '"') depths.push(0)
    return true
  }
  while (at < filter.length) {
    TOKEN.lastIndex = at
    const { 0: found = "", groups = {} } = TOKEN.exec(filter) ?? {}
    if (found === "") return false
    at += found.length
    if (groups.quote !== undefined && !text()) return false
    if (groups.name !== undefined && !KNOWN.has(found)) return false
    if (groups.variable !== undefined && /^\$(?:ENV$|__)/.test(found)) return false
    const open = depths.at(-1)
    if (open === undefined) continue
    if (found === "(") depths[depths.length - 1] = open + 1
    if (found === ")" && open > 0) depths[depths.length - 1] = open - 1
    if (found === ")" && open === 0) {
      depths.pop()
      if (!text()) return false
    }
  }
  return depths.length === 0
}
