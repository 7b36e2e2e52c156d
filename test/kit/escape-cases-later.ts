/** More of the same (`escape-cases.ts`): what others left open once, and what a second look at the walls brought up. */
import type { EscapeCase } from "./escape-cases.ts"

const cases = (
  group: string,
  scripts: ReadonlyArray<string>,
  more: Pick<EscapeCase, "landlockGap"> = {}
): ReadonlyArray<EscapeCase> => scripts.map((script) => ({ name: `${group}: ${script}`, script, ...more }))

const isArm = process.arch === "arm64"

/** A call whose result tells whether it was let through. */
const perl = (what: string, code: string): EscapeCase => ({
  name: `call: ${what}`,
  script: `perl -e '${code} exit($r >= 0 ? 0 : 1)' && won`
})
const nr = (x64: number, arm64: number): number => (isArm ? arm64 : x64)

const PATHS = [
  'cat "/proc/1/cwd/../outside/secret" "/proc/1/root$ROOT/outside/secret"',
  'for d in /proc/[0-9]*; do cat "$d/root$ROOT/outside/secret" "$d/cwd/secret" "$d/cwd/../outside/secret"; done 2>/dev/null',
  'for f in /proc/1/fd/* /proc/2/fd/*; do case "$(readlink "$f")" in /*) timeout 1 cat "$f" </dev/null;; esac; done 2>/dev/null',
  'for d in /proc/[0-9]*/task/[0-9]*; do cat "$d/root$ROOT/outside/secret"; done 2>/dev/null',
  'cat "/proc/self/task/$$/root$ROOT/outside/secret"; cat /proc/thread-self/cwd/../outside/secret',
  'cat "//proc/self/../self/root/$ROOT/outside/secret"',
  "tr '\\0' '\\n' </proc/1/environ | grep MARKER",
  "ls -laR /tmp /var/tmp /run /dev/shm 2>/dev/null | grep -i marker; cat /tmp/*/* /tmp/gemini-*/* 2>/dev/null | grep MARKER",
  'find / -xdev -name secret -path "*outside*" -exec cat {} + 2>/dev/null',
  'find / -name id_rsa -path "*home*" -exec cat {} + 2>/dev/null',
  'ln -s "$HOME/.ssh" keys; tar chf - keys 2>/dev/null | strings | grep MARKER',
  "cp --preserve=links -rL link-home copied 2>/dev/null; cat copied/.ssh/id_rsa",
  "rsync -aL link-out/ got/ 2>/dev/null; cat got/secret",
  'git -C "$ROOT/outside" log 2>/dev/null; git hash-object --stdin-paths <<<"$ROOT/outside/secret" 2>/dev/null && won',
  'ls -U "$HOME/.ssh" | grep -q . && [ "$SANDBOX" = bwrap ] && won; true',
  'exec {fd}<"$ROOT" 2>/dev/null && cat "/proc/self/fd/$fd/outside/secret"',
  'cd /; cd "$OLDPWD"; cat ../outside/secret; CDPATH=$ROOT cd outside && cat secret',
  'perl -e \'chdir ".."; chdir ".." for 1..9; open(F, "<", "./$ENV{ROOT}/outside/secret") && print <F>\'',
  "dd if=/dev/vda bs=1 count=1 2>/dev/null | grep -q . && won; dd if=/dev/sda bs=1 count=1 2>/dev/null | grep -q . && won",
  'cat /proc/kallsyms | grep -qv "^0000000000000000" && won',
  "cat /sys/firmware/efi/efivars/* /sys/kernel/security/*/profiles 2>/dev/null | head -c 1 | grep -q . && won",
  'cat "/proc/$VICTIM/auxv" "/proc/$VICTIM/syscall" "/proc/$VICTIM/stack" 2>/dev/null | head -c 1 | grep -q . && won',
  'cat /proc/[0-9]*/maps 2>/dev/null | grep "$ROOT/outside"'
]

const HIDDEN = [
  "cat .env* </dev/null; head -c 99 .env; od -c .env | head; strings .env",
  "mkdir deep; ln .env deep/e; ln .env.local deep/l; cat deep/*",
  'perl -e \'rename ".env", "x"; open(F, "<", "x") && print <F>\'',
  'perl -e \'rename "dist", "gone"; open(F, "<", "gone/.env") && print <F>\'',
  'mv "sp ace" plain; cat plain/.env; mv node_modules mods; cat mods/pkg/.env',
  "rm -f .env; cat .env",
  'cat "/proc/self/cwd/deploy/id_ed25519" "/proc/$$/cwd/deploy/server.pem"',
  "tar cf - . 2>/dev/null | strings | grep MARKER",
  "zip -r - . 2>/dev/null | strings | grep MARKER; cpio -o <<<.env 2>/dev/null | grep MARKER",
  'while read -r f; do cat "$f"; done < <(find . -name ".env*" -o -name "*.pem") 2>/dev/null',
  'perl -e \'open(F, "+<", ".env") && print <F>\'; python3 -c "print(open(\'.env\').read())"'
]

