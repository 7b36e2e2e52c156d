/**
 * Sub-commands that change the work tree, the index and branches. A rule that names them permits their ordinary options;
 * those that run a program of the caller's choice, or put files where git itself would not, stay questions.
 */
import { flags, has, type OptionTable, optional, type ProgramTable, switches, valued } from "../../program-table.ts"
import { contentRefusal, DIFF_OPTIONS, OWN_STRATEGY, subcommand } from "./git-table.ts"
import { LOG_OPTIONS } from "./revision-options.ts"

const changes = (name: string, reason: string, options: OptionTable, more: Partial<ProgramTable> = {}): ProgramTable =>
  subcommand(name, reason, { nature: "writes", options, ...more })

const PATHS_FROM_FILE: OptionTable = {
  ...valued("--pathspec-from-file", { value: "file" }),
  ...switches("--pathspec-file-nul")
}

/** Signing uses the program that the user has configured, as it does where the configuration asks for it. */
const SIGNING: OptionTable = { ...optional("-S --gpg-sign"), ...flags("--no-gpg-sign") }

const MERGING: OptionTable = {
  ...switches("--stat --summary --squash --commit --edit --ff --rerere-autoupdate --autostash --signoff --verify"),
  ...switches("--allow-unrelated-histories --progress --log --overwrite-ignore"),
  ...flags("-n -v -q -e --ff-only --verbose --quiet --no-verify-signatures --compact-summary"),
  ...optional("--log"),
  ...valued("--cleanup -X --strategy-option"),
  ...valued("-s --strategy", { only: OWN_STRATEGY }),
  ...SIGNING,
  ...flags("--verify-signatures", { effect: "runs" })
}

/** Steps of what was begun before. */
const STEPS = flags("--continue --skip --abort --quit")

const PICKING: OptionTable = {
  ...STEPS,
  ...flags("-n -e -s -x --no-commit --commit --keep-redundant-commits"),
  ...switches("--edit --signoff --rerere-autoupdate --ff --allow-empty --allow-empty-message --reference"),
  ...valued("-m --mainline --cleanup -X --strategy-option"),
  ...valued("--strategy", { only: OWN_STRATEGY }),
  ...SIGNING
}

const CHECKOUT: OptionTable = {
  ...flags("-q -m -d -f -2 -3 -p --ours --theirs --no-recurse-submodules --no-track"),
  ...switches("--guess --overlay --quiet --progress --merge --detach --force --overwrite-ignore --patch"),
  ...switches("--ignore-other-worktrees --ignore-skip-worktree-bits"),
  ...optional("-t --track --recurse-submodules"),
  ...valued("--conflict --orphan"),
  ...PATHS_FROM_FILE
}

const STASHING: OptionTable = {
  ...flags("-k -S -p -q -u -a"),
  ...switches("--keep-index --staged --patch --quiet --include-untracked --all"),
  ...valued("-m --message"),
  ...PATHS_FROM_FILE
}

const unstash = (name: string): ProgramTable =>
  changes(name, "changes stashed work", { ...flags("-q"), ...switches("--quiet --index") })

const stash: ProgramTable = subcommand("stash", "puts changes aside, or prints those that were", {
  options: {},
  subcommands: {
    list: subcommand("list", "prints stashed work", {
      hasNumberOption: true,
      options: LOG_OPTIONS,
      refuses: contentRefusal
    }),
    show: subcommand("show", "prints stashed work", {
      options: {
        ...DIFF_OPTIONS,
        ...flags("-u --only-untracked"),
        ...switches("--include-untracked")
      },
      refuses: contentRefusal
    }),
    push: changes("push", "puts changes aside", STASHING),
    save: changes("save", "puts changes aside", STASHING, { operands: { rest: "text" } }),
    ...Object.fromEntries(["apply", "pop", "drop", "branch", "clear", "create"].map((name) => [name, unstash(name)]))
  },
  withoutSubcommand: changes("push", "puts changes aside", STASHING)
})

