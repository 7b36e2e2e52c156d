/**
 * For each program with a table: how it is called so that every option of it can be tried, what it reads of the system,
 * and which options of its help the table leaves out, with the reason. In the folder where they run stand `lines.txt`,
 * `more.txt`, `ids.txt` (numbers of processes), `a.out` (a program), `change.diff`, `sub/inner.txt` and the link `link`.
 */

export interface ProgramSample {
  readonly operands?: string
  readonly input?: string
  /** Values of options where `1` is none, in the words that are put behind the option; `=` before it: attached. */
  readonly values?: Readonly<Record<string, string>>
  /** Words that an option needs beside it. */
  readonly beside?: Readonly<Record<string, string>>
  /** Cannot be tried by themselves. */
  readonly untried?: string
  /** What an option makes of the operands. */
  readonly insteadOfOperands?: Readonly<Record<string, string>>
  /** Whole calls, for programs whose words the table reads itself. */
  readonly lines?: ReadonlyArray<string>
  /** What the program answers where it found a difference, or nothing. */
  readonly exits?: ReadonlyArray<number>
  readonly reads?: ReadonlyArray<string>
  readonly writes?: RegExp
  /** How to ask for help; `none`: it has none. */
  readonly help?: string | "none"
  /** Its own way of reading words: the rules of `getopt` are not tried on it. */
  readonly hasOwnParser?: true
  /** In the help and not in the table: the reason, and the options. */
  readonly unlisted?: Readonly<Record<string, string>>
  /** In the table and not in the help. */
  readonly undocumented?: string
}

/** Programs of one release: what a newer one adds is no fault of the table, which does not know it and asks. */
export interface ProgramSuite {
  readonly release: string
  /** How to ask the first program for its release. */
  readonly asks?: string
  /** Not part of every machine: nothing is missed where it is not there. */
  readonly isRare?: true
  readonly programs: Readonly<Record<string, ProgramSample>>
}

const TEXT: ProgramSample = { operands: "lines.txt" }
/** Some are for the list of sums only, which is asked about by itself. */
const DIGEST: ProgramSample = {
  ...TEXT,
  exits: [0, 1],
  beside: Object.fromEntries(
    ["-w", "--warn", "--ignore-missing", "--quiet", "--status", "--strict"].map((name) => [name, "-c"])
  )
}
const ENCODED: ProgramSample = {
  ...TEXT,
  insteadOfOperands: { "-d": "encoded.txt", "--decode": "encoded.txt" }
}
const UNUSED = "nobody needs it in a line that runs unasked"
const HELP = "a wrapper that runs nothing"

