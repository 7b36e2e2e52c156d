/** GitHub's API on loopback with these releases, the newest first; it keeps the tokens that it was shown. */
export interface FakeRelease {
  readonly tag: string
  readonly archive: Uint8Array
  /** Of the only asset; without one the archive of the source is taken. */
  readonly name?: string
}

export const startGithub = (...published: ReadonlyArray<FakeRelease>) => {
  const releases = [...published]
  const tokens = new Set<string | null>()
  const document = ({ name, tag }: FakeRelease) => ({
    tag_name: tag,
    tarball_url: `${server.url}tarball/${tag}`,
    assets: name === undefined ? [] : [{ name, url: `${server.url}tarball/${tag}` }]
  })
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request): Response => {
      tokens.add(request.headers.get("authorization"))
      const { pathname } = new URL(request.url)
      const [, tag] = /^\/tarball\/(.+)$/.exec(pathname) ?? []
      if (tag !== undefined) return Response.redirect(`${server.url}file/${tag}`)
      const [, file] = /^\/file\/(.+)$/.exec(pathname) ?? []
      if (file !== undefined) return new Response(releases.find((one) => one.tag === file)?.archive ?? null)
      const [newest] = releases
      if (pathname.endsWith("/releases/latest") && newest !== undefined) return Response.json(document(newest))
      const [, wanted] = /\/releases\/tags\/(.+)$/.exec(pathname) ?? []
      const found = releases.find((one) => one.tag === wanted)
      if (found !== undefined) return Response.json(document(found))
      return pathname.endsWith("/releases")
        ? Response.json(releases.map(document))
        : new Response(null, { status: 404 })
    }
  })
  return {
    /** More may be published while it runs. */
    releases,
    tokens,
    env: { GITHUB_API_URL: `${server.url}`, GITHUB_TOKEN: "gh-token" },
    [Symbol.asyncDispose]: () => server.stop(true)
  }
}
