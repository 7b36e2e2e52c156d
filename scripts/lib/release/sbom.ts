/** What is really inside the binary, as a CycloneDX document: packages that the bundler took, and the parts beside them. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"

interface Component {
  readonly type: "library" | "application" | "framework"
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses: ReadonlyArray<{ readonly license: { readonly id: string } }>
}

/** Names of packages whose files the bundler read, from the paths of its report. */
export const packagesInside = (inputs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = inputs.flatMap((path) => {
    const last = path.lastIndexOf("node_modules/")
    if (last < 0) return []
    const [scope, name] = path.slice(last + "node_modules/".length).split("/")
    const folder = path.slice(0, last)
    const own = scope?.startsWith("@") ? `${scope}/${name}` : scope
    return [`${folder}node_modules/${own}`]
  })
  return [...new Set(names)].sort()
}

export const makeSbom = async (options: {
  readonly root: string
  readonly version: string
  readonly epoch: number
  readonly inputs: ReadonlyArray<string>
  readonly bunVersion: string
}): Promise<string> => {
  const components = await Promise.all(packagesInside(options.inputs).map((folder) => component(options.root, folder)))
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(options.epoch * 1000).toISOString(),
      component: { type: "application", name: "gemini-fx", version: options.version }
    },
    components: [
      {
        type: "framework",
        name: "bun",
        version: options.bunVersion,
        purl: `pkg:npm/bun@${options.bunVersion}`,
        licenses: [{ license: { id: "MIT" } }]
      },
      ...components
    ]
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const component = async (root: string, folder: string): Promise<Component> => {
  const manifest: unknown = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"))
  const field = (name: string): string => {
    const value = manifest instanceof Object ? Reflect.get(manifest, name) : undefined
    if (typeof value !== "string") throw new Error(`${folder}/package.json has no ${name}`)
    return value
  }
  const name = field("name")
  const version = field("version")
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [{ license: { id: field("license") } }]
  }
}
