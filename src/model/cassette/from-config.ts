/** The cassette of a run, made from what is known of the machine: its places, and the credentials in sight. */

import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { RunFolders } from "../../config/run-folders.ts"
import { Secrets } from "../../config/secrets.ts"
import { WorkspaceRoots } from "../../config/workspace-roots.ts"
import { Notices } from "../../protocol/notices.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { ModelAccess } from "../model-access.ts"
import type { ModelClient } from "../model-client.ts"
import { playingClient, recordingClient } from "./cassette-client.ts"
import type { Cassette } from "./cassette-file.ts"
import { CassetteWriter } from "./cassette-writer.ts"
import { type Normalizer, normalizer, type Place } from "./normal-request.ts"

type Client = ModelClient["Type"]

/** The file remembers what names of models mean in the run. */
export const recorded = Effect.fnUntraced(function* (client: Client, file: string, config: LoadedConfig) {
  const { access, authType } = yield* ModelAccess
  const { preview, ...rest } = access
  const writer = yield* CassetteWriter.open(file, {
    auth: authType,
    access: preview === undefined ? rest : { preview, ...rest }
  })
  const { all } = yield* Secrets
  const { warn } = yield* Notices
  return recordingClient(client, { writer, normal: yield* currentNormalizer(config), secrets: all, warn })
})

/** Into the file that is played. */
export const recordedBy = Effect.fnUntraced(function* (client: Client, cassette: Cassette, config: LoadedConfig) {
  const { all } = yield* Secrets
  const { warn } = yield* Notices
  const writer = new CassetteWriter(cassette)
  return recordingClient(client, { writer, normal: yield* currentNormalizer(config), secrets: all, warn })
})

export interface Playing {
  readonly cassette: Cassette
  readonly keepsGaps: boolean
  readonly live: Effect.Effect<Client, ModelError> | undefined
}

export const played = Effect.fnUntraced(function* (playing: Playing, config: LoadedConfig) {
  const { cutOff, file } = playing.cassette
  if (cutOff > 0) {
    const { warn } = yield* Notices
    yield* warn(`${file}: its last line was cut off and is left out: the run that wrote it was ended in the middle`)
  }
  return playingClient({ ...playing, normal: yield* currentNormalizer(config) })
})

export const normalizerOf = (config: LoadedConfig) => Effect.flatten(currentNormalizer(config))

/** Made anew only when another credential was learnt. */
const currentNormalizer = Effect.fnUntraced(function* (config: LoadedConfig) {
  const places = yield* placesOf(config)
  const { all } = yield* Secrets
  let made: { readonly values: string; readonly normal: Normalizer } | undefined
  return Effect.map(all, (secrets) => {
    const values = JSON.stringify(secrets)
    if (made?.values !== values) made = { values, normal: normalizer(places, secrets) }
    return made.normal
  })
})

const placesOf = Effect.fnUntraced(function* ({ environment, storage }: LoadedConfig) {
  const { tempDir } = yield* RunFolders
  const { included } = yield* WorkspaceRoots
  const places: ReadonlyArray<Place> = [
    { mark: "cwd", path: environment.cwd },
    { mark: "project", path: tempDir },
    ...included.map((path): Place => ({ mark: "root", path })),
    { mark: "user", path: storage.userDir },
    { mark: "tmp", path: tmpdir() },
    ...(environment.home === undefined ? [] : [{ mark: "home", path: environment.home } as const])
  ]
  return distinct(places.flatMap(withRealPath).filter(isTelling))
})

const withRealPath = ({ mark, path }: Place): ReadonlyArray<Place> => {
  try {
    return [
      { mark, path },
      { mark, path: realpathSync(path) }
    ]
  } catch {
    return [{ mark, path }]
  }
}

/** `/` stands everywhere. */
const isTelling = ({ path }: Place): boolean => path.length > 1

/** The first word for a path counts: a run in the home folder works in its folder. */
const distinct = (places: ReadonlyArray<Place>): ReadonlyArray<Place> =>
  places.filter(({ path }, index) => places.findIndex((other) => other.path === path) === index)
