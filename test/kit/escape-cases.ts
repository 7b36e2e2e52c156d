/**
 * Attempts to get out of the sandbox. Each is a script for bash that runs inside, in a place of its own. It has got out
 * when it prints a marker (every secret holds one; `won` prints another where something worked that must not), or when
 * anything outside is not as it was: files, listeners, processes, and what is guarded in the project.
 *
 * A case may succeed one day, on the machine of whoever runs the tests: so it aims at what the test made, or writes back
 * the very value that it read. None may change the machine.
 */

import { LATER_ESCAPES } from "./escape-cases-later.ts"

export interface EscapeCase {
  readonly name: string
  readonly script: string
  /** Landlock cannot prevent it, and its report says so in these words. */
  readonly landlockGap?: string
}

const GIT_GAP = "can change .git/config"
export const MODES_GAP = "modes and times of your own files"
const LINES_GAP = "command lines of all processes"

const isArm = process.arch === "arm64"
const nr = (x64: number, arm64: number): number => (isArm ? arm64 : x64)

const named = (
  group: string,
  scripts: ReadonlyArray<string>,
  more: Pick<EscapeCase, "landlockGap"> = {}
): ReadonlyArray<EscapeCase> => scripts.map((script) => ({ name: `${group}: ${script}`, script, ...more }))

/** A system call that must be refused. */
const call = (what: string, number: number, args: string): EscapeCase => ({
  name: `call: ${what}`,
  script: `perl -e 'my $b = "\\0" x 256; my $r = syscall(${[number, args].filter((part) => part !== "").join(", ")}); exit($r < 0 && ($! == 1 || $! == 38) ? 1 : 0)' && won`
})

const socket = (what: string, family: number, kind: number): EscapeCase => ({
  name: `network: a socket of ${what}`,
  script: `perl -e 'exit(syscall(${nr(41, 198)}, ${family}, ${kind}, 0) >= 0 ? 0 : 1)' && won`
})

const READS = [
  'cat "$ROOT/outside/secret"',
  'cat "../outside/secret"',
  "cat link-out/secret",
  "cat link-secret",
  "cat link-home/.ssh/id_rsa",
  'ln -s "$ROOT/outside/secret" mine; cat mine',
  'ln "$ROOT/outside/secret" hard; cat hard',
  'cp -r "$ROOT/outside" copied; cat copied/secret',
  'tar cf - "$ROOT/outside" 2>/dev/null | strings',
  'dd if="$ROOT/outside/secret" 2>/dev/null',
  'exec 5<"$ROOT/outside/secret"; cat <&5',
  'cd "$ROOT/outside" && cat secret',
  'cat "/proc/self/root$ROOT/outside/secret"',
  'cat "/proc/self/cwd/../outside/secret"',
  'cat "/proc/1/root$ROOT/outside/secret"',
  'cat "/proc/$VICTIM/root$ROOT/outside/secret"',
  'cat "/proc/$VICTIM/cwd/secret"',
  'perl -e \'open(F, "<", "$ENV{ROOT}/outside/secret") && print <F>\'',
  'find "$ROOT" -name secret -exec cat {} +',
  'grep -r MARK "$ROOT" 2>/dev/null',
  "mkdir -p x/y && cd x/y && cat ../../../outside/secret",
  "cat /etc/shadow | grep root && won",
  "head -c 1 /etc/ssh/ssh_host_*_key 2>/dev/null | grep . && won",
  "head -c 1 /dev/mem && won",
  "ls /dev/sd* /dev/vd* /dev/nvme* 2>/dev/null | while read d; do head -c 1 $d | grep -q . && won; done",
  "head -c 1 /proc/kcore | grep -q . && won",
  "cat <&7",
  "cat /proc/self/fd/7",
  "cat /dev/fd/7",
  "for f in /proc/self/fd/*; do timeout 1 cat $f </dev/null 2>/dev/null; done",
  "for f in /proc/[0-9]*/fd/*; do case $(readlink $f) in $ROOT/outside/secret) cat $f;; esac; done"
]

