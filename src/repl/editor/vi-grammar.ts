/** The grammar of vi's normal mode: a count, an operator, a motion or a command, from the keys typed so far. */
export type ViCommand =
  | { readonly _tag: "Incomplete" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Motion"; readonly count: number | undefined; readonly motion: string }
  | {
      readonly _tag: "Operator"
      readonly operator: "d" | "c" | "y"
      /** The operator again for whole lines. */
      readonly motion: string
      readonly count: number | undefined
    }
  | { readonly _tag: "Command"; readonly name: string; readonly argument: string; readonly count: number | undefined }

const COUNT = "([1-9][0-9]*)?"
const MOTION = "[hlwbeWBE0^$;,jkG| ]|gg|ge|[fFtT]."
const OBJECT = "[ia][wWbB()\\[\\]{}<>\"'`]"
const COMMAND = "[xXsSDCYpPu~iaIAoOJ.v/]"

const AS_MOTION = new RegExp(`^${COUNT}(${MOTION})$`, "su")
const AS_OPERATOR = new RegExp(`^${COUNT}([dcy])${COUNT}(${MOTION}|${OBJECT}|d|c|y)$`, "su")
const AS_COMMAND = new RegExp(`^${COUNT}(?:(${COMMAND})|r(.))$`, "su")
const AS_START = new RegExp(`^${COUNT}(?:[dcy]${COUNT}[ia]?)?(?:[gfFtTr])?$`, "su")

export const parseVi = (keys: string): ViCommand => {
  const motion = AS_MOTION.exec(keys)
  if (motion !== null) return { _tag: "Motion", count: countOf(motion[1]), motion: motion[2] ?? "" }
  const operator = AS_OPERATOR.exec(keys)
  if (operator !== null) return operatorOf(operator)
  const command = AS_COMMAND.exec(keys)
  if (command !== null) {
    const [, count, name = "r", argument = ""] = command
    return { _tag: "Command", name, argument, count: countOf(count) }
  }
  return { _tag: AS_START.test(keys) ? "Incomplete" : "Unknown" }
}

const operatorOf = ([, first, operator, second, motion = ""]: RegExpExecArray): ViCommand => {
  if (operator !== "d" && operator !== "c" && operator !== "y") return { _tag: "Unknown" }
  if (/^[dcy]$/.test(motion) && motion !== operator) return { _tag: "Unknown" }
  const count = first === undefined && second === undefined ? undefined : (countOf(first) ?? 1) * (countOf(second) ?? 1)
  return { _tag: "Operator", operator, motion, count }
}

/** More would only be a slip, and a loop that long a hang. */
const MAX_COUNT = 1000

const countOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Math.min(Number(digits), MAX_COUNT)
