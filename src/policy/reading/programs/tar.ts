/**
 * `tar` makes, lists and unpacks archives. It always asks, unless a rule names it; and then it starts nothing but the
 * programs that pack and unpack, which it also does by itself where an archive is packed.
 */
import { type CallRefusal, flags, has, optional, type ParsedCall, type ProgramTable, valued } from "../program-table.ts"

/** `host:name` is an archive on another machine, which is reached by a program of its own. */
const refuses = (call: ParsedCall): CallRefusal | undefined => {
  const isFar = call.options.some(
    ({ name, value }) =>
      (name === "-f" || name === "--file") && value !== undefined && (!value.isExact || value.text.includes(":"))
  )
  return isFar && !has(call, "--force-local")
    ? { effect: "connects", why: "an archive with a `:` in its name is one on another machine" }
    : undefined
}

export const tar: ProgramTable = {
  name: "tar",
  reason: "makes, lists and unpacks archives",
  nature: "writes",
  mayStart: ["gzip", "bzip2", "xz", "lzip", "lzma", "lzop", "zstd", "compress"],
  hasOldGroup: true,
  options: {
    ...flags("-A -c -d -r -t -u -x -G -n -S -k -U -W -O -m -p -s -B -i -a -j -J -z -Z -h -P -l -R -v -w -o"),
    ...flags("--catenate --concatenate --create --delete --diff --compare --append --test-label --list --update"),
    ...flags("--extract --get --check-device --incremental --ignore-failed-read --no-check-device --no-seek --seek"),
    ...flags("--sparse --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-vcs"),
    ...flags("--exclude-vcs-ignores --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion"),
    ...flags("--unquote --verbatim-files-from --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards"),
    ...flags("--no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink"),
    ...flags("--keep-newer-files --keep-old-files --no-overwrite-dir --overwrite --overwrite-dir --recursive-unlink"),
    ...flags("--remove-files --skip-old-files --unlink-first --verify --ignore-command-error"),
    ...flags("--no-ignore-command-error --to-stdout --clamp-mtime --delay-directory-restore --touch"),
    ...flags("--no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner"),
    ...flags("--preserve-permissions --same-permissions --same-owner --preserve-order --same-order --acls --no-acls"),
    ...flags("--no-selinux --no-xattrs --selinux --xattrs --force-local --read-full-records --ignore-zeros"),
    ...flags("--old-archive --portability --posix --auto-compress --bzip2 --xz --lzip --lzma --lzop"),
    ...flags("--no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --hard-dereference"),
    ...flags("--dereference --one-file-system --absolute-names --full-time --check-links --block-number"),
    ...flags("--show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names"),
    ...flags("--show-stored-names --utc --verbose --interactive --confirmation --restrict --usage --help --version"),
    ...valued("-f -C --file --directory", { value: "output" }),
    ...valued("-g -X --listed-incremental --exclude-from --volno-file --index-file --add-file", { value: "output" }),
    ...valued("-b -H -V -K -N --hole-detection --level --sparse-version --exclude --exclude-ignore --exclude-tag"),
    ...valued("--exclude-ignore-recursive --exclude-tag-all --exclude-tag-under --group --group-map --mode --mtime"),
    ...valued("--owner --owner-map --sort --xattrs-exclude --xattrs-include --blocking-factor --record-size --format"),
    ...valued("--pax-option --label --starting-file --newer-mtime --newer --after-date --suffix --strip-components"),
    ...valued("--no-quote-chars --quote-chars --quoting-style --warning"),
    // Written as for sed, without its letter that runs what comes out.
    ...valued("--transform --xform"),
    ...optional("--occurrence --one-top-level --atime-preserve --backup --checkpoint --totals"),
    ...valued("-I --use-compress-program --to-command --checkpoint-action --rsh-command --rmt-command", {
      effect: "runs"
    }),
    // Who is asked for the next tape can answer with a command.
    ...flags("-M --multi-volume", { effect: "runs" }),
    ...valued("-F -L --info-script --new-volume-script --tape-length", { effect: "runs" }),
    // A line of the list that begins with a dash is an option.
    ...valued("-T --files-from", { effect: "runs" })
  },
  operands: { rest: "output" },
  refuses
}
