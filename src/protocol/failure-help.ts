/**
 * What every failure means and what there is to do about it, by the short code that stands at the end of its line and in
 * `error.help` of its document. The page on troubleshooting is made from this table, and `gemini help CODE` prints the
 * paragraph. A code is never given another meaning: scripts may branch on it. Only its names reach the program.
 */

interface FailureHelp {
  /** What has happened: a sentence or two. */
  readonly why: string
  /** What to do, each line on its own. */
  readonly todo: ReadonlyArray<string>
}

export const FAILURE_HELP = {
  "no-auth": {
    why: "No credentials were found, or what was found is not complete. Exit code 41.",
    todo: [
      "Set `GEMINI_API_KEY`, or `GOOGLE_GENAI_USE_VERTEXAI=true` with a project and a location, or sign in: `gemini auth login`.",
      "`gemini auth status` says which source was taken and what is missing; [signing-in.md](signing-in.md) has every way."
    ]
  },
  "sign-in": {
    why: "Nobody is signed in with a Google account, or the sign-in does not hold any more. Exit code 41.",
    todo: [
      "Sign in again: `gemini auth login`. Where there is no browser, `NO_BROWSER=true` prints an address to open elsewhere.",
      "No OAuth client is built in: [signing-in.md](signing-in.md) says how yours is named."
    ]
  },
  account: {
    why: "The account was recognised, and cannot be used as it is: it has to be verified, or a project has to be named. Exit code 41.",
    todo: ["Open the address in the message, or set `GOOGLE_CLOUD_PROJECT`; then start again."]
  },
  "auth-enforced": {
    why: "The settings or the administrator allow one way of signing in only (`security.auth.enforcedType`), and another one was found. Exit code 41.",
    todo: ["Use that way, or unset the variable that asks for the other one. `gemini auth status` shows both."]
  },
  "bad-endpoint": {
    why: "An address of the service is none: it has no `https://`, or it is not an address at all.",
    todo: ["Correct `GOOGLE_GEMINI_BASE_URL`, `GOOGLE_VERTEX_BASE_URL` or the setting that the message names."]
  },
  "key-store": {
    why: "The store of keys of this machine is locked, or did not answer. Exit code 41.",
    todo: ["Unlock it, or give the key in `GEMINI_API_KEY`. `gemini doctor` tells which store is used."]
  },
  "auth-refused": {
    why: "The service was asked, and refused the credentials (401 or 403). Exit code 41.",
    todo: [
      "Check that the key is complete and not revoked, and that its project has the API turned on.",
      "`gemini auth status` shows which source won: a forgotten variable may go before what you meant."
    ]
  },
  "no-model": {
    why: "The service knows no such model, or your account may not use it (404).",
    todo: ["`gemini models --online` lists what it offers; `-m` chooses another one."]
  },
  "bad-request": {
    why: "The service refused the request itself (another 4xx): sending it again gives the same answer.",
    todo: [
      "The message is the service's own. Often an attachment has a kind that the model does not take, or a schema has a part that it does not know."
    ]
  },
  quota: {
    why: "A quota that does not come back within a run: of the day, or of the account.",
    todo: [
      "`--on-quota wait` waits for it, `--on-quota fallback` takes another model.",
      "Where several processes share a quota, [a budget](pipelines.md) keeps them below it together."
    ]
  },
  "rate-limited": {
    why: "Too many requests in a short time, and still too many after all attempts.",
    todo: ["Wait a minute, run fewer processes at once, or let `gemini batch` find the rate by itself."]
  },
  capacity: {
    why: "The service has no free capacity for this model at the moment.",
    todo: ["Try again later, or choose another model with `-m`. `--on-quota fallback` does that by itself."]
  },
  unavailable: {
    why: "The service answered with an error of its own (5xx), also after all attempts.",
    todo: ["Try again in a few minutes."]
  },
  network: {
    why: "There was no connection, or it broke off.",
    todo: [
      "Check the network, and `HTTPS_PROXY` and `NO_PROXY` where a proxy is needed. `gemini doctor --online` tries it."
    ]
  },
  unreachable: {
    why: "The way is barred: a certificate that is not trusted, or a proxy that refuses. Trying again changes nothing.",
    todo: [
      "Name the certificate of your network in `NODE_EXTRA_CA_CERTS`.",
      "Credentials of a proxy belong into its address: `HTTPS_PROXY=http://name:password@host:port`."
    ]
  },
  timeout: {
    why: "A wait with a bound ran out, and the message names it: the connection, the first word of the answer, or a gap in it.",
    todo: ["Try again; look at the proxy in between. `--tier flex` waits much longer."]
  },
  "not-gemini": {
    why: "Something answered, and it was not the service: mostly a page of a proxy or of a login.",
    todo: ["Check the base address and the proxy. `--debug` shows the beginning of what came."]
  },
  "over-budget": {
    why: "The budget that `GEMINI_BUDGET` names has no room for the request: it was not sent. Exit code 53.",
    todo: ["`gemini budget show` tells what was used, `gemini budget reset` begins anew."]
  },
  "bad-budget": {
    why: "The file of the budget is not there, is damaged, or cannot be written. Exit code 52.",
    todo: ["`gemini budget init FILE --usd 5` makes one; `--force` replaces what is there."]
  },
  "replay-mismatch": {
    why: "The answers of `--fake-responses` do not fit the calls that were made.",
    todo: ["Record them anew with `--record-responses`, or use a cassette: it says what differs."]
  },
  "cassette-miss": {
    why: "The cassette holds no answer to this request. The difference to the nearest one is shown. Exit code 54.",
    todo: [
      "Record it anew: `--record FILE`; or let new requests through: `--replay FILE --on-miss record`.",
      "What belongs to a machine, a folder or a time is taken out before requests are compared; [pipelines.md](pipelines.md) has the rules."
    ]
  },
  "bad-cassette": {
    why: "The file is no cassette, is damaged, or was made by a newer version. Exit code 42.",
    todo: ["`gemini cassette verify FILE` names the line."]
  },
  "no-answer": {
    why: "The model ended without an answer that can be used: nothing at all, only thoughts, or something that a filter held back.",
    todo: ["Ask again, or put the question differently. The message says which of these it was."]
  },
  limit: {
    why: "A limit of the run was reached: turns, tool calls, time, tokens or cost. Exit code 53; `completion_reason` says which.",
    todo: ["The partial answer is in the document. Raise the limit that the message names, and go on with `--resume`."]
  },
  "no-price": {
    why: "`--max-cost` was given, and the price of the model is not known. Exit code 52.",
    todo: ["Give it in the setting `run.prices`, or limit the run by `--max-tokens`."]
  },
  "bad-command": {
    why: "A slash command, an `@path` or a `!{command}` of the prompt could not be carried out. Exit code 42.",
    todo: ["`/help` lists the commands. A prompt that only looks like one may begin with a space."]
  },
  "command-denied": {
    why: "A command of the prompt would have run a program that the policy does not allow. Exit code 54.",
    todo: ["`gemini policy test` shows the rule; [policy.md](policy.md) says how to change it."]
  },
  "bad-schema": {
    why: "What `--output-schema` names is no JSON Schema that can be used. Exit code 42.",
    todo: ["The message says where. Schemas in files begin with `@` or are named by their path."]
  },
  "schema-mismatch": {
    why: "The answer does not fit `--output-schema`, also after repairs. Exit code 57.",
    todo: ["Make the schema simpler or the prompt clearer. The last answer is kept as the response."]
  },
  "answer-file": {
    why: "The run succeeded, and its answer could not be written to `--last-message-file`. Exit code 1.",
    todo: ["The answer is on standard output all the same. Check the folder and the space on the disk."]
  },
  loop: {
    why: "The model repeated itself, and was stopped. Exit code 1.",
    todo: [
      "Put the task differently or in smaller steps. The setting `model.disableLoopDetection` turns the check off."
    ]
  },
  "too-long": {
    why: "The conversation does not fit into what the model can read.",
    todo: ["`/compress` shortens it; a new session begins without it; fewer or smaller files need less."]
  },
  "tool-failed": {
    why: "A tool failed in a way that ends the run, such as a full disk. Exit code 54.",
    todo: ["The message is the tool's own; `error.code` in the document has its kind."]
  },
  "calls-denied": {
    why: "Calls of tools were refused, and `--fail-on-denied` makes that a failure. Exit code 56.",
    todo: ["`permission_denials` in the document says why, and what would allow each of them."]
  },
  "no-session": {
    why: "There is no such session in this project. Exit code 42.",
    todo: ["`gemini --list-sessions` shows what there is. Sessions belong to the folder in which they were begun."]
  },
  "bad-session": {
    why: "The file of the session cannot be read. Exit code 42.",
    todo: ["`gemini sessions verify` says what is wrong with which file."]
  },
  "session-busy": {
    why: "Another process works in this session. Exit code 42.",
    todo: ["Wait for it, or go on in a copy: `--resume ID --fork`."]
  },
  "session-exists": {
    why: "A new session was to have the id of one that is there. Exit code 42.",
    todo: ["Go on with it by `--resume`, or choose another id."]
  },
  "session-kept": {
    why: "A session could not be deleted. Exit code 1.",
    todo: ["The message says which file stood in the way."]
  },
  "output-failed": {
    why: "The answer could not be written: the disk is full, or what reads it failed. Exit code 1.",
    todo: ["The session has the answer: `gemini --resume latest`."]
  },
  "bad-usage": {
    why: "The command line cannot be read, or asks for two things that exclude one another. Exit code 1.",
    todo: ["`gemini --help`, or `gemini COMMAND --help`. After `--` everything is a prompt."]
  },
  managed: {
    why: "An administrator has turned off what was asked for. Exit code 52.",
    todo: ["`gemini config explain KEY` shows where it was decided."]
  },
  "bad-settings": {
    why: "A settings file cannot be used. Exit code 52.",
    todo: ["`gemini config validate` names file, line and key of everything that is wrong."]
  },
  "bad-policy": {
    why: "A policy file cannot be used. Exit code 52.",
    todo: ["`gemini policy list` names file and rule; [policy.md](policy.md) has the form."]
  },
  "bad-system-prompt": {
    why: "The file that replaces the system prompt is not there, or cannot be read. Exit code 52.",
    todo: ["Correct the path in the variable that the message names, or unset it."]
  },
  "bad-input": {
    why: "What was given cannot be used: a file that is not there, binary data that is no picture, sound, film or PDF, or a folder that is gone. Exit code 42.",
    todo: ["The message names it. For a file that is text in another encoding, convert it first: `iconv -t UTF-8`."]
  },
  "no-prompt": {
    why: "There is nothing to ask: no prompt on the command line, and nothing or only space on standard input. Exit code 42.",
    todo: ['Give it: `gemini -p "..."`, or pipe it in.']
  },
  untrusted: {
    why: "The folder is not trusted, or what was trusted has changed. Exit code 55.",
    todo: ["Start `gemini` there once and answer the question, or add `--skip-trust` for one run."]
  },
  "no-sandbox": {
    why: "A sandbox was asked for and cannot be had. Exit code 44.",
    todo: ["`gemini sandbox check` says what is missing; [sandbox.md](sandbox.md) has the back ends."]
  },
  "forbidden-mode": {
    why: "The approval mode is forbidden by the settings. Exit code 52.",
    todo: ["Choose another one; `gemini config explain security.disableYoloMode` shows who decided."]
  },
  storage: {
    why: "A file of the program could not be read or written. Exit code 1.",
    todo: ["Check its permissions and the space on the disk; `gemini doctor` looks at both."]
  },
  "bad-extension": {
    why: "An extension could not be installed, updated or used.",
    todo: ["The message says why; [extensions.md](extensions.md) has the form of one."]
  },
  "not-served": {
    why: "`gemini a2a serve` or `gemini mcp serve` could not begin, or its standard output was closed. Exit code 1.",
    todo: [
      "Mostly the port is taken, or the address is not one of this machine: choose another with `--port` or `--host`."
    ]
  },
  "batch-input": {
    why: "The input or the options of a batch cannot be used. Nothing was sent. Exit code 42.",
    todo: ["The message names the line; [batch.md](batch.md) has the forms."]
  },
  "batch-changed": {
    why: "The batch was begun with other options, another template or another input. Exit code 42.",
    todo: ["`--changed` does only what differs again, `--restart` begins anew and keeps the old files as `.1`."]
  },
  "batch-busy": {
    why: "Another process writes the same output. Exit code 1.",
    todo: ["Wait for it, or end it: the message has its number."]
  },
  "batch-service": {
    why: "The batch service refused, or did not answer. Exit code 1.",
    todo: ["The same command goes on where it was: no job is made twice."]
  },
  "batch-stopped": {
    why: "A batch ended before all its items were done. What is done is kept.",
    todo: ["The same command goes on from there, once the reason in the message is gone."]
  },
  cancelled: {
    why: "A signal ended the run. Exit code 130 (Ctrl-C), 143 or 129.",
    todo: ["Go on with `gemini --resume latest`."]
  },
  internal: {
    why: "A fault of this program. Exit code 70.",
    todo: ["Please report it, with what `--debug` shows."]
  }
} as const satisfies Readonly<Record<string, FailureHelp>>

export type FailureCode = keyof typeof FAILURE_HELP
