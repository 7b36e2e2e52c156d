/**
 * `~/.gemini` as it is seen inside: a copy for this run. What a later run outside would obey (settings, rules, commands,
 * extensions) can be read and not changed; credentials are not there; the records of this project are the real ones, so
 * that sessions of inside are found outside afterwards. All else is a copy that goes with the run.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { Effect } from "effect"
import type { StorageView } from "../../config/storage.ts"
import { messageOf } from "../../kernel/cause-chain.ts"
import { plainVariables } from "../../system/child-variables.ts"
import { setFileMode } from "../../system/file-mode.ts"
import { runProgram } from "../../system/programs.ts"
import type { StorageError } from "../../system/storage-error.ts"
import { gitFoldersOf } from "../git-folders.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { sessionFolder } from "./inside-script.ts"
import type { Mount } from "./process-backend.ts"

/** Larger ones are no settings and no state of ours. */
const LARGEST_COPY = 1024 * 1024

/** Where they lie outside: a folder of this run. */
export const userFolderMounts = Effect.fnUntraced(function* (
  storage: StorageView,
  folder: string
): Effect.fn.Return<ReadonlyArray<Mount>, StorageError> {
  const records = [yield* storage.projectTempDir, yield* storage.projectHistoryDir]
  return yield* Effect.sync(() => {
    const { userDir } = storage
    const copy = join(folder, "user")
    mkdirSync(copy, { mode: 0o700 })
    const readOnly = entriesOf(userDir).flatMap((entry) => standIn(entry, { copy, storage }))
    const real = records.map((path): Mount => ({ from: realpathSync(path), to: path, mode: "rw" }))
    const guarded = records
      .map((path) => join(path, ".git"))
      .filter((path) => existsSync(path))
      .flatMap((path) => gitFoldersOf(realpathSync(path)).guarded)
      .map((path): Mount => ({ from: path, to: path, mode: "ro" }))
    const mounts = [...readOnly, ...real, ...guarded]
    for (const { from, to } of mounts) makePlace(join(copy, relative(userDir, to)), from)
    return [{ from: copy, to: userDir, mode: "rw" } satisfies Mount as Mount, ...mounts]
  })
})

interface Place {
  readonly copy: string
  readonly storage: StorageView
}

const RECORDS = new Set(["tmp", "history"])
const CREDENTIALS = /^\.env|oauth|token|credential|secret/i

/** A mount for what may only be read; a file of state is copied instead, and the rest left out. */
const standIn = (entry: Dirent, { copy, storage }: Place): ReadonlyArray<Mount> => {
  const to = join(storage.userDir, entry.name)
  if (RECORDS.has(entry.name) || isCredential(entry.name, storage)) return []
  const real = realOf(to)
  if (real === undefined) return []
  const stat = lstatSync(real)
  if (stat.isDirectory()) return [{ from: real, to, mode: "ro" }]
  if (!stat.isFile()) return []
  if (isObeyed(to, storage)) return [{ from: real, to, mode: "ro" }]
  if (stat.size <= LARGEST_COPY) copyFileSync(real, join(copy, entry.name))
  return []
}

const isCredential = (name: string, { mcpTokensFile, oauthCredentialsFile, secretsFile }: StorageView): boolean =>
  CREDENTIALS.test(name) || [mcpTokensFile, oauthCredentialsFile, secretsFile].some((file) => basename(file) === name)

const isObeyed = (path: string, storage: StorageView): boolean =>
  /\.(?:md|toml|json|sh)$/.test(path) && ![storage.stateFile, join(storage.userDir, "projects.json")].includes(path)

/** What is mounted inside a mount needs a place to stand on. */
const makePlace = (path: string, from: string): void => {
  if (existsSync(path)) return
  const isFolder = lstatSync(from).isDirectory()
  mkdirSync(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 })
  if (!isFolder) writeFileSync(path, "", { mode: 0o600 })
}

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** The folder of one run inside: nobody else enters it, and it goes with the run. */
export const hopFolder = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(realpathSync(tmpdir()), "gemini-inside-")),
      catch: (cause) => hopFailed("run", `there is no place for it: ${messageOf(cause)}`)
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const temp = join(folder, "tmp")
  const own = sessionFolder(temp)
  for (const path of [temp, own]) {
    mkdirSync(path)
    // The user inside may be another one.
    setFileMode(path, 0o777)
  }
  yield* sign(join(own, "alive"))
  return { folder, temp }
})

/** Held open as long as this program lives: its end is seen inside, however it comes. */
const sign = Effect.fnUntraced(function* (path: string) {
  const made = yield* Effect.option(
    runProgram({
      argv: ["mkfifo", "-m", "666", path],
      cwd: "/",
      env: plainVariables(),
      timeout: "5 seconds",
      maxOutputBytes: 4096,
      reach: "group",
      leftovers: "keep",
      grace: 0
    })
  )
  if (made._tag === "None" || made.value.exitCode !== 0) return
  yield* Effect.acquireRelease(
    Effect.sync(() => openSync(path, constants.O_RDWR | constants.O_NONBLOCK)),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )
})
