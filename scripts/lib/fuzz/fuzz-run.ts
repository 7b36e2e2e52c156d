/**
 * The fuzzer: makes lines, asks the product for its verdict on each, runs those that it would run unasked, and looks at
 * what they did. What looks like a fault is run again by itself before it counts, and then made as short as it can be.
 */
import { faultsIn } from "./faults.ts"
import { fuzzLine } from "./fuzz-line.ts"
import type { HostileTree } from "./hostile-tree.ts"
import { minimised } from "./minimise.ts"
import { type JudgeLine, type Surroundings, variablesFor } from "./surroundings.ts"
import type { LineTrace, TracedShell } from "./traced-shell.ts"

export interface FuzzOptions {
  readonly seed: number
  /** Numbers of the lines: from the first up to, not including, the last. */
  readonly from: number
  readonly to: number
  readonly everyday: ReadonlyArray<string>
  readonly tree: HostileTree
  readonly judge: JudgeLine
  /** In the order of what they permit. */
  readonly surroundings: ReadonlyArray<Surroundings>
  readonly shell: TracedShell
  /** Batches that run side by side. */
  readonly lanes: number
  readonly onProgress?: (progress: FuzzProgress) => void
}

export interface FuzzProgress {
  /** Every line before this one is done. */
  readonly done: number
  readonly allowed: number
  readonly ran: number
  readonly failures: ReadonlyArray<Failure>
}

export interface Failure {
  readonly surroundings: string
  readonly line: string
  /** The line as it was made. */
  readonly from: string
  readonly reason: string
  readonly faults: ReadonlyArray<string>
}

interface Candidate {
  readonly index: number
  readonly line: string
  readonly surroundings: Surroundings
  readonly isReading: boolean
}

const NOTHING: LineTrace = { events: [], output: "", isEndless: false }

/** A batch shares a copy of the tree: where lines may change it, few of them do. */
const batchSize = ({ permitted }: Surroundings): number => (permitted.writes === "nothing" ? 200 : 20)
/** So many lines later a batch starts although it is not full: otherwise a run would never be known to be this far. */
const MAX_WAIT = 5000
/** Of one kind only the first few are made short: one mistake shows in many lines. */
const MAX_OF_A_KIND = 2

export class FuzzRun {
  private readonly options: FuzzOptions
  private readonly seen = new Set<bigint | number>()
  /** Those of a batch run in the same environment. */
  private readonly waiting = new Map<string, Array<Candidate>>()
  private readonly running = new Map<Promise<void>, ReadonlyArray<Candidate>>()
  private readonly failures: Array<Failure> = []
  private readonly kinds = new Map<string, number>()
  private readonly endless: Array<string> = []
  private allowed = 0
  private ran = 0

  constructor(options: FuzzOptions) {
    this.options = options
  }

  async whole(): Promise<
    { readonly failures: ReadonlyArray<Failure>; readonly endless: ReadonlyArray<string> } & FuzzProgress
  > {
    const { from, onProgress, to } = this.options
    for (let index = from; index < to; index++) {
      const candidate = this.candidateAt(index)
      if (candidate !== undefined) await this.queue(candidate)
      if (index % 500 !== 499) continue
      await this.startOld(index - MAX_WAIT)
      onProgress?.(this.progress(index + 1))
    }
    for (const candidates of this.waiting.values()) await this.start(candidates)
    this.waiting.clear()
    await Promise.all(this.running.keys())
    return { ...this.progress(to), endless: this.endless }
  }

  /** Lines that wait for their batch, or for its end, are not done. */
  private progress(made: number): FuzzProgress {
    const open = [...this.waiting.values(), ...this.running.values()].flatMap(([first]) => first?.index ?? [])
    return { done: Math.min(made, ...open), allowed: this.allowed, ran: this.ran, failures: this.failures }
  }

  /** With the first surroundings that allow the line. */
  private candidateAt(index: number): Candidate | undefined {
    const { everyday, judge, seed, tree } = this.options
    const line = fuzzLine(seed, index, everyday, tree)
    const hash = Bun.hash(line)
    // The system gives a program its words without NUL, and the product refuses such a line.
    if (line.includes("\0") || this.seen.has(hash)) return undefined
    this.seen.add(hash)
    const verdictIn = judge(line)
    const surroundings = this.options.surroundings.find((one) => verdictIn(one).verdict === "allow")
    if (surroundings === undefined) return undefined
    this.allowed++
    const isReading = verdictIn(surroundings).isReading === true
    const isWorth = surroundings.isWorthRunning?.(line, index) ?? true
    return isWorth ? { index, line, surroundings, isReading } : undefined
  }

