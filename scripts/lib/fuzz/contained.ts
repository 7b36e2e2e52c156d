/**
 * Bubblewrap for shells that may do anything. It binds the devices of the machine into a `/dev` of its own: a `chmod` that
 * root runs in there would close `/dev/null` for everybody, so root binds them to itself first, not to be changed.
 */
const SETTLE =
  'for d in null zero full random urandom tty; do mount --bind "/dev/$d" "/dev/$d" && mount -o remount,bind,ro "/dev/$d" || exit; done; exec "$@"'

const settled = process.getuid?.() === 0 ? ["unshare", "--mount", "sh", "-c", SETTLE, "sh"] : []

/** What only reads the machine, with a `/tmp` of its own; to be followed by arguments of bubblewrap. */
export const CONTAINED: ReadonlyArray<string> = [
  ...settled,
  ...["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-all"]
]

/** Whether this machine lets us keep a shell in a folder. */
export const canContain = (): boolean =>
  Bun.which("bwrap") !== null && Bun.spawnSync([...CONTAINED, "true"]).exitCode === 0
