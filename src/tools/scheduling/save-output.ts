/** Whole outputs on disk, for results that were too long for the model. */
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, type Option } from "effect"

/** The path, readable by its owner only; none where the place cannot be written, which only costs the reference to it. */
export const saveOutput = (file: string, text: string): Effect.Effect<Option.Option<string>> =>
  Effect.tryPromise(async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600 })
    await chmod(file, 0o600)
    return file
  }).pipe(Effect.option)
