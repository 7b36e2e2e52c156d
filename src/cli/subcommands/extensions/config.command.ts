/** `gemini extensions config`: asks for values of the settings that extensions declare. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { configure } from "../../../extensions/config-flow.ts"
import { CliContext } from "../../cli-context.ts"
import { usageError } from "../../usage-error.ts"
import { printResult } from "../command-output.ts"
import { json, scope } from "../common-options.ts"
import { dialogueOf, loadForExtensions, reported } from "./extension-context.ts"

const options = {
  name: Args.text({ name: "name" }).pipe(Args.optional),
  setting: Args.text({ name: "setting" }).pipe(Args.optional),
  scope: Options.withDefault(scope(["user", "workspace"]), "user" as const),
  json
}

export const configCommand = Command.make("config", options, ({ name, scope: place, setting, ...flags }) =>
  reported(
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForExtensions()
      if (!config.settings.get("experimental.extensionConfig")) {
        return yield* usageError("settings of extensions are off: experimental.extensionConfig is false")
      }
      const wish = { name: Option.getOrUndefined(name), setting: Option.getOrUndefined(setting), scope: place }
      const changed = yield* configure(wish, config, dialogueOf(context))
      const lines = changed.map((one) => `${one.extension}: ${one.setting} is set for scope "${place}".`)
      yield* printResult(flags, lines.length === 0 ? "Nothing was changed." : lines.join("\n"), changed)
    })
  )
).pipe(Command.withDescription("Ask for the settings of one, or of all."))
