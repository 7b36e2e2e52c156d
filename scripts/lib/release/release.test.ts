import { describe, expect, test } from "bun:test"
import { resolve } from "node:path"
import manifest from "../../../package.json"
import { TARGETS } from "../build-options.ts"
import { packageManifests } from "./manifests.ts"
import { launcherManifest } from "./npm-packages.ts"
import { parseReleaseOptions } from "./release-options.ts"
import { packagesInside } from "./sbom.ts"
import { archiveName, RELEASE_TARGETS } from "./targets.ts"

const root = resolve(import.meta.dir, "../../..")

test("everything that can be built is released", () => {
  expect(RELEASE_TARGETS.map(({ name }) => name).toSorted()).toEqual([...TARGETS].toSorted())
})

test("the version has a section in the list of changes", async () => {
  const text = await Bun.file(`${root}/CHANGELOG.md`).text()
  expect(text).toMatch(new RegExp(`^## \\[${RegExp.escape(manifest.version)}\\]`, "m"))
})

test("the launcher asks for every platform in its own version, and runs nothing when it is installed", () => {
  const made = launcherManifest("1.2.3", RELEASE_TARGETS)
  expect(Object.keys(made.optionalDependencies)).toEqual(TARGETS.map((name) => `@gemini-fx/${name}`))
  expect(new Set(Object.values(made.optionalDependencies))).toEqual(new Set(["1.2.3"]))
  expect(made).not.toHaveProperty("scripts")
})

test("manifests name archives that exist, with their sums", () => {
  const sums = new Map(RELEASE_TARGETS.map((target, index) => [archiveName("1.2.3", target), `${index}`.repeat(64)]))
  for (const [path, text] of packageManifests({ version: "1.2.3", sums })) {
    const urls = text.match(/https:\S+?\.(?:tar\.gz|zip)/g) ?? []
    expect({ path, urls: urls.length }).not.toEqual({ path, urls: 0 })
    for (const url of urls) {
      const sum = sums.get(url.slice(url.lastIndexOf("/") + 1))
      expect(text).toContain(sum ?? "no such archive")
    }
  }
  expect(() => packageManifests({ version: "1.2.3", sums: new Map() })).toThrow("has no sum")
})

describe("options", () => {
  test("defaults", () => {
    expect(parseReleaseOptions([])).toMatchObject({ out: "dist/release", targets: TARGETS })
  })
  test.each([["--targets=moon"], ["--skip=all"], ["--out"], ["--prebuilt=moon=x"], ["now"]])(
    "%s is refused",
    (word) => {
      expect(() => parseReleaseOptions([word])).toThrow()
    }
  )
})

test("packages are found by their innermost folder", () => {
  expect(
    packagesInside([
      "src/main.ts",
      "node_modules/@a/b/c.js",
      "node_modules/x/node_modules/y/z.js",
      "node_modules/@a/b/d.js"
    ])
  ).toEqual(["node_modules/@a/b", "node_modules/x/node_modules/y"])
})
