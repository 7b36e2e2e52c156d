import { expect } from "bun:test"
import { Effect } from "effect"
import { itWith } from "../../test/kit/it.ts"
import * as Ledger from "./read-ledger.ts"

const it = itWith(Ledger.layer)
const bytes = (text: string) => new TextEncoder().encode(text)

it.effect("a file is unread, then unchanged, then changed, then forgotten", () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger.ReadLedger
    expect(yield* ledger.check("/a", bytes("1"))).toBe("unread")
    yield* ledger.remember("/a", bytes("1"))
    expect(yield* ledger.check("/a", bytes("1"))).toBe("unchanged")
    expect(yield* ledger.check("/a", bytes("2"))).toBe("changed")
    expect(yield* ledger.check("/b", bytes("1"))).toBe("unread")
    yield* ledger.forget("/a")
    expect(yield* ledger.check("/a", bytes("1"))).toBe("unread")
  })
)
