import { expect } from "bun:test"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { loadConfig } from "../config/load.ts"
import { exploreRegistry, registryPlace } from "./registry.ts"

const LIST = JSON.stringify([
  {
    extensionName: "docs",
    extensionVersion: "1.0.0",
    extensionDescription: "Finds docs",
    url: "https://h/a",
    stars: 2
  },
  { name: "notes", repoDescription: "Keeps notes", url: "https://h/b", stars: 7, avatarUrl: null },
  { fullName: "acme/lost", stars: 9 },
  { name: null, url: "https://h/c" }
])

const configIn = (root: string, settings: object, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    yield* Effect.promise(() => Bun.write(join(root, "home/.gemini/settings.json"), JSON.stringify(settings)))
    return yield* loadConfig({
      env: { HOME: join(root, "home"), GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(root, "none.json"), ...env },
      cwd: root,
      platform: "linux",
      flags: { skipTrust: true, ignoreEnv: false }
    })
  })

it.live("a list of one's own is read from a file or the net, the best known first", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "list.json": LIST, "broken.json": "{}" })
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          fetch: ({ headers }) => new Response(headers.has("authorization") ? null : LIST)
        })
      ),
      (running) => Effect.promise(() => running.stop(true))
    )
    const config = yield* configIn(root, {}, { GITHUB_TOKEN: "gh-token" })
    const docs = { name: "docs", version: "1.0.0", description: "Finds docs", source: "https://h/a", stars: 2 }
    const notes = { name: "notes", version: "", description: "Keeps notes", source: "https://h/b", stars: 7 }
    for (const place of ["list.json", `file://${root}/list.json`, `${server.url}list.json`]) {
      expect(yield* exploreRegistry(place, [], config)).toEqual([notes, docs])
    }
    expect(yield* exploreRegistry("list.json", ["FINDS", "do"], config)).toEqual([docs])
    expect((yield* Effect.flip(exploreRegistry("gone.json", [], config))).message).toContain("it is not there")
    expect((yield* Effect.flip(exploreRegistry("broken.json", [], config))).message).toContain("not a list")
  })
)

it.live("no list is read unless one is named or asked for", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({})
    const placeWith = (settings: object, env: Readonly<Record<string, string>> = {}) =>
      Effect.map(configIn(root, settings, env), registryPlace)
    expect(yield* placeWith({})).toBeUndefined()
    expect(yield* placeWith({ experimental: { extensionRegistry: true } })).toContain("extensions.json")
    expect(yield* placeWith({ experimental: { extensionRegistryURI: "a.json" } })).toBe("a.json")
    expect(yield* placeWith({}, { GEMINI_CLI_EXTENSION_REGISTRY_URI: "b.json" })).toBe("b.json")
  })
)
