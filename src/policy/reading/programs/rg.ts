/** `rg` prints lines of everything below the folders that it is given; it leaves links alone unless told otherwise. */
import { flags, has, type ProgramTable, valued } from "../program-table.ts"

export const rg: ProgramTable = {
  name: "rg",
  reason: "prints lines of the files below the folders that it is given",
  options: {
    ...flags("-b -s -c -l -F -h -i -v -n -x -U -I -N -0 -o -P -p -q -S -a -V -H -w -u -."),
    ...flags(
      "--auto-hybrid-regex --binary --block-buffered --byte-offset --case-sensitive --column --count --count-matches"
    ),
    ...flags("--crlf --files --files-with-matches --files-without-match --fixed-strings --glob-case-insensitive"),
    ...flags(
      "--help --heading --hidden --ignore-case --ignore-file-case-insensitive --include-zero --invert-match --json"
    ),
    ...flags("--line-buffered --line-number --line-regexp --max-columns-preview --mmap --multiline --multiline-dotall"),
    ...flags(
      "--no-config --no-context-separator --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude"
    ),
    ...flags(
      "--no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number"
    ),
    ...flags(
      "--no-messages --no-mmap --no-pcre2-unicode --no-require-git --no-unicode --null --null-data --one-file-system"
    ),
    ...flags("--only-matching --passthru --pcre2 --pcre2-version --pretty --quiet --smart-case --stats --text --trim"),
    ...flags("--type-list --unrestricted --version --vimgrep --with-filename --word-regexp --no-follow --no-hidden"),
    // It prints patterns of files that it goes by.
    ...flags("--debug", { effect: "reaches" }),
    ...flags("-L --follow", { effect: "reaches" }),
    ...flags("-z --search-zip", { effect: "runs" }),
    ...valued("-A -B -C -E -g -M -m -e -r -j -t -T -d --after-context --before-context --context --color --colors"),
    ...valued(
      "--context-separator --dfa-size-limit --encoding --engine --field-context-separator --field-match-separator"
    ),
    ...valued("--glob --iglob --max-columns --max-count --max-depth --max-filesize --path-separator --pre-glob"),
    ...valued(
      "--regex-size-limit --regexp --replace --sort --sortr --threads --type --type-add --type-clear --type-not"
    ),
    ...valued("-f --file --ignore-file", { value: "file" }),
    ...valued("--pre --hostname-bin", { effect: "runs" })
  },
  // Patterns in any case come behind those of the guard, and the last one that matches decides.
  passesOverUnless: ["--no-config", "--iglob"],
  operands: (call) => ({
    first: has(call, "-e", "--regexp", "-f", "--file", "--files", "--type-list") ? [] : ["text"],
    rest: "tree",
    otherwise: "tree"
  })
}