const HOME_SECRETS = [
  ".ssh/id_rsa",
  ".aws/credentials",
  ".gnupg/private.key",
  ".config/gcloud/credentials.db",
  ".config/gh/hosts.yml",
  ".kube/config",
  ".docker/config.json",
  ".netrc",
  ".npmrc",
  ".git-credentials",
  ".cargo/credentials.toml",
  ".bash_history",
  ".gemini/oauth_creds.json",
  ".gemini/settings.json",
  ".mozilla/firefox/logins.json",
  "notes.txt"
]

const PROJECT_SECRETS = [
  ".env",
  ".env.local",
  "a/b/c/d/e/.env.production",
  "node_modules/pkg/.env",
  "dist/.env",
  "gha-creds-abc.json",
  "deploy/id_ed25519",
  "deploy/server.pem",
  "sp ace/.env",
  "new\nline/.env"
]

const PROJECT_READS = [
  "cat link-env",
  "ln .env hard-env; cat hard-env",
  "mv .env renamed; cat renamed",
  "cp .env copied-env; cat copied-env",
  "mv a moved; cat moved/b/c/d/e/.env.production",
  "grep -rh MARK --include='.env*' .",
  "chmod 777 .env; cat .env",
  "cat /proc/self/cwd/.env",
  "git init -q other 2>/dev/null; cp .env.local other/x; cat other/x",
  "tail -c +1 .env .env.local",
  "exec 5<>.env; cat <&5",
  "source .env; echo $VALUE",
  "umount .env 2>/dev/null; cat .env"
]

const WRITES = [
  'echo x >"$OUT/direct"',
  'echo x >>"$ROOT/outside/secret"; cat "$ROOT/outside/secret"',
  'mkdir "$OUT/folder"',
  'touch "$OUT/touched"',
  'cp plain.txt "$OUT/copied"',
  'mv link-env "$OUT/moved"',
  'ln -s /etc/passwd "$OUT/link"',
  'ln plain.txt "$OUT/hard"',
  'mkfifo "$OUT/pipe"',
  "perl -MSocket -e 'socket(S, 1, 1, 0) && bind(S, pack_sockaddr_un(\"$ENV{OUT}/socket\"))'",
  'ln -s "$OUT" way && echo x >way/through',
  "echo x >link-out/../out/through-link",
  "cd .. && echo x >out/relative",
  'echo x >"/proc/self/root$OUT/root"',
  'echo x >"/proc/$VICTIM/root$OUT/victim"',
  'truncate -s 0 "$ROOT/outside/secret"',
  'rm -f "$ROOT/outside/kept"',
  'mv "$ROOT/outside/kept" ./taken',
  'tar cf - plain.txt | tar xf - -C "$OUT"',
  'dd if=/dev/zero of="$OUT/dd" count=1 2>/dev/null',
  'perl -e \'rename "plain.txt", "$ENV{OUT}/renamed"\'',
  "echo x >/etc/gemini-escape && rm /etc/gemini-escape && won",
  "echo x >/usr/bin/gemini-escape && rm /usr/bin/gemini-escape && won",
  "echo x >/usr/local/bin/gemini-escape && rm /usr/local/bin/gemini-escape && won",
  "echo x >/var/spool/cron/gemini-escape && rm /var/spool/cron/gemini-escape && won",
  'echo x >"$HOME/.bashrc" && [ -e "$HOME/.bashrc" ] && true',
  'echo x >"$HOME/.ssh/authorized_keys"; echo x >"$HOME/.config/autostart"; true',
  '(while :; do ln -sfn . swap; ln -sfn "$ROOT/outside" swap; done) & for i in 1 2 3 4 5 6 7 8 9; do cat swap/secret; done 2>/dev/null; kill %1',
  '(for i in $(seq 200); do ln -sfn . swap2; ln -sfn "$OUT" swap2; done) & for i in $(seq 200); do echo x >swap2/raced; done 2>/dev/null; wait; rm -f raced'
]

