/**
 * `git`: options before the sub-command, and the sub-commands that are known. One that is not listed (`filter-branch`,
 * `difftool`, `send-email`, an alias) is not known, whatever a rule says of `git`.
 */
import { flags, optional, type ProgramTable, valued } from "../../program-table.ts"
import { changing } from "./changes.ts"
import { content } from "./content.ts"
import { exchange } from "./exchange.ts"
import { named } from "./git-table.ts"
import { history } from "./history.ts"
import { refs } from "./refs.ts"
import { config } from "./settings.ts"

/** Settings for one call that only change what is printed, or who is named in a commit. */
const PLAIN_SETTING =
  /^(?:color\.[\w.]+|advice\.[\w.]+|column\.\w+|core\.(?:quotepath|abbrev)|log\.(?:date|decorate)|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix)|user\.(?:name|email)|init\.defaultbranch|i18n\.\w+|commit\.gpgsign|pull\.(?:rebase|ff))=[^%`$]*$/i

export const git: ProgramTable = {
  name: "git",
  reason: "works on the repository of the folder, by its sub-command",
  options: {
    ...flags("-P -v --no-pager --version --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs"),
    ...flags("--icase-pathspecs --no-replace-objects --no-lazy-fetch --no-advice --html-path --man-path --info-path"),
    ...valued("-C", { value: "folder" }),
    ...valued("-c", { only: PLAIN_SETTING }),
    ...flags("-p --paginate --bare --help", { effect: "runs" }),
    ...optional("--exec-path", { effect: "runs" }),
    ...valued("--git-dir --work-tree --namespace --config-env --attr-source", { effect: "runs" })
  },
  subcommands: named([...history, ...content, ...refs, ...changing, ...exchange, config])
}

/** A git of another version may not know all of them, and then takes an alias of that name. */
export const SUBCOMMAND_NAMES: ReadonlySet<string> = new Set(Object.keys(git.subcommands ?? {}))
