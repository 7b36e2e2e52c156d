/**
 * Whether a shell command surely changes no file: then nothing has to be recorded for it. Only the plainest lines pass,
 * of programs that cannot write whatever their arguments are; a wrong no costs a look through the workspace, a wrong yes
 * would lose an undo.
 */
const READERS: ReadonlySet<string> = new Set(
  [
    "basename cat cd cmp cut date dirname du echo false file grep head id ls nl od pwd readlink realpath",
    "stat tail test tr true uname wc which whoami"
  ]
    .join(" ")
    .split(" ")
)

/** A program with its words: plain ones, and quoted ones without anything that bash would look into. */
const SIMPLE = /^([a-z]+)(?:[ \t]+(?:[\w@%+=:,./-]+|'[^']*'|"[^"$`\\!]*")+)*[ \t]*/
const JOINT = /^(?:\|\||&&|[|;])[ \t]*/
const MAX_CHARS = 2000

export const isHarmlessCommand = (command: string): boolean => {
  if (command.length > MAX_CHARS) return false
  for (let rest = command.trim(); ; ) {
    const [simple = "", program = ""] = SIMPLE.exec(rest) ?? []
    if (!READERS.has(program)) return false
    rest = rest.slice(simple.length)
    if (rest === "") return true
    const [joint] = JOINT.exec(rest) ?? []
    if (joint === undefined) return false
    rest = rest.slice(joint.length)
  }
}
