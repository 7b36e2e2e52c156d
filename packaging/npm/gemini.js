#!/usr/bin/env node
/**
 * Starts the program of this machine. It lies in a package of its own that npm chose by system, CPU and C library, so
 * nothing is downloaded or built when this package is installed, and `npm install --ignore-scripts` is enough.
 *
 * CommonJS without dependencies: any Node from 18 on starts it, also as `node path/to/gemini.js`.
 */
const { spawn } = require("node:child_process")
const { accessSync, constants, readFileSync, readdirSync } = require("node:fs")
const { constants: systemConstants } = require("node:os")

const SIGNALS = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"]

const main = () => {
  const wanted = packagesOfThisMachine()
  const program = wanted.map(programOf).find((path) => path !== undefined)
  if (program === undefined) return complain(wanted)
  if (process.platform !== "win32" && !isExecutable(program)) {
    process.stderr.write(`error: ${program} may not be executed; try: chmod +x ${program}\n`)
    process.exitCode = 1
    return
  }
  become(program, process.argv.slice(2))
}

/** The best first. */
const packagesOfThisMachine = () => {
  const { arch, platform } = process
  const system = platform === "win32" ? "windows" : platform
  if (platform !== "linux") return [`${system}-${arch}`]
  if (usesMusl()) return [`linux-${arch}-musl`]
  if (arch === "x64" && !hasAvx2()) return ["linux-x64-baseline", "linux-x64"]
  return arch === "x64" ? ["linux-x64", "linux-x64-baseline"] : [`linux-${arch}`]
}

const usesMusl = () => {
  try {
    if (readdirSync("/lib").some((name) => name.startsWith("ld-musl-"))) return !hasGlibc()
  } catch {
    // No /lib: the report below is the only sign left.
  }
  return !hasGlibc()
}

const hasGlibc = () => process.report?.getReport?.().header?.glibcVersionRuntime !== undefined

const hasAvx2 = () => {
  try {
    return /^flags\s*:.*\bavx2\b/m.test(readFileSync("/proc/cpuinfo", "utf8"))
  } catch {
    return true
  }
}

const programOf = (name) => {
  const file = process.platform === "win32" ? "gemini.exe" : "gemini"
  try {
    return require.resolve(`@gemini-fx/${name}/bin/${file}`)
  } catch {
    return undefined
  }
}

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const complain = (wanted) => {
  const { version } = require("../package.json")
  process.stderr.write(
    `error: the program for this machine (@gemini-fx/${wanted[0]}) is not installed.\n` +
      "npm leaves it out with --omit=optional, or when node_modules was made on another machine. Try:\n" +
      `  npm install @gemini-fx/${wanted[0]}@${version}\n`
  )
  process.exitCode = 1
}

/** Newer versions of Node can become another program; older ones stand by, pass signals on and end as it ends. */
const become = (program, args) => {
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.removeAllListeners("warning")
    process.on("warning", () => {})
    process.execve(program, [program, ...args], process.env)
  }
  // A terminal sends its signals to the child as well; passing them on would count them twice.
  const isAtTerminal = [0, 1, 2].some((descriptor) => require("node:tty").isatty(descriptor))
  // Heard before there is a child: it may be seen, and a signal be sent, before the next line of this file runs.
  let child
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!(isAtTerminal && (signal === "SIGINT" || signal === "SIGQUIT"))) child?.kill(signal)
    })
  }
  child = spawn(program, args, { stdio: "inherit" })
  child.on("error", (failure) => {
    process.stderr.write(`error: cannot start ${program}: ${failure.message}\n`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1
      return
    }
    for (const name of SIGNALS) process.removeAllListeners(name)
    process.exitCode = 128 + (systemConstants.signals[signal] ?? 0)
    process.kill(process.pid, signal)
  })
}

main()
