/**
 * Generates the parts of the documentation that come from the code, between `<!-- name:begin -->`
 * and `<!-- name:end -->`. With `--check` it writes nothing and fails if a page is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../server/src/config.ts'
import { checkoutMoves } from '../server/src/features/checkout/index.ts'
import { atLeast, roles, type Role } from '../server/src/kernel/actor.ts'
import { fixedLimits, limits } from '../server/src/kernel/limits.ts'
import { operations } from '../server/src/operations/catalogue.ts'
import { attackGroups } from '../server/test/security/attacks.ts'

const root = join(import.meta.dirname, '..')

const sections = {
  configuration: configurationTable,
  variables: variableList,
  operations: operationTable,
  checkoutMoves: moveTable,
  limits: limitTable,
  roles: roleTable,
  operator: operatorTable,
  confirmations: confirmationTable,
  attacks: attackTables,
} as const

const pages = [
  'README.md',
  'docs/configuration.md',
  'docs/command-line.md',
  'docs/agentic-commerce.md',
  'docs/roles.md',
  'docs/sign-in.md',
  'docs/limits.md',
  'docs/threat-model.md',
]

/** What most people set first; docs/configuration.md has all of them. */
const firstVariables: readonly string[] = [
  'PORT',
  'HOST',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'SECRET_KEY',
  'OWNER_PASSWORD',
  'DEFAULT_MODEL',
  'OPENAI_API_KEY',
]

function configurationTable(): string {
  const rows = Object.entries(variables).flatMap(([name, { about, fallback }]) =>
    firstVariables.includes(name)
      ? [`| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${about} |`]
      : [],
  )
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

/** The same as prose, with one section per variable, so that a search finds the right one. */
function variableList(): string {
  return Object.entries(variables)
    .map(([name, { about, fallback }]) => {
      const usual = fallback ? ` The default is \`${fallback}\`.` : ''
      return `## ${name}\n\n\`${name}\`: ${about}${usual}`
    })
    .join('\n\n')
}

function attackTables(): string {
  return attackGroups
    .map(({ title, attacks }) => {
      const rows = attacks.map(({ attack, defence, tests }) => {
        const files = tests.map((set) => `\`${typeof set === 'string' ? set : set.file}\``)
        return `| ${attack} | ${defence} | ${files.join(', ')} |`
      })
      return [
        `### ${title}`,
        '',
        '| Attack | Defence | Tests in `server/` |',
        '|---|---|---|',
        ...rows,
      ].join('\n')
    })
    .join('\n\n')
}

function operationTable(): string {
  const rows = operations.map((operation) => {
    const { name, description, scope } = operation
    const least = operation.operatorOnly
      ? 'operator'
      : (roles.findLast((role) => mayRun(role, operation)) ?? operation.role)
    return `| \`${name}\` | ${description} | ${scope === null ? '' : `\`${scope}\``} | ${least} |`
  })
  return ['| Operation | What it does | Scope | Least role |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}

/** `personal` operations need no role, because they concern the caller only. */
function mayRun(role: Role, { personal, role: least }: (typeof operations)[number]): boolean {
  return personal || atLeast(role, least)
}

/** The operations that no role allows: only the instance's operator may run them. */
function operatorTable(): string {
  const rows = operations.flatMap(({ name, description, operatorOnly }) =>
    operatorOnly ? [`| \`${name}\` | ${description} |`] : [],
  )
  return ['| Operation | What it does |', '|---|---|', ...rows].join('\n')
}

/** The operations before which the dashboard asks again who the person is. */
function confirmationTable(): string {
  const rows = operations.flatMap(({ name, description, needsConfirmation }) =>
    needsConfirmation === false ? [] : [`| \`${name}\` | ${description} |`],
  )
  return ['| Operation | What it does |', '|---|---|', ...rows].join('\n')
}

function roleTable(): string {
  const ofRoles = operations.filter(({ operatorOnly }) => !operatorOnly)
  const rows = ofRoles.map((operation) => {
    const marks = roles.map((role) => (mayRun(role, operation) ? 'yes' : ''))
    return `| \`${operation.name}\` | ${marks.join(' | ')} |`
  })
  return [`| Operation | ${roles.join(' | ')} |`, '|---|---|---|---|---|', ...rows].join('\n')
}

function limitTable(): string {
  const rows = Object.entries(limits).map(
    ([name, { most, things, per }]) => `| \`${name}\` | ${things} per ${per} | ${most} |`,
  )
  const fixed = Object.entries(fixedLimits).map(
    ([name, { most, things, per }]) =>
      `| \`${name}\` | ${things} per ${per} | ${most === null ? 'none' : `${most}, fixed`} |`,
  )
  return ['| Limit | Counts | Default |', '|---|---|---|', ...rows, ...fixed].join('\n')
}

function moveTable(): string {
  const rows = Object.entries(checkoutMoves).map(([move, { from, to }]) => {
    const named = (statuses: readonly string[]) => statuses.map((one) => `\`${one}\``).join(', ')
    return `| ${move.replaceAll('_', ' ')} | ${named(from)} | ${named(to)} |`
  })
  return ['| Move | From | To |', '|---|---|---|', ...rows].join('\n')
}

function fill(page: string): string {
  return Object.entries(sections).reduce((text, [name, write]) => {
    const place = new RegExp(`(<!-- ${name}:begin -->\n)[^]*?(<!-- ${name}:end -->)`)
    return text.replace(place, (_, begin: string, end: string) => `${begin}\n${write()}\n\n${end}`)
  }, page)
}

const checking = process.argv.includes('--check')
const outdated = pages.filter((page) => {
  const path = join(root, page)
  const before = readFileSync(path, 'utf8')
  const after = fill(before)
  if (!checking && after !== before) writeFileSync(path, after)
  return after !== before
})
for (const page of outdated)
  console.error(checking ? `${page} is out of date: run \`npm run docs\`` : `${page} written`)
if (checking && outdated.length > 0) process.exitCode = 1
