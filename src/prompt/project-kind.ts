/** What kind of project a folder holds, told by the files that build tools look for. */
import { existsSync } from "node:fs"
import { join } from "node:path"

const KINDS: ReadonlyArray<readonly [file: string, kind: string]> = [
  ["package.json", "Node.js"],
  ["deno.json", "Deno"],
  ["tsconfig.json", "TypeScript"],
  ["Cargo.toml", "Rust"],
  ["go.mod", "Go"],
  ["pyproject.toml", "Python"],
  ["requirements.txt", "Python"],
  ["pom.xml", "Java (Maven)"],
  ["build.gradle", "Gradle"],
  ["build.gradle.kts", "Gradle"],
  ["Gemfile", "Ruby"],
  ["composer.json", "PHP"],
  ["Package.swift", "Swift"],
  ["CMakeLists.txt", "CMake"],
  ["Makefile", "Make"],
  ["Dockerfile", "Docker"]
]

/** Asks for each name, not for a listing: the folder may be huge. */
export const projectKinds = (folder: string): ReadonlyArray<string> => [
  ...new Set(KINDS.flatMap(([file, kind]) => (existsSync(join(folder, file)) ? [kind] : [])))
]
