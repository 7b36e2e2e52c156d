import { expect, test } from "bun:test"
import { Effect } from "effect"
import { makeStartProfile } from "./start-profile.ts"

const names = (profile: ReturnType<typeof makeStartProfile>) => profile.phases().map(({ name }) => name)

test("parts are kept in the order in which they end, the whole among them", () => {
  const profile = makeStartProfile()
  expect(profile.of("parse_arguments", () => 7)).toBe(7)
  const inner = profile.during("authenticate", Effect.succeed(1))
  expect(Effect.runSync(profile.during("initialize_app", inner))).toBe(1)
  profile.ready()
  expect(names(profile)).toEqual(["load_program", "parse_arguments", "authenticate", "initialize_app", "cli_startup"])
  expect(profile.unfinished()).toEqual([])
})

test("a part lies within the whole, and takes no less than nothing", () => {
  const profile = makeStartProfile()
  profile.of("parse_arguments", () => undefined)
  profile.ready()
  const whole = profile.phases().find(({ name }) => name === "cli_startup")
  for (const { durationMs, from, systemMicros, userMicros } of profile.phases()) {
    expect(from + durationMs).toBeLessThanOrEqual(whole?.durationMs ?? 0)
    for (const value of [durationMs, userMicros, systemMicros]) expect(value).toBeGreaterThanOrEqual(0)
  }
})

test("only the first time counts", () => {
  const profile = makeStartProfile()
  for (const _ of [1, 2]) {
    profile.of("load_cli_config", () => undefined)
    profile.ready()
  }
  expect(names(profile)).toEqual(["load_program", "load_cli_config", "cli_startup"])
})

test("a part that fails is not finished", () => {
  const profile = makeStartProfile()
  Effect.runSyncExit(profile.during("load_settings", Effect.fail("broken")))
  expect(profile.unfinished()).toEqual(["load_settings"])
  expect(names(profile)).toEqual(["load_program"])
})
