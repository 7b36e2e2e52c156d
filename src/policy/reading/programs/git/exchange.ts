/** Sub-commands that talk to other repositories. Programs for a connection are never taken from the words of a command. */
import {
  type CallPlace,
  type CallRefusal,
  flags,
  has,
  type OptionTable,
  optional,
  type ParsedCall,
  type ProgramTable,
  switches,
  valued
} from "../../program-table.ts"
import { addressRefusal, OWN_STRATEGY, subcommand } from "./git-table.ts"

const exchanges = (
  name: string,
  reason: string,
  options: OptionTable,
  { isLocalFine = true }: { readonly isLocalFine?: boolean } = {}
): ProgramTable =>
  subcommand(name, reason, {
    nature: ["connects", "writes"],
    options: { ...flags("-4 -6 --ipv4 --ipv6 --no-ipv4 --no-ipv6"), ...options },
    operands: { rest: "text" },
    refuses: (call) => addressRefusal(call, { isLocalFine })
  })

const FETCHING: OptionTable = {
  ...flags("-v -q -a -f -t -n -p -k --unshallow --no-upload-pack --no-depth"),
  ...switches("--verbose --quiet --all --append --force --tags --prune --dry-run --keep --progress --update-shallow"),
  ...switches("--show-forced-updates --set-upstream --recurse-submodules"),
  ...optional("--recurse-submodules"),
  ...valued("--depth --shallow-since --shallow-exclude --deepen --refmap -o --server-option --negotiation-tip"),
  ...valued("--upload-pack", { effect: "runs" })
}

const gitFetch = exchanges("fetch", "gets commits from another repository", {
  ...FETCHING,
  ...flags("-m -P -u --refetch --porcelain"),
  ...switches("--atomic --multiple --prefetch --prune-tags --write-fetch-head --update-head-ok --negotiate-only"),
  ...switches("--auto-maintenance --auto-gc --write-commit-graph --stdin"),
  ...valued("-j --jobs --filter")
})

const pull = exchanges("pull", "gets commits and joins them", {
  ...FETCHING,
  ...switches("--stat --summary --squash --commit --edit --ff --verify --autostash --allow-unrelated-histories"),
  ...switches("--rebase --log --signoff"),
  ...flags("--ff-only --no-verify-signatures --no-gpg-sign"),
  ...optional("-r -j -S --rebase --log --jobs --gpg-sign"),
  ...valued("--cleanup -X --strategy-option"),
  ...valued("-s --strategy", { only: OWN_STRATEGY }),
  ...flags("--verify-signatures", { effect: "runs" })
})

/** The hooks of a repository on this machine run as they are found there. */
const push = exchanges(
  "push",
  "gives commits to another repository",
  {
    ...flags("-v -q -d -n -f -u --no-force-with-lease --no-recurse-submodules --no-signed"),
    ...switches("--verbose --quiet --all --branches --mirror --delete --tags --dry-run --porcelain --force --thin"),
    ...switches("--force-if-includes --set-upstream --progress --prune --verify --follow-tags --atomic"),
    ...optional("--force-with-lease --signed"),
    ...valued("-o --push-option --recurse-submodules"),
    ...valued("--receive-pack --exec --repo", { effect: "runs" })
  },
  { isLocalFine: false }
)

const clone = exchanges("clone", "copies a repository", {
  ...flags("-v -q -n -l --no-checkout --no-hardlinks --no-recurse-submodules"),
  ...switches("--verbose --quiet --progress --reject-shallow --bare --mirror --local --single-branch --tags"),
  ...switches("--shallow-submodules --also-filter-submodules --remote-submodules --sparse --dissociate"),
  ...optional("--recurse-submodules --recursive"),
  ...valued("-j -o -b --jobs --origin --branch --depth --shallow-since --shallow-exclude --server-option --filter"),
  ...valued("--bundle-uri --revision --ref-format"),
  // Objects of another repository are read for this one.
  ...valued("--reference --reference-if-able", { value: "tree" }),
  ...flags("-s --shared", { effect: "reaches" }),
  ...valued("-u -c --upload-pack --config --template", { effect: "runs" })
})