const coreutils: ProgramSuite = {
  release: "(GNU coreutils) 9.1",
  programs: {
    cat: TEXT,
    head: TEXT,
    tail: {
      ...TEXT,
      beside: Object.fromEntries(["-f", "-F", "--follow", "--retry"].map((name) => [name, "--pid=4194303"])),
      values: { "--follow": "=name" }
    },
    wc: TEXT,
    tac: TEXT,
    nl: {
      ...TEXT,
      values: {
        ...Object.fromEntries(
          ["-b", "-f", "-h", "--body-numbering", "--footer-numbering", "--header-numbering"].map((name) => [name, "a"])
        ),
        "-n": "ln",
        "--number-format": "ln"
      }
    },
    cut: {
      operands: "-f1 lines.txt",
      insteadOfOperands: Object.fromEntries(
        ["-b", "-c", "-f", "--bytes", "--characters", "--fields"].map((name) => [name, "lines.txt"])
      ),
      unlisted: { "a range, no option": "-M" }
    },
    paste: TEXT,
    fold: TEXT,
    fmt: { ...TEXT, values: { "-w": "40", "--width": "40", "-g": "40", "--goal": "40" } },
    expand: TEXT,
    unexpand: TEXT,
    tr: { input: "text", operands: "a-z A-Z", insteadOfOperands: { "-d": "a", "--delete": "a" } },
    sort: {
      ...TEXT,
      exits: [0, 1],
      values: {
        "--sort": "numeric",
        "--check": "=quiet",
        "-S": "1M",
        "--buffer-size": "1M",
        "--random-source": "lines.txt"
      },
      beside: { "--random-source": "-n" }
    },
    uniq: { ...TEXT, values: { "--all-repeated": "=none", "--group": "=append" } },
    comm: { operands: "lines.txt more.txt" },
    join: {
      operands: "lines.txt more.txt",
      values: { "-o": "1.1", "-t": "," }
    },
    tsort: { operands: "pairs.txt" },
    shuf: {
      ...TEXT,
      values: { "-i": "1-3", "--input-range": "1-3" },
      insteadOfOperands: { "-i": "", "--input-range": "" },
      beside: { "-r": "-n1", "--repeat": "-n1" }
    },
    seq: { operands: "3", values: { "-f": "%g", "--format": "%g" } },
    factor: { operands: "12" },
    numfmt: {
      operands: "1000",
      values: {
        "--from": "none",
        "--to": "si",
        "--format": "%f",
        "--invalid": "fail",
        "--round": "up",
        "--header": "=1",
        "-d": ",",
        "--delimiter": ","
      },
      unlisted: { "a range, no option": "-M" }
    },
    expr: { lines: ["1 + 2", "length abc", "abc : a.", "--help"], help: "none" },
    basename: { operands: "/a/b" },
    dirname: { operands: "/a/b" },
    realpath: { ...TEXT, values: { "--relative-to": "sub", "--relative-base": "sub" } },
    readlink: { operands: "link" },
    stat: {
      ...TEXT,
      values: { "--cached": "always", "-c": "%s %U", "--format": "%n", "--printf": "%n" },
      reads: ["/etc/"]
    },
    du: {
      operands: "sub",
      values: { "--time": "=ctime", "--time-style": "iso", "-X": "lines.txt", "--exclude-from": "lines.txt" }
    },
    df: {
      operands: ".",
      values: { "--output": "=source", "-t": "nosuch", "--type": "nosuch", "-x": "nosuch", "--exclude-type": "nosuch" },
      exits: [0, 1]
    },
    date: {
      operands: "",
      values: {
        "-d": "yesterday",
        "--date": "yesterday",
        "--rfc-3339": "date",
        "-I": "=date",
        "--iso-8601": "=date",
        "-f": "dates.txt",
        "--file": "dates.txt"
      },
      lines: ["+%s", "-u +%F", "-d@0 +%Y"]
    },
    sleep: { operands: "0" },
    uname: { reads: ["/proc/cpuinfo"] },
    whoami: {},
    arch: {},
    nproc: { reads: ["/sys/devices/system/cpu", "/sys/fs/cgroup/", "/proc/cgroups"] },
    tty: { exits: [0, 1] },
    id: {
      beside: Object.fromEntries(["-n", "-r", "-z", "--name", "--real", "--zero"].map((name) => [name, "-u"])),
      // Only where the kernel has such contexts.
      untried: "-Z --context",
      reads: ["/proc/sys/kernel/ngroups_max"]
    },
    groups: { reads: ["/proc/sys/kernel/ngroups_max"] },
    printenv: { operands: "PATH", unlisted: { "prints no more than a name may": "--help --version" } },
    md5sum: DIGEST,
    sha1sum: DIGEST,
    sha224sum: DIGEST,
    sha256sum: DIGEST,
    sha384sum: DIGEST,
    sha512sum: DIGEST,
    b2sum: { ...DIGEST, values: { "-l": "8", "--length": "8" } },
    cksum: {
      ...DIGEST,
      values: { "-a": "md5", "--algorithm": "sha1", "-l": "8", "--length": "8" },
      beside: { ...DIGEST.beside, "-l": "-a blake2b", "--length": "-a blake2b" },
      reads: ["/proc/cpuinfo"]
    },
    sum: TEXT,
    base64: ENCODED,
    base32: ENCODED,
    od: {
      ...TEXT,
      values: {
        "-A": "d",
        "--address-radix": "d",
        "--endian": "big",
        "-t": "x1",
        "--format": "x1",
        "-w": "=8",
        "--width": "=8",
        "--strings": "=3"
      },
      unlisted: { "makes paths of its words by another rule": "--traditional" }
    },
    ls: {
      operands: "sub",
      values: {
        "--format": "commas",
        "--indicator-style": "slash",
        "--quoting-style": "c",
        "--sort": "size",
        "--time": "ctime",
        "--time-style": "iso",
        "--classify": "=always",
        "--color": "=always",
        "--hyperlink": "=always"
      },
      reads: ["/proc/mounts", "/sys/fs/selinux"]
    },
    cp: {},
    mv: {},
    ln: {},
    install: {},
    chmod: { undocumented: "-r -w -x -X -s -t -u -g -o -a" },
    chown: {},
    chgrp: {},
    tee: {},
    touch: {},
    mkdir: {},
    truncate: {},
    dd: { hasOwnParser: true },
    rm: {},
    rmdir: {},
    split: {},
    csplit: {},
    env: {
      unlisted: {
        "prints the environment": "-0 --null",
        "moves the working folder": "-C --chdir",
        "makes words of a text": "-S --split-string",
        [UNUSED]: "--block-signal --default-signal --ignore-signal --list-signal-handling",
        [HELP]: "--help --version"
      }
    },
    timeout: { unlisted: { [HELP]: "--help --version" } },
    nice: { unlisted: { "a number, no option": "-20", [HELP]: "--help --version" } },
    nohup: { unlisted: { [HELP]: "--help --version" } },
    stdbuf: { unlisted: { [HELP]: "--help --version" } }
  }
}

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
  programs: { cmp: { operands: "lines.txt more.txt", exits: [0, 1] } }
}

