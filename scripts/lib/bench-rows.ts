/**
 * What is measured and how much it may cost. One entry is one line of the result: to watch another path, add its program
 * to `bench.ts` and its budget here.
 */
export interface Row {
  /** As the table shows it. */
  readonly label: string
  readonly program: string
  /** The program that it is a multiple of. */
  readonly against: string
  readonly metric: "time" | "memory"
  /** Largest accepted ratio. */
  readonly budget: number
}

export const BASELINE = "console.log"
export const VERSION = "--version"
export const HELP = "--help"
export const ONE_SHOT = "one-shot"
export const REFERENCE_VERSION = "reference --version"
export const REFERENCE_ONE_SHOT = "reference one-shot"

export const ROWS: ReadonlyArray<Row> = [
  { label: "--version", program: VERSION, against: BASELINE, metric: "time", budget: 2 },
  { label: "--help", program: HELP, against: BASELINE, metric: "time", budget: 2 },
  { label: "one-shot prompt", program: ONE_SHOT, against: BASELINE, metric: "time", budget: 20 },
  { label: "one-shot prompt, peak memory", program: ONE_SHOT, against: BASELINE, metric: "memory", budget: 6 }
]

/** Only with `--reference`. */
export const REFERENCE_ROWS: ReadonlyArray<Row> = [
  { label: "--version", program: VERSION, against: REFERENCE_VERSION, metric: "time", budget: 1 / 100 },
  { label: "one-shot prompt", program: ONE_SHOT, against: REFERENCE_ONE_SHOT, metric: "time", budget: 1 / 25 },
  {
    label: "one-shot prompt, peak memory",
    program: ONE_SHOT,
    against: REFERENCE_ONE_SHOT,
    metric: "memory",
    budget: 1 / 4
  }
]
