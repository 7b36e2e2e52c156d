/** Hooks as `gemini hooks list` and `/hooks` show them. Pure. */
import { coverText } from "../system/environment-redaction.ts"
import { type Hook, nameOf, onOneLine, placeOf, shownName } from "./hook.ts"
import { HOOK_EVENTS } from "./hook-event.ts"
import type { HookStatus } from "./hooks.ts"
import { inSourceOrder } from "./matching.ts"

/** All hooks that were found, with what keeps them from running. */
export const statusesOf = (
  { hooks, pending }: { readonly hooks: ReadonlyArray<Hook>; readonly pending: ReadonlyArray<Hook> },
  disabled: ReadonlySet<string>
): ReadonlyArray<HookStatus> => {
  const status = (hook: Hook, isPending: boolean) => ({ hook, isEnabled: !disabled.has(nameOf(hook)), isPending })
  return [...hooks.map((hook) => status(hook, false)), ...pending.map((hook) => status(hook, true))]
}

/** By event, in the order in which they run. */
export const hookLines = (all: ReadonlyArray<HookStatus>): ReadonlyArray<string> =>
  HOOK_EVENTS.flatMap((event) => {
    const here = ofEvent(all, event)
    return here.length === 0 ? [] : [event, ...here.map((status) => `  ${lineOf(status)}`)]
  })

export const hookDocuments = (all: ReadonlyArray<HookStatus>) =>
  HOOK_EVENTS.flatMap((event) => ofEvent(all, event)).map(({ hook, isEnabled, isPending }) => ({
    event: hook.event,
    name: hook.name,
    command: coverText(hook.command),
    description: hook.description,
    matcher: hook.matcher,
    sequential: hook.isSequential,
    timeout: hook.timeoutMs,
    fail_closed: hook.failsClosed,
    source: hook.source.scope,
    extension: hook.source.extension,
    file: hook.source.file,
    line: hook.source.line,
    enabled: isEnabled,
    confirmed: !isPending
  }))

const ofEvent = (all: ReadonlyArray<HookStatus>, event: Hook["event"]): ReadonlyArray<HookStatus> => {
  const here = all.filter(({ hook }) => hook.event === event)
  return inSourceOrder(here.map(({ hook }) => hook)).flatMap((hook) => here.filter((status) => status.hook === hook))
}

const lineOf = ({ hook, isEnabled, isPending }: HookStatus): string => {
  const state = isPending ? "[not confirmed]" : isEnabled ? "[on] " : "[off]"
  const runs = hook.name === undefined ? "" : `: ${onOneLine(coverText(hook.command))}`
  const matcher = hook.matcher === undefined ? "" : `, for ${hook.matcher}`
  const who = hook.source.extension === undefined ? hook.source.scope : `extension ${hook.source.extension}`
  return `${state} ${shownName(hook)}${runs} (${who}${matcher}, ${placeOf(hook.source)})`
}
