import { expect, test } from "bun:test"
import type { OptionRow } from "./option-row.ts"
import { unknownOption } from "./unknown-option.ts"

const rows: ReadonlyArray<OptionRow> = [
  { long: "json", type: "boolean", description: "" },
  { long: "output-format", short: "o", aliases: ["format"], type: "choice", description: "" }
]

test.each<[string, string | undefined]>([
  ["", undefined],
  ["name --json", undefined],
  ["--no-json", undefined],
  ["-o json name", undefined],
  ["--output-format=json --format text --outputFormat x", undefined],
  ["--output-format --json", undefined],
  ["name --nonsense", "--nonsense"],
  ["--json=true --jsn=1", "--jsn=1"],
  ["-o json -x", "-x"],
  ["-", undefined]
])("%j", (line, expected) => expect(unknownOption(line.split(" ").filter(Boolean), rows)).toBe(expected))
