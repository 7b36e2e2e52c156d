import { expect, test } from "bun:test"
import { readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Logger, LogLevel } from "effect"
import { debugLogger } from "./debug-log.ts"

test("a line has its time, level, facts and cause, and nothing secret", () => {
  const file = join(tmpdir(), `debug-log-${crypto.randomUUID()}.log`)
  const logger = debugLogger({ onStderr: false, file, redact: (line) => line.replaceAll("canary", "***") })
  Effect.logDebug("two\nlines canary").pipe(
    Effect.annotateLogs({ count: 3 }),
    Logger.withMinimumLogLevel(LogLevel.Debug),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Effect.runSync
  )
  expect(readFileSync(file, "utf8")).toMatch(/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] \[DEBUG\] two\\nlines \*\*\* count=3\n$/)
  rmSync(file)
})

test("a file that cannot be written is no reason to stop", () =>
  Effect.log("x").pipe(
    Effect.provide(
      Logger.replace(
        Logger.defaultLogger,
        debugLogger({ onStderr: false, file: "/nowhere/at/all", redact: (line) => line })
      )
    ),
    Effect.runSync
  ))
