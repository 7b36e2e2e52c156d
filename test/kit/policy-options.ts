/** A policy without rules of anybody: the project in `work`, the user in `home`, below one folder. */

import { join } from "node:path"
import { Effect } from "effect"
import type { PolicyOptions } from "../../src/policy/policy.ts"
import { NO_POWER_SURROUNDINGS } from "../../src/policy/power-facts.ts"
import { noSettings } from "../../src/policy/settings-rules.ts"
import { childVariables } from "../../src/system/child-variables.ts"

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
  shell: Effect.succeed({ variables: { PATH: "/usr/local/bin:/usr/bin:/bin" }, dialect: "bash" }),
  plansDir: undefined,
  settings: noSettings,
  disablesAlways: false,
  disablesYolo: false,
  power: NO_POWER_SURROUNDINGS,
  checkers: { inProcess: {}, folders: [], env: () => childVariables({ inherits: {} }), history: Effect.succeed([]) },
  ...more
})
