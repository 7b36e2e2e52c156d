/** Samples of the programs that every system has; `program-sample.ts` says what they are for. */
import { HELP, type ProgramSample, type ProgramSuite, TEXT, UNUSED } from "./program-sample.ts"

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

export const coreutils: ProgramSuite = {
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
