/** An error of the session room as one of a command. */
import { CommandError } from "../command-error.ts"

export const failed = ({ message }: { readonly message: string }): CommandError =>
  new CommandError({ kind: "failed", detail: message })
