import { expect, test } from "bun:test"
import { Cause } from "effect"
import { causeChain } from "./cause-chain.ts"

test.each<[Cause.Cause<unknown>, string]>([
  [
    Cause.fail(new Error("no answer", { cause: new TypeError("refused", { cause: "port 1" }) })),
    "Error: no answer; because TypeError: refused; because port 1"
  ],
  [Cause.die(new RangeError("too long")), "RangeError: too long"],
  [Cause.parallel(Cause.fail("a"), Cause.die("b")), "a | b"]
])("%#", (cause, text) => expect(causeChain(cause)).toBe(text))

test("a chain that bites its tail ends", () => {
  const error = new Error("round")
  error.cause = error
  expect(causeChain(Cause.fail(error))).toBe("Error: round")
})
