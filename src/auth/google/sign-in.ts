/**
 * Signing in with a Google account: in the browser, which comes back to a listener on this machine, or where no browser can
 * be opened by a code that the person copies. Both are bound to this sign-in by a secret (PKCE), so that nobody who sees the
 * code can use it.
 */
import { createHash, randomBytes } from "node:crypto"
import { Duration, Effect, type Scope } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import { AuthError, type OAuthClient } from "../auth-plan.ts"
import { codeFromPaste, listenForCode } from "../oauth-callback.ts"
import { SCOPES } from "./access-tokens.ts"
import { askEmail, setActiveAccount } from "./google-accounts.ts"
import type { CredentialStore, GoogleCredentials } from "./stored-credentials.ts"
import { noClient, requestToken } from "./token-endpoint.ts"

/** How the person is reached. */
export interface SignInDialogue {
  readonly tell: (line: string) => Effect.Effect<void>
  /** `undefined`: nothing more can be asked. */
  readonly ask: (question: string) => Effect.Effect<string | undefined>
  /** Opens the page; absent: no browser can be opened here. */
  readonly open?: ((url: string) => Effect.Effect<void>) | undefined
  /** Of what takes its time: succeeds when the person does not want to wait any more. Absent: a signal says so. */
  readonly cancelled?: Effect.Effect<void>
}

export interface SignInOptions {
  readonly oauth: OAuthClient
  readonly http: HttpClient
  readonly store: CredentialStore
  readonly accountsFile: string
  readonly dialogue: SignInDialogue
  readonly variable: (name: string) => string | undefined
}

/** Who signed in, where the server says so. The sign-in is kept. */
export const signIn = Effect.fn("Auth.signIn")(function* (
  options: SignInOptions
): Effect.fn.Return<string | undefined, AuthError> {
  const { accountsFile, dialogue, http, oauth, store } = options
  if (oauth.id === undefined) return yield* noClient
  const credentials = yield* dialogue.open === undefined ? byCode(options) : inBrowser(options, dialogue.open)
  yield* store.alone(store.write(credentials))
  const email = yield* cancellable(askEmail(http, oauth.userInfoUrl, credentials.access_token), dialogue).pipe(
    // Somebody is signed in by then.
    Effect.orElseSucceed(() => undefined)
  )
  yield* setActiveAccount(accountsFile, email ?? null)
  return email
})

type SignedIn = GoogleCredentials & { readonly access_token: string }

const WITHIN = Duration.minutes(5)
const PAGES = {
  success: "https://developers.google.com/gemini-code-assist/auth_success_gemini",
  failure: "https://developers.google.com/gemini-code-assist/auth_failure_gemini"
}

const inBrowser = Effect.fnUntraced(function* (
  { dialogue, http, oauth, variable }: SignInOptions,
  open: NonNullable<SignInDialogue["open"]>
): Effect.fn.Return<SignedIn, AuthError, Scope.Scope> {
  const answer = yield* dialogue.ask("The sign-in page opens in your browser. Do you want to continue? [Y/n]")
  if (answer === undefined || !/^\s*(?:y(?:es)?)?\s*$/i.test(answer)) return yield* givenUp("it was not wanted")
  const login = { state: randomBytes(32).toString("hex"), issuer: undefined }
  const callback = yield* Effect.mapError(
    listenForCode({
      ...login,
      port: yield* portIn(variable("OAUTH_CALLBACK_PORT")),
      host: variable("OAUTH_CALLBACK_HOST") || "127.0.0.1",
      redirectUri: (port) => `http://127.0.0.1:${port}/oauth2callback`,
      pages: PAGES
    }),
    givenUp
  )
  const { page, verifier } = pageFor(oauth, { redirectUri: callback.redirectUri, state: login.state })
  yield* dialogue.tell(`Sign in on this page:\n\n  ${page}\n\nWaiting for the browser...`)
  yield* open(page)
  yield* Effect.forkScoped(Effect.zipRight(callback.stranger, dialogue.tell(STRANGER)))
  return yield* callback.code.pipe(
    Effect.timeoutFail({ duration: WITHIN, onTimeout: () => NOBODY_CAME }),
    Effect.mapError(givenUp),
    Effect.flatMap((code) =>
      redeemed(http, oauth, { code, redirect_uri: callback.redirectUri, code_verifier: verifier })
    ),
    (waiting) => cancellable(waiting, dialogue)
  )
}, Effect.scoped)

