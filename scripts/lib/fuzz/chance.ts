/** Chance that can be repeated: the same seed and number give the same choices, on every machine. */

export class Chance {
  private state: number

  /** `index`: which line of the run; neighbouring numbers have nothing in common. */
  constructor(seed: number, index: number) {
    this.state = mixed(mixed(seed) ^ Math.imul(index + 1, 0x9e3779b1))
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x9e3779b9) | 0
    return Math.floor((mixed(this.state) / 2 ** 32) * limit)
  }

  /** True in one of so many cases. */
  oneIn(cases: number): boolean {
    return this.below(cases) === 0
  }

  pick<A>(choices: ReadonlyArray<A>): A {
    const chosen = choices[this.below(choices.length)]
    if (chosen === undefined) throw new Error("nothing to choose from")
    return chosen
  }

  /** Between `least` and `most` of them. */
  several<A>(least: number, most: number, make: () => A): ReadonlyArray<A> {
    return Array.from({ length: least + this.below(most - least + 1) }, make)
  }
}

/** Every bit of the result depends on every bit of the number. */
const mixed = (number: number): number => {
  let bits = number | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}