const PROCESSES = [
  'tr "\\0" "\\n" <"/proc/$VICTIM/environ"',
  'cat "/proc/$VICTIM/maps" | grep -q . && won',
  'head -c 1 "/proc/$VICTIM/mem" && won',
  'readlink "/proc/$VICTIM/fd/0" && won',
  'kill -0 "$VICTIM" && won',
  'kill -9 "$VICTIM"',
  'kill -STOP "$VICTIM"',
  "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep VICTIM_SECRET",
  "gdb -p $VICTIM -batch 2>/dev/null | grep -q attached && won",
  "strace -p $VICTIM 2>&1 | grep -q attached && won",
  'echo 1000 >"/proc/$VICTIM/oom_score_adj" && won',
  "nsenter -t $VICTIM -m true 2>/dev/null && won"
]

const RIGHTS = [
  "unshare -U true 2>/dev/null && won",
  "unshare -Ur true 2>/dev/null && won",
  "unshare -n true 2>/dev/null && won",
  "mount -t tmpfs none a 2>/dev/null && umount a && won",
  'mount --bind "$ROOT/outside" a 2>/dev/null && umount a && won',
  "mount --bind a a 2>/dev/null && umount a && won",
  "umount .env 2>/dev/null && won",
  "chroot / true 2>/dev/null && won",
  "bwrap --ro-bind / / --unshare-all true 2>/dev/null && won",
  "sudo -n true 2>/dev/null && won",
  "su -c true nobody </dev/null 2>/dev/null && won",
  'cp /bin/bash s && chmod u+s s && ./s -p -c \'grep -q "^CapEff:.*[1-9a-f]" /proc/self/status\' && [ "$SANDBOX" = bwrap ] && won',
  "setpriv --reuid 12345 true 2>/dev/null && won",
  'hostname "$(hostname)" 2>/dev/null && won',
  'date -s "$(date -Ins)" >/dev/null 2>&1 && won',
  "grep -q '^NoNewPrivs:.*0' /proc/self/status && won",
  "grep -q '^Seccomp:.*0' /proc/self/status && won",
  "dmesg 2>/dev/null | grep -q . && won",
  'v=$(cat /proc/sys/kernel/core_pattern) && echo "$v" >/proc/sys/kernel/core_pattern && won',
  "v=$(cat /proc/sys/vm/swappiness) && echo $v >/proc/sys/vm/swappiness && won",
  'perl -e \'exit !open(F, ">>", "/proc/sysrq-trigger")\' && won',
  'find /proc/sys -type f 2>/dev/null | perl -ne \'chomp; if (open(F, ">>", $_)) { print "GOT", "OUT"; last }\'',
  'find /proc -maxdepth 1 -type f 2>/dev/null | perl -ne \'chomp; if (open(F, ">>", $_)) { print "GOT", "OUT"; last }\'',
  'm=$(stat -c %a /dev/null); chmod 644 /dev/null && chmod "$m" /dev/null && [ "$SANDBOX" = bwrap ] && won',
  "mknod dev b 8 0 2>/dev/null && head -c 1 dev && won",
  "insmod x.ko 2>/dev/null && won",
  "keyctl show 2>/dev/null | grep -q . && won"
]

const CALLS: ReadonlyArray<EscapeCase> = [
  call("ptrace", nr(101, 117), "0, 0, 0, 0"),
  call("process_vm_readv", nr(310, 270), "$ENV{VICTIM}+0, $b, 0, $b, 0, 0"),
  call("add_key", nr(248, 217), '"user", "x", "y", 1, -3'),
  call("keyctl", nr(250, 219), "0, -3, 0"),
  call("request_key", nr(249, 218), '"user", "x", "", 0'),
  call("bpf", nr(321, 280), "0, $b, 32"),
  call("perf_event_open", nr(298, 241), "$b, 0, -1, -1, 0"),
  call("userfaultfd", nr(323, 282), "0"),
  call("io_uring_setup", 425, "1, $b"),
  call("unshare of users", nr(272, 97), "0x10000000"),
  call("setns", nr(308, 268), "0, 0"),
  call("clone into new users", nr(56, 220), "0x10000011, 0, 0, 0, 0"),
  call("clone3", 435, "$b, 64"),
  call("open_tree", 428, '-100, "/", 1'),
  call("fsopen", 430, '"tmpfs", 0'),
  call("pivot_root", nr(155, 41), '".", "."'),
  call("open_by_handle_at", nr(304, 265), "-100, $b, 0"),
  call("kexec_load", nr(246, 104), "0, 0, 0, 0"),
  call("pidfd_getfd", 438, "0, 0, 0"),
  call("fanotify_init", nr(300, 262), "0, 0"),
  call("TIOCSTI", nr(16, 29), '0, 0x5412, "x"'),
  call("TIOCLINUX", nr(16, 29), '0, 0x541c, "x"'),
  ...(isArm ? [] : [call("getpid of the x32 sort", 0x40000000 + 39, "")])
]

