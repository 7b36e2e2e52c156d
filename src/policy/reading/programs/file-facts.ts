/** Programs that print names of files and what is known of them: kinds, attributes, sizes, places. */
import { flags, has, optional, type ProgramTable, spaced, valued } from "../program-table.ts"

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

/** `stat` prints attributes of files; it opens none. */
export const stat: ProgramTable = {
  name: "stat",
  reason: "prints attributes of what it is given",
  options: {
    ...flags("-L -f -t --dereference --file-system --terse --help --version"),
    ...valued("-c --format --printf --cached")
  },
  operands: { rest: "names" }
}

/**
 * `file` says what a file is by how it begins. Looking into packed files starts other programs, compiling its own data
 * writes, and keeping the time of access sets it.
 */
export const file: ProgramTable = {
  name: "file",
  reason: "prints what kind of file it is given",
  options: {
    ...flags("-v -b -c -i -k -l -L -h -n -N -0 -r -s -d --help --version --brief --checking-printout --mime --apple"),
    ...flags("--extension --mime-type --mime-encoding --keep-going --list --dereference --no-dereference --no-buffer"),
    ...flags("--no-pad --print0 --raw --special-files --debug"),
    ...valued("-e -F -P --exclude --exclude-quiet --separator --parameter"),
    ...valued("-f --files-from", { effect: "reaches" }),
    ...flags("-z -Z --uncompress --uncompress-noreport", { effect: "runs" }),
    ...flags("-p -C --preserve-date --compile", { effect: "writes" })
  },
  operands: { rest: "file" }
}

/**
 * `tree` prints the names below folders. Its letters take the next words as they come, whatever stands behind them in
 * their group, and `-R` with a depth makes it start itself and write a page into each folder.
 */
export const tree: ProgramTable = {
  name: "tree",
  reason: "prints the names below the folders that it is given",
  options: {
    ...flags("-a -d -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --gitignore --ignore-case"),
    ...flags("--matchdirs --metafirst --prune --noreport --si --du --inodes --device --dirsfirst --filesfirst"),
    ...flags("--nolinks --fflinks --version --help"),
    ...spaced("-L", { only: /^\d+$/ }),
    ...spaced("-P -I -H -T"),
    ...valued("--charset --filelimit --timefmt --sort"),
    ...valued("--gitfile --infofile --hintro --houtro", { value: "file" }),
    ...spaced("-o", { value: "output" }),
    // It prints files named `.info`, also where they are links; beside the names in a file it looks for `.gitignore`.
    ...flags("-l --info --fromfile", { effect: "reaches" }),
    ...flags("-R", { effect: "runs" })
  },
  operands: { rest: "names", otherwise: "names" }
}

const du: ProgramTable = {
  name: "du",
  reason: "prints sizes of what it is given and of what is below it",
  options: {
    ...flags(
      "-0 -a -b -c -D -H -h -k -l -m -P -S -s -x --null --all --apparent-size --bytes --total --dereference-args"
    ),
    ...flags("--human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize"),
    ...flags("--one-file-system --help --version"),
    ...valued("-B -d -t --block-size --max-depth --threshold --time-style --exclude"),
    ...optional("--time"),
    ...valued("-X --exclude-from", { value: "file" }),
    ...flags("-L --dereference", { effect: "reaches" }),
    ...valued("--files0-from", { effect: "reaches" })
  },
  operands: { rest: "names", otherwise: "names" }
}

/** Not `--sync`: it writes what the system holds back. */
const df: ProgramTable = {
  name: "df",
  reason: "prints how full file systems are",
  options: {
    ...flags("-a -h -H -i -k -l -P -T -v --all --human-readable --si --inodes --local --no-sync --portability --total"),
    ...flags("--print-type --help --version"),
    ...valued("-B -t -x --block-size --type --exclude-type"),
    ...optional("--output"),
    ...flags("--sync", { effect: "writes" })
  },
  operands: { rest: "names" }
}

/** Space: `du` walks folders and looks at sizes, `df` asks the kernel about file systems. */
export const diskUsage: ReadonlyArray<ProgramTable> = [du, df]

const basename: ProgramTable = {
  name: "basename",
  reason: "prints the last part of names",
  style: "leading",
  options: { ...flags("-a -z --multiple --zero --help --version"), ...valued("-s --suffix") },
  operands: { rest: "text" }
}

const dirname: ProgramTable = {
  name: "dirname",
  reason: "prints the folders in names",
  style: "leading",
  options: flags("-z --zero --help --version"),
  operands: { rest: "text" }
}

const realpath: ProgramTable = {
  name: "realpath",
  reason: "prints where names lead",
  options: {
    ...flags(
      "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip"
    ),
    ...flags("--no-symlinks --zero --help --version"),
    ...valued("--relative-to --relative-base", { value: "names" })
  },
  operands: { rest: "names" }
}

const readlink: ProgramTable = {
  name: "readlink",
  reason: "prints where links lead",
  options: flags(
    "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version"
  ),
  operands: { rest: "names" }
}

/** Names of files as text, and where links lead. */
export const pathNames: ReadonlyArray<ProgramTable> = [basename, dirname, realpath, readlink]
