/** Variables that say what a container is to have, and their faults. */
import { describe, expect, test } from "bun:test"
import { Either } from "effect"
import { isMapped } from "./container-image.ts"
import { containerWishes, flagWords } from "./container-wishes.ts"

const get = (variables: Readonly<Record<string, string>>) => (name: string) =>
  Object.hasOwn(variables, name) ? variables[name] : undefined

const wishes = (variables: Readonly<Record<string, string>>) =>
  containerWishes(get(variables), (path) => path.startsWith("/there"))

describe("words of options", () => {
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["", []],
    ["  a  b ", ["a", "b"]],
    [`"a b" 'c d' e\\ f`, ["a b", "c d", "e f"]],
    [`a"b"'c'`, ["abc"]],
    [`"" x`, ["", "x"]],
    [`$X "\${X}" '$X' \\$X $NONE`, ["1", "1", "$X", "$X", ""]],
    [`"it's"`, ["it's"]],
    ["a;b|c $(d)", ["a;b|c", "$(d)"]]
  ]
  test.each(rows)("%s", (text, words) => {
    expect(Either.getOrThrow(flagWords(text, get({ X: "1" })))).toEqual([...words])
  })

  test("a quote that is not closed is a fault", () => {
    expect(Either.isLeft(flagWords(`a "b`, () => undefined))).toBe(true)
  })
})

test("mounts, variables and ports", () => {
  expect(
    Either.getOrThrow(
      wishes({
        SANDBOX_MOUNTS: "/there, /there/a:/b, /there/c:/d:rw",
        SANDBOX_ENV: "A=1, B=x=y,C=",
        SANDBOX_PORTS: "80,8080"
      })
    )
  ).toEqual({
    flags: [],
    mounts: [
      { from: "/there", to: "/there", mode: "ro" },
      { from: "/there/a", to: "/b", mode: "ro" },
      { from: "/there/c", to: "/d", mode: "rw" }
    ],
    variables: { A: "1", B: "x=y", C: "" },
    ports: [80, 8080]
  })
})

test.each([
  [{ SANDBOX_MOUNTS: "/gone" }, "/gone does not exist"],
  [{ SANDBOX_MOUNTS: "rel" }, "rel is not an absolute path"],
  [{ SANDBOX_MOUNTS: "/there:rel" }, "rel is not an absolute path"],
  [{ SANDBOX_MOUNTS: "/there:/b:exec" }, "is not from[:to[:ro|rw]]"],
  [{ SANDBOX_ENV: "NAME" }, '"NAME" is not NAME=value'],
  [{ SANDBOX_ENV: "1A=b" }, "is not NAME=value"],
  [{ SANDBOX_PORTS: "0" }, '"0" is not a port'],
  [{ SANDBOX_PORTS: "http" }, '"http" is not a port']
])("%j is refused", (variables, said) => {
  expect(Either.getOrThrow(Either.flip(wishes(variables)))).toContain(said)
})

test.each([
  [undefined, "ID=debian\n", true],
  [undefined, 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', true],
  [undefined, "ID=linuxmint\nID_LIKE=ubuntu\n", true],
  [undefined, "ID=alpine\n", false],
  [undefined, "", false],
  ["1", "", true],
  ["False", "ID=debian\n", false]
])("SANDBOX_SET_UID_GID %s on %j is %s", (wish, release, expected) => {
  expect(isMapped(wish, () => release)).toEqual(
    Either.right((expected && process.platform === "linux") || wish === "1")
  )
})
