/** Sub-commands that look at the work tree, the index and objects. */
import { flags, has, optional, type ProgramTable, switches, valued } from "../../program-table.ts"
import { contentRefusal, DIFF_OPTIONS, PLAIN_FORMAT, subcommand } from "./git-table.ts"

/** Two paths of which one is not in a repository are compared without git's help, with all that is below them. */
const diff: ProgramTable = subcommand("diff", "prints differences", {
  hasNumberOption: true,
  options: {
    ...DIFF_OPTIONS,
    ...flags("-c -m -q -0 -1 -2 -3 --cc --cached --staged --merge-base --base --ours --theirs --no-index --dd"),
    ...flags("--combined-all-paths --no-diff-merges"),
    ...flags("--remerge-diff", { effect: "runs" })
  },
  operands: (call) => ({ rest: has(call, "--no-index") ? "tree" : "revision" }),
  refuses: (call, place) =>
    call.operands.length > 1 && place.folders?.every((folder) => place.gitFolder(folder).isFound) === false
      ? { effect: "reaches", why: "outside of a repository `git diff` reads everything below what it compares" }
      : contentRefusal(call, place)
})

const plumbingDiff = (name: string): ProgramTable =>
  subcommand(name, "prints differences", {
    options: {
      ...DIFF_OPTIONS,
      ...flags("-c -m -q -r -t -v --cc --cached --merge-base --root --stdin --always --no-commit-id --base --ours"),
      ...flags("--theirs -0 -1 -2 -3 --combined-all-paths"),
      ...optional("--pretty --format", { only: PLAIN_FORMAT })
    },
    refuses: contentRefusal
  })

const searchesFiles = (call: Parameters<NonNullable<ProgramTable["refuses"]>>[0]): boolean =>
  has(call, "--no-index", "--untracked")

const grep: ProgramTable = subcommand("grep", "prints lines of tracked files", {
  hasNumberOption: true,
  options: {
    ...flags("-v -i -w -a -I -r -E -G -F -P -n -h -H -l -L -z -o -c -p -W -q --no-textconv --index --no-context"),
    ...flags("--no-before-context --no-after-context --no-threads --no-max-count --no-color --and --not --no-index"),
    ...flags("--no-open-files-in-pager --no-recurse-submodules"),
    ...switches(
      "--cached --untracked --exclude-standard --invert-match --ignore-case --word-regexp --text --recursive"
    ),
    ...switches("--extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --full-name"),
    ...switches("--files-with-matches --name-only --files-without-match --null --only-matching --count --break"),
    ...switches("--heading --show-function --function-context --or --quiet --all-match --ext-grep"),
    ...optional("--color"),
    ...valued("-C -B -A -m -e --context --before-context --after-context --threads --max-depth --max-count"),
    ...valued("-f", { value: "file" }),
    ...flags("--recurse-submodules", { effect: "reaches" }),
    ...flags("--textconv", { effect: "runs" }),
    ...optional("-O --open-files-in-pager", { effect: "runs" })
  },
  operands: (call) => ({
    first: has(call, "-e", "-f") ? [] : ["text"],
    rest: searchesFiles(call) ? "tree" : "revision",
    ...(searchesFiles(call) ? { otherwise: "tree" as const } : {})
  }),
  refuses: (call, place) => {
    for (const folder of place.folders ?? []) {
      const why = place.gitFolder(folder).searchDoubt?.()
      if (why !== undefined) return { effect: "reaches", why }
    }
    return contentRefusal(call, place)
  }
})

const status: ProgramTable = subcommand("status", "prints what has changed", {
  options: {
    ...flags("-v -s -b -z --no-untracked-files --no-ignored --no-ignore-submodules --no-column --no-find-renames"),
    ...flags("--no-porcelain"),
    ...switches("--verbose --short --branch --show-stash --ahead-behind --long --null --renames"),
    ...optional("-u -M --porcelain --untracked-files --ignored --ignore-submodules --column --find-renames")
  },
  refuses: (call, place) => (has(call, "-v", "--verbose") ? contentRefusal(call, place) : undefined)
})

const lsFiles: ProgramTable = subcommand("ls-files", "prints names of files", {
  options: {
    ...flags("-z -t -v -f -c -d -m -o -i -s -k -u --exclude-standard --full-name --no-abbrev --no-recurse-submodules"),
    ...switches(
      "--cached --deleted --modified --others --ignored --stage --killed --directory --eol --empty-directory"
    ),
    ...switches("--unmerged --resolve-undo --error-unmatch --debug --deduplicate --sparse"),
    ...optional("--abbrev"),
    ...valued("-x --exclude --exclude-per-directory --format"),
    ...valued("--with-tree", { value: "revision" }),
    ...valued("-X --exclude-from", { value: "file" }),
    ...flags("--recurse-submodules", { effect: "reaches" })
  }
})

const lsTree: ProgramTable = subcommand("ls-tree", "prints names in a commit", {
  options: {
    ...flags("-d -r -t -z -l --long --name-only --name-status --object-only --no-abbrev"),
    ...switches("--full-name --full-tree"),
    ...optional("--abbrev"),
    ...valued("--format")
  }
})

/** Not `--batch-all-objects`: that prints what other repositories share with this one as well. */
const catFile: ProgramTable = subcommand("cat-file", "prints objects", {
  options: {
    ...flags("-e -p -t -s -z -Z"),
    ...switches("--allow-unknown-type --use-mailmap --mailmap --buffer --follow-symlinks --unordered"),
    ...optional("--batch-check"),
    // What it prints is named by its input.
    ...optional("--batch", { effect: "reaches" }),
    ...flags("--textconv --filters", { effect: "runs" }),
    ...valued("--path", { effect: "runs" })
  }
})

const checkIgnore: ProgramTable = subcommand("check-ignore", "prints which names are ignored", {
  options: {
    ...flags("-q -v -z -n --no-index --index"),
    ...switches("--quiet --verbose --stdin --non-matching")
  }
})

const checkAttr: ProgramTable = subcommand("check-attr", "prints attributes of names", {
  options: {
    ...flags("-a -z"),
    ...switches("--all --cached --stdin"),
    ...valued("--source", { value: "revision" })
  },
  operands: { rest: "text" }
})

const revParse: ProgramTable = subcommand("rev-parse", "prints names of commits and where the repository is", {
  printsPlainly: true,
  options: {
    ...flags("-q --verify --quiet --sq --symbolic --symbolic-full-name --revs-only --no-revs --flags --no-flags --not"),
    ...flags("--all --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir"),
    ...flags("--absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository"),
    ...flags("--is-shallow-repository --local-env-vars --shared-index-path --show-ref-format --end-of-options"),
    ...optional("--abbrev-ref --short --branches --tags --remotes --show-object-format --path-format --since --after"),
    ...optional("--until --before --disambiguate --glob --exclude --exclude-hidden"),
    ...valued("--default --git-path"),
    ...valued("--resolve-git-dir", { value: "file" })
  }
})

export const content: ReadonlyArray<ProgramTable> = [
  status,
  diff,
  grep,
  ...["diff-tree", "diff-index", "diff-files"].map(plumbingDiff),
  lsFiles,
  lsTree,
  catFile,
  checkIgnore,
  checkAttr,
  subcommand("check-mailmap", "prints names of people", { options: flags("--stdin"), operands: { rest: "text" } }),
  subcommand("count-objects", "prints how many objects there are", {
    options: { ...flags("-v -H"), ...switches("--verbose --human-readable") }
  }),
  revParse,
  subcommand("version", "prints the version", { options: switches("--build-options"), operands: { rest: "none" } })
]
