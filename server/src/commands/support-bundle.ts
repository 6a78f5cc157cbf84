import { existsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { readConfig, variables, type Config } from '#config'
import { createMask } from '#platform/log.ts'
import { parleyVersion } from '#platform/documentation.ts'
import { failure } from './backup.ts'
import { CommandFailure, textOption, UsageError, type Command } from './command.ts'
import { describeFinding, examine } from './doctor/doctor.ts'
import { checkServing, readMetrics } from './doctor/doctor-serving.ts'

const mostLogBytes = 1_000_000
const watchSeconds = 3

export const supportBundle: Command = {
  usage: 'support-bundle FILE [--log FILE] [--force]',
  help: `
Writes one text file for a report about a problem: versions, settings, metrics, what doctor finds,
and the newest log lines. Secrets and e-mail addresses are masked; read it before you send it.

  --log FILE   A file that contains the service's log, of which the last 1 MB is added
  --force      Overwrite FILE if it exists`,
  options: { log: { type: 'string' }, force: { type: 'boolean' } },
  maxPositionals: 1,
  async run({ environment, stdout }, { positionals: [target], options }) {
    if (target === undefined)
      throw new UsageError(`name a file: usage is \`parley ${supportBundle.usage}\``)
    if (existsSync(target) && options.force !== true)
      throw new CommandFailure(`${target} already exists: name another file, or add --force`)
    const config = readConfig(environment)
    const text = await bundleOf(config, environment, textOption(options, 'log'))
    const problem = failure('the bundle could not be written')
    await writeFile(target, text, { mode: 0o600 }).catch(problem)
    stdout.write(`${target}: read it before you send it\n`)
    return 0
  },
}

type Environment = Readonly<Record<string, string | undefined>>

async function bundleOf(config: Config, environment: Environment, log: string | undefined) {
  const findings = [...(await examine(config)), ...(await checkServing(config, watchSeconds))]
  const parts: readonly (readonly [title: string, text: string])[] = [
    ['Versions', versions()],
    ['Settings', settingsOf(environment).join('\n')],
    ['Findings', findings.map(describeFinding).join('')],
    ['Metrics', await metricsOf(config)],
    ['Log', log === undefined ? 'no file was given: --log FILE' : await endOf(log)],
  ]
  const text = parts.map(([title, part]) => `## ${title}\n\n${part.trim()}\n`).join('\n')
  return createMask(config)(text).replace(emailAddress, '[address]')
}

/** Also in a log line, where it may be followed by a quote. */
const emailAddress = /[\w.+%-]+@[\w-]+(?:\.[\w-]+)*/g

/** Each variable that is set. The values of secrets are masked in the whole text, short ones here. */
function settingsOf(environment: Environment): string[] {
  return Object.entries(variables).flatMap(([name, { secret }]) => {
    const value = environment[name]
    if (value === undefined || value === '') return []
    return [`${name}=${secret ? '[secret]' : value}`]
  })
}

function versions(): string {
  const memory = `${(totalmem() / 1e9).toFixed(1)} GB of memory`
  return [
    `Parley ${parleyVersion()}`,
    `Node ${process.version}, SQLite ${process.versions.sqlite}`,
    `${platform()} ${release()} ${arch()}, ${cpus().length} cores, ${memory}`,
  ].join('\n')
}

async function metricsOf(config: Config): Promise<string> {
  try {
    return (await readMetrics(config)) ?? 'the configuration has none'
  } catch (error) {
    return `could not be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The last lines of a file, whole ones. */
async function endOf(path: string): Promise<string> {
  const file = await open(path).catch(failure('the log could not be read'))
  try {
    const { size } = await file.stat()
    const position = Math.max(0, size - mostLogBytes)
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, mostLogBytes)),
      position,
    })
    const text = buffer.toString('utf8', 0, bytesRead)
    return position === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await file.close()
  }
}
