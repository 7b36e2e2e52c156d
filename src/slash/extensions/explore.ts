/** `/extensions explore`: the page that lists extensions of others, or the list that the settings name, as text. */
import { Effect } from "effect"
import type { ExtensionConfig } from "../../extensions/extension-config.ts"
import type { ExtensionError } from "../../extensions/extension-error.ts"
import { exploreRegistry, registryPlace } from "../../extensions/registry.ts"
import { visibleLine } from "../../kernel/visible-text.ts"
import { type CommandResult, print } from "../command.ts"

const PAGE = "https://geminicli.com/extensions/"
/** More is not read; a word narrows it down. */
const MAX_SHOWN = 30

export const explore = Effect.fnUntraced(function* (
  config: ExtensionConfig,
  words: ReadonlyArray<string>
): Effect.fn.Return<CommandResult, ExtensionError> {
  const place = registryPlace(config)
  if (place === undefined) {
    return { _tag: "OpenUrl", url: PAGE, told: "Extensions of others are listed here:" }
  }
  const found = yield* exploreRegistry(place, words, config)
  const lines = found
    .slice(0, MAX_SHOWN)
    .flatMap(({ description, name, source, version }) => [
      `${visibleLine(name)} ${visibleLine(version)}`.trimEnd(),
      ...(description === "" ? [] : [`  ${visibleLine(description)}`]),
      `  gemini extensions install ${visibleLine(source)}`
    ])
  const rest = found.length - MAX_SHOWN
  const more = rest > 0 ? [`and ${rest} more: /extensions explore <words> narrows it down`] : []
  const none = words.length === 0 ? "The list is empty." : "Nothing in the list has these words."
  return print(found.length === 0 ? none : [...lines, ...more].join("\n"), found)
})
