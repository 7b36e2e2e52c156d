#!/usr/bin/env bun
/**
 * Entry point. Imports nothing: version and help must not pay for what a run needs.
 *
 * `Bun.write` is the cheapest way to print that tells of a failure: opening `process.stdout` costs as much as the start
 * itself, and `console.log` keeps a full disk to itself.
 * No top-level await: together with `--bytecode` it would force another output form.
 */
/** A reader that has gone is no failure; a place that takes nothing, or none at all, is one. */
const print = (text: string) =>
  Bun.write(Bun.stdout, `${text}\n`)
    .then(async () => {
      if (await isOutputMissing()) throw new Error("it is closed")
    })
    .catch((failure: Error & { readonly code?: string }) => {
      if (failure.code === "EPIPE") return
      console.error(`error: cannot write to standard output: ${failure.message} [gemini help output-failed]`)
      process.exitCode = 1
    })

/** As `isMissing` of `system/terminal.ts` has it, without anything to load. */
const isOutputMissing = async (): Promise<boolean> => {
  if (process.platform !== "linux") return false
  const info = await Bun.file("/proc/self/fdinfo/1")
    .text()
    .catch(() => "")
  return (Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? "0", 8) & 0o2000003) === 0o2000002
}

/** `--version --json`, in either order. */
const isVersionQuestion = (words: ReadonlyArray<string>): boolean =>
  words.length === 2 && words.includes("--json") && (words.includes("--version") || words.includes("-v"))

const argv = process.argv.slice(2)
const [only] = argv.length === 1 ? argv : []

if (only === "--version" || only === "-v") {
  void import("./kernel/version.ts").then(({ version }) => print(version))
} else if (isVersionQuestion(argv)) {
  void import("./kernel/version.ts").then(({ buildFacts }) => print(JSON.stringify(buildFacts())))
} else if (only === "--help" || only === "-h") {
  void import("./cli/generated/help.ts").then(({ rootHelp }) => print(rootHelp.trimEnd()))
} else if (argv[0] === "__confine") {
  // Part of the sandbox: this process restricts itself and becomes a command. It does not come back.
  void import("./sandbox/launcher/confine-self.ts").then(({ confineSelf }) => {
    process.exitCode = confineSelf(argv.slice(1), console.error)
  })
} else if (argv[0] === "__bridge") {
  void import("./system/http/command-bridge.ts").then(async ({ bridgeCommand }) => {
    process.exit(await bridgeCommand(argv.slice(1), console.error))
  })
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
