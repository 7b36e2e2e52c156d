/** Sub-commands that print commits and what is known of them. */
import { flags, optional, type ProgramTable, switches, valued } from "../../program-table.ts"
import { contentRefusal, DIFF_OPTIONS, PLAIN_KEY, subcommand } from "./git-table.ts"
import { COMMIT_OPTIONS, FORMAT_OPTIONS, LOG_OPTIONS } from "./revision-options.ts"

const log = (name: string, reason: string): ProgramTable =>
  subcommand(name, reason, { hasNumberOption: true, options: LOG_OPTIONS, refuses: contentRefusal })

const blame = (name: string): ProgramTable =>
  subcommand(name, "prints who changed each line of a file last", {
    options: {
      ...COMMIT_OPTIONS,
      ...flags("-b -f -n -p -c -t -l -s -e -w --line-porcelain --no-abbrev --reverse"),
      ...switches("--incremental --root --show-stats --progress --score-debug --show-name --show-number --porcelain"),
      ...switches("--show-email --color-lines --color-by-age --minimal"),
      ...optional("-C -M --abbrev"),
      ...valued("--ignore-rev --date --encoding"),
      ...valued("-L", { value: "revision" }),
      ...valued("--ignore-revs-file -S --contents", { value: "file" })
    }
  })

export const history: ReadonlyArray<ProgramTable> = [
  log("log", "prints commits"),
  log("show", "prints commits and objects"),
  log("whatchanged", "prints commits"),
  subcommand("shortlog", "prints commits by author", {
    hasNumberOption: true,
    options: {
      ...COMMIT_OPTIONS,
      ...FORMAT_OPTIONS,
      ...flags("-c -n -s -e"),
      ...switches("--committer --numbered --summary --email"),
      ...optional("-w"),
      ...valued("--group", { only: PLAIN_KEY })
    }
  }),
  subcommand("rev-list", "prints names of commits", {
    hasNumberOption: true,
    options: {
      ...COMMIT_OPTIONS,
      ...FORMAT_OPTIONS,
      ...flags("--no-abbrev"),
      ...optional("--abbrev"),
      ...flags("--objects --objects-edge --objects-edge-aggressive --object-names --no-object-names --no-filter"),
      ...flags("--filter-provided-objects --filter-print-omitted --header --no-commit-header --commit-header"),
      ...flags("--timestamp --count --bisect-vars --bisect-all --use-bitmap-index --quiet"),
      ...optional("--filter --missing --disk-usage --progress")
    }
  }),
  subcommand("range-diff", "compares two series of commits", {
    options: {
      ...DIFF_OPTIONS,
      ...flags("--no-dual-color --dual-color --no-notes"),
      ...switches("--left-only --right-only"),
      ...optional("--notes"),
      ...valued("--creation-factor")
    },
    refuses: contentRefusal
  }),
  subcommand("cherry", "prints commits that the other side does not have", {
    options: { ...flags("-v"), ...switches("--verbose"), ...flags("--no-abbrev"), ...optional("--abbrev") }
  }),
  subcommand("describe", "names a commit by its nearest tag", {
    options: {
      ...switches("--contains --debug --all --tags --long --first-parent --exact-match --always"),
      ...flags("--no-abbrev --no-dirty --no-broken --no-candidates --no-match --no-exclude"),
      ...optional("--abbrev"),
      // They write what they have learned into the index.
      ...optional("--dirty --broken", { effect: "writes" }),
      ...valued("--candidates --match --exclude")
    }
  }),
  subcommand("name-rev", "names commits by what leads to them", {
    options: {
      ...switches("--name-only --tags --all --stdin --annotate-stdin --undefined --always"),
      ...valued("--refs --exclude")
    }
  }),
  subcommand("merge-base", "prints common ancestors", {
    options: flags("-a --all --no-all --octopus --independent --is-ancestor --fork-point")
  }),
  blame("blame"),
  blame("annotate"),
  subcommand("reflog", "prints where branches have pointed to", {
    options: {},
    subcommands: {
      show: log("show", "prints where a branch has pointed to"),
      list: subcommand("list", "prints which branches have a record", { options: {} }),
      exists: subcommand("exists", "looks whether a branch has a record", { options: {} }),
      ...Object.fromEntries(
        ["expire", "delete", "drop"].map((name) => [
          name,
          subcommand(name, "drops entries of the record", {
            nature: "writes",
            options: {
              ...flags("-n"),
              ...switches("--dry-run --rewrite --updateref --verbose --stale-fix --all --single-worktree"),
              ...valued("--expire --expire-unreachable")
            }
          })
        ])
      )
    },
    withoutSubcommand: log("show", "prints where branches have pointed to")
  })
]