const COLUMN_OPTIONS = ["-d", "-e", "-E", "-H", "-l", "-N", "-O", "-R", "-T", "-W"]

const utilLinux: ProgramSuite = {
  release: "util-linux 2.38",
  programs: {
    rev: TEXT,
    column: {
      ...TEXT,
      values: { "-c": "40", "--output-width": "40" },
      beside: {
        ...Object.fromEntries(COLUMN_OPTIONS.map((name) => [name, "-t -N a"])),
        ...Object.fromEntries(
          ["table-noheadings", "table-header-repeat", "table-noextreme", "table-hide", "table-columns-limit"]
            .concat("table-columns", "table-order", "table-right", "table-truncate", "table-wrap", "table-name")
            .map((name) => [`--${name}`, "-t -N a"])
        ),
        "-J": "-t -N a,b",
        "--json": "-t -N a,b",
        ...Object.fromEntries(
          ["-r", "-i", "-p", "--tree", "--tree-id", "--tree-parent"].map((name) => [name, "-t -r 1 -i 1 -p 1"])
        )
      },
      unlisted: { "a flag in older programs of that name": "-n" }
    },
    hexdump: {
      ...TEXT,
      values: {
        "-e": '"%c"',
        "--format": '"%c"',
        "-f": "format.txt",
        "--format-file": "format.txt",
        "-L": "=never",
        "--color": "=never"
      },
      reads: ["/etc/terminal-colors.d", "~/.config/terminal-colors.d"]
    },
    lscpu: {
      reads: ["/sys/", "/proc", "/usr/share/"],
      values: Object.fromEntries([
        ...["-e", "-p", "--extended", "--parse"].map((name) => [name, "=CPU"]),
        ...["-C", "--caches"].map((name) => [name, "=NAME"])
      ]),
      beside: Object.fromEntries(
        ["--output-all", "-J", "--json", "-a", "--all", "-b", "--online", "-c", "--offline", "-y", "--physical"]
          .concat("-x", "--hex")
          .map((name) => [name, "-e"])
      ),
      unlisted: { "reads the facts out of a folder": "-s --sysroot" }
    },
    lsblk: {
      reads: ["/sys/", "/proc/", "/dev/", "/run/", "/etc/"],
      exits: [0, 1, 32],
      values: Object.fromEntries([
        ...["-E", "-o", "-x", "--dedup", "--output", "--sort"].map((name) => [name, "NAME"]),
        ...["-T", "--tree"].map((name) => [name, "=NAME"])
      ]),
      unlisted: { "reads the facts out of a folder": "--sysroot" }
    },
    ionice: {
      unlisted: { "changes a process that runs": "-p --pid -P --pgid -u --uid", [HELP]: "-h --help -V --version" }
    },
    setsid: { unlisted: { "goes on behind the line": "-f --fork", [HELP]: "-h --help -V --version" } }
  }
}

