/** What a release is made of, machine by machine: each target's archive, npm platform and system packages. */
import type { Target } from "../build-options.ts"

export interface ReleaseTarget {
  readonly name: Target
  readonly archive: "tar.gz" | "zip"
  /** As npm's `os`, `cpu` and `libc` fields name it. */
  readonly npm: { readonly os: string; readonly cpu: string; readonly libc?: "glibc" | "musl" }
  readonly deb?: "amd64" | "arm64"
  readonly rpm?: "x86_64" | "aarch64"
}

export const RELEASE_TARGETS: ReadonlyArray<ReleaseTarget> = [
  {
    name: "linux-x64",
    archive: "tar.gz",
    npm: { os: "linux", cpu: "x64", libc: "glibc" },
    deb: "amd64",
    rpm: "x86_64"
  },
  { name: "linux-x64-baseline", archive: "tar.gz", npm: { os: "linux", cpu: "x64", libc: "glibc" } },
  {
    name: "linux-arm64",
    archive: "tar.gz",
    npm: { os: "linux", cpu: "arm64", libc: "glibc" },
    deb: "arm64",
    rpm: "aarch64"
  },
  { name: "linux-x64-musl", archive: "tar.gz", npm: { os: "linux", cpu: "x64", libc: "musl" } },
  { name: "linux-arm64-musl", archive: "tar.gz", npm: { os: "linux", cpu: "arm64", libc: "musl" } },
  { name: "darwin-x64", archive: "tar.gz", npm: { os: "darwin", cpu: "x64" } },
  { name: "darwin-arm64", archive: "tar.gz", npm: { os: "darwin", cpu: "arm64" } },
  { name: "windows-x64", archive: "zip", npm: { os: "win32", cpu: "x64" } },
  { name: "windows-arm64", archive: "zip", npm: { os: "win32", cpu: "arm64" } }
]

export const binaryName = (target: Target): string => (target.startsWith("windows") ? "gemini.exe" : "gemini")

export const archiveName = (version: string, target: ReleaseTarget): string =>
  `gemini-${version}-${target.name}.${target.archive}`

/** Where releases lie unless `GEMINI_FX_DOWNLOAD_BASE` says otherwise; a version's files are below `v<version>/`. */
export const DOWNLOAD_BASE = "https://github.com/gemini-fx/gemini-fx/releases/download"
export const HOMEPAGE = "https://github.com/gemini-fx/gemini-fx"
