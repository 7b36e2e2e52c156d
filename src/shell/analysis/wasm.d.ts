/** WebAssembly files imported with `type: "file"` are embedded in the binary; the import is their path. */
declare module "*.wasm" {
  const path: string
  // biome-ignore lint/style/noDefaultExport: this is how the bundler exports a file.
  export default path
}
