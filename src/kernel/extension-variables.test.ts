// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts under test.
import { expect, test } from "bun:test"
import { fillAllVariables, fillVariables } from "./extension-variables.ts"

const place = { extensionPath: "/ext", workspacePath: "/work" }

test.each([
  ["${extensionPath}${/}server.js", "/ext/server.js"],
  ["${workspacePath}${pathSeparator}x", "/work/x"],
  ["${extensionPath} twice ${extensionPath}", "/ext twice /ext"],
  ["${HOME} $extensionPath ${extensionpath} ${", "${HOME} $extensionPath ${extensionpath} ${"],
  ["plain", "plain"]
])("%s becomes %s", (text, filled) => {
  expect(fillVariables(text, place)).toBe(filled)
})

test("a filled value is not looked at again", () => {
  expect(fillVariables("${extensionPath}", { ...place, extensionPath: "/a/${workspacePath}" })).toBe(
    "/a/${workspacePath}"
  )
})

test("strings at every depth are filled, names are not", () => {
  const value = { "${extensionPath}": ["${extensionPath}", { deep: "${/}" }, 1, null, true] }
  expect(fillAllVariables(value, place)).toEqual({ "${extensionPath}": ["/ext", { deep: "/" }, 1, null, true] })
})
