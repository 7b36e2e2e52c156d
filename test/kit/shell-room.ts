/** Real shells for tests: layers with small limits and an environment of their own. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Layer } from "effect"
import * as Sandbox from "../../src/sandbox/sandbox.ts"
import * as Background from "../../src/shell/background.ts"
import type { BackgroundOptions } from "../../src/shell/background-tracking.ts"
import * as Shell from "../../src/shell/shell.ts"
import { testEnvironment } from "./environment.ts"

const inherited: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  HOME: process.env.HOME ?? "/",
  LANG: "C.UTF-8"
}

export const shellOptions: Shell.ShellOptions = {
  spillFolder: join(tmpdir(), "shell-test-spill"),
  inactivityTimeout: "20 seconds",
  redaction: { enabled: false, allowed: [], blocked: [] },
  pager: "cat",
  isTrusted: true
}

export const shellLayer = (
  options: Partial<Shell.ShellOptions> = {},
  variables: Readonly<Record<string, string>> = inherited
) =>
  Shell.layer({ ...shellOptions, ...options }).pipe(
    Layer.provideMerge(Sandbox.layerNone),
    Layer.provide(testEnvironment({ cwd: "/", variables }))
  )

export const backgroundLayer = (options: BackgroundOptions) =>
  Background.layer(options).pipe(Layer.provideMerge(shellLayer()))