const cancellable = <A, E>(
  waiting: Effect.Effect<A, E>,
  { cancelled }: SignInDialogue
): Effect.Effect<A, E | AuthError> =>
  cancelled === undefined ? waiting : Effect.raceFirst(waiting, Effect.zipRight(cancelled, givenUp("it was cancelled")))

const STRANGER = "An answer that does not belong to this sign-in was refused; still waiting for the right one."
const NOBODY_CAME = `nobody signed in within ${Duration.format(WITHIN)}`

const CODE_PAGE = "https://codeassist.google.com/authcode"
const TRIES = 2

/** Each try has a page of its own: a code that was not accepted is used up. */
const byCode = Effect.fnUntraced(function* ({
  dialogue,
  http,
  oauth
}: SignInOptions): Effect.fn.Return<SignedIn, AuthError> {
  for (let attempt = 1; ; attempt += 1) {
    const state = randomBytes(32).toString("hex")
    const { page, verifier } = pageFor(oauth, { redirectUri: CODE_PAGE, state })
    const signedIn = yield* Effect.gen(function* () {
      yield* dialogue.tell(`Sign in on this page, in any browser:\n\n  ${page}\n`)
      const text = yield* Effect.timeoutFail(dialogue.ask("Enter the authorization code:"), {
        duration: WITHIN,
        onTimeout: () => givenUp(NOBODY_CAME)
      })
      if (text === undefined) return yield* givenUp("no code was given")
      const code = yield* Effect.mapError(codeFromPaste(text, { state, issuer: undefined }), givenUp)
      const grant = { code, redirect_uri: CODE_PAGE, code_verifier: verifier }
      return yield* cancellable(redeemed(http, oauth, grant), dialogue)
    }).pipe(Effect.either)
    if (signedIn._tag === "Right") return signedIn.right
    if (attempt === TRIES) return yield* signedIn.left
    yield* dialogue.tell(`${sentence(signedIn.left.detail)} Once more:`)
  }
})

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

const pageFor = (
  oauth: OAuthClient,
  { redirectUri, state }: { readonly redirectUri: string; readonly state: string }
) => {
  const verifier = randomBytes(32).toString("base64url")
  const page = new URL(oauth.authorizeUrl)
  page.search = new URLSearchParams({
    client_id: oauth.id ?? "",
    redirect_uri: redirectUri,
    response_type: "code",
    access_type: "offline",
    // Without it an account that agreed before gives no refresh token.
    prompt: "consent",
    scope: SCOPES.join(" "),
    state,
    code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url")
  }).toString()
  return { page: page.href, verifier }
}

const redeemed = (
  http: HttpClient,
  oauth: OAuthClient,
  grant: { readonly code: string; readonly redirect_uri: string; readonly code_verifier: string }
) => requestToken(http, oauth, { grant_type: "authorization_code", ...grant })

/** 0: a free one. */
const portIn = (text: string | undefined): Effect.Effect<number, AuthError> => {
  if (text === undefined || text === "") return Effect.succeed(0)
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port < 65_536
    ? Effect.succeed(port)
    : givenUp(`OAUTH_CALLBACK_PORT is no port: ${text}`)
}

const givenUp = (why: string) =>
  new AuthError({
    reason: "sign-in-needed",
    detail: `nobody was signed in: ${why}`,
    hint: "Try again: gemini auth login; NO_BROWSER=1 signs in with a code that you copy."
  })

/** False: nobody was signed in. */
export const signOut = Effect.fn("Auth.signOut")(function* (
  store: CredentialStore,
  accountsFile: string
): Effect.fn.Return<boolean, AuthError> {
  const wasThere = yield* store.alone(store.forget, "forgotten")
  yield* setActiveAccount(accountsFile, null)
  return wasThere
})
