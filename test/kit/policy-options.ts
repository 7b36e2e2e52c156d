/** A policy without rules of anybody: the project in `work`, the user in `home`, below one folder. */
import { join } from "node:path"
import { Effect } from "effect"
import type { PolicyOptions } from "../../src/policy/policy.ts"
import { noSettings } from "../../src/policy/settings-rules.ts"

export const policyOptions = (root: string, more: Partial<PolicyOptions> = {}): PolicyOptions => ({
  geminiDir: join(root, "home/.gemini"),
  project: join(root, "work"),
  home: join(root, "home"),
  isTrusted: true,
  systemDir: join(root, "system"),
  extensions: [],
  acceptsWorkspace: false,
  mode: "default",
  isInteractive: true,
  cwd: join(root, "work"),
  workspaceDirs: Effect.succeed([join(root, "work")]),
  plansDir: undefined,
  settings: noSettings,
  disablesAlways: false,
  disablesYolo: false,
  checkers: { inProcess: {}, folders: [], env: {}, history: Effect.succeed([]) },
  ...more
})
