import { describe, expect } from "bun:test"
import { createCipheriv, randomBytes, scryptSync } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { hostname, tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Option, Redacted, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { forgetApiKey, storeApiKey, storedApiKey } from "./api-key.ts"
import { make, type SystemStore } from "./credentials.ts"
import { readSecret } from "./credentials-file.ts"

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

const refusing = () => Promise.reject(new Error("no key store here"))
const silent = () => new Promise<never>(() => undefined)
const noStore: SystemStore = { get: refusing, set: refusing, delete: refusing }
const silentStore: SystemStore = { get: silent, set: silent, delete: silent }
const holding = (secret: string | null): SystemStore => {
  let held = secret
  return {
    get: async () => held,
    set: async (_, value) => {
      held = value
    },
    delete: async () => {
      held = null
      return true
    }
  }
}
const shown = Option.map(Redacted.value<string>)
const key = (content: string | undefined, store: SystemStore = noStore, fileOnly = false) =>
  Effect.flatMap(homeWith(content), (home) => Effect.map(storedApiKey(make({ home, fileOnly }, store)), shown))

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
      expect(Option.isNone(yield* storedApiKey(make({ home: undefined, fileOnly: false }, noStore)))).toBe(true)
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
      const fiber = yield* Effect.fork(storedApiKey(make({ home, fileOnly: false }, silentStore)))
      yield* TestClock.adjust("1999 millis")
      expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
      yield* TestClock.adjust("1 millis")
      expect(Option.isNone(yield* Fiber.join(fiber))).toBe(true)
    })
  )
})

describe("storing a key", () => {
  const saved = (options: { readonly home: string; readonly fileOnly: boolean }, store: SystemStore) =>
    Effect.map(storedApiKey(make(options, store)), shown)
  const secret = Redacted.make("secret")

  it.live("puts it into the key store of the system, in the form that other versions read", () =>
    Effect.gen(function* () {
      const options = { home: yield* homeWith(undefined), fileOnly: false }
      const store = holding(null)
      expect(yield* storeApiKey(secret, make(options, store))).toEqual({ _tag: "System" })
      expect(JSON.parse((yield* Effect.promise(() => store.get({ service: "", account: "" }))) ?? "")).toEqual({
        serverName: "default-api-key",
        token: { accessToken: "secret", tokenType: "ApiKey" },
        updatedAt: expect.any(Number)
      })
      expect(existsSync(join(options.home, ".gemini/gemini-credentials.json"))).toBe(false)
      expect(yield* saved(options, store)).toEqual(Option.some("secret"))
    })
  )

  const forgetful: SystemStore = { ...holding(null), get: async () => null }
  const stores: ReadonlyArray<readonly [name: string, store: SystemStore, fileOnly: boolean]> = [
    ["the system has no store", noStore, false],
    ["the store keeps nothing", forgetful, false],
    ["the file is wanted", holding(null), true]
  ]
  for (const [name, store, fileOnly] of stores) {
    it.live(`puts it into a file for the user alone where ${name}`, () =>
      Effect.gen(function* () {
        const options = { home: yield* homeWith(undefined), fileOnly }
        const path = join(options.home, ".gemini/gemini-credentials.json")
        expect(yield* storeApiKey(secret, make(options, store))).toEqual({ _tag: "File", file: path })
        expect(statSync(path).mode & 0o777).toBe(0o600)
        expect(readFileSync(path, "utf8")).not.toContain("secret")
        expect(yield* saved(options, store)).toEqual(Option.some("secret"))
      })
    )
  }

  it.live("leaves the other secrets of the file alone, and forgetting removes only the key", () =>
    Effect.gen(function* () {
      const other = { service: "other", account: "who" }
      const options = { home: yield* homeWith(encrypt('{"other":{"who":"kept"}}')), fileOnly: true }
      const path = join(options.home, ".gemini/gemini-credentials.json")
      const identity = { hostname: hostname(), user: userInfo().username }
      yield* storeApiKey(secret, make(options, noStore))
      yield* forgetApiKey(make(options, noStore))
      expect(yield* readSecret(path, other, identity)).toEqual(Option.some("kept"))
      expect(yield* saved(options, noStore)).toEqual(Option.none())
    })
  )

  it.live("forgetting the last secret removes the file, and asks the system to forget too", () =>
    Effect.gen(function* () {
      const options = { home: yield* homeWith(undefined), fileOnly: false }
      yield* storeApiKey(secret, make(options, noStore))
      const store = holding(token("system"))
      yield* forgetApiKey(make(options, store))
      expect(yield* saved(options, store)).toEqual(Option.none())
      expect(existsSync(join(options.home, ".gemini/gemini-credentials.json"))).toBe(false)
    })
  )

  it.live("never writes over a file that it cannot read", () =>
    Effect.gen(function* () {
      const damaged = encrypt(file("x"), 12, "elsewhere")
      const options = { home: yield* homeWith(damaged), fileOnly: true }
      const error = yield* Effect.flip(storeApiKey(secret, make(options, noStore)))
      expect(error.message).toContain("gemini-credentials.json")
      expect(readFileSync(join(options.home, ".gemini/gemini-credentials.json"), "utf8")).toBe(damaged)
    })
  )

  it.live("without any place says what to do instead", () =>
    Effect.map(Effect.flip(storeApiKey(secret, make({ home: undefined, fileOnly: false }, noStore))), (error) =>
      expect(error.hint).toContain("GEMINI_API_KEY")
    )
  )
})
