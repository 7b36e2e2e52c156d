import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import {
  type BudgetState,
  current,
  emptyState,
  LEASE_MS,
  renew,
  reserve,
  type SharedLimits,
  settle
} from "./budget-state.ts"

const wish = (id: string, tokens = 100, usd: number | undefined = 0.01) => ({ id, pid: 1, tokens, usd })
const NOW = 1_000_000

const admitted = (state: BudgetState, id: string, now = NOW, tokens?: number, usd?: number): BudgetState => {
  const admission = reserve(state, wish(id, tokens, usd), now)
  if (admission._tag !== "Reserved") throw new Error(`${id} was not admitted: ${JSON.stringify(admission)}`)
  return admission.state
}

const budget = (limit: SharedLimits): BudgetState => emptyState(limit)

describe("what fits", () => {
  test("requests are counted as soon as they are reserved", () => {
    const full = admitted(admitted(budget({ requests: 2 }), "a"), "b")
    expect(reserve(full, wish("c"), NOW)).toMatchObject({ _tag: "Refused", why: "2 of 2 requests are used" })
    const settled = settle(settle(full, wish("a"), { tokens: 1, usd: 0 }, NOW), wish("b"), undefined, NOW)
    expect(settled.used.requests).toBe(2)
    expect(reserve(settled, wish("c"), NOW)._tag).toBe("Refused")
  })

  test("a request waits for those whose reservations are in its way, and is refused where it can never fit", () => {
    const held = admitted(budget({ tokens: 150 }), "a")
    expect(reserve(held, wish("b"), NOW)).toMatchObject({ _tag: "Wait", why: "others" })
    expect(reserve(budget({ tokens: 99 }), wish("b"), NOW)).toMatchObject({
      _tag: "Refused",
      why: "0 tokens of 99 tokens are used, and this request is estimated at 100 tokens"
    })
    expect(reserve(budget({ usd: 0.009 }), wish("b"), NOW)._tag).toBe("Refused")
    expect(reserve(budget({ usd: 1 }), { ...wish("b"), usd: undefined }, NOW)._tag).toBe("Refused")
    expect(reserve(budget({ tokens: 200 }), { ...wish("b"), usd: undefined }, NOW)._tag).toBe("Reserved")
  })

  test("estimates learn from what requests took", () => {
    const once = settle(admitted(budget({ tokens: 120 }), "a"), wish("a"), { tokens: 10, usd: 0 }, NOW)
    const second = admitted(once, "b")
    expect(second.reserved).toMatchObject([{ tokens: 10 }])
  })
})

describe("rates", () => {
  test("no span of a minute has more requests or tokens than are allowed", () => {
    const two = admitted(admitted(budget({ requests_per_minute: 2 }), "a"), "b", NOW + 10_000)
    expect(reserve(two, wish("c"), NOW + 20_000)).toMatchObject({ _tag: "Wait", why: "rate", ms: 40_000 })
    const third = admitted(two, "c", NOW + 60_000)
    expect(reserve(third, wish("d"), NOW + 61_000)).toMatchObject({ ms: 9000 })
    const rated = admitted(budget({ tokens_per_minute: 150 }), "a")
    expect(reserve(rated, wish("b"), NOW + 1000)).toMatchObject({ ms: 59_000 })
    // Larger than the rate: alone, it goes.
    expect(reserve(budget({ tokens_per_minute: 50 }), wish("b"), NOW)._tag).toBe("Reserved")
  })
})

describe("reservations", () => {
  test("lapse after their lease unless renewed, and are counted when they settle all the same", () => {
    const held = admitted(budget({ requests: 1 }), "a")
    const later = NOW + LEASE_MS
    expect(reserve(held, wish("b"), later - 1)._tag).toBe("Refused")
    expect(reserve(held, wish("b"), later)._tag).toBe("Reserved")
    expect(reserve(renew(held, "a", NOW + 60_000), wish("b"), later)._tag).toBe("Refused")
    expect(settle(current(held, later), wish("a"), { tokens: 7, usd: 1 }, later).used).toEqual({
      tokens: 7,
      usd: 1,
      requests: 1
    })
  })

  test("a clock that is set back by an hour leaves nothing that never ends", () => {
    const held = admitted(budget({ requests: 1, requests_per_minute: 1 }), "a")
    expect(reserve(held, wish("b"), NOW - 3_600_000)._tag).toBe("Reserved")
  })
})

test("whatever processes do, what is used passes no limit by more than estimates were wrong", () => {
  const step = fc.record({
    who: fc.integer({ min: 0, max: 7 }),
    expected: fc.integer({ min: 1, max: 200 }),
    taken: fc.integer({ min: 0, max: 200 }),
    ms: fc.integer({ min: 0, max: 30_000 })
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 3000 }), (steps, tokens) => {
      let state = budget({ tokens, requests: 20, requests_per_minute: 6 })
      let now = NOW
      let wrong = 0
      const open = new Map<number, { readonly id: string; readonly held: number; readonly expected: number }>()
      const sent: Array<number> = []
      for (const [index, { expected, ms, taken, who }] of steps.entries()) {
        now += ms
        const own = open.get(who)
        if (own !== undefined) {
          state = settle(state, wish(own.id, own.expected), { tokens: taken, usd: 0 }, now)
          wrong += Math.max(0, taken - own.held)
          open.delete(who)
          continue
        }
        const id = `${who}-${index}`
        const admission = reserve(state, wish(id, expected), now)
        if (admission._tag !== "Reserved") continue
        state = admission.state
        open.set(who, { id, expected, held: state.reserved.find((one) => one.id === id)?.tokens ?? 0 })
        sent.push(now)
        for (const one of open.values()) state = renew(state, one.id, now)
        expect(sent.filter((at) => at > now - 60_000).length).toBeLessThanOrEqual(6)
      }
      expect(state.used.tokens).toBeLessThanOrEqual(tokens + wrong)
      expect(state.used.requests + state.reserved.length).toBeLessThanOrEqual(20)
    })
  )
})
