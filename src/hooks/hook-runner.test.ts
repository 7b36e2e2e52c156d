/** What the shell gets for a command as it is written. */
import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { commandText } from "./hook-runner.ts"

describe("the text of a command", () => {
  const places = { GEMINI_PROJECT_DIR: "/a b", GEMINI_CWD: "/plain" }
  const TABLE: ReadonlyArray<readonly [string, string]> = [
    ["$GEMINI_PROJECT_DIR/x.sh", "'/a b'/x.sh"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own way to write it.
    ["${GEMINI_PROJECT_DIR}/x.sh $GEMINI_CWD", "'/a b'/x.sh /plain"],
    ['"$GEMINI_PROJECT_DIR/x.sh"', '"$GEMINI_PROJECT_DIR/x.sh"'],
    ["'$GEMINI_CWD' $GEMINI_CWD", "'$GEMINI_CWD' /plain"],
    ["\\$GEMINI_CWD", "\\$GEMINI_CWD"],
    ["$GEMINI_CWDS $HOME $", "$GEMINI_CWDS $HOME $"],
    ['"it\'s" $GEMINI_CWD', '"it\'s" /plain']
  ]
  test.each(TABLE)("%s", (written, made) => expect(commandText(written, places)).toBe(made))
  test("without a place, nothing is touched", () => {
    fc.assert(fc.property(fc.string(), (text) => expect(commandText(text, {})).toBe(text)))
  })
})
