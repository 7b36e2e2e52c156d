/**
 * What the bundler made of the sources, as facts that the bench prints and a test checks: which chunks exist, what each
 * weighs, which packages stand in it, and which chunks load which others at once or on demand.
 *
 * Written to `dist/chunks.json` beside the binary, because the binary itself keeps no such record.
 */
import { Schema } from "effect"

const Metafile = Schema.Struct({
  outputs: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      bytes: Schema.Number,
      inputs: Schema.Record({ key: Schema.String, value: Schema.Struct({ bytesInOutput: Schema.Number }) }),
      imports: Schema.Array(Schema.Struct({ path: Schema.String, kind: Schema.String })),
      entryPoint: Schema.optional(Schema.String)
    })
  })
})

export const Chunk = Schema.Struct({
  name: Schema.String,
  /** The source file that other chunks name when they load this one; absent for shared parts. */
  entryPoint: Schema.optional(Schema.String),
  bytes: Schema.Number,
  /** Chunks that are loaded together with this one. */
  needs: Schema.Array(Schema.String),
  /** Chunks that this one loads when their time comes. */
  lazy: Schema.Array(Schema.String),
  /** Bytes by package; our own sources stand under `src`. */
  packages: Schema.Record({ key: Schema.String, value: Schema.Number })
})
export type Chunk = typeof Chunk.Type

export const ChunkReport = Schema.Struct({
  version: Schema.String,
  commit: Schema.String,
  chunks: Schema.Array(Chunk)
})
export type ChunkReport = typeof ChunkReport.Type

export const decodeReport = Schema.decodeUnknownSync(Schema.parseJson(ChunkReport))

export const chunksOf = (metafile: string): ReadonlyArray<Chunk> => {
  const { outputs } = Schema.decodeUnknownSync(Schema.parseJson(Metafile))(metafile)
  return Object.entries(outputs).map(([path, output]) => ({
    name: nameOf(path),
    ...(output.entryPoint === undefined ? {} : { entryPoint: output.entryPoint }),
    bytes: output.bytes,
    needs: importsOf(output.imports, "import-statement"),
    lazy: importsOf(output.imports, "dynamic-import"),
    packages: bytesByPackage(output.inputs)
  }))
}

/** The chunk of a source file and everything that is loaded with it at once. */
export const loadedWith = (chunks: ReadonlyArray<Chunk>, entryPoint: string): ReadonlyArray<Chunk> => {
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]))
  const loaded = new Set<Chunk>()
  const visit = (chunk: Chunk | undefined) => {
    if (chunk === undefined || loaded.has(chunk)) return
    loaded.add(chunk)
    for (const name of chunk.needs) visit(byName.get(name))
  }
  visit(chunks.find((chunk) => chunk.entryPoint === entryPoint))
  return [...loaded]
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

const importsOf = (imports: ReadonlyArray<{ path: string; kind: string }>, kind: string): ReadonlyArray<string> => [
  ...new Set(imports.filter((item) => item.kind === kind).map((item) => nameOf(item.path)))
]

const bytesByPackage = (inputs: Record<string, { bytesInOutput: number }>): Record<string, number> => {
  const totals = new Map<string, number>()
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const owner = packageOf(path)
    totals.set(owner, (totals.get(owner) ?? 0) + bytesInOutput)
  }
  return Object.fromEntries([...totals].sort(([, a], [, b]) => b - a))
}

/** `node_modules/@google/genai/dist/x.js` belongs to `@google/genai`; nested installs count for the innermost one. */
const packageOf = (path: string): string => {
  const parts = path.split("node_modules/")
  if (parts.length === 1) return "src"
  const [scope = "", name = ""] = (parts.at(-1) ?? "").split("/")
  return scope.startsWith("@") ? `${scope}/${name}` : scope
}