const NETWORK: ReadonlyArray<EscapeCase> = [
  ...named("network", [
    "exec 3<>/dev/tcp/127.0.0.1/$PORT; echo GET >&3; cat <&3",
    "exec 3<>/dev/tcp/::1/$PORT; echo GET >&3; cat <&3",
    "exec 3<>/dev/tcp/localhost/$PORT && cat <&3",
    "echo x >/dev/udp/127.0.0.1/$PORT",
    "timeout 5 curl -s http://127.0.0.1:$PORT/",
    'timeout 5 curl -s --unix-socket "$ROOT/outside/socket" http://x/',
    "perl -MSocket -e 'socket(S, 1, 1, 0) && connect(S, pack_sockaddr_un(\"$ENV{ROOT}/outside/socket\")) && print <S>'",
    'perl -MSocket -e \'socket(S, 1, 1, 0) && connect(S, pack("Sa*", 1, "\\0$ENV{ABSTRACT}")) && print <S>\'',
    "perl -MSocket -e 'socket(S, 2, 1, 0) && connect(S, sockaddr_in($ENV{PORT}, inet_aton(\"127.0.0.1\"))) && print <S>'",
    "for s in /run/docker.sock /var/run/docker.sock /run/podman/podman.sock /run/dbus/system_bus_socket; do [ -S $s ] && perl -MSocket -e 'exit !(socket(S,1,1,0) && connect(S, pack_sockaddr_un($ARGV[0])))' $s && won; done; true",
    '[ -n "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR" ] && won'
  ]),
  socket("the virtual machine's host", 40, 1),
  socket("packets", 17, 3),
  socket("bluetooth", 31, 3),
  socket("the kernel's ciphers", 38, 5)
]

const LATER: ReadonlyArray<EscapeCase> = [
  ...named(
    "later",
    [
      "echo '[core] hooksPath = evil' >>.git/config",
      "git config core.fsmonitor ./evil",
      "echo 'echo x' >.git/hooks/pre-commit",
      "rm -rf .git/hooks && mkdir .git/hooks && echo x >.git/hooks/post-checkout",
      "mv .git/config .git/other; echo '[alias] x = !evil' >.git/config",
      "mv .git git-old; git init -q .; git config core.pager evil",
      "echo '{}' >.gemini/settings.json",
      "rm -rf .gemini",
      "mv .gemini elsewhere",
      "echo x >.gemini/GEMINI.md",
      "ln -sfn /tmp .git/hooks"
    ],
    { landlockGap: GIT_GAP }
  ),
  ...named("later", ['chmod 777 "$ROOT/outside/secret"', 'touch -d 2001-01-01 "$ROOT/outside/secret"'], {
    landlockGap: MODES_GAP
  }),
  ...named("later", ['tr "\\0" " " <"/proc/$VICTIM/cmdline"'], { landlockGap: LINES_GAP })
]

export const ESCAPES: ReadonlyArray<EscapeCase> = [
  ...LATER_ESCAPES,
  ...named("read", READS),
  ...HOME_SECRETS.map((path) => ({ name: `home: ${path}`, script: `cat "$HOME/${path}"` })),
  ...PROJECT_SECRETS.map((path) => ({ name: `secret: ${path}`, script: `cat '${path}'` })),
  ...named("secret", PROJECT_READS),
  ...named("write", WRITES),
  ...named("process", PROCESSES),
  ...named("rights", RIGHTS),
  ...CALLS,
  ...NETWORK,
  ...LATER
]

/** Where secrets lie that every case may go for. */
export const SECRET_FILES = { home: HOME_SECRETS, project: PROJECT_SECRETS }
