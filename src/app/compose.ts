/**
 * The picture of the program: which rooms a run is made of, from the bottom to the top. Each layer may use those above
 * it in its list. Only this room knows which implementation stands behind which tag.
 */
import type { Layer } from "effect"
import * as Agents from "../agents/from-config.ts"
import * as Chat from "../chat/from-config.ts"
import * as Config from "../config/load.ts"
import * as RunFolders from "../config/run-folders.ts"
import * as Secrets from "../config/secrets.ts"
import * as WorkspaceRoots from "../config/workspace-roots.ts"
import * as Extensions from "../extensions/extensions.ts"
import * as Hooks from "../hooks/from-config.ts"
import { aroundLayer, withLayer } from "../kernel/layers.ts"
import type { StartPhase } from "../kernel/start-profile.ts"
import * as Model from "../model/from-config.ts"
import * as ModelAccess from "../model/model-access.ts"
import type { ModelClient } from "../model/model-client.ts"
import * as Routing from "../model/routing/from-config.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import * as Stderr from "../output/stderr.ts"
import * as Policy from "../policy/from-config.ts"
import * as Prompt from "../prompt/from-config.ts"
import * as RunReaders from "../protocol/run-readers.ts"
import * as Sandbox from "../sandbox/from-config.ts"
import * as Session from "../session/from-config.ts"
import * as ChangeJournal from "../session/undo/change-journal.ts"
import * as Undo from "../session/undo/from-config.ts"
import * as Skills from "../skills/from-config.ts"
import * as SessionFacts from "../slash/session-facts.ts"
import * as Tools from "../tools/from-config.ts"
import * as Mcp from "../tools/mcp/from-config.ts"
import { type AppInput, type Run, runFacts } from "./facts.ts"
import * as Observers from "./telemetry/observers.ts"

/** Everything a run is made of. A headless run uses the chat alone; a conversation's commands use the rest too. */
export const appLayer = (input: AppInput) => {
  const run = runFacts(input)
  return ground(input, run).pipe(withLayer(Observers.observeEnd(conversation(input, run))), (app) =>
    during(input, "initialize_app", app)
  )
}

/** What conversations stand on: those of one program, and those of a batch. */
export const ground = (input: AppInput, run: Run) =>
  foundations(input, run).pipe(
    withLayer(during(input, "authenticate", ModelAccess.layer(input.config, run))),
    withLayer(SessionFacts.layer(run)),
    withLayer(Observers.telemetry(input))
  )

/** What `--estimate` needs: everything that has a say in the first request, and nobody to send it to. */
export const estimateLayer = (input: AppInput) => {
  const { config } = input
  const run = runFacts(input)
  return foundations(input, run).pipe(
    withLayer(ModelAccess.layerUnsigned(config, run)),
    withLayer(ChangeJournal.layerNone),
    withLayer(request(input, run, Model.selected(run).pipe(withLayer(Model.unasked)), Mcp.hub(config, run)))
  )
}

/** Known before anything is asked or started. */
export const foundations = ({ config, facts }: AppInput, run: Run) =>
  Config.layer(config).pipe(
    withLayer(Stderr.notices),
    withLayer(Secrets.layer(config, facts.learnSecrets)),
    withLayer(RunFolders.layer(config, run)),
    withLayer(WorkspaceRoots.layer(config, run.folders)),
    withLayer(Sandbox.layer(config, run)),
    withLayer(Extensions.layer(run.extensions, run))
  )

const conversation = (input: AppInput, run: Run) => {
  const { config } = input
  const asked = request(input, run, Model.layer(config, run), Mcp.hub(config, run))
  const readers = RunReaders.layer(Chat.reader, Observers.reader(input), Session.reader, Policy.reader)
  return Session.layer(config, run).pipe(
    withLayer(Session.transcriptFile),
    withLayer(conversing(input, run, asked, readers))
  )
}

/** All that one conversation is, over a session that is recorded or not. `asked`: what has a say in its requests. */
export const conversing = <A, E, R, B, E2, R2>(
  { config }: AppInput,
  run: Run,
  asked: Layer.Layer<A, E, R>,
  readers: Layer.Layer<B, E2, R2>
) =>
  Hooks.layer(config, run).pipe(
    withLayer(Undo.layer(config, run)),
    withLayer(Chat.budget(config, run)),
    withLayer(asked),
    withLayer(Agents.connected(config, run)),
    withLayer(Routing.layer(config, run)),
    withLayer(readers),
    withLayer(Chat.layer(config, run))
  )

/** Everything that has a say in a request, whatever model is behind it. */
export const request = <A, E, R, Servers, E2, R2>(
  input: AppInput,
  run: Run,
  model: Layer.Layer<A | ModelClient | UtilityModels, E, R>,
  servers: Layer.Layer<Servers, E2, R2>
) => {
  const { config } = input
  return servers.pipe(
    withLayer(Prompt.contextFiles(config, run)),
    withLayer(Mcp.instructions(config, run)),
    withLayer(Policy.layer(config, run)),
    withLayer(model),
    withLayer(Tools.shared(config, run)),
    withLayer(Skills.layer(config, run)),
    withLayer(Agents.layer(config, run)),
    withLayer(during(input, "discover_tools", Tools.registry(config, run))),
    withLayer(Tools.scheduler(config, run)),
    withLayer(Prompt.systemPrompt(config, run))
  )
}

export const during = <A, E, R>({ facts: { profile } }: AppInput, phase: StartPhase, layer: Layer.Layer<A, E, R>) =>
  aroundLayer(layer, (build) => profile.during(phase, build))

/** What the items of a batch share: all that is not about one conversation. */
export const batchLayer = (input: AppInput, share: (client: ModelClient["Type"]) => ModelClient["Type"]) => {
  const { config } = input
  const run = runFacts(input)
  return ground(input, run).pipe(withLayer(Model.sharedClient(config, run, share)), withLayer(Mcp.hub(config, run)))
}

/** One conversation among many: everything that remembers something is its own, and nothing of it is recorded. */
export const itemLayer = <A, E, R>(input: AppInput, instruct: Layer.Layer<A, E, R>) => {
  const run = runFacts(input)
  const asked = request(input, run, Model.selectedAmong(run), Mcp.runningHub).pipe(withLayer(instruct))
  return Session.unrecorded.pipe(
    withLayer(Session.transcriptFile),
    withLayer(conversing(input, run, asked, RunReaders.layer(Chat.reader, Observers.reader(input))))
  )
}

/**
 * Items without tools remember nothing but their conversation and what it cost: the rest is made once for all of them,
 * which takes a tenth of the time. It stands on an `itemLayer` that is never asked itself.
 */
export const plainItemLayer = (input: AppInput) => {
  const { config } = input
  const run = runFacts(input)
  return Model.selected(run).pipe(
    withLayer(ChangeJournal.layerNone),
    withLayer(Chat.budget(config, run)),
    withLayer(RunReaders.layer(Chat.reader, Observers.reader(input))),
    withLayer(Chat.layer(config, run))
  )
}