const worktree: ProgramTable = subcommand("worktree", "prints work trees, or changes them", {
  options: {},
  subcommands: {
    list: subcommand("list", "prints work trees", {
      options: { ...flags("-v -z"), ...switches("--porcelain --verbose"), ...valued("--expire") },
      operands: { rest: "none" }
    }),
    add: changes("add", "makes a work tree", {
      ...flags("-f -d -q --orphan"),
      ...switches("--force --detach --checkout --lock --quiet --track --guess-remote --relative-paths"),
      ...valued("-b -B --reason")
    }),
    ...Object.fromEntries(
      ["lock", "move", "prune", "remove", "repair", "unlock"].map((name) => [
        name,
        changes(name, "changes work trees", {
          ...flags("-f -n -v"),
          ...switches("--force --dry-run --verbose"),
          ...valued("--reason --expire")
        })
      ])
    )
  }
})

const bisect: ProgramTable = subcommand("bisect", "searches for a commit", {
  options: {},
  subcommands: {
    // A shell script up to git 2.39, which starts others in turn.
    log: subcommand("log", "prints the search so far", { nature: "runs", options: {}, operands: { rest: "none" } }),
    ...Object.fromEntries(
      ["start", "good", "bad", "old", "new", "skip", "next", "reset"].map((name) => [
        name,
        changes(name, "searches for a commit", {
          ...flags("--no-checkout --first-parent"),
          ...optional("--term-new --term-old --term-good --term-bad")
        })
      ])
    )
  }
})

