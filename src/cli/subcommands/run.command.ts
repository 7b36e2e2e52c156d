/**
 * `gemini run FILE`: its page, and what to say without a file. With one, `command-line.ts` takes it before sub-commands are
 * read: what stands behind the file belongs to the file.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { ExitCode } from "../../protocol/exit-code.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError } from "../usage-error.ts"

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make(
    "run",
    { words: Args.repeated(Args.text({ name: "file-and-arguments" })) },
    () =>
      new UsageError({
        message: "gemini run needs a file that holds a prompt",
        hint: "gemini run FILE [arguments...]; FILE --help tells its own.",
        exitCode: ExitCode.input
      })
  ).pipe(Command.withDescription("Run a prompt that is a program, also by #!.")),
  ids: ["file"],
  examples: ["gemini run review.prompt src/main.ts", "#!/usr/bin/env -S gemini run"]
})
