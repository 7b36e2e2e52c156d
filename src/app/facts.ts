/** What is settled before a run begins: facts of the process, and those of the run that its services are made from. */
import type { Layer } from "effect"
import type { CodeAssistAccount } from "../auth/google/account.ts"
import type { RunOptions } from "../cli/run-options.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { CompanionView } from "../ide/ide-companion.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { StartProfile } from "../kernel/start-profile.ts"
import type { FallbackQuestions } from "../model/routing/fallback-questions.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { AuthType, OutputFormat } from "../protocol/modes.ts"
import type { EnabledExtension, RunFacts } from "../protocol/run-facts.ts"
import type { SessionPlan } from "../session/record/session-plan.ts"
import type { EarlyRecording } from "../telemetry/early-recording.ts"
import type * as Tools from "../tools/from-config.ts"
import type { StopSignal } from "./outcome.ts"
import type { RunPlan } from "./plan.ts"

/** What the process is, read once by `boot.ts`. */
export interface ProcessFacts {
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** `undefined`: the folder does not exist any more. */
  readonly cwd: string | undefined
  readonly stdinIsTerminal: boolean
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
  readonly sessionId: SessionId
  /** The signal that interrupts this run, once it came. */
  readonly stoppedBy: () => StopSignal | undefined
  /** In a conversation SIGINT cancels what goes on and does not end the program: it is given to `heed` instead. */
  readonly onInterrupt: (heed: (() => void) | undefined) => void
  /** Takes credentials out of everything that is logged from now on. */
  readonly learnSecrets: (secrets: ReadonlyArray<Secret>) => void
  readonly profile: StartProfile
  /** What happened before it was known whether it is to be told. */
  readonly early: EarlyRecording
}

export interface AppInput {
  readonly facts: Pick<
    ProcessFacts,
    "sessionId" | "platform" | "stderrIsTerminal" | "learnSecrets" | "profile" | "early"
  >
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly format: OutputFormat
  readonly plan: RunPlan
  /** What is recorded, and what the conversation goes on from; a new session where absent. */
  readonly session?: SessionPlan | undefined
  /** Chosen by the person in this session; the settings and the environment are not asked then. */
  readonly authType?: AuthType | undefined
  /** That was opened before the run was planned. */
  readonly account?: CodeAssistAccount | undefined
  /** Fingerprints of programs of the project that the person agreed to in this session. */
  readonly acceptedPrograms?: ReadonlySet<string>
  /** Those that are enabled in this folder. */
  readonly extensions: ReadonlyArray<EnabledExtension>
  /** Extensions that the person turned on or off for this session, by name. */
  readonly extensionSwitches?: ReadonlyMap<string, boolean>
  /** Who is there to be asked; nobody in a headless run. */
  readonly person?: RunPerson
  /** MCP servers of this session alone, by name. */
  readonly sessionServers?: Readonly<Record<string, McpServer>>
  /** The companion of the editor that the program runs in; absent where none is looked for. */
  readonly companion?: CompanionView | undefined
  /** What requests call the program by, where it is not a terminal that it serves. */
  readonly surface?: "acp" | undefined
}

export interface RunPerson extends Tools.Person {
  /** What to do about a model that was given up; absent where that cannot be asked. */
  readonly fallback?: Layer.Layer<FallbackQuestions>
}

/** Every fact that some room asks for, under the name by which it does. */
export const runFacts = ({
  acceptedPrograms,
  account,
  authType,
  companion,
  extensions,
  extensionSwitches,
  facts,
  format,
  options,
  person,
  plan,
  session,
  sessionServers,
  surface
}: AppInput) => ({
  ...({
    sessionId: facts.sessionId,
    isBare: plan.bare,
    isDemo: options.demo,
    isEphemeral: options.ephemeral,
    isInteractive: person !== undefined,
    approvalMode: plan.approvalMode,
    extensions,
    acceptedPrograms
  } satisfies RunFacts),
  sandbox: plan.sandbox,
  person,
  companion,
  platform: facts.platform,
  isWatched: person !== undefined || facts.stderrIsTerminal,
  isDebug: options.debug,
  folders: [...(options.includeDirectories ?? []), ...(session?.directories ?? [])],
  start: session?.start,
  named: options.extensions,
  switches: extensionSwitches ?? new Map<string, boolean>(),
  // The model.
  ...accessFacts({ options, authType }),
  account,
  model: plan.model,
  recordResponses: options.recordResponses,
  record: options.record,
  maxTime: plan.maxTime,
  onQuota: plan.onQuota,
  // Whoever said that a quota is the end is not asked.
  fallback: options.onQuota === undefined ? person?.fallback : undefined,
  // The conversation.
  maxTurns: plan.maxTurns,
  maxToolCalls: plan.maxToolCalls,
  maxTokens: plan.maxTokens,
  maxCost: plan.maxCost,
  outputSchema: options.outputSchema,
  showsTextAtEnd: format === "json",
  endsWhenRefused: person?.endsWhenRefused === true,
  takesAllFiles: options.allFiles,
  // What may be done.
  policy: options.policy,
  programPolicy: options.program?.policy,
  adminPolicy: options.adminPolicy,
  allowedTools: options.allowedTools,
  allowedMcpServerNames: onlyGivenServers(options)
    ? Object.keys(options.givenServers ?? {})
    : options.allowedMcpServerNames,
  sessionServers: options.givenServers === undefined ? sessionServers : { ...options.givenServers, ...sessionServers },
  // The tools that the command line leaves.
  onlyTools: options.noTools ? [] : options.tools?.filter((name) => name !== ""),
  exceptTools: options.excludeTools ?? [],
  // What the model is told first, and how much it thinks.
  systemPrompt: options.systemPrompt,
  appendedPrompts: options.appendSystemPrompt ?? [],
  thinking: plan.thinking,
  tier: plan.tier,
  surface
})

/** A `--bare` run has no servers but those that are named for it. */
const onlyGivenServers = ({ bare, mcpConfig, strictMcpConfig }: RunOptions): boolean =>
  mcpConfig !== undefined && (strictMcpConfig || bare)

/** How the model is reached, as the command line and the person say. */
export const accessFacts = ({ authType, options }: Pick<AppInput, "options" | "authType">) => ({
  isDemo: options.demo,
  authType: authType ?? (options.apiKey === undefined ? undefined : ("gemini-api-key" as const)),
  fakeResponses: options.fakeResponses,
  fakeResponsesNonStrict: options.fakeResponsesNonStrict,
  replay:
    options.replay === undefined
      ? undefined
      : {
          file: options.replay,
          onMiss: options.onMiss ?? "fail",
          replaysTools: options.replayTools,
          keepsGaps: options.replayGaps
        }
})

export type Run = ReturnType<typeof runFacts>