const binutils: ProgramSuite = {
  release: "Binutils for Debian) 2.40",
  programs: {
    strings: {
      operands: "a.out",
      values: {
        "-t": "x",
        "--radix": "x",
        "-T": "binary",
        "--target": "binary",
        "-e": "s",
        "--encoding": "s",
        "-n": "8",
        "--bytes": "8",
        "-U": "x",
        "--unicode": "hex"
      }
    },
    nm: {
      operands: "-D a.out",
      values: {
        "-f": "posix",
        "--format": "posix",
        "-t": "d",
        "--radix": "d",
        "--target": "elf64-x86-64",
        "--ifunc-chars": "ab",
        "--unicode": "hex",
        "--demangle": "=auto"
      },
      unlisted: {
        "follows links to other files": "-l --line-numbers",
        "takes a value in some releases": "-U",
        [UNUSED]: "-X"
      }
    },
    size: {
      operands: "a.out",
      values: { "--format": "sysv", "--radix": "10", "--target": "elf64-x86-64" },
      exits: [0, 1],
      unlisted: { "a pattern for the shell": "-?" }
    },
    objdump: {
      operands: "-h -j .interp a.out",
      values: {
        "-b": "elf64-x86-64",
        "--target": "elf64-x86-64",
        "-m": "i386:x86-64",
        "--architecture": "i386:x86-64",
        "-j": ".interp",
        "--section": ".interp",
        "-M": "intel",
        "--disassembler-options": "intel",
        "--endian": "little",
        "--unicode": "hex",
        "--disassembler-color": "off",
        "--visualize-jumps": "=off",
        "--disassemble": "=main",
        "--demangle": "=auto"
      },
      unlisted: {
        "follows links to other files":
          "--source-comment --file-start-context -I --include --inlines --prefix --prefix-strip -W --dwarf -Wk -WK -WN -L --process-links --dwarf-depth --dwarf-start --dwarf-check -g --debugging -e --debugging-tags",
        [UNUSED]: "-P --private -G --stabs --ctf --sframe --ctf-parent -U -EB -EL"
      },
      undocumented: "--headers --section-headers --show-raw-insn --no-show-raw-insn"
    },
    readelf: {
      operands: "-h a.out",
      values: {
        "-x": ".interp",
        "-p": ".interp",
        "-R": ".interp",
        "--hex-dump": ".interp",
        "--string-dump": ".interp",
        "--relocated-dump": ".interp",
        "--unicode": "hex",
        "--demangle": "=auto"
      },
      unlisted: {
        "follows links to other files": "-w --debug-dump -wk -wK -wN --dwarf-depth --dwarf-start",
        [UNUSED]: "-U --sym-base --ctf --ctf-parent --ctf-symbols --ctf-strings --sframe"
      }
    }
  }
}

const PROC = ["/proc", "/sys/devices/system/", "/sys/fs/cgroup/"]

const procps: ProgramSuite = {
  release: "procps-ng 4.0.2",
  programs: {
    ps: {
      lines: ["", "aux", "auxww", "axjf", "-ef", "-e -f", "-eo pid,comm", "-p 1 -o pid=,args=", "-aux", "-u root"],
      help: "none",
      exits: [0, 1],
      reads: PROC
    },
    pgrep: {
      operands: "sh",
      exits: [0, 1],
      reads: PROC,
      values: {
        "-F": "ids.txt",
        "--pidfile": "ids.txt",
        "-r": "S",
        "--runstates": "S",
        "-t": "pts/0",
        "--terminal": "pts/0"
      },
      unlisted: { [UNUSED]: "-L --logpidfile --ns --nslist" }
    },
    free: { reads: PROC, values: { "-s": "1", "--seconds": "1" }, beside: { "-s": "-c1", "--seconds": "-c1" } },
    uptime: { reads: [...PROC, "/run/utmp", "/var/run/utmp"] }
  }
}

