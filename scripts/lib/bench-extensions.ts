/** A start with 50 extensions installed, each with context, a command, a rule and a setting, against an empty home. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { FIFTY_EXTENSIONS, NO_EXTENSIONS } from "./bench-rows.ts"
import type { ToolBench } from "./bench-tools.ts"
import { type Measured, measureAll } from "./measure.ts"

const EXTENSIONS = 50
const ROUNDS = { timed: 15, weighed: 0 }

export const measureExtensions = async ({
  binary,
  env,
  onPart,
  scratch
}: Pick<ToolBench, "binary" | "env" | "onPart" | "scratch">): Promise<Measured> => {
  onPart("one-shot runs with extensions")
  const [empty, full] = [join(scratch, "home-without-extensions"), join(scratch, "home-with-extensions")]
  mkdirSync(empty)
  for (let index = 0; index < EXTENSIONS; index++) putExtension(full, `extension-${index}`)
  const command = [binary, "-p", "hi", "-m", "scripted"]
  return measureAll(
    [
      { name: NO_EXTENSIONS, command, env: { ...env, HOME: empty, GEMINI_CLI_HOME: empty }, cwd: scratch },
      { name: FIFTY_EXTENSIONS, command, env: { ...env, HOME: full, GEMINI_CLI_HOME: full }, cwd: scratch }
    ],
    ROUNDS
  )
}

const putExtension = (home: string, name: string): void => {
  const variable = name.toUpperCase().replaceAll("-", "_")
  const files: Readonly<Record<string, string>> = {
    "gemini-extension.json": JSON.stringify({
      name,
      version: "1.0.0",
      excludeTools: [`${name}-tool`],
      settings: [{ name: "Place", description: "Where it works.", envVar: variable }]
    }),
    ".gemini-extension-install.json": JSON.stringify({ source: `/srv/${name}`, type: "local" }),
    ".env": `${variable}=here\n`,
    "GEMINI.md": `What ${name} is for.\n`,
    "commands/do.toml": 'prompt = "Do it."\n'
  }
  for (const [file, content] of Object.entries(files)) {
    const path = join(home, ".gemini/extensions", name, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}
