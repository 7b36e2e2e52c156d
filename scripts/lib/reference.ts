/** The Node-based Gemini CLI, installed from the registry into a scratch folder, as programs to be measured beside ours. */
import { mkdir, realpath, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { REFERENCE_ONE_SHOT, REFERENCE_VERSION } from "./bench-rows.ts"
import type { Program } from "./measure.ts"
import { runQuietly } from "./run-quietly.ts"

const PACKAGE = "@google/gemini-cli"

export const referencePrograms = async (
  scratch: string,
  env: Readonly<Record<string, string>>
): Promise<ReadonlyArray<Program>> => {
  const node = Bun.which("node")
  if (node === null) throw new Error("--reference needs Node.js on PATH")
  const folder = join(scratch, "reference")
  const home = join(scratch, "reference-home")
  await mkdir(folder, { recursive: true })
  await mkdir(join(home, ".gemini"), { recursive: true })
  await writeFile(join(folder, "package.json"), '{ "private": true }\n')
  await runQuietly([process.execPath, "add", "--cwd", folder, "--ignore-scripts", `${PACKAGE}@latest`])
  // It takes a base URL only when the way to sign in is chosen in its settings.
  await writeFile(
    join(home, ".gemini/settings.json"),
    JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } }, general: { enableAutoUpdate: false } })
  )
  const script = await realpath(join(folder, "node_modules/.bin/gemini"))
  const common = { env: { ...env, HOME: home }, cwd: scratch }
  return [
    { name: REFERENCE_VERSION, command: [node, script, "--version"], ...common },
    { name: REFERENCE_ONE_SHOT, command: [node, script, "-p", "hi", "-m", "scripted"], ...common }
  ]
}
