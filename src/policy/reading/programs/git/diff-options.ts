/** Options of everything in git that shows differences. */
import { flags, type OptionTable, optional, switches, valued } from "../../program-table.ts"

export const DIFF_OPTIONS: OptionTable = {
  ...flags("-p -u -s -z -R -W -D -a -b -w --patch --no-patch --raw --patch-with-raw --patch-with-stat --numstat"),
  ...flags(
    "--shortstat --cumulative --check --summary --name-only --name-status --binary --no-prefix --default-prefix"
  ),
  ...flags("--irreversible-delete --no-renames --ignore-all-space --ignore-space-change --ignore-space-at-eol"),
  ...flags("--ignore-cr-at-eol --ignore-blank-lines --patience --histogram --pickaxe-all --pickaxe-regex"),
  ...flags("--ita-invisible-in-index --ita-visible-in-index --no-ext-diff --no-textconv --no-color --no-abbrev"),
  ...flags("--no-color-moved --no-color-moved-ws --no-relative --no-ignore-matching-lines"),
  ...switches("--function-context --compact-summary --full-index --find-copies-harder --rename-empty --follow"),
  ...switches("--minimal --indent-heuristic --text --exit-code --quiet"),
  ...optional("-U -B -M -C -X --unified --dirstat --dirstat-by-file --stat --color --abbrev --break-rewrites"),
  ...optional("--find-renames --find-copies --word-diff --color-words --color-moved --relative --ignore-submodules"),
  // `diff` starts another git in the submodule.
  ...optional("--submodule", { only: /^(?:short|log)$/ }),
  ...valued("--stat-width --stat-name-width --stat-graph-width --stat-count --ws-error-highlight --src-prefix"),
  ...valued("--dst-prefix --line-prefix --inter-hunk-context --output-indicator-new --output-indicator-old"),
  ...valued("--output-indicator-context -I --ignore-matching-lines --diff-algorithm --anchored --word-diff-regex"),
  ...valued("--color-moved-ws -S -G -l --rotate-to --skip-to --diff-filter"),
  ...valued("--find-object", { value: "revision" }),
  ...valued("-O", { value: "file" }),
  ...valued("--output", { value: "output" }),
  ...flags("--ext-diff --textconv", { effect: "runs" })
}
