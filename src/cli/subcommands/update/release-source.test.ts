import { expect, test } from "bun:test"
import { releaseIn } from "./release-source.ts"

const SUM = "a".repeat(64)

test("the archives of a release name its version", () => {
  const text = `${SUM}  gemini-fx_0.62.3_amd64.deb\n${SUM} *gemini-0.62.3-linux-x64-musl.tar.gz\n${SUM}  install.sh\n`
  const release = releaseIn(text)
  expect(release?.version).toBe("0.62.3")
  expect(release?.sums.get("gemini-0.62.3-linux-x64-musl.tar.gz")).toBe(SUM)
})

test("what is no list of sums is none", () => {
  for (const text of ["", "<html>not found</html>", `${SUM}  install.sh\n`, `${SUM.slice(1)}  gemini-1.2.3-x.tar.gz`]) {
    expect(releaseIn(text)).toBeUndefined()
  }
})
