import { expect, test } from "bun:test"
import { Either, FastCheck as fc } from "effect"
import type { OutputFormat } from "../protocol/modes.ts"
import { rootOptions } from "./option-table.ts"
import { sniffOutputFormat } from "./output-format-sniff.ts"
import { parseArgv } from "./parse-argv.ts"

test.each<[ReadonlyArray<string>, OutputFormat | undefined]>([
  [["-o", "json"], "json"],
  [["-ojson"], "json"],
  [["-o=stream-json"], "stream-json"],
  [["-dyo", "json"], "json"],
  [["--output-format", "json"], "json"],
  [["--output-format=json"], "json"],
  [["--outputFormat=json"], "json"],
  [["-o", "text", "-o", "json"], "json"],
  [["--nonsense", "-o", "json"], "json"],
  [["-o", "xml"], undefined],
  [["-o"], undefined],
  [["--output-formatter=json"], undefined],
  [["--", "-o", "json"], undefined],
  [[], undefined]
])("%j", (argv, expected) => expect(sniffOutputFormat(argv)).toBe(expected))

test("it agrees with the parser on command lines that are right", () => {
  const token = fc.constantFrom(
    "-o",
    "json",
    "-otext",
    "-d",
    "-dojson",
    "--output-format=json",
    "--outputFormat",
    "text",
    "x"
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 6 }), (argv) => {
      const parsed = parseArgv(rootOptions, argv)
      if (Either.isRight(parsed))
        expect(sniffOutputFormat(argv)).toBe(parsed.right.options.outputFormat as OutputFormat)
    })
  )
})