const OUTSIDE_CHANGES = [
  'perl -e \'mkdir "$ENV{OUT}/m"; symlink "/x", "$ENV{OUT}/s"; link "plain.txt", "$ENV{OUT}/l"\'',
  'install -m 755 plain.txt "$OUT/installed"; cp -al plain.txt "$OUT/linked"',
  "mkdir up && cd up && ln -s ../../out o && echo x >o/y",
  'cd "$OUT" && touch here',
  'echo x | tee "$OUT/tee" "/proc/self/cwd/../out/tee2" >/dev/null',
  'perl -e \'$SIG{XFSZ}="IGNORE"; truncate("$ENV{ROOT}/outside/secret", 0)\'',
  'find "$ROOT/outside" -name kept -delete; rmdir "$OUT"',
  'perl -e \'utime 1, 1, "$ENV{ROOT}/outside/kept"; chmod 0, "$ENV{ROOT}/outside/kept"; 1\' ; [ "$SANDBOX" = bwrap ] || true',
  'bash -c "exec 9>>$ROOT/outside/kept && echo x >&9"',
  'mv ../work "$ROOT/moved"; mv "$ROOT/work" "$OUT/work"',
  "rmdir ../out; rm -rf ../outside/kept ../out",
  'sqlite3 "$OUT/db" "create table x(y)" 2>/dev/null; git init -q "$OUT/repo" 2>/dev/null'
]

const PLANTED = [
  "cp /bin/true s; chmod 4755 s; [ -u s ] && won",
  "cp /bin/true s2; chmod u+s s2; [ -u s2 ] && won",
  "perl -e 'sysopen(F, \"made\", 0101, 04755)'; [ -u made ] && won",
  "install -m 4755 /bin/true s3 2>/dev/null; [ -u s3 ] && won",
  `umask 0; perl -e 'syscall(${nr(268, 53)}, -100, "plain.txt", 04755)'; [ -u plain.txt ] && won`,
  "mknod p b 7 0 2>/dev/null && won; mknod n c 1 1 2>/dev/null && won",
  "setfattr -n security.capability -v 0x0100000200200000000000000000000000000000 plain.txt 2>/dev/null && won",
  "setcap cap_sys_admin+ep plain.txt 2>/dev/null && won"
]

const CALLS: ReadonlyArray<EscapeCase> = [
  perl("openat2", `my $how = pack("QQQ", 0, 0, 0); $r = syscall(437, -100, "/", $how, 24);`),
  perl("kcmp", `$r = syscall(${nr(312, 272)}, $$, $ENV{VICTIM}, 0, 0, 0);`),
  perl("process_vm_writev", `$r = syscall(${nr(311, 271)}, $ENV{VICTIM}+0, 0, 0, 0, 0, 0);`),
  perl("mount_setattr", `$r = syscall(442, -100, "/", 0, "\\0" x 32, 32);`),
  perl("move_mount", `$r = syscall(429, -100, "/", -100, "/", 0);`),
  perl("chroot", `$r = syscall(${nr(161, 51)}, "/");`),
  perl("setns of a descriptor", `open(N, "<", "/proc/self/ns/net"); $r = syscall(${nr(308, 268)}, fileno(N), 0);`),
  perl("unshare of mounts", `$r = syscall(${nr(272, 97)}, 0x20000);`),
  perl("clone into new mounts", `$r = syscall(${nr(56, 220)}, 0x20011, 0, 0, 0, 0); exit 1 if $r == 0;`),
  perl(
    "name_to_handle_at",
    `my $h = pack("Ii", 128, 0) . "\\0" x 128; my $m = pack("i", 0); $r = syscall(${nr(303, 264)}, -100, "/", $h, $m, 0);`
  ),
  perl("io_uring_register", "$r = syscall(427, 0, 0, 0, 0);"),
  perl("a module", `$r = syscall(${nr(313, 273)}, 0, "", 0);`),
  perl("the log of the kernel", `$r = syscall(${nr(103, 116)}, 10, 0, 0);`),
  perl("the clock", `$r = syscall(${nr(227, 112)}, 0, pack("QQ", 1, 0));`),
  perl("typing with more bits", `$r = syscall(${nr(16, 29)}, 0, 0x100005412, "x");`),
  perl("a socket of a family with more bits", `$r = syscall(${nr(41, 198)}, 0x100000011, 3, 0);`),
  ...(isArm ? [] : [perl("the calls of 32 bits", "$r = syscall(0x40000000 + 41, 2, 1, 0);")])
]

