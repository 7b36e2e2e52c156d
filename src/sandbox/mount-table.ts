/**
 * Whether what was bound is what was meant. Bubblewrap binds by path, and a command that still runs in the same workspace
 * can put a link in a folder's place between our look at it and the binding: then something of outside would be inside,
 * or a secret not covered. So whoever starts a command compares the table of mounts, which no rename can change, with what
 * it must be, and does not start where they differ. Pure.
 */
export interface TableMount {
  /** `major:minor` of the file system. */
  readonly device: string
  /** What of it is seen there. */
  readonly root: string
  readonly point: string
}

/** `text`: `/proc/self/mountinfo`. Paths stay escaped as there. */
export const parseMounts = (text: string): ReadonlyArray<TableMount> =>
  text.split("\n").flatMap((line) => {
    const [, , device, root, point] = line.split(" ")
    return device === undefined || root === undefined || point === undefined ? [] : [{ device, root, point }]
  })

/** As the kernel writes them. */
const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (found) => `\\${found.charCodeAt(0).toString(8).padStart(3, "0")}`)

/** Where a real path lies on its file system; `undefined`: the table has no mount above it. */
const placeOf = (path: string, table: ReadonlyArray<TableMount>): Omit<TableMount, "point"> | undefined => {
  const mount = table.findLast(({ point }) => point === path || point === "/" || path.startsWith(`${point}/`))
  // A later mount hides what was mounted below it before; so the last one above is the one.
  if (mount === undefined) return undefined
  const rest = mount.point === "/" ? path : path.slice(mount.point.length)
  return { device: mount.device, root: `${mount.root === "/" ? "" : mount.root}${rest}` || "/" }
}

export interface Binding {
  /** Real. */
  readonly source: string
  readonly point: string
}

/** The middle of the lines that must be in the table inside. `outside`: the table that sources are seen in. */
export const expectedMounts = (
  bindings: ReadonlyArray<Binding>,
  outside: ReadonlyArray<TableMount>
): ReadonlyArray<string> =>
  bindings.flatMap(({ point, source }) => {
    const place = placeOf(escaped(source), outside)
    return place === undefined ? [] : [`${place.device} ${place.root} ${escaped(point)}`]
  })

/** Ends a command that would have started within other walls than those that were planned. */
export const SWAPPED = "gemini: the workspace changed while the sandbox was being made; nothing was run"
