/** Addresses of a name, as this machine knows them. */
export const addressesOf = async (name: string): Promise<ReadonlyArray<string>> => {
  const { lookup } = await import("node:dns/promises")
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
