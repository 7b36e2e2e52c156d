/** Exit codes that scripts rely on. Nothing else in the project writes these numbers. */
export const ExitCode = {
  success: 0,
  general: 1,
  authentication: 41,
  input: 42,
  sandbox: 44,
  config: 52,
  /** Any limit of the run: turns, tool calls, time, tokens, cost. */
  limit: 53,
  tool: 54,
  untrusted: 55,
  /** Only with `--fail-on-denied`. */
  denied: 56,
  /** `--output-schema` is still not met after the repair turns. */
  schema: 57,
  /** A batch ran to its end, and some of its items failed. */
  someFailed: 58,
  /** A defect of this program. */
  internal: 70,
  sighup: 129,
  sigint: 130,
  sigterm: 143
} as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]