const others: ReadonlyArray<ProgramSuite> = [
  {
    release: "file-5.44",
    programs: {
      file: {
        ...TEXT,
        reads: ["/etc/magic", "/usr/share/misc/magic", "/usr/share/file/", "~/.magic"],
        values: {
          "-e": "csv",
          "--exclude": "csv",
          "--exclude-quiet": "csv",
          "-P": "bytes=9",
          "--parameter": "bytes=9"
        },
        unlisted: {
          "data of another maker": "-m --magic-file",
          "takes a protection off": "-S --no-sandbox"
        }
      }
    }
  },
  {
    release: "tree v2.1.0",
    programs: {
      tree: {
        operands: "sub",
        hasOwnParser: true,
        values: {
          "--sort": "size",
          "--charset": "utf-8",
          "--timefmt": "%F",
          "-o": "out.txt"
        },
        insteadOfOperands: { "--fromfile": "lines.txt" },
        beside: { "--fflinks": "--fromfile" },
        reads: ["/usr/share/finfo/", "~/.config/git/"]
      }
    }
  },
  {
    release: "xxd 20",
    asks: "-v",
    programs: {
      xxd: {
        ...TEXT,
        help: "-h",
        hasOwnParser: true,
        input: "00",
        beside: { "-u": "-p" },
        exits: [0, 1],
        insteadOfOperands: { "-r": "dump.txt" },
        unlisted: { "any word that begins like it is the same": "-n" },
        undocumented: "-p -plain"
      }
    }
  },
  {
    release: "diffstat version 1.65",
    asks: "-V",
    programs: {
      diffstat: {
        operands: "change.diff",
        help: "-h",
        unlisted: { "prints how it works itself": "-d -v" }
      }
    }
  },
  { release: "", asks: "-V", programs: { cal: { help: "none", exits: [0, 1, 64] } } },
  {
    release: "hostname 3.23",
    asks: "-V",
    programs: {
      hostname: {
        exits: [0, 255],
        unlisted: {
          "asks the network": "-a --alias -A --all-fqdns -d --domain -f --fqdn --long -i --ip-address -y --yp --nis",
          "sets the name": "-b --boot -F --file"
        },
        undocumented: "--help --version -V -h"
      }
    }
  },
  { release: "", programs: { which: { operands: "sh", help: "none", hasOwnParser: true } } },
  {
    release: "2.36",
    programs: {
      locale: {
        operands: "LC_TIME",
        reads: ["/usr/share/i18n/", "/etc/locale.alias", "/usr/share/locale"],
        unlisted: { "a pattern for the shell": "-?" }
      },
      getconf: {
        operands: "PATH",
        reads: ["/proc/sys/kernel/", "/sys/devices/system/cpu/"],
        undocumented: "--help --version -a",
        hasOwnParser: true
      }
    }
  }
]

/** The virtual machine of Java keeps counters while it runs. */
const JAVA: ProgramSample = {
  lines: ["--version", "-version"],
  writes: /^\/tmp\/hsperfdata_|\/\d+$|^\/proc\/self\/coredump_filter$/,
  reads: ["/etc/java", "/usr/share/java", "/proc/", "/sys/", "/tmp/hsperfdata_", "/etc/"]
}
const COMPILER: ProgramSample = { lines: ["--version", "-v", "-dumpversion", "-dumpfullversion", "-dumpmachine"] }
const PYTHON: ProgramSample = { lines: ["--version", "-V"], reads: ["/usr/bin/pyvenv.cfg", "/usr/pyvenv.cfg"] }
const PIP: ProgramSample = {
  lines: ["--version", "-V"],
  reads: ["/usr/bin/", "/usr/pyvenv.cfg", "/etc/", "/usr/share/", "~/.config/pip/", "~/.pip/", "~/.local/lib/", "/usr/"]
}

const rare = (programs: ProgramSuite["programs"]): ProgramSuite => ({ release: "", isRare: true, programs })

const versionQueries = rare({
  node: { lines: ["--version", "-v"], reads: ["/usr/share/nodejs", "/etc/ssl/", "/sys/fs/cgroup/", "/proc/"] },
  bun: { lines: ["--version", "-v", "--revision"], reads: ["/proc/", "/sys/"] },
  python3: PYTHON,
  python: PYTHON,
  pip: PIP,
  pip3: PIP,
  ruby: { lines: ["--version", "-v"] },
  perl: { lines: ["--version", "-v"] },
  php: { lines: ["--version", "-v"], reads: ["/etc/php/", "/etc/ssl/"] },
  java: JAVA,
  javac: JAVA,
  gcc: COMPILER,
  "g++": COMPILER,
  cc: COMPILER,
  "c++": COMPILER,
  make: { lines: ["--version", "-v"] },
  cmake: { lines: ["--version", "-version"], reads: ["/proc/", "/sys/"] },
  docker: { lines: ["--version", "-v"], reads: ["~/.docker/config.json", "/sys/kernel/mm/"] }
})

export const SUITES: ReadonlyArray<ProgramSuite> = [
  coreutils,
  grep,
  diffutils,
  utilLinux,
  binutils,
  procps,
  ...others,
  versionQueries
]
