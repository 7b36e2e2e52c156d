/** The ripgrep packages hold a program, which the bundler embeds as a file and gives the path of. */
declare module "@vscode/ripgrep-*" {
  const path: string

  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives the path
  export { path as default }
}
