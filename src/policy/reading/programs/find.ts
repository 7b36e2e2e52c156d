/** `find` prints names; the actions that run programs, write files or delete are marked as such. */
import { flags, type OptionTable, type ProgramTable, valued } from "../program-table.ts"

const commands: OptionTable = Object.fromEntries(
  ["-exec", "-execdir", "-ok", "-okdir"].map((name) => [name, { takes: "command", effect: "runs" }])
)

export const find: ProgramTable = {
  name: "find",
  reason: "prints the names below the folders that it is given",
  hasLongDashes: true,
  options: {
    ...flags("-P -H -a -and -o -or -not -depth -d -daystart -mount -xdev -noleaf -warn -nowarn -true -false -empty"),
    ...flags(
      "-executable -readable -writable -nouser -nogroup -prune -print -print0 -ls -quit -help --help -version --version"
    ),
    ...flags("-ignore_readdir_race -noignore_readdir_race"),
    ...flags("-L -follow", { effect: "reaches" }),
    ...flags("-delete", { effect: "writes" }),
    ...valued(
      "-maxdepth -mindepth -regextype -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname"
    ),
    ...valued(
      "-type -xtype -size -perm -user -group -uid -gid -links -inum -fstype -amin -cmin -mmin -atime -ctime -mtime"
    ),
    ...valued("-used -printf -context"),
    ...valued("-newer -anewer -cnewer -samefile", { value: "names" }),
    ...valued("-fprint -fprint0 -fls", { value: "output" }),
    ...valued("-files0-from", { value: "file", effect: "reaches" }),
    ...Object.fromEntries([["-fprintf", { takes: 2, effect: "writes" }]] as const),
    ...commands
  },
  operands: { rest: "names", otherwise: "names" }
}
