/**
 * The group of the bench about a home that is full of what people install, against an empty one. Who adds another kind of
 * thing to a home adds what puts it there to `FURNISHINGS`.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EMPTY_HOME, FULL_HOME, FULL_HOME_TOLD } from "./bench-rows.ts"
import { type Measured, measureAll } from "./measure.ts"

export interface HomeBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

const ROUNDS = { timed: 15, weighed: 3 }

export const measureHome = async ({ binary, env, onPart, scratch }: HomeBench): Promise<Measured> => {
  onPart("one-shot runs in a full home")
  const [empty, full] = [join(scratch, "empty-home"), join(scratch, "full-home")]
  mkdirSync(empty)
  for (const furnish of FURNISHINGS) furnish(full)
  const command = [binary, "-p", "hi", "-m", "scripted"]
  return measureAll(
    [
      { name: EMPTY_HOME, command, env: { ...env, HOME: empty }, cwd: scratch },
      { name: FULL_HOME, command, env: { ...env, HOME: full }, cwd: scratch },
      // Where the model may use them, it is told of all of them.
      { name: FULL_HOME_TOLD, command: [...command, "--yolo"], env: { ...env, HOME: full }, cwd: scratch }
    ],
    ROUNDS
  )
}

const SKILLS = 200

const putSkills = (home: string): void => {
  for (let index = 0; index < SKILLS; index++) {
    const folder = join(home, ".gemini/skills", `skill-${index}`)
    mkdirSync(join(folder, "scripts"), { recursive: true })
    writeFileSync(join(folder, "SKILL.md"), skillText(index))
    writeFileSync(join(folder, "scripts/run.sh"), "#!/bin/sh\n")
  }
}

/** About as long as those that people write. */
const skillText = (index: number): string =>
  [
    "---",
    `name: skill-${index}`,
    `description: Does the task number ${index} of this bench. Use it when that task comes up.`,
    "---",
    ...Array.from({ length: 100 }, (_, line) => `${line + 1}. Do step ${line + 1} with care, and check what came out.`),
    ""
  ].join("\n")

const FURNISHINGS: ReadonlyArray<(home: string) => void> = [putSkills]
