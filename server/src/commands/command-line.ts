import { parseArgs } from 'node:util'
import { ConfigError } from '#config'
import { CommandFailure, type Command, type Terminal, UsageError } from './command.ts'
import { nearest } from './nearest.ts'

/** A command is loaded when it is called: `call` need not load what `start` imports. */
const commands: Readonly<Record<string, { summary: string; load(): Promise<Command> }>> = {
  start: {
    summary: 'Run the service',
    load: async () => (await import('./serving/start.ts')).start,
  },
  migrate: {
    summary: 'Migrate the database to the schema of this version',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  operations: {
    summary: 'Print every management operation as JSON',
    load: async () => (await import('./operations.ts')).operationsCommand,
  },
  call: {
    summary: 'Run a management operation',
    load: async () => (await import('./call.ts')).call,
  },
  knowledge: {
    summary: 'Add files to an agent’s knowledge',
    load: async () => (await import('./knowledge.ts')).knowledge,
  },
  products: {
    summary: 'Create and change products from a CSV file',
    load: async () => (await import('./products.ts')).products,
  },
  conversations: {
    summary: 'Export the conversations of an agent',
    load: async () => (await import('./conversations.ts')).conversations,
  },
  audit: {
    summary: 'Export or verify the audit log',
    load: async () => (await import('./audit.ts')).audit,
  },
  user: {
    summary: 'Create, recover or disable a user',
    load: async () => (await import('./user.ts')).user,
  },
  backup: {
    summary: 'Back up the database while the service runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    summary: 'Replace the database with a backup',
    load: async () => (await import('./restore.ts')).restore,
  },
  db: {
    summary: 'Move the database between SQLite and PostgreSQL',
    load: async () => (await import('./db.ts')).db,
  },
  doctor: {
    summary: 'Check everything the service needs',
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  'support-bundle': {
    summary: 'Collect what a report about a problem needs, without secrets',
    load: async () => (await import('./support-bundle.ts')).supportBundle,
  },
}

/** Runs one command and returns its exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [name, ...rest] = args
    if (name === undefined || name === '--help' || name === '-h' || name === 'help')
      return print(terminal, overview())
    if (name === '--version' || name === '-v')
      return print(terminal, `${(await import('#platform/documentation.ts')).parleyVersion()}\n`)
    const command = await findCommand(name).load()
    return await runCommand(command, rest, terminal)
  } catch (error) {
    for (const line of explain(error)) terminal.stderr.write(`parley: ${line}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

function findCommand(name: string) {
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (found !== undefined) return found
  const [guess] = nearest(name, Object.keys(commands))
  const hint = guess === undefined ? 'see `parley --help`' : `did you mean \`${guess}\`?`
  throw new UsageError(`there is no command ${JSON.stringify(name)}: ${hint}`)
}

async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, positionals } = parse(command, args)
  if (values.help === true)
    return print(terminal, command.helpAfter?.(positionals) ?? helpOf(command))
  if (positionals.length > command.maxPositionals)
    throw new UsageError(
      `unexpected ${JSON.stringify(positionals[command.maxPositionals])}: usage is \`parley ${command.usage}\``,
    )
  return command.run(terminal, { positionals, options: values })
}

function parse(command: Command, args: readonly string[]) {
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/[.\n]/, 1)[0] ?? '') : ''
    throw new UsageError(`${lowerFirst(reason)}: usage is \`parley ${command.usage}\``)
  }
}

function print(terminal: Terminal, text: string): number {
  terminal.stdout.write(text)
  return 0
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const rows = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  )
  return `Parley hosts AI agents on a machine you own.

Usage: parley <command> [options]

${rows.join('\n')}

\`parley <command> --help\` explains a command. Configuration is by environment variables: see docs/configuration.md.
`
}

function helpOf(command: Command): string {
  return `Usage: parley ${command.usage}\n\n${command.help.trim()}\n`
}

function explain(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems
  if (error instanceof CommandFailure) return error.lines
  if (error instanceof UsageError) return [error.message]
  // An unexpected error: a bug report needs the stack.
  return [
    `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ]
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