  private async queue(candidate: Candidate): Promise<void> {
    const key = `${candidate.surroundings.name} ${candidate.isReading}`
    const waiting = this.waiting.get(key) ?? []
    waiting.push(candidate)
    this.waiting.set(key, waiting)
    if (waiting.length < batchSize(candidate.surroundings)) return
    this.waiting.delete(key)
    await this.start(waiting)
  }

  private async startOld(before: number): Promise<void> {
    for (const [key, candidates] of this.waiting) {
      if ((candidates[0]?.index ?? before) >= before) continue
      this.waiting.delete(key)
      await this.start(candidates)
    }
  }

  private async start(candidates: ReadonlyArray<Candidate>): Promise<void> {
    while (this.running.size >= this.options.lanes) await Promise.race(this.running.keys())
    const run: Promise<void> = this.batch(candidates).finally(() => this.running.delete(run))
    this.running.set(run, candidates)
  }

  private async batch(candidates: ReadonlyArray<Candidate>): Promise<void> {
    const { tree } = this.options
    const traces = await this.traced(candidates).catch(() => undefined)
    if (traces === undefined) {
      await this.divided(candidates)
      return
    }
    this.ran += candidates.length
    for (const [index, candidate] of candidates.entries()) {
      const trace = traces[index] ?? NOTHING
      if (trace.isEndless) this.endless.push(candidate.line)
      if (faultsIn(trace, candidate.surroundings.permitted, tree).length > 0) await this.suspect(candidate)
    }
  }

  /** One of them ended the shell around it, as only lines can that may do anything: it is left out. */
  private async divided(candidates: ReadonlyArray<Candidate>): Promise<void> {
    const [first] = candidates
    if (candidates.length <= 1) {
      if (first?.surroundings.permitted.writes === "nothing") throw new Error(`a shell was ended by: ${first.line}`)
      return
    }
    const middle = Math.ceil(candidates.length / 2)
    await this.batch(candidates.slice(0, middle))
    await this.batch(candidates.slice(middle))
  }

  /** What a person would wait for, where all is permitted, tells nothing more after a while. */
  private traced(candidates: ReadonlyArray<Candidate>): Promise<ReadonlyArray<LineTrace>> {
    const { shell, tree } = this.options
    const [first] = candidates
    return shell.run(
      candidates.map(({ line }) => line),
      variablesFor(tree, first?.isReading === true),
      first?.surroundings.permitted.writes === "nothing" ? 20 : 3
    )
  }

  private async suspect(candidate: Candidate): Promise<void> {
    const { judge } = this.options
    const faults = await this.faultsAlone(candidate)
    const [first] = faults
    if (first === undefined) return
    const kind = `${candidate.surroundings.name} ${first.split(" ").slice(0, 2).join(" ")}`
    const count = (this.kinds.get(kind) ?? 0) + 1
    this.kinds.set(kind, count)
    if (count > MAX_OF_A_KIND) return
    const verb = first.split(" ")[0]
    const line = await minimised(candidate.line, async (shorter) => {
      const { isReading = false, verdict } = judge(shorter)(candidate.surroundings)
      if (verdict !== "allow" || isReading !== candidate.isReading) return false
      return (await this.faultsAlone({ ...candidate, line: shorter })).some((fault) => fault.split(" ")[0] === verb)
    })
    this.failures.push({
      surroundings: candidate.surroundings.name,
      line,
      from: candidate.line,
      reason: judge(line)(candidate.surroundings).reason,
      faults: await this.faultsAlone({ ...candidate, line }, true)
    })
  }

  private async faultsAlone(candidate: Candidate, withText = false): Promise<ReadonlyArray<string>> {
    const [trace = NOTHING] = await this.traced([candidate])
    return faultsIn(trace, candidate.surroundings.permitted, this.options.tree).map(({ text, what }) =>
      withText ? `${what}\n      ${text}` : what
    )
  }
}