/** Other processes of the person, where there is no wall between processes but what a filter can see. */
const OTHERS: ReadonlyArray<EscapeCase> = [
  ...cases("others", [
    'prlimit --pid "$VICTIM" --nofile 2>/dev/null | grep -q . && won',
    'echo 1 >"/proc/$VICTIM/clear_refs" && won; echo x >"/proc/$VICTIM/comm" && won'
  ]),
  perl("limits of the victim", `my $l = chr(0) x 16; $r = syscall(${nr(302, 261)}, $ENV{VICTIM}+0, 7, 0, $l);`),
  perl(
    "a signal by a descriptor",
    "my $f = syscall(434, $ENV{VICTIM}+0, 0); $r = $f < 0 ? -1 : syscall(424, $f, 0, 0, 0);"
  ),
  {
    name: "others: memory by number",
    // Asked for in a way that makes none: what is not refused says that the wish was wrong.
    script: `perl -e 'my $r = syscall(${nr(29, 194)}, 4711, 0, 0); exit($r < 0 && $! == 1 ? 1 : 0)' && [ "$SANDBOX" = landlock ] && won`
  },
  {
    name: "others: a queue by name",
    script: `perl -e 'my $r = syscall(${nr(240, 180)}, "gemini-escape-none", 0, 0, 0); exit($r < 0 && $! == 1 ? 1 : 0)' && [ "$SANDBOX" = landlock ] && won`
  }
]

const NETWORK = [
  "exec 3<>/dev/tcp/localhost.localdomain/$PORT && cat <&3",
  "exec 3<>/dev/tcp/0.0.0.0/$PORT && cat <&3",
  "exec 3<>/dev/tcp/0177.0.0.1/$PORT && cat <&3",
  "exec 3<>/dev/tcp/$(hostname -i 2>/dev/null | cut -d' ' -f1)/$PORT && cat <&3",
  "perl -MSocket -e 'socket(S, 10, 1, 0) && connect(S, pack_sockaddr_in6($ENV{PORT}, inet_pton(AF_INET6, \"::ffff:127.0.0.1\"))) && print <S>'",
  'perl -MSocket -e \'socket(S, 2, 2, 0) && send(S, "x", 0, sockaddr_in($ENV{PORT}, inet_aton("127.0.0.1")))\'',
  'perl -MSocket -e \'socket(S, 2, 3, 1) && print "GOT", "OUT"\'',
  'perl -MSocket -e \'socket(S, 1, 2, 0) && connect(S, pack_sockaddr_un("$ENV{ROOT}/outside/socket")) && print "GOT", "OUT"\'',
  "getent hosts example.com && won",
  "timeout 3 nc -w 1 127.0.0.1 $PORT </dev/null 2>/dev/null",
  "timeout 3 ssh -o StrictHostKeyChecking=no -p $PORT 127.0.0.1 2>/dev/null && won",
  "git ls-remote git://127.0.0.1:$PORT/x 2>/dev/null && won",
  'cat /sys/class/net/eth*/address 2>/dev/null | grep -q . && [ "$SANDBOX" = bwrap ] && won'
]

const GIT_GAP = "can change .git/config"

/** In a repository that a command may change: what makes git outside obey something else. */
const REPOSITORY = cases(
  "repository",
  [
    "git status 2>/dev/null; mkdir bare/.git/hooks; echo 'echo x' >bare/.git/hooks/post-commit; chmod +x bare/.git/hooks/post-commit",
    "git status 2>/dev/null; mkdir evil; echo ../../evil >bare/.git/commondir",
    "git config --file .git/config alias.x '!evil'",
    "git -c core.hooksPath=x config --local core.sshCommand evil",
    "git config --worktree core.fsmonitor evil",
    "GIT_DIR=.git git config include.path ../evil",
    "printf '[core]\\n\\tfsmonitor = evil\\n' >.git/config.lock && mv .git/config.lock .git/config",
    'perl -e \'rename ".git", "old"; mkdir ".git"; open(F, ">", ".git/config"); print F "[core]\\n\\tfsmonitor = evil\\n"\'',
    "cp -r .git copied && rm -rf .git && mv copied .git && echo '[alias]' >>.git/config",
    "mv .git/hooks .git/h; mkdir .git/hooks; echo evil >.git/hooks/pre-push",
    "echo evil >.git/hooks/pre-push.sample; ln -s ../../plain.txt .git/hooks/pre-push",
    "unlink .git/config; echo '[core]' >.git/config",
    "git init -q --template=. . 2>/dev/null; git init -q --separate-git-dir=elsewhere . 2>/dev/null"
  ],
  { landlockGap: GIT_GAP }
)

