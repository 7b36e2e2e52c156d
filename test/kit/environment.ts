/** An `Environment` for tests: nothing of the machine leaks in but what is given. */
import { Layer } from "effect"
import { Environment } from "../../src/config/environment.ts"

export const testEnvironment = (options: {
  readonly cwd: string
  readonly home?: string
  readonly variables?: Readonly<Record<string, string>>
}) => {
  const variables = options.variables ?? {}
  return Layer.succeed(Environment, {
    variables,
    get: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    cwd: options.cwd,
    home: options.home,
    platform: process.platform,
    dotenv: undefined
  })
}
