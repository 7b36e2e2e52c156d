/** Which file of a GitHub release fits this machine. Pure. */
import { Schema } from "effect"

export const Release = Schema.Struct({
  tag_name: Schema.String,
  tarball_url: Schema.optional(Schema.NullOr(Schema.String)),
  zipball_url: Schema.optional(Schema.NullOr(Schema.String)),
  assets: Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String, url: Schema.String })), {
    default: () => []
  })
})
export type Release = typeof Release.Type

export interface ReleaseFile {
  readonly url: string
  readonly form: "tar.gz" | "zip"
  /** An asset is asked for by its content type; the archives that GitHub makes are not. */
  readonly isAsset: boolean
}

/** The build for platform and processor, the one for the platform, the only one if it is for all, or the source. */
export const releaseFile = (
  release: Release,
  machine: { readonly platform: string; readonly arch: string }
): ReleaseFile | undefined => {
  const assets = release.assets.flatMap(({ name, url }) => {
    const form = archiveForm(name)
    return form === undefined ? [] : [{ name: name.toLowerCase(), url, form, isAsset: true }]
  })
  const own =
    assets.find(({ name }) => name.startsWith(`${machine.platform}.${machine.arch}.`)) ??
    assets.find(({ name }) => name.startsWith(`${machine.platform}.`)) ??
    onlyGeneric(assets)
  if (own !== undefined) return { url: own.url, form: own.form, isAsset: true }
  if (release.tarball_url) return { url: release.tarball_url, form: "tar.gz", isAsset: false }
  return release.zipball_url ? { url: release.zipball_url, form: "zip", isAsset: false } : undefined
}

const onlyGeneric = <A extends { readonly name: string }>(assets: ReadonlyArray<A>): A | undefined =>
  assets.length === 1 ? assets.find(({ name }) => !/darwin|linux|win32/.test(name)) : undefined

const archiveForm = (name: string): ReleaseFile["form"] | undefined => {
  if (/\.(?:tar\.gz|tgz)$/i.test(name)) return "tar.gz"
  return /\.zip$/i.test(name) ? "zip" : undefined
}
