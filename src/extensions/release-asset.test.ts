import { expect, test } from "bun:test"
import { releaseFile } from "./release-asset.ts"

const machine = { platform: "linux", arch: "x64" }
const release = (...names: ReadonlyArray<string>) => ({
  tag_name: "v1",
  tarball_url: "tarball",
  zipball_url: "zipball",
  assets: names.map((name) => ({ name, url: name }))
})

test.each<[string, ReadonlyArray<string>, string]>([
  ["platform and processor", ["linux.tar.gz", "linux.x64.full.tar.gz", "darwin.x64.zip"], "linux.x64.full.tar.gz"],
  ["platform", ["linux.full.zip", "linux.arm64.full.zip"].toReversed(), "linux.arm64.full.zip"],
  ["the only one", ["full.tar.gz"], "full.tar.gz"],
  ["not the only one if it is for others", ["darwin.full.tar.gz"], "tarball"],
  ["not one of several", ["full.tar.gz", "other.tar.gz"], "tarball"],
  ["nothing but archives", ["full.exe"], "tarball"],
  ["no assets", [], "tarball"]
])("%s", (_, assets, expected) => {
  expect(releaseFile(release(...assets), machine)?.url).toBe(expected)
})

test("the zip file serves where there is no other", () => {
  expect(releaseFile({ tag_name: "v1", zipball_url: "z", assets: [] }, machine)).toEqual({
    url: "z",
    form: "zip",
    isAsset: false
  })
  expect(releaseFile({ tag_name: "v1", assets: [] }, machine)).toBeUndefined()
})
