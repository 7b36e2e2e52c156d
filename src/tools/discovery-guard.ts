/** Commands that list and run tools: those of a project run only in the form that the person confirmed. */
import type { LoadedConfig } from "../config/load.ts"
import { programTrust } from "../config/programs/program-trust.ts"
import { type ProjectCommand, projectCommands } from "../config/programs/project-program.ts"

export interface DiscoveryGuard {
  readonly programs: ReadonlyArray<ProjectCommand>
  /** One of them was not confirmed as it is now. */
  readonly isPending: boolean
  /** One of them is not what it was when this was made: the files of the project may be written by the model. */
  readonly isChanged: () => boolean
}

export const discoveryGuard = (config: LoadedConfig, accepted?: ReadonlySet<string>): DiscoveryGuard => {
  const { environment, settings } = config
  const commands = () => projectCommands(settings, environment.cwd).filter(({ key }) => key !== "tools.shell.pager")
  const programs = commands()
  const { mayRun } = programTrust(config, accepted)
  return {
    programs,
    isPending: programs.some(({ fingerprint }) => !mayRun(fingerprint)),
    isChanged: () => commands().some(({ fingerprint }, index) => fingerprint !== programs[index]?.fingerprint)
  }
}
