/** A workspace with the services of the reading and searching tools, and a short way to run one call in it. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as FileFilter from "../../src/files/file-filter.ts"
import * as ReadLedger from "../../src/files/read-ledger.ts"
import * as Ripgrep from "../../src/files/ripgrep.ts"
import * as Workspace from "../../src/files/workspace.ts"
import { CallId } from "../../src/protocol/ids.ts"
import * as Sandbox from "../../src/sandbox/sandbox.ts"
import { type PreparedCall, provideTool, type Tool, type ToolOutput } from "../../src/tools/tool.ts"
import { testEnvironment } from "./environment.ts"
import { tempFolder } from "./temp-folder.ts"

type Services = Workspace.Workspace | FileFilter.FileFilter | ReadLedger.ReadLedger | Ripgrep.Ripgrep

export interface FileRoomOptions {
  /** Files below the project. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly isRepository?: boolean
  /** `none`: searches run in process. */
  readonly engine?: "ripgrep" | "none" | Layer.Layer<Ripgrep.Ripgrep>
  /** Names of more workspace folders beside the project. */
  readonly include?: ReadonlyArray<string>
  readonly filter?: FileFilter.FilterSettings
}

export const fileRoom = Effect.fnUntraced(function* (options: FileRoomOptions = {}) {
  const base = yield* tempFolder(
    Object.fromEntries(Object.entries(options.files ?? {}).map(([name, text]) => [`ws/${name}`, text]))
  )
  const root = join(base, "ws")
  for (const name of ["ws", "temp", ...(options.include ?? [])]) mkdirSync(join(base, name), { recursive: true })
  if (options.isRepository === true) mkdirSync(join(root, ".git"), { recursive: true })
  const workspace = Workspace.layer({
    targetDir: root,
    includeDirectories: (options.include ?? []).map((name) => join(base, name)),
    tempDir: join(base, "temp")
  })
  const services = yield* Layer.build(
    Layer.mergeAll(FileFilter.layer(options.filter), ReadLedger.layer, engineLayer(options.engine, root)).pipe(
      Layer.provideMerge(workspace)
    )
  )
  const prepare = <R extends Services>(tool: Tool<R>, args: unknown) => provideTool(tool, services).prepare(args)
  const output = <R extends Services>(tool: Tool<R>, args: unknown) => Effect.flatMap(prepare(tool, args), runPrepared)

  return {
    base,
    root,
    services,
    prepare,
    output,
    /** Text for the model, or `type: message` of the failure; `root` is written as `<root>`. */
    call: <R extends Services>(tool: Tool<R>, args: unknown) =>
      output(tool, args).pipe(
        Effect.map(textOf),
        Effect.catchTag("ToolFailure", (failure) => Effect.succeed(`${failure.type}: ${failure.message}`)),
        Effect.map((text) => text.replaceAll(root, "<root>"))
      ),
    /** The type of the failure; `success` without one. */
    failure: <R extends Services>(tool: Tool<R>, args: unknown) =>
      output(tool, args).pipe(
        Effect.as("success"),
        Effect.catchTag("ToolFailure", (failure) => Effect.succeed(failure.type))
      )
  }
})

export const textOf = (output: ToolOutput): string =>
  typeof output.forModel === "string" ? output.forModel : output.forModel.map((part) => part.text ?? "<data>").join("")

export const runPrepared = (call: PreparedCall) =>
  call.run({ callId: CallId.make("call__1"), progress: () => Effect.void, emit: () => Effect.void })

const engineLayer = (engine: FileRoomOptions["engine"], root: string): Layer.Layer<Ripgrep.Ripgrep> => {
  if (engine === "none") return Ripgrep.layerNone
  return engine === undefined || engine === "ripgrep"
    ? Layer.provide(Ripgrep.layer, Layer.merge(Sandbox.layerNone, testEnvironment({ cwd: root })))
    : engine
}
