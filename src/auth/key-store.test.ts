import { describe, expect } from "bun:test"
import { createCipheriv, randomBytes, scryptSync } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Option, Redacted, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { storedApiKey } from "./key-store.ts"

const token = (accessToken: string) =>
  JSON.stringify({ serverName: "default-api-key", token: { accessToken, tokenType: "ApiKey" }, updatedAt: 1 })

const encrypt = (plain: string, ivBytes = 12, machine = hostname()) => {
  const key = scryptSync("gemini-cli-oauth", `${machine}-${userInfo().username}-gemini-cli`, 32)
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()])
  return `${iv.toString("hex")}:${cipher.getAuthTag().toString("hex")}:${body.toString("hex")}`
}

const file = (accessToken: string) =>
  JSON.stringify({ "gemini-cli-api-key": { "default-api-key": token(accessToken) } })

const homeWith = (content: string | undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const home = mkdtempSync(join(tmpdir(), "keys-"))
      mkdirSync(join(home, ".gemini"))
      if (content !== undefined) writeFileSync(join(home, ".gemini", "gemini-credentials.json"), content)
      return home
    }),
    (home) => Effect.sync(() => rmSync(home, { recursive: true }))
  )

const noStore = () => Promise.reject(new Error("no key store here"))
const holding = (secret: string | null) => () => Promise.resolve(secret)
const shown = Option.map(Redacted.value<string>)
const key = (content: string | undefined, store: () => Promise<string | null> = noStore, fileOnly = false) =>
  Effect.flatMap(homeWith(content), (home) => Effect.map(storedApiKey({ home, fileOnly }, store), shown))

describe("a stored key", () => {
  it.live("comes from the key store of the system", () =>
    Effect.gen(function* () {
      expect(yield* key(undefined, holding(token("system")))).toEqual(Option.some("system"))
      expect(yield* key(encrypt(file("file")), holding(token("system")))).toEqual(Option.some("system"))
    })
  )

  it.live("comes from the file where the system has none, holds none, or must not be asked", () =>
    Effect.gen(function* () {
      const content = encrypt(file("file"))
      expect(yield* key(content)).toEqual(Option.some("file"))
      expect(yield* key(content, holding(null))).toEqual(Option.some("file"))
      expect(yield* key(content, holding("not what we store"))).toEqual(Option.some("file"))
      expect(yield* key(content, holding(token("system")), true)).toEqual(Option.some("file"))
    })
  )

  it.live("is read from files of the older form too", () =>
    Effect.map(key(encrypt(file("old"), 16)), (found) => expect(found).toEqual(Option.some("old")))
  )

  it.live("may not exist", () =>
    Effect.gen(function* () {
      expect(yield* key(undefined)).toEqual(Option.none())
      expect(yield* key(encrypt("{}"))).toEqual(Option.none())
      expect(yield* key(encrypt(file("")))).toEqual(Option.none())
      expect(Option.isNone(yield* storedApiKey({ home: undefined, fileOnly: false }, noStore))).toBe(true)
    })
  )

  const damaged: ReadonlyArray<readonly [name: string, content: string]> = [
    ["another machine", encrypt(file("x"), 12, "elsewhere")],
    ["a changed byte", encrypt(file("x")).replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
    ["no cipher text", "hello"],
    ["a tag that is too short", "00:00:00"],
    ["an empty file", ""],
    ["content that is no list of secrets", encrypt("[]")]
  ]
  for (const [name, content] of damaged) {
    it.live(`in a file that cannot be used (${name}) is an error that names the file`, () =>
      Effect.map(Effect.flip(key(content)), (error) => {
        expect(error.reason).toBe("key-store")
        expect(error.message).toContain("gemini-credentials.json")
        expect(error.hint).toContain("Delete or rename")
      })
    )
  }

  it.effect("is not waited for longer than two seconds", () =>
    Effect.gen(function* () {
      const home = yield* homeWith(undefined)
      const fiber = yield* Effect.fork(storedApiKey({ home, fileOnly: false }, () => new Promise(() => undefined)))
      yield* TestClock.adjust("1999 millis")
      expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
      yield* TestClock.adjust("1 millis")
      expect(Option.isNone(yield* Fiber.join(fiber))).toBe(true)
    })
  )
})
