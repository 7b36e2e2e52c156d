/** Samples of programs that search, compare, transform and pack; `program-sample.ts` says what they are for. */
import { HELP, type ProgramSample, type ProgramSuite, rare } from "./program-sample.ts"

const GREP: ProgramSample = {
  operands: "a lines.txt",
  exits: [0, 1],
  values: {
    "-d": "skip",
    "--directories": "skip",
    "-D": "skip",
    "--devices": "skip",
    "--binary-files": "text",
    "-f": "lines.txt",
    "--file": "lines.txt",
    "--color": "=always",
    "--colour": "=always"
  },
  insteadOfOperands: { "-e": "lines.txt", "--regexp": "lines.txt", "-f": "lines.txt", "--file": "lines.txt" },
  unlisted: { "a number, no option": "-NUM" },
  undocumented: "-y"
}

const grep: ProgramSuite = {
  release: "(GNU grep) 3.8",
  programs: {
    grep: GREP,
    egrep: { ...GREP, untried: "-F -G -P --fixed-strings --basic-regexp --perl-regexp" },
    fgrep: { ...GREP, untried: "-E -G -P --extended-regexp --basic-regexp --perl-regexp" }
  }
}

const diffutils: ProgramSuite = {
  release: "(GNU diffutils) 3.8",
  programs: {
    cmp: { operands: "lines.txt more.txt", exits: [0, 1] },
    diff: {
      operands: "lines.txt more.txt",
      exits: [0, 1],
      values: {
        "--color": "=always",
        "--palette": "rs=0",
        "--context": "=2",
        "--unified": "=2",
        "-D": "x",
        "--from-file": "lines.txt",
        "--to-file": "lines.txt"
      },
      insteadOfOperands: { "--from-file": "more.txt", "--to-file": "more.txt" },
      beside: { "--palette": "--color=always" },
      unlisted: { "stands for the three kinds of lines": "--GTYPE-group-format --LTYPE-line-format" },
      undocumented:
        "--old-line-format --new-line-format --unchanged-line-format --old-group-format --new-group-format --unchanged-group-format --changed-group-format"
    }
  }
}

/** What is not of the standard each awk has for itself. */
const AWK: ProgramSample = {
  operands: "{print} lines.txt",
  help: "none",
  hasOwnParser: true,
  values: { "-v": "x=1" },
  untried: "--version",
  lines: ["NR==1 lines.txt", "{s+=$1}END{print(s)} lines.txt", "-F, {print$1} lines.txt", "/a/ lines.txt"]
}

const findutils: ProgramSuite = {
  release: "(GNU findutils) 4.9.0",
  programs: {
    find: {
      operands: "",
      help: "none",
      hasOwnParser: true,
      values: {
        ...{ "-regextype": "posix-extended", "-type": "f", "-xtype": "f", "-user": "root", "-group": "root" },
        ...{ "-newer": "lines.txt", "-anewer": "lines.txt", "-cnewer": "lines.txt", "-samefile": "lines.txt" },
        ...{ "-perm": "-u+r", "-size": "+1k", "-fstype": "ext4", "-printf": "%p" }
      },
      insteadOfOperands: { "-not": "-empty", "-a": "-true", "-and": "-true", "-o": "-true", "-or": "-true" },
      // Binary operators cannot come first; contexts are not in every kernel.
      untried: "-a -and -o -or -context",
      lines: ["sub -name x -a -type f", "sub -empty -or -true", ". -name *.txt -not -path ./sub"],
      reads: ["/proc/mounts", "/proc/self/mountinfo", "/etc/"]
    },
    xargs: {
      unlisted: {
        "asks, or takes the terminal": "-o --open-tty -p --interactive",
        "sets a variable for the command": "--process-slot-var",
        [HELP]: "--show-limits --help --version"
      }
    }
  }
}

