/** Counting what passed and what failed, from the report that `bun test` writes. Pure. */
export interface Tally {
  readonly passed: number
  readonly failed: number
}

export const NOTHING: Tally = { passed: 0, failed: 0 }

export const sum = (tallies: ReadonlyArray<Tally>): Tally =>
  tallies.reduce((all, one) => ({ passed: all.passed + one.passed, failed: all.failed + one.failed }), NOTHING)

/** One line that a script can read. */
export const lineOf = ({ failed, passed }: Tally): string => `${passed} passed, ${failed} failed`

export const isGood = ({ failed, passed }: Tally): boolean => failed === 0 && passed > 0

/**
 * The tally of a JUnit report. A runner that ended badly without naming a failed test (a file that cannot be loaded, a
 * crash) counts as one failure, and so does one that ran nothing: silence is not success.
 */
export const tallyOf = (report: string, exitCode: number): Tally => {
  const head = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? ""
  const failed = attribute(head, "failures") + attribute(head, "errors")
  const passed = attribute(head, "tests") - failed - attribute(head, "skipped")
  if (failed > 0) return { passed, failed }
  return exitCode === 0 && passed > 0 ? { passed, failed: 0 } : { passed, failed: 1 }
}

const attribute = (tag: string, name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(tag)?.[1] ?? 0)
