/**
 * What the account may use: its tier and its project, from the Code Assist server. Somebody who comes for the first time
 * is signed up there, which can take minutes. Whatever stands in the way is said with what to do about it.
 */
import { Duration, Effect, Schema } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { shortLine } from "../../kernel/readable-text.ts"
import { AuthError } from "../auth-plan.ts"
import { type CodeAssistServer, callServer, type ServerRefusal } from "./code-assist-server.ts"
import { CreditList, creditsIn } from "./paid-credits.ts"
import { saidBy } from "./token-endpoint.ts"

export interface AccountSetup {
  readonly project: string | undefined
  readonly tier: string
  /** As the server calls it, for people. */
  readonly tierName: string | undefined
  /** Paid credits that are left; absent: the account cannot have any. */
  readonly credits?: number | undefined
}

const text = Schema.optional(Schema.NullOr(Schema.String))

const Tier = Schema.Struct({
  id: text,
  name: text,
  isDefault: Schema.optional(Schema.NullOr(Schema.Boolean)),
  availableCredits: Schema.optional(CreditList)
})
type Tier = typeof Tier.Type

const IneligibleTier = Schema.Struct({
  tierName: text,
  reasonCode: text,
  reasonMessage: text,
  validationErrorMessage: text,
  validationUrl: text,
  validationUrlLinkText: text
})
type IneligibleTier = typeof IneligibleTier.Type

const LoadAnswer = Schema.Struct({
  currentTier: Schema.optional(Schema.NullOr(Tier)),
  paidTier: Schema.optional(Schema.NullOr(Tier)),
  allowedTiers: Schema.optional(Schema.NullOr(Schema.Array(Tier))),
  ineligibleTiers: Schema.optional(Schema.NullOr(Schema.Array(IneligibleTier))),
  cloudaicompanionProject: text
})
type LoadAnswer = typeof LoadAnswer.Type

const Operation = Schema.Struct({
  name: text,
  done: Schema.optional(Schema.NullOr(Schema.Boolean)),
  error: Schema.optional(Schema.NullOr(Schema.Struct({ message: text }))),
  response: Schema.optional(
    Schema.NullOr(
      Schema.Struct({ cloudaicompanionProject: Schema.optional(Schema.NullOr(Schema.Struct({ id: text }))) })
    )
  )
})

export const STANDARD_TIER = "standard-tier"
export const FREE_TIER = "free-tier"
const LEGACY_TIER = "legacy-tier"

export const setUpAccount = Effect.fn("Auth.setUpAccount")(function* (
  server: CodeAssistServer,
  project: string | undefined,
  /** A line for the person: somebody waits. */
  tell: (line: string) => Effect.Effect<void>
): Effect.fn.Return<AccountSetup, AuthError> {
  if (isProjectNumber(project)) return yield* projectNumber(project)
  const loaded = yield* load(server, project)
  const { currentTier } = loaded
  if (currentTier) {
    return {
      project: yield* projectOf(loaded.cloudaicompanionProject ?? project, loaded),
      tier: loaded.paidTier?.id ?? currentTier.id ?? STANDARD_TIER,
      tierName: loaded.paidTier?.name ?? currentTier.name ?? undefined,
      credits: creditsIn(loaded.paidTier?.availableCredits)
    }
  }
  yield* checkValidation(loaded)
  const tier = loaded.allowedTiers?.find(({ isDefault }) => isDefault === true) ?? { id: LEGACY_TIER }
  const given = yield* Effect.catchTag(signUp(server, tier, project, tell), "ServerRefusal", (refusal) =>
    notSetUp(refusal.detail)
  )
  return {
    project: yield* projectOf(given ?? project, loaded),
    tier: tier.id ?? LEGACY_TIER,
    tierName: "name" in tier ? (tier.name ?? undefined) : undefined
  }
})

const metadataOf = (project: string | undefined) => ({
  ideType: "IDE_UNSPECIFIED",
  platform: "PLATFORM_UNSPECIFIED",
  pluginType: "GEMINI",
  ...(project === undefined ? {} : { duetProject: project })
})

const load = (server: CodeAssistServer, project: string | undefined): Effect.Effect<LoadAnswer, AuthError> =>
  callServer(
    server,
    {
      path: ":loadCodeAssist",
      body: { ...(project === undefined ? {} : { cloudaicompanionProject: project }), metadata: metadataOf(project) }
    },
    LoadAnswer
  ).pipe(
    Effect.catchTag("ServerRefusal", (refusal) =>
      refusal.reasons.includes("SECURITY_POLICY_VIOLATED")
        ? // Behind a perimeter of an organisation the server may not say more, and its users have the standard tier.
          Effect.succeed<LoadAnswer>({ currentTier: { id: STANDARD_TIER } })
        : refused(refusal, project)
    )
  )

/** How many paid credits are left by now. */
export const askCredits = (server: CodeAssistServer, project: string | undefined) =>
  Effect.map(load(server, project), ({ paidTier }) => creditsIn(paidTier?.availableCredits))

const CLOUD_SHELL_PROJECT = "cloudshell-gca"