const languages: ReadonlyArray<ProgramSuite> = [
  {
    release: "(GNU sed) 4.9",
    programs: {
      sed: {
        operands: "p lines.txt",
        values: { "-e": "p", "--expression": "p" },
        insteadOfOperands: { "-e": "lines.txt", "--expression": "lines.txt" },
        lines: [
          "-n 2p lines.txt",
          "-n $= lines.txt",
          "s/a/b/gp lines.txt",
          "-E s/(a)/x/;1d lines.txt",
          "-n /a/,/b/p lines.txt"
        ],
        unlisted: {
          "follows links when it changes files": "--follow-symlinks",
          "prints how it works itself": "--debug",
          "changes how lines end": "-b --binary"
        }
      }
    }
  },
  {
    release: "mawk 1.3.4 20200120",
    programs: { awk: AWK }
  },
  rare({ gawk: AWK, mawk: AWK, nawk: AWK }),
  {
    release: "jq-1.6",
    programs: {
      jq: {
        operands: ". ids.txt",
        help: "none",
        hasOwnParser: true,
        values: { "--indent": "2" },
        untried:
          "--args --jsonargs --raw-output0 --build-configuration --stream-errors --argfile --arg --argjson --slurpfile --rawfile",
        lines: [
          "--arg a b $a ids.txt",
          "--argjson a 1 $a ids.txt",
          "--slurpfile a ids.txt $a ids.txt",
          "-n --rawfile a ids.txt $a"
        ],
        reads: ["~/.jq"]
      }
    }
  }
]

const rg: ProgramSuite = {
  release: "ripgrep 13.0.0",
  programs: {
    rg: {
      operands: "a lines.txt",
      help: "-h",
      hasOwnParser: true,
      exits: [0, 1],
      values: {
        ...{
          "-t": "txt",
          "--type": "txt",
          "-T": "txt",
          "--type-not": "txt",
          "--type-clear": "txt",
          "--type-add": "x:*.x"
        },
        ...{ "-E": "utf8", "--encoding": "utf8", "--color": "never", "--colors": "path:none", "--sort": "path" },
        ...{
          "--sortr": "path",
          "--engine": "default",
          "--path-separator": "/",
          "--max-filesize": "1M",
          "--regex-size-limit": "10M"
        }
      },
      insteadOfOperands: {
        ...{ "-e": "lines.txt", "--regexp": "lines.txt", "-f": "lines.txt", "--file": "lines.txt", "--files": "sub" },
        ...{ "--type-list": "", "--pcre2-version": "" }
      },
      reads: ["/proc/", "/sys/fs/cgroup/", "~/.config/git/", "~/.gitconfig"],
      untried: "-d",
      // Of other releases, or an opposite of one that is in the help.
      undocumented: "-. -d --no-context-separator --no-follow --no-hidden --hostname-bin"
    }
  }
}

const tar: ProgramSuite = {
  release: "tar (GNU tar) 1.34",
  programs: { tar: { unlisted: { "a pattern for the shell": "-?", "what it does by itself": "-f- -b20" } } }
}

/** Arity is tried on each sub-command by a test of its own; here is what the most used ones do. */
const git: ProgramSuite = {
  release: "git version 2.39",
  programs: {
    git: {
      help: "none",
      hasOwnParser: true,
      lines: [
        ...[
          "status",
          "status -sb",
          "log",
          "log -p",
          "log --oneline --graph --all",
          "log --stat -1",
          "show",
          "show HEAD:a.txt"
        ],
        ...[
          "diff",
          "diff --stat HEAD",
          "branch -a",
          "tag -l",
          "remote",
          "stash list",
          "blame a.txt",
          "ls-files",
          "grep one"
        ],
        ...["ls-tree -r HEAD", "rev-parse HEAD", "rev-list --count HEAD", "shortlog -sn HEAD", "describe --always"],
        ...[
          "cat-file -p HEAD",
          "for-each-ref",
          "show-ref",
          "reflog",
          "merge-base HEAD HEAD",
          "worktree list",
          "count-objects"
        ],
        ...["check-ignore -v a.txt", "config --get user.name", "--version", "diff-tree HEAD"]
      ].map((line) => `-C repo ${line}`),
      exits: [0, 1],
      reads: [
        "/etc/gitconfig",
        "~/.gitconfig",
        "~/.config/git/",
        "/usr/share/git-core/",
        "/etc/gitattributes",
        "/sys/devices/system/cpu/"
      ],
      // Dates of files that it has looked at: the product sets a variable against that.
      writes: /\/repo\/\.git\/index(?:\.lock)?$/
    }
  }
}

export const searchSuites: ReadonlyArray<ProgramSuite> = [grep, diffutils, findutils, ...languages, rg, tar, git]
