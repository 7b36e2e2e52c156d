import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { type CreditOffer, creditsIn, creditsPage, type OverageStrategy, paidCredits } from "./paid-credits.ts"

const PRO = "gemini-3.1-pro-preview"
const of = (
  strategy: OverageStrategy,
  balance: number | undefined,
  asked: Effect.Effect<number | undefined, unknown>
) => paidCredits({ strategy, balance, ask: asked })

describe("a balance", () => {
  const ours = (creditAmount: string | null) => ({ creditType: "GOOGLE_ONE_AI", creditAmount })
  test.each([
    ["nothing listed", undefined, undefined],
    ["nothing of this kind", [{ creditType: "OTHER", creditAmount: "9" }], undefined],
    ["a sum", [ours("40"), { creditType: "OTHER", creditAmount: "9" }, ours("60")], 100],
    ["amounts that are none", [ours("-5"), ours("1e9"), ours(null), ours("")], 0]
  ] as const)("%s", (_, list, balance) => expect(creditsIn(list)).toBe(balance))
})

describe("a request says that they may be used", () => {
  test.each<[OverageStrategy, number | undefined, string, boolean]>([
    ["always", 50, PRO, true],
    ["always", 49, PRO, false],
    ["always", undefined, PRO, false],
    ["always", 500, "gemini-2.5-pro", false],
    ["ask", 500, PRO, false],
    ["never", 500, PRO, false]
  ])("%s, %p left, %s: %p", (strategy, balance, model, expected) =>
    expect(of(strategy, balance, Effect.succeed(balance)).pay(model)).toBe(expected)
  )
})

describe("what is put to the person", () => {
  const rows: ReadonlyArray<[OverageStrategy, number | undefined, number | undefined, CreditOffer | undefined]> = [
    ["ask", 10, 80, { balance: 80, isEnough: true }],
    ["ask", 80, 10, { balance: 10, isEnough: false }],
    ["always", 80, 10, { balance: 10, isEnough: false }],
    // They were used, and it was refused all the same.
    ["always", 80, 80, undefined],
    ["never", 80, 80, undefined],
    ["ask", undefined, 80, undefined]
  ]
  for (const [strategy, before, now, expected] of rows) {
    it.effect(`${strategy}, ${before} a while ago, ${now} now`, () =>
      Effect.map(of(strategy, before, Effect.succeed(now)).offer(PRO), (offer) => expect(offer).toEqual(expected))
    )
  }

  it.effect("a server that does not say: what was known", () =>
    Effect.map(of("ask", 70, Effect.fail("down")).offer(PRO), (offer) => expect(offer?.balance).toBe(70))
  )

  it.effect("whoever agreed pays from then on, until too few are left", () =>
    Effect.gen(function* () {
      const credits = of("ask", 70, Effect.succeed(70))
      yield* credits.agree
      expect(credits.pay(PRO)).toBe(true)
      credits.noteLeft(20)
      expect([credits.pay(PRO), credits.balance()]).toEqual([false, 20])
    })
  )
})

test("the page names the account where it is known", () => {
  expect(creditsPage("credits", undefined)).toBe("https://one.google.com/ai/credits")
  expect(creditsPage("activity", "a+b@c.de")).toBe(
    "https://accounts.google.com/AccountChooser?Email=a%2Bb%40c.de&continue=https%3A%2F%2Fone.google.com%2Fai%2Factivity"
  )
})
