/**
 * Types and Effect's own rules in one go: a copy of the compiler with the language service built in. Asking the language
 * service itself starts the whole project anew for every fifty files, and took ten times as long.
 *
 * The copy stands in `.cache`, one for each pair of versions, so that the installed compiler stays as it is.
 */
import { cp, mkdir, rename, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import languageService from "@effect/language-service/package.json" with { type: "json" }
import { $ } from "bun"
import typescript from "typescript/package.json" with { type: "json" }

const root = resolve(import.meta.dir, "..")
const compiler = join(root, ".cache", `typescript-${typescript.version}-effect-${languageService.version}`)

if (!(await Bun.file(join(compiler, "lib", "tsc.js")).exists())) {
  const draft = `${compiler}.${process.pid}`
  await mkdir(join(root, ".cache"), { recursive: true })
  await cp(join(root, "node_modules", "typescript"), draft, { recursive: true, dereference: true })
  await $`bun run effect-language-service patch --dir ${draft} --module tsc`.cwd(root).quiet()
  await rm(compiler, { recursive: true, force: true })
  await rename(draft, compiler)
}

const { exitCode } =
  await $`${process.execPath} ${join(compiler, "lib", "tsc.js")} --noEmit --project ${root}`.nothrow()
process.exitCode = exitCode
