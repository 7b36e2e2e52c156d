/** A map that keeps the entries used last and forgets the others. */

export interface RecentCache<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A) => void
}

export const cacheOf = <A>(capacity: number): RecentCache<A> => {
  // A Map keeps the order of insertion: the first key is the one that was not used for longest.
  const entries = new Map<string, A>()
  const put = (key: string, value: A) => {
    entries.delete(key)
    entries.set(key, value)
    const oldest = entries.keys().next()
    if (entries.size > capacity && oldest.done !== true) entries.delete(oldest.value)
  }
  return {
    get: (key) => {
      const value = entries.get(key)
      if (value !== undefined) put(key, value)
      return value
    },
    set: put
  }
}
