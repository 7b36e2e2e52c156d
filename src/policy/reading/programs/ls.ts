/** `ls` lists names and looks at what they stand for; it opens no file. */
import { flags, has, optional, type ProgramTable, valued } from "../program-table.ts"

export const ls: ProgramTable = {
  name: "ls",
  reason: "prints names and attributes of what it is given",
  options: {
    ...flags(
      "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1"
    ),
    ...flags(
      "--all --almost-all --author --escape --ignore-backups --directory --dired --full-time --group-directories-first"
    ),
    ...flags(
      "--no-group --human-readable --si --dereference-command-line --dereference --inode --kibibytes --numeric-uid-gid"
    ),
    ...flags(
      "--literal --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context --zero"
    ),
    ...flags("--help --version --file-type --dereference-command-line-symlink-to-dir"),
    ...valued(
      "-I -T -w --block-size --format --hide --indicator-style --ignore --quoting-style --sort --time --time-style --tabsize --width"
    ),
    ...optional("--classify --color --hyperlink")
  },
  operands: { rest: "names", otherwise: "names" },
  refuses: (call) =>
    has(call, "-L", "--dereference") && has(call, "-R", "--recursive")
      ? { effect: "reaches", why: "`ls` would go on behind links" }
      : undefined
}
