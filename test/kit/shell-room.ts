/** Real shells for tests: a layer with small limits, a scratch folder that goes away, and a look at the process list. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Environment } from "../../src/config/environment.ts"
import * as Background from "../../src/shell/background.ts"
import type { BackgroundOptions } from "../../src/shell/background-tracking.ts"
import * as Shell from "../../src/shell/shell.ts"

export const scratchFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "shell-test-")))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const environmentLayer = (variables: Readonly<Record<string, string>>, cwd = "/") =>
  Layer.succeed(Environment, {
    variables,
    get: (name) => variables[name],
    cwd,
    home: variables.HOME,
    platform: process.platform,
    dotenv: undefined
  })

const inherited: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  HOME: process.env.HOME ?? "/",
  LANG: "C.UTF-8"
}

export const shellOptions: Shell.ShellOptions = {
  spillFolder: join(tmpdir(), "shell-test-spill"),
  inactivityTimeout: "20 seconds",
  terminal: undefined,
  redaction: { enabled: false, allowed: [], blocked: [] },
  pager: "cat",
  isTrusted: true
}

export const shellLayer = (
  options: Partial<Shell.ShellOptions> = {},
  variables: Readonly<Record<string, string>> = inherited
) => Shell.layer({ ...shellOptions, ...options }).pipe(Layer.provide(environmentLayer(variables)))

export const backgroundLayer = (options: BackgroundOptions) =>
  Background.layer(options).pipe(Layer.provideMerge(shellLayer()))

/** Processes whose command line contains the text. */
export const processesWith = (text: string): number =>
  Number(
    Bun.spawnSync(["bash", "-c", 'grep -lzF -- "$1" /proc/[0-9]*/cmdline 2>/dev/null | grep -vc "/$$/"', "count", text])
      .stdout.toString()
      .trim()
  )