export const changing: ReadonlyArray<ProgramTable> = [
  changes("add", "puts changes into the index", {
    ...flags("-n -v -i -p -e -f -u -N -A --no-chmod"),
    ...switches(
      "--dry-run --verbose --interactive --patch --edit --force --update --renormalize --intent-to-add --all"
    ),
    ...switches("--ignore-removal --refresh --ignore-errors --ignore-missing --sparse --warn-embedded-repo"),
    ...valued("--chmod"),
    ...PATHS_FROM_FILE
  }),
  changes("commit", "makes a commit", {
    ...flags("-q -v -s -e -a -i -p -o -n -z --no-untracked-files --no-author --no-date --no-message --no-template"),
    ...switches(
      "--quiet --verbose --reset-author --signoff --edit --status --all --include --interactive --patch --only"
    ),
    ...switches("--verify --dry-run --short --branch --ahead-behind --porcelain --long --null --amend --post-rewrite"),
    ...switches("--allow-empty --allow-empty-message"),
    ...optional("-u --untracked-files"),
    ...valued("-m --author --date --message --fixup --squash --trailer --cleanup"),
    ...valued("-c -C --reedit-message --reuse-message", { value: "revision" }),
    ...valued("-F -t --file --template", { value: "file" }),
    ...PATHS_FROM_FILE,
    ...SIGNING
  }),
  changes("checkout", "changes branches and files", {
    ...CHECKOUT,
    ...flags("-l"),
    ...valued("-b -B")
  }),
  changes("switch", "changes branches", {
    ...CHECKOUT,
    ...switches("--discard-changes"),
    ...valued("-c -C --create --force-create")
  }),
  changes("restore", "changes files back", {
    ...CHECKOUT,
    ...flags("-S -W"),
    ...switches("--staged --worktree --ignore-unmerged"),
    ...valued("-s --source", { value: "revision" })
  }),
  changes("merge", "joins histories", {
    ...MERGING,
    ...flags("--abort --quit --continue"),
    ...valued("-m --message --into-name"),
    ...valued("-F --file", { value: "file" })
  }),
  changes("rebase", "moves commits", {
    ...STEPS,
    ...flags("-q -v -n -f -m -i --edit-todo --apply --merge --interactive --ignore-date --no-rebase-merges -y"),
    ...switches("--keep-base --verify --quiet --verbose --stat --signoff --committer-date-is-author-date"),
    ...switches("--reset-author-date --ignore-whitespace --force-rebase --ff --rerere-autoupdate --keep-empty"),
    ...switches("--autosquash --update-refs --autostash --fork-point --root --reapply-cherry-picks"),
    ...switches("--allow-empty-message"),
    ...optional("-r --rebase-merges"),
    ...valued("--whitespace --empty -C -X --strategy-option"),
    ...valued("--onto", { value: "revision" }),
    ...valued("-s --strategy", { only: OWN_STRATEGY }),
    ...valued("-x --exec", { effect: "runs" }),
    ...SIGNING
  }),
  changes("cherry-pick", "repeats commits", PICKING),
  changes("revert", "takes commits back", PICKING),
  changes("reset", "moves the branch, the index and files", {
    ...flags("-q -p -N --mixed --soft --hard --merge --keep --no-recurse-submodules"),
    ...switches("--quiet --refresh --patch --intent-to-add"),
    ...optional("--recurse-submodules"),
    ...PATHS_FROM_FILE
  }),
  changes("clean", "deletes files that are not tracked", {
    ...flags("-q -n -f -i -d -x -X"),
    ...switches("--quiet --dry-run --force --interactive"),
    ...valued("-e --exclude")
  }),
  changes("mv", "moves files", { ...flags("-v -n -f -k"), ...switches("--verbose --dry-run --force --sparse") }),
  changes("rm", "deletes files", {
    ...flags("-n -q -f -r"),
    ...switches("--dry-run --quiet --cached --force --ignore-unmatch --sparse"),
    ...PATHS_FROM_FILE
  }),
  changes("am", "makes commits of mails", {
    ...STEPS,
    ...flags("-i -3 -q -s -u -k -m -c -r --resolved --no-keep-cr --allow-empty"),
    ...switches(
      "--interactive --3way --quiet --signoff --utf8 --keep --keep-non-patch --message-id --keep-cr --scissors"
    ),
    ...switches("--ignore-space-change --ignore-whitespace --reject --committer-date-is-author-date --ignore-date"),
    ...switches("--rerere-autoupdate"),
    ...optional("--show-current-patch"),
    ...valued("--quoted-cr --whitespace --directory --exclude --include -C -p --patch-format --empty"),
    ...SIGNING
  }),
  subcommand("apply", "changes files as a patch says", {
    nature: (call) =>
      has(call, "--stat", "--numstat", "--summary", "--check") && !has(call, "--apply") ? "reads" : "writes",
    options: {
      ...flags("-N -3 -z -R -v -q --no-add"),
      ...switches(
        "--stat --numstat --summary --check --index --intent-to-add --cached --apply --3way --reverse --binary"
      ),
      ...switches(
        "--ignore-space-change --ignore-whitespace --unidiff-zero --reject --allow-overlap --verbose --quiet"
      ),
      ...switches("--inaccurate-eof --recount --allow-empty --allow-binary-replacement"),
      ...valued("--exclude --include -p -C --whitespace --directory")
    },
    operands: { rest: "file" }
  }),
  subcommand("format-patch", "writes commits as mails", {
    nature: "writes",
    hasNumberOption: true,
    options: {
      ...LOG_OPTIONS,
      ...flags(
        "-n -N -s -k -q --stdout --rfc --no-numbered --no-binary --no-stat --no-thread --no-signature --no-base"
      ),
      ...switches("--numbered --signoff --cover-letter --numbered-files --zero-commit --ignore-if-in-upstream --quiet"),
      ...switches("--progress --force-in-body-from --keep-subject"),
      ...optional("--from --attach --inline --thread"),
      ...valued("--suffix --start-number -v --reroll-count --filename-max-length --cover-from-description"),
      ...valued("--subject-prefix --add-header --to --cc --in-reply-to --signature --base --interdiff --range-diff"),
      ...valued("--creation-factor"),
      ...valued("--signature-file", { value: "file" }),
      ...valued("-o --output-directory", { value: "output" })
    }
  }),
  subcommand("archive", "writes the files of a commit into an archive", {
    nature: "writes",
    hasNumberOption: true,
    options: {
      ...flags("-v -l --verbose --list --worktree-attributes"),
      // Other formats are made by programs that the configuration names.
      ...valued("--format", { only: /^(?:tar|zip)$/ }),
      ...valued("--prefix --add-virtual-file --mtime"),
      ...valued("--add-file", { value: "file" }),
      ...valued("-o --output", { value: "output", only: /\.(?:tar|zip)$/ }),
      ...valued("--remote --exec", { effect: "runs" })
    }
  }),
  changes("gc", "tidies the store of objects", {
    ...flags("-q --no-prune"),
    ...switches("--quiet --cruft --aggressive --auto --force --keep-largest-pack"),
    ...optional("--prune")
  }),
  changes("init", "makes a repository", {
    ...flags("-q --bare --quiet"),
    ...optional("--shared"),
    ...valued("-b --initial-branch --object-format --ref-format"),
    // Hooks are copied from there.
    ...valued("--template", { effect: "runs" })
  }),
  stash,
  worktree,
  bisect
]
