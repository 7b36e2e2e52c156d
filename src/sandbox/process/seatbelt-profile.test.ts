/** The text of macOS profiles: what each allows, read as the list of lists that it is. */
import { describe, expect, test } from "bun:test"
import { SEATBELT_PROFILES, seatbeltNamed, seatbeltProfile } from "./seatbelt-profile.ts"

type Form = string | ReadonlyArray<Form>

/** Throws where a bracket or a quote does not fit: the system would take such a profile for an error, at the start. */
const formsOf = (text: string): ReadonlyArray<Form> => {
  const stack: Array<Array<Form>> = [[]]
  const pieces = text.replace(/^;.*$/gm, "").matchAll(/(\()|(\))|(#?"(?:[^"\\]|\\.)*")|([^\s()"]+)/g)
  for (const [, opens, closes, quote, word] of pieces) {
    if (opens !== undefined) stack.push([])
    else if (closes !== undefined) {
      const form = stack.pop()
      const outer = stack.at(-1)
      if (form === undefined || outer === undefined) throw new Error("a bracket too many")
      outer.push(form)
    } else stack.at(-1)?.push(quote ?? word ?? "")
  }
  const [forms, ...open] = stack
  if (forms === undefined || open.length > 0) throw new Error("a bracket is not closed")
  return forms
}

const textOf = (form: Form): string => (typeof form === "string" ? form : `(${form.map(textOf).join(" ")})`)

const profile = (name: string) => {
  const named = seatbeltNamed(name)
  if (named === undefined) throw new Error(`${name} is none`)
  return formsOf(seatbeltProfile(named)).map(textOf)
}

const about = (forms: ReadonlyArray<string>, operation: string) =>
  forms.filter((form) => new RegExp(`^\\((?:allow|deny) [^(]*${operation.replaceAll("*", "\\*")}`).test(form))

describe.each([...SEATBELT_PROFILES])("%s", (name) => {
  const forms = profile(name)

  test("denies everything before it allows anything", () => {
    expect(forms.slice(0, 2)).toEqual(["(version 1)", "(deny default)"])
  })

  test("writes in the workspace, and keeps what later runs obey", () => {
    const [allowed = "", , denied = ""] = about(forms, "file-write*")
    expect(allowed).toContain('(subpath (param "TARGET_DIR"))')
    expect(allowed).toContain('(subpath (param "INCLUDE_DIR_4"))')
    expect(allowed).not.toContain('(subpath "/")')
    expect(denied).toStartWith("(deny ")
    for (const kept of ["/.gemini/settings.json", "/.gemini/policies", "/.git/hooks"]) expect(denied).toContain(kept)
  })

  test("keeps engines of containers away", () => {
    const denied = forms.filter((form) => form.startsWith("(deny"))
    expect(denied.join()).toContain("docker.sock")
    expect(denied.join()).toContain('(regex #"/podman$")')
  })

  test("has the network that its name says", () => {
    const network = about(forms, "network-")
      .concat(about(forms, "network*"))
      .filter((form) => !form.includes("file-read*"))
    if (name.endsWith("-open")) expect(network).toContain("(allow network-outbound)")
    else expect(network).not.toContain("(allow network-outbound)")
    if (name.endsWith("-proxied")) expect(network.join()).toContain('(remote tcp "localhost:8877")')
    if (name.endsWith("-closed")) expect(network).toEqual(["(deny network*)"])
  })

  test("reads what its name says", () => {
    if (name.startsWith("strict-")) expect(forms).not.toContain("(allow file-read*)")
    else expect(forms).toContain("(allow file-read*)")
  })
})

test("there are eight, and no other name is one", () => {
  expect(SEATBELT_PROFILES).toHaveLength(8)
  for (const name of ["strict-closed", "open", "", "permissive-", "../permissive-open"]) {
    expect(seatbeltNamed(name)).toBeUndefined()
  }
})