const refused = (refusal: ServerRefusal, project: string | undefined): AuthError => {
  if (refusal.reasons.includes("TOS_VIOLATION")) {
    const { appeal_url: link, appeal_url_link_text: label } = refusal.metadata
    return new AuthError({
      reason: "account",
      detail: `the account is suspended: ${refusal.detail}`,
      ...linked(link, label, "To appeal")
    })
  }
  if (refusal.status === 403 && project === CLOUD_SHELL_PROJECT) {
    return new AuthError({
      reason: "project",
      detail: `the Code Assist server refuses the account in this Cloud Shell: ${refusal.detail}`,
      hint: "Name a project of yours: gcloud config set project PROJECT, or set GOOGLE_CLOUD_PROJECT in ~/.gemini/.env."
    })
  }
  return new AuthError({
    reason: "account",
    detail: `the Code Assist server refuses the account (HTTP ${refusal.status}): ${refusal.detail}`,
    hint:
      project === undefined
        ? "Sign in with another account (gemini auth login), or set GOOGLE_CLOUD_PROJECT where your organisation asks for it."
        : `Check that the account may use the project ${project} (GOOGLE_CLOUD_PROJECT), or sign in with another one: gemini auth login.`
  })
}

const linked = (link: unknown, label: unknown, otherwise: string) =>
  typeof link === "string" && /^https?:\/\//.test(link)
    ? {
        hint: `${typeof label === "string" && label !== "" ? shortLine(label) : otherwise}: ${shortLine(link)}`,
        link: shortLine(link)
      }
    : {}

const checkValidation = ({ ineligibleTiers }: LoadAnswer): Effect.Effect<void, AuthError> => {
  const tier = ineligibleTiers?.find(
    ({ reasonCode, validationUrl }) => reasonCode === "VALIDATION_REQUIRED" && validationUrl
  )
  if (tier === undefined) return Effect.void
  return new AuthError({
    reason: "validation-required",
    detail: `the account has to be verified first: ${reasonOf(tier)}`,
    ...linked(tier.validationUrl, tier.validationUrlLinkText, "Verify it, then try again")
  })
}

const reasonOf = ({ reasonCode, reasonMessage, validationErrorMessage }: IneligibleTier): string =>
  saidBy(validationErrorMessage ?? reasonMessage ?? reasonCode ?? "the server gives no reason")

const projectOf = (
  project: string | null | undefined,
  { ineligibleTiers }: LoadAnswer
): Effect.Effect<string, AuthError> => {
  if (project) return Effect.succeed(project)
  const reasons = [...new Set((ineligibleTiers ?? []).map(reasonOf))]
  const link = ineligibleTiers?.find(({ validationUrl }) => validationUrl)
  return Effect.fail(
    reasons.length > 0
      ? new AuthError({
          reason: "account",
          detail: `the account cannot be used: ${reasons.join("; ")}`,
          hint: "Sign in with another account (gemini auth login), or use GEMINI_API_KEY or Vertex AI.",
          ...linked(link?.validationUrl, link?.validationUrlLinkText, "More")
        })
      : new AuthError({
          reason: "project",
          detail: "this account needs a Google Cloud project, and none is named",
          hint: "Set GOOGLE_CLOUD_PROJECT to the id of a project; see https://goo.gle/gemini-cli-auth-docs#workspace-gca."
        })
  )
}

/** Known to be wrong before anybody is asked. */
export const isProjectNumber = (project: string | undefined): project is string =>
  project !== undefined && /^\d+$/.test(project)

const projectNumber = (project: string) =>
  new AuthError({
    reason: "project",
    detail: `GOOGLE_CLOUD_PROJECT is ${project}, which is the number of a project and not its id`,
    hint: "Set it to the id, a word such as my-project-123: gcloud projects list shows both."
  })

const LASTS_AT_MOST = Duration.minutes(5)
const FIRST_LOOK = Duration.seconds(1)
const LOOK_EVERY = Duration.seconds(3)
const TELL_EVERY = Duration.toMillis("15 seconds")

/** The project that the server gives. A free account has none of its own, and naming one is refused. */
const signUp = Effect.fnUntraced(function* (
  server: CodeAssistServer,
  tier: Tier,
  project: string | undefined,
  tell: (line: string) => Effect.Effect<void>
): Effect.fn.Return<string | undefined, AuthError | ServerRefusal> {
  const named = tier.id === FREE_TIER ? undefined : project
  const what = `Setting up ${shortLine(tier.name ?? tier.id ?? "the account")}...`
  yield* tell(what)
  const body = {
    tierId: tier.id,
    ...(named === undefined ? {} : { cloudaicompanionProject: named }),
    metadata: metadataOf(named)
  }
  let operation = yield* callServer(server, { path: ":onboardUser", body, isOnce: true }, Operation)
  const began = yield* monotonicMillis
  let toldAt = began
  let wait = FIRST_LOOK
  while (operation.done !== true && operation.name) {
    yield* Effect.sleep(wait)
    wait = LOOK_EVERY
    const now = yield* monotonicMillis
    if (now - began > Duration.toMillis(LASTS_AT_MOST)) return yield* neverDone
    if (now - toldAt >= TELL_EVERY) {
      toldAt = now
      yield* tell(what)
    }
    operation = yield* callServer(server, { path: `/${operationName(operation.name)}` }, Operation)
  }
  if (operation.error) return yield* notSetUp(saidBy(operation.error.message ?? "the server gives no reason"))
  return operation.response?.cloudaicompanionProject?.id ?? undefined
})

/** A name of the server, put behind its address: it cannot lead elsewhere. */
const operationName = (name: string): string => name.split("/").map(encodeURIComponent).join("/")

const notSetUp = (why: string) =>
  new AuthError({
    reason: "account",
    detail: `the account could not be set up: ${why}`,
    hint: "Try again later, or sign in with another account: gemini auth login."
  })

const neverDone = new AuthError({
  reason: "account",
  detail: `the account was not set up within ${Duration.format(LASTS_AT_MOST)}`,
  hint: "The server may still be at it: try again in a few minutes."
})
