/**
 * One way to compile a program, for the binary and for the baseline that the bench compares it with: splitting and
 * bytecode make the start cheap, code that runs at the start is interpreted rather than compiled (`boot.ts` ends that,
 * and a loop that is really long is compiled all the same), and the `no-compile-autoload` flags keep the folder in which a user starts it from
 * running code of its own.
 */
import { runQuietly } from "./run-quietly.ts"

const FLAGS = [
  "--compile",
  "--minify",
  "--bytecode",
  "--splitting",
  "--format=esm",
  "--compile-jit-policy=200",
  "--no-compile-autoload-bunfig",
  "--no-compile-autoload-dotenv"
]

export interface CompileOptions {
  readonly entry: string
  readonly outfile: string
  /** In Bun's words, such as `bun-linux-x64`; absent: the machine that builds. */
  readonly target?: string
  /** Constants that replace names in the sources. */
  readonly define?: Readonly<Record<string, string>>
  /** Where the bundler tells what it made. */
  readonly metafile?: string
  /** A file that names the functions that run at the start (`scripts/record-start.ts`): they are laid out side by side. */
  readonly order?: string
}

export const compile = (options: CompileOptions): Promise<string> =>
  runQuietly([
    process.execPath,
    "build",
    ...FLAGS,
    ...(options.target === undefined ? [] : [`--target=${options.target}`]),
    ...defines(options.define ?? {}),
    ...(options.metafile === undefined ? [] : [`--metafile=${options.metafile}`]),
    ...(options.order === undefined ? [] : [`--bytecode-order=${options.order}`]),
    `--outfile=${options.outfile}`,
    options.entry
  ])

/** The same chunks as plain files: what the compiled program holds inside, open to be looked at. */
export const bundle = (options: {
  readonly entry: string
  readonly outdir: string
  readonly define: CompileOptions["define"]
}) =>
  runQuietly([
    process.execPath,
    "build",
    "--target=bun",
    "--minify",
    "--splitting",
    "--format=esm",
    ...defines(options.define ?? {}),
    `--outdir=${options.outdir}`,
    options.entry
  ])

/**
 * Packages in the older module form are given their folder on the machine that builds, which is nobody's business and would
 * make other bytes in each place. Nothing is read from there: in the program there is no such folder.
 */
const PLACES = { __dirname: "/", __filename: "/" }

const defines = (constants: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries({ ...PLACES, ...constants }).map(([name, value]) => `--define=${name}=${JSON.stringify(value)}`)
