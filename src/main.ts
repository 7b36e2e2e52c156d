#!/usr/bin/env bun
/**
 * Entry point. Imports nothing: version and help must not pay for what a run needs.
 *
 * `console.log` is the cheapest way to print: opening `process.stdout` costs as much as the start itself.
 * No top-level await: together with `--bytecode` it would force another output form.
 */
const argv = process.argv.slice(2)
const [only] = argv.length === 1 ? argv : []

if (only === "--version" || only === "-v") {
  void import("./cli/version.ts").then(({ version }) => console.log(version))
} else if (only === "--help" || only === "-h") {
  void import("./cli/generated/help.ts").then(({ rootHelp }) => console.log(rootHelp.trimEnd()))
} else {
  // A signal that comes while the rest is being loaded is kept for `boot`, which answers it in the format asked for.
  const signals: {
    pending: "SIGINT" | "SIGTERM" | "SIGHUP" | undefined
    heed: ((signal: "SIGINT" | "SIGTERM" | "SIGHUP") => void) | undefined
  } = { pending: undefined, heed: undefined }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (signals.heed === undefined) signals.pending = signal
      else signals.heed(signal)
    })
  }
  void import("./boot.ts").then(({ boot }) => boot(argv, signals))
}
