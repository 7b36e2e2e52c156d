/**
 * `git config`. Reading one is harmless where the key cannot hold a secret. Settings can name programs that git starts
 * later, so a rule on `git config` permits to set only those that cannot.
 */
import {
  type CallPlace,
  type CallRefusal,
  flags,
  has,
  type ParsedCall,
  type ProgramTable,
  switches,
  valued
} from "../../program-table.ts"
import { subcommand } from "./git-table.ts"

/** Keys whose values are no secrets. Addresses are looked at besides. */
const SHOWN =
  /^(?:user|author|committer|core|branch|init|pull|push|merge|rebase|diff|log|commit|tag|fetch|color|alias|gc|i18n|format|status|submodule|remote|gpg|help|advice|extensions)\.[^\s=]+$/i

/** Keys that change how git prints, compares and joins, and name no program. */
const SETTABLE = new RegExp(
  `^(?:${[
    "(?:user|author|committer)\\.(?:name|email|signingkey|useconfigonly)",
    "(?:color|advice|column|i18n)\\.[\\w.-]+",
    "init\\.defaultbranch",
    "pull\\.(?:rebase|ff|octopus|twohead)",
    "push\\.(?:default|followtags|autosetupremote|recursesubmodules)",
    "fetch\\.(?:prune|prunetags|parallel|writecommitgraph)",
    "rebase\\.(?:autostash|autosquash|updaterefs|stat)",
    "merge\\.(?:conflictstyle|ff|renames|renamelimit|stat|log)",
    "commit\\.(?:gpgsign|verbose|cleanup|status)",
    "tag\\.(?:gpgsign|sort)",
    "log\\.(?:date|decorate|follow|abbrevcommit|showroot)",
    "status\\.(?:short|branch|showuntrackedfiles|renames|relativepaths)",
    "diff\\.(?:algorithm|renames|renamelimit|context|colormoved|mnemonicprefix|noprefix|indentheuristic)",
    "branch\\.[^\\s=]+\\.(?:remote|merge|rebase|description|pushremote)",
    "branch\\.(?:autosetupmerge|autosetuprebase|sort)",
    "core\\.(?:autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|abbrev|longpaths|symlinks|whitespace|precomposeunicode|commentchar)",
    "rerere\\.enabled",
    "gc\\.auto",
    "http\\.(?:postbuffer|lowspeedlimit|lowspeedtime|version)"
  ].join("|")})$`,
  "i"
)

const VERBS = new Set(["get", "set", "list", "unset", "edit", "rename-section", "remove-section"])

interface Use {
  readonly verb: "get" | "set" | "list" | "other"
  readonly key: string | undefined
}

/** Both ways of writing it: `config get a.b`, and `config a.b` or `config --get a.b`. */
const useOf = (call: ParsedCall): Use => {
  const [first, ...rest] = call.operands.map(({ text }) => text)
  const isVerb = first !== undefined && VERBS.has(first)
  const [key, ...values] = isVerb ? rest : call.operands.map(({ text }) => text)
  if (isVerb) {
    const verb = first === "unset" ? "set" : first === "get" || first === "set" || first === "list" ? first : "other"
    return { verb, key }
  }
  if (has(call, "-l", "--list", "--get-regexp", "--get-urlmatch")) return { verb: "list", key }
  if (has(call, "--add", "--replace-all", "--unset", "--unset-all")) return { verb: "set", key }
  if (has(call, "--get", "--get-all") || (key !== undefined && values.length === 0)) return { verb: "get", key }
  return { verb: key === undefined ? "other" : "set", key }
}

const refuses = (call: ParsedCall, { folders, gitFolder }: CallPlace): CallRefusal | undefined => {
  const { key, verb } = useOf(call)
  if (!call.operands.every(({ isExact }) => isExact)) return { effect: "unknown", why: "a computed setting" }
  switch (verb) {
    case "list":
      return { effect: "reaches", why: "`git config` that lists prints passwords and tokens as well" }
    case "get": {
      const isOpen = key !== undefined && SHOWN.test(key) && !has(call, "--all", "--regexp", "--url")
      const isHiding = folders?.some((folder) => gitFolder(folder).holdsCredentials === true) !== false
      return isOpen && !(isHiding && /^(?:remote|submodule)\./i.test(key))
        ? undefined
        : { effect: "reaches", why: "the value of that setting may be a password or a token" }
    }
    case "set":
      return key !== undefined && SETTABLE.test(key)
        ? undefined
        : { effect: "runs", why: `a setting (\`${key ?? ""}\`) can name programs that git starts later` }
    case "other":
      return { effect: "runs", why: "`git config` that changes more than one setting" }
  }
}

export const config: ProgramTable = subcommand("config", "prints settings, or changes them", {
  nature: (call) => (["get", "list"].includes(useOf(call).verb) ? "reads" : "writes"),
  options: {
    ...flags("-l -z -e --list --get --get-all --get-regexp --get-urlmatch --add --replace-all --unset --unset-all"),
    ...flags("--rename-section --remove-section --edit --all --regexp --append"),
    ...switches("--global --local --system --worktree --fixed-value --null --name-only --includes --show-origin"),
    ...switches("--show-scope --show-names"),
    ...flags("--bool --int --bool-or-int --bool-or-str --path --expiry-date --no-type"),
    ...valued("--type --default --comment --value"),
    // Any file can be read as a configuration, and another one written.
    ...valued("-f --file --blob --url", { effect: "runs" })
  },
  operands: { rest: "text" },
  refuses
})
