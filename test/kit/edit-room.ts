/** A workspace with the file tools' services around it, and a short way to run one tool call in it. */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Secrets from "../../src/config/secrets.ts"
import type { FileError } from "../../src/files/file-error.ts"
import * as FileFilter from "../../src/files/file-filter.ts"
import * as ReadLedger from "../../src/files/read-ledger.ts"
import * as Workspace from "../../src/files/workspace.ts"
import type { Secret } from "../../src/kernel/redact-secrets.ts"
import * as PlanMode from "../../src/policy/plan-mode.ts"
import { CallId } from "../../src/protocol/ids.ts"
import type { ApprovalMode } from "../../src/protocol/modes.ts"
import * as EditCorrector from "../../src/tools/edit/edit-corrector.ts"
import { type PreparedCall, provideTool, type Tool } from "../../src/tools/tool.ts"
import { tempFolder } from "./temp-folder.ts"

type Services =
  | Workspace.Workspace
  | FileFilter.FileFilter
  | ReadLedger.ReadLedger
  | PlanMode.PlanMode
  | EditCorrector.EditCorrector
  | Secrets.Secrets

export interface EditRoomOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly mode?: ApprovalMode
  readonly corrector?: Layer.Layer<EditCorrector.EditCorrector>
  /** Credentials that the model does not see. */
  readonly secrets?: ReadonlyArray<Secret>
  /** Every write fails so. */
  readonly writeError?: FileError
}

export const editRoom = Effect.fnUntraced(function* (options: EditRoomOptions = {}) {
  const base = yield* tempFolder(
    Object.fromEntries(Object.entries(options.files ?? {}).map(([name, text]) => [`ws/${name}`, text]))
  )
  for (const name of ["ws", "temp/plans"]) mkdirSync(join(base, name), { recursive: true })
  const root = join(base, "ws")
  const plansDir = join(base, "temp/plans")
  const services = yield* Layer.build(
    Layer.mergeAll(
      FileFilter.layer().pipe(Layer.provideMerge(workspaceLayer(root, join(base, "temp"), options.writeError))),
      ReadLedger.layer,
      PlanMode.layer({ initialMode: options.mode ?? "default", plansDir }),
      options.corrector ?? EditCorrector.layerNone,
      Secrets.layerOf(options.secrets ?? [])
    )
  )
  const prepare = (tool: Tool<Services>, args: unknown) => provideTool(tool, services).prepare(args)

  return {
    base,
    root,
    plansDir,
    services,
    prepare,
    /** The answer, or `type: message` of the failure. */
    call: (tool: Tool<Services>, args: unknown) =>
      prepare(tool, args).pipe(
        Effect.flatMap(runPrepared),
        Effect.map((output) => String(output.forModel)),
        Effect.catchTag("ToolFailure", (failure) => Effect.succeed(`${failure.type}: ${failure.message}`))
      ),
    text: (name: string) => readFileSync(join(root, name), "utf8"),
    bytes: (name: string) => readFileSync(join(root, name))
  }
})

const workspaceLayer = (targetDir: string, tempDir: string, writeError: FileError | undefined) =>
  Layer.effect(
    Workspace.Workspace,
    Effect.map(Workspace.Workspace, (workspace) =>
      writeError === undefined ? workspace : { ...workspace, write: () => writeError }
    )
  ).pipe(Layer.provide(Workspace.layer({ targetDir, tempDir })))

export const runPrepared = (call: PreparedCall) =>
  call.run({ callId: CallId.make("test"), progress: () => Effect.void, emit: () => Effect.void })
