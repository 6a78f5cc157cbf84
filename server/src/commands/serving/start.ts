import cluster from 'node:cluster'
import { readConfig } from '#config'
import type { Command } from '#commands/command.ts'

export const start: Command = {
  usage: 'start',
  help: `
Runs the service until Ctrl-C or SIGTERM. An empty database gets an owner, a workspace and the
demo agent, whose key is printed once, inside a ready curl.

Configuration is by environment variables: see docs/configuration.md.`,
  options: {},
  maxPositionals: 0,
  async run(terminal) {
    const config = readConfig(terminal.environment)
    // A supervisor loads nothing that serves: it takes a third of a worker's memory.
    if (config.workers > 1 && cluster.isPrimary)
      return await (await import('./supervise.ts')).supervise(config, terminal)
    return await (await import('./serve.ts')).serve(config, terminal)
  },
}