const lsRemote = subcommand("ls-remote", "prints branches of another repository", {
  nature: (call) => (has(call, "--get-url") ? "reads" : "connects"),
  options: {
    ...flags("-q -t -h -b"),
    ...switches("--quiet --tags --heads --branches --refs --get-url --exit-code --symref"),
    ...valued("--sort -o --server-option"),
    ...valued("--upload-pack --exec", { effect: "runs" })
  },
  operands: { rest: "text" },
  refuses: (call, place) => addressRefusal(call, { isLocalFine: true }) ?? addressesShown(call, place)
})

/** Addresses that are printed may hold a password. */
const addressesShown = (_call: ParsedCall, { folders, gitFolder }: CallPlace): CallRefusal | undefined =>
  folders?.some((folder) => gitFolder(folder).holdsCredentials === true) === true
    ? { effect: "reaches", why: "passwords or tokens stand in the configuration of this repository" }
    : undefined

const listRemotes = subcommand("remote", "prints other repositories", {
  options: { ...flags("-v"), ...switches("--verbose") },
  operands: { rest: "none" },
  refuses: addressesShown
})

const remote: ProgramTable = subcommand("remote", "prints other repositories, or changes them", {
  options: { ...flags("-v"), ...switches("--verbose") },
  subcommands: {
    show: subcommand("show", "prints what is known of another repository", {
      nature: (call) => (has(call, "-n") || call.operands.length === 0 ? "reads" : "connects"),
      options: flags("-n"),
      operands: { rest: "text" },
      refuses: addressesShown
    }),
    "get-url": subcommand("get-url", "prints an address", {
      options: switches("--push --all"),
      operands: { rest: "text" },
      refuses: addressesShown
    }),
    add: exchanges(
      "add",
      "names another repository",
      { ...flags("-f"), ...switches("--fetch --tags"), ...valued("-t -m --track --master"), ...optional("--mirror") },
      { isLocalFine: false }
    ),
    "set-url": exchanges("set-url", "changes an address", switches("--push --add --delete"), { isLocalFine: false }),
    ...Object.fromEntries(
      ["rename", "remove", "rm", "set-head", "set-branches", "prune", "update"].map((name) => [
        name,
        exchanges(name, "changes what is known of other repositories", {
          ...flags("-a -d -n -p --auto --delete"),
          ...switches("--progress --add --dry-run --prune")
        })
      ])
    )
  },
  withoutSubcommand: listRemotes
})

const SUBMODULE_OPTIONS: OptionTable = {
  ...flags("-q -f -N -b --quiet --force --cached --recursive --all --files --init --remote --no-fetch --checkout"),
  ...flags("--merge --rebase --default --progress"),
  ...switches("--recommend-shallow --single-branch"),
  ...valued("--name --depth -j --jobs --filter --summary-limit -n --branch"),
  ...valued("--reference", { value: "tree" })
}

/** Scripts of git, which start git in each of them. */
const submoduleState = (name: string, more: Pick<ProgramTable, "operands"> = {}): ProgramTable =>
  subcommand(name, "prints what submodules are at", { nature: "runs", options: SUBMODULE_OPTIONS, ...more })

/** Not `foreach`: its words are a script. */
const submodule: ProgramTable = subcommand("submodule", "works on repositories inside this one", {
  options: flags("-q --quiet"),
  subcommands: Object.fromEntries([
    ...["status", "summary"].map((name) => [name, submoduleState(name)]),
    ...["add", "init", "deinit", "update", "set-branch", "set-url", "sync", "absorbgitdirs"].map((name) => [
      name,
      exchanges(name, "changes submodules", SUBMODULE_OPTIONS)
    ])
  ]),
  withoutSubcommand: submoduleState("status", { operands: { rest: "none" } })
})

export const exchange: ReadonlyArray<ProgramTable> = [gitFetch, pull, push, clone, lsRemote, remote, submodule]
