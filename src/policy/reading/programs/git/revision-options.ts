/** Options that choose commits and say how they are shown: `git log`, `git rev-list` and their relatives. */
import { flags, type OptionTable, optional, switches, valued } from "../../program-table.ts"
import { DIFF_OPTIONS, PLAIN_FORMAT } from "./git-table.ts"

/** Which commits, in which order. */
export const COMMIT_OPTIONS: OptionTable = {
  ...flags("-i -E -F -P -g --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp"),
  ...flags("--fixed-strings --perl-regexp --remove-empty --merges --no-merges --no-min-parents --no-max-parents"),
  ...flags("--first-parent --exclude-first-parent-only --not --all --reflog --single-worktree --ignore-missing"),
  ...flags("--stdin --cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary"),
  ...flags("--simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --bisect"),
  ...flags("--date-order --author-date-order --topo-order --reverse --do-walk --parents --children --left-right"),
  ...flags("--in-commit-order --indexed-objects --unpacked --exclude-promisor-objects"),
  ...optional("--branches --tags --remotes --ancestry-path --no-walk --min-parents --max-parents"),
  ...valued("-n --max-count --skip --since --after --since-as-filter --until --before --max-age --min-age --author"),
  ...valued("--committer --grep-reflog --grep --glob --exclude --exclude-hidden")
}

/** How a commit is written. */
export const FORMAT_OPTIONS: OptionTable = {
  ...flags("--abbrev-commit --no-abbrev-commit --oneline --no-expand-tabs --relative-date --no-graph --graph"),
  ...flags("--no-notes --no-show-signature --no-encode-email-headers --encode-email-headers --no-standard-notes"),
  ...flags("--standard-notes"),
  ...optional("--expand-tabs --notes --show-notes --show-linear-break"),
  ...optional("--pretty --format", { only: PLAIN_FORMAT }),
  ...valued("--encoding --date"),
  ...flags("--show-signature", { effect: "runs" })
}

export const LOG_OPTIONS: OptionTable = {
  ...DIFF_OPTIONS,
  ...COMMIT_OPTIONS,
  ...FORMAT_OPTIONS,
  ...flags("-c -m -t -r -q --cc --dd --full-diff --log-size --combined-all-paths --no-diff-merges --root"),
  ...switches("--source --use-mailmap --mailmap"),
  // Files are shown as well, by names that nobody has looked at.
  ...flags("--stdin --indexed-objects", { effect: "reaches" }),
  ...flags("--clear-decorations --no-decorate --no-decorate-refs --no-decorate-refs-exclude"),
  ...optional("--decorate"),
  ...valued("--decorate-refs --decorate-refs-exclude"),
  ...valued("-L", { value: "revision" }),
  // It merges anew, with the drivers that the repository names.
  ...flags("--remerge-diff", { effect: "runs" }),
  ...valued("--diff-merges", { only: /^(?!r$|remerge$)/ })
}
