/**
 * Tests that use a program which not every machine has. Where it is missing they are left out, and the runner names them;
 * on the build machine nothing may be left out, so there they run and fail.
 */
import { test } from "bun:test"

const skipsNothing = process.env.GEMINI_TESTS_SKIP_NOTHING === "1"

export const isLeftOut = (...programs: ReadonlyArray<string>): boolean =>
  !skipsNothing && programs.some((program) => Bun.which(program) === null)

export const testWith = (...programs: ReadonlyArray<string>) => test.skipIf(isLeftOut(...programs))

/** `place.unprivileged`: the super-user steps down with it. */
export const asNobody: ReadonlyArray<string> = process.getuid?.() === 0 ? ["setpriv"] : []
