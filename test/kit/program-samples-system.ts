/** Samples of programs about the machine, its processes and its object files; `program-sample.ts` says what they are for. */
import { HELP, type ProgramSample, type ProgramSuite, rare, TEXT, UNUSED } from "./program-sample.ts"

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

const COMPILER: ProgramSample = { lines: ["--version", "-v", "-dumpversion", "-dumpfullversion", "-dumpmachine"] }
const PYTHON: ProgramSample = { lines: ["--version", "-V"], reads: ["/usr/bin/pyvenv.cfg", "/usr/pyvenv.cfg"] }
const PIP: ProgramSample = {
  lines: ["--version", "-V"],
  reads: ["/usr/bin/", "/usr/pyvenv.cfg", "/etc/", "/usr/share/", "~/.config/pip/", "~/.pip/", "~/.local/lib/", "/usr/"]
}

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
  gcc: COMPILER,
  "g++": COMPILER,
  cc: COMPILER,
  "c++": COMPILER,
  make: { lines: ["--version", "-v"] },
  cmake: { lines: ["--version", "-version"], reads: ["/proc/", "/sys/"] },
  docker: { lines: ["--version", "-v"], reads: ["~/.docker/config.json", "/sys/kernel/mm/"] }
})

export const systemSuites: ReadonlyArray<ProgramSuite> = [utilLinux, binutils, procps, ...others, versionQueries]