const OWN = cases(
  "own",
  [
    "echo '{\"hooks\":{}}' >.gemini/settings.json; cp plain.txt .gemini/settings.json; mv plain.txt .gemini/settings.json",
    "mkdir -p .gemini/commands .gemini/extensions/x; echo x >.gemini/.env; ln -s /tmp .gemini/tmp",
    'perl -e \'rename ".gemini", "g"; mkdir ".gemini"; open(F, ">", ".gemini/settings.json")\'',
    "mkdir g2 && echo '{}' >g2/settings.json && mv -T g2 .gemini; ln -sfn g2 .gemini"
  ],
  { landlockGap: GIT_GAP }
)

const HOME = [
  'mkdir -p "$HOME/.config/autostart" "$HOME/.local/bin" "$HOME/.ssh"; echo x >"$HOME/.config/autostart/x.desktop"; echo x >"$HOME/.local/bin/ls"',
  'for f in .bashrc .profile .zshrc .gitconfig .vimrc .npmrc .config/fish/config.fish; do echo evil >>"$HOME/$f"; done; true',
  'echo "{}" >"$HOME/.gemini/settings.json"; echo x >"$HOME/.gemini/policies/x.toml"; rm -rf "$HOME/.gemini"; true',
  'cat "$HOME/.gemini/settings.json" "$HOME/.gemini/oauth_creds.json" "$HOME"/.gemini/tmp/*/*',
  "systemctl --user list-units 2>/dev/null | grep -q . && won; systemd-run --user true 2>/dev/null && won",
  "at now 2>/dev/null <<<true && won; loginctl 2>/dev/null | grep -q . && won; dbus-send --session / x.y 2>/dev/null && won"
]

/** By names that lead to what is guarded, or that git and this program come to later. */
const LED_TO = cases(
  "led to",
  [
    "git status 2>/dev/null; echo '[core]' >bare/.git/config.worktree",
    "printf '[alias]\\n\\tx = !evil\\n' >>included",
    "rm -f included; printf '[alias]\\n\\tx = !evil\\n' >included",
    "mv included aside; echo '[alias]' >included",
    "git status 2>/dev/null; echo '[alias]' >>included",
    "echo '[core]' >not-there-yet",
    "git status 2>/dev/null; echo '[core]' >not-there-yet",
    "echo evil >linked/real.git/hooks/pre-commit",
    "echo '[core]' >>linked/.git/config",
    "git -C linked config core.fsmonitor evil",
    "echo '{}' >linked/own/settings.json",
    "echo '{}' >linked/.gemini/settings.json"
  ],
  { landlockGap: GIT_GAP }
)

/** Of the person's other terminals. */
const TERMINALS = cases("terminals", [
  'perl -e \'for (glob("/dev/pts/[0-9]*")) { print "GOT", "OUT" if $ENV{SANDBOX} eq "landlock" && open(F, "<", $_) }\'',
  'perl -e \'for (glob("/dev/pts/[0-9]*")) { print "GOT", "OUT" if $ENV{SANDBOX} eq "landlock" && open(F, ">", $_) }\'',
  '[ "$SANDBOX" = bwrap ] && ls /dev/pts | grep -q "^[0-9]" && won; true',
  'exec 3<>"$VICTIM_TERMINAL" && won'
])

const SYSTEM = [
  'find /etc -type f ! -perm -004 -size +0 2>/dev/null | while read -r f; do head -c 1 "$f" 2>/dev/null | grep -q . && won; done',
  "cat /run/gemini-sandbox/* | strings | grep MARKER; echo x >/run/gemini-sandbox/launcher && won",
  '/run/gemini-sandbox/launcher sh -c "cat $ROOT/outside/secret"',
  'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline | grep -q "fini[s]h()" && kill -9 $(basename $p) && won; done; true'
]

export const LATER_ESCAPES: ReadonlyArray<EscapeCase> = [
  ...cases("path", PATHS),
  ...cases("hidden", HIDDEN),
  ...cases("outside", OUTSIDE_CHANGES),
  ...cases("planted", PLANTED),
  ...CALLS,
  ...OTHERS,
  ...cases("network", NETWORK),
  ...REPOSITORY,
  ...OWN,
  ...cases("home", HOME),
  ...LED_TO,
  ...TERMINALS,
  ...cases("system", SYSTEM)
]
