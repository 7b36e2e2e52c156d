/** Sub-commands on branches, tags, notes and other names: they list, and with other words they change. */
import {
  flags,
  has,
  type OptionSpec,
  type OptionTable,
  optional,
  type ParsedCall,
  type ProgramTable,
  switches,
  valued
} from "../../program-table.ts"
import { PLAIN_FORMAT, PLAIN_KEY, subcommand } from "./git-table.ts"

/** The next word is the value, unless it is the last one. */
const nextWord = (names: string): OptionTable => {
  const spec: OptionSpec = { takes: "maybe", value: "revision" }
  return Object.fromEntries(names.split(" ").map((name) => [name, spec]))
}

const FILTERS = nextWord("--contains --no-contains --with --without --merged --no-merged")
const acts = ({ options }: ParsedCall): boolean => options.some(({ spec }) => spec.effect === "writes")

/** With a name and without one of these it makes a branch. */
const listsBranches = (call: ParsedCall): boolean =>
  !acts(call) && (call.operands.length === 0 || has(call, "-l", "--list", "--points-at", ...Object.keys(FILTERS)))

const branch: ProgramTable = subcommand("branch", "prints branches, or changes them", {
  nature: (call) => (listsBranches(call) ? "reads" : "writes"),
  options: {
    ...FILTERS,
    ...flags("-v -q -r -a -l -i --no-color --no-abbrev --no-column --no-sort --no-points-at --no-format --omit-empty"),
    ...switches("--verbose --quiet --remotes --all --list --show-current --ignore-case"),
    ...optional("--color --abbrev --column"),
    ...valued("--sort", { only: PLAIN_KEY }),
    ...valued("--format", { only: PLAIN_FORMAT }),
    ...valued("--points-at", { value: "revision" }),
    ...flags("-d -D -m -M -c -C -f --no-track --unset-upstream --edit-description", { effect: "writes" }),
    ...switches("--delete --move --copy --create-reflog --force --recurse-submodules", { effect: "writes" }),
    ...optional("--track -t", { effect: "writes" }),
    ...valued("-u --set-upstream-to", { effect: "writes" })
  }
})

const listsTags = (call: ParsedCall): boolean =>
  !acts(call) && (call.operands.length === 0 || has(call, "-l", "--list", "-n", "--points-at", ...Object.keys(FILTERS)))

const tag: ProgramTable = subcommand("tag", "prints tags, or changes them", {
  nature: (call) => (listsTags(call) ? "reads" : "writes"),
  options: {
    ...FILTERS,
    ...nextWord("--points-at"),
    ...flags("-l --list -i --ignore-case --no-ignore-case --no-color --no-column --no-sort --no-points-at --no-format"),
    ...flags("--omit-empty"),
    ...optional("-n --color --column"),
    ...valued("--sort", { only: PLAIN_KEY }),
    ...valued("--format", { only: PLAIN_FORMAT }),
    ...flags("-d -a -e -s -f --delete --no-edit --no-file --no-cleanup --no-local-user", { effect: "writes" }),
    ...switches("--annotate --edit --sign --force --create-reflog", { effect: "writes" }),
    ...valued("-m -u --message --cleanup --local-user --trailer", { effect: "writes" }),
    ...valued("-F --file", { value: "file", effect: "writes" }),
    ...flags("-v --verify", { effect: "runs" })
  }
})

const forEachRef: ProgramTable = subcommand("for-each-ref", "prints names and what they lead to", {
  options: {
    ...FILTERS,
    ...flags(
      "-s -p --no-count --no-format --no-color --no-sort --no-points-at --omit-empty --include-root-refs --stdin"
    ),
    ...switches("--shell --perl --python --tcl --ignore-case"),
    ...optional("--color"),
    ...valued("--count --exclude"),
    ...valued("--sort", { only: PLAIN_KEY }),
    ...valued("--format", { only: PLAIN_FORMAT }),
    ...valued("--points-at", { value: "revision" })
  }
})

const showRef: ProgramTable = subcommand("show-ref", "prints names and what they lead to", {
  options: {
    ...flags("-d -q --no-abbrev --no-hash --exists --branches"),
    ...switches("--tags --heads --verify --head --dereference --quiet"),
    ...optional("-s --hash --abbrev --exclude-existing")
  }
})

const symbolicRef: ProgramTable = subcommand("symbolic-ref", "prints what a name stands for, or changes it", {
  nature: (call) => (acts(call) || call.operands.length !== 1 ? "writes" : "reads"),
  printsPlainly: true,
  options: {
    ...flags("-q"),
    ...switches("--quiet --short --recurse"),
    ...flags("-d --delete", { effect: "writes" }),
    ...valued("-m", { effect: "writes" })
  }
})

const showBranch: ProgramTable = subcommand("show-branch", "prints branches and their commits", {
  options: {
    ...flags("-a -r --no-color --no-more --no-name --name"),
    ...switches("--all --remotes --list --current --sha1-name --merge-base --independent --topo-order --topics"),
    ...switches("--sparse --date-order"),
    ...optional("-g --color --more --reflog")
  }
})

const changesNotes = (name: string): ProgramTable =>
  subcommand(name, "changes notes on commits", {
    nature: "writes",
    options: {
      ...flags("-f -n -v -q --commit --abort --stdin --ignore-missing --allow-empty --force --dry-run --verbose"),
      ...flags("--quiet --no-separator --no-stripspace --stripspace"),
      ...optional("--separator"),
      ...valued("-m -s --message --strategy"),
      ...valued("-c -C --reedit-message --reuse-message", { value: "revision" }),
      ...valued("-F --file", { value: "file" })
    }
  })

const listNotes: ProgramTable = subcommand("list", "prints notes on commits", { options: {} })

const notes: ProgramTable = subcommand("notes", "prints notes on commits, or changes them", {
  options: { ...valued("--ref"), ...flags("--no-ref") },
  subcommands: {
    list: listNotes,
    show: subcommand("show", "prints notes of a commit", { options: {} }),
    "get-ref": subcommand("get-ref", "prints where notes are kept", { options: {}, operands: { rest: "none" } }),
    ...Object.fromEntries(
      ["add", "append", "copy", "edit", "merge", "prune", "remove"].map((name) => [name, changesNotes(name)])
    )
  },
  withoutSubcommand: subcommand("list", "prints notes on commits", {
    options: { ...valued("--ref"), ...flags("--no-ref") },
    operands: { rest: "none" }
  })
})

export const refs: ReadonlyArray<ProgramTable> = [branch, tag, forEachRef, showRef, symbolicRef, showBranch, notes]
